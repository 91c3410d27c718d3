"""Pins made from files as they stand."""

from __future__ import annotations

from typing import TYPE_CHECKING

from learnt.model.pin import MAX_MARKS, Pin
from learnt.stale.body import body
from learnt.stale.match import occurrences

if TYPE_CHECKING:
    from learnt.model.view import View

NEIGHBOURS = 3


def whole(path: str, commit: str) -> Pin:
    """A pin on a file that it is there."""
    return Pin(path=path, commit=commit)


def lines(path: str, view: View, line: int, end: int, commit: str, symbol: str = "") -> Pin:
    """A pin on some lines; on the file as a whole where there are no such lines.

    Blank lines at the edges are left out. A range of nothing else is a place between lines: its neighbours are pinned,
    and hold only where they are (`copies` 0), because nothing tells which lines were meant.
    """
    held = [at for at, number in enumerate(view.numbers) if line <= number <= end]
    blank = not held
    if blank and line <= len(view.lines):
        above = sum(1 for number in view.numbers if number < line)
        held = list(range(len(view.marks)))[max(0, above - NEIGHBOURS) : above + NEIGHBOURS]
    if not held:
        return whole(path, commit)
    first, last = held[0], held[-1]
    marks = tuple(view.marks[first : last + 1][:MAX_MARKS])
    return Pin(
        path=path,
        line=view.numbers[first],
        end=view.numbers[last],
        symbol=symbol,
        marks=marks,
        before=tuple(view.marks[max(0, first - NEIGHBOURS) : first]),
        after=tuple(view.marks[last + 1 : last + 1 + NEIGHBOURS]),
        copies=0 if blank else sum(1 for _ in occurrences(view.marks, marks)),
        height=len(view.lines),
        commit=commit,
    )


def symbol(path: str, view: View, name: str, commit: str) -> Pin | None:
    """A pin on the body of a symbol; None where the file does not declare it."""
    found = body(view.lines, name, python=path.endswith((".py", ".pyi")))
    return lines(path, view, *found, commit, symbol=name) if found else None
