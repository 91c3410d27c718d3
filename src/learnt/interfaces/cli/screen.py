"""What answers look like on a terminal: short lines, aligned, wrapped to the window.

Every text goes through `learnt.wire.terminal` on its way here; colour is put on afterwards, so nothing a memory says
can bring its own.
"""

from __future__ import annotations

import os
import shutil
from pathlib import Path
from typing import TYPE_CHECKING

import click

from learnt.model.instant import age_days, from_epoch
from learnt.wire.terminal import columns, line, padded, plain, wrapped

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

_MOST, _LEAST = 110, 40
"""Columns: longer lines read badly, shorter windows are scrolled."""
_BREAKS = dict.fromkeys(map(ord, "\n\r\t\v\f"), " ")


def width() -> int:
    """Columns to use."""
    return max(_LEAST, min(_MOST, shutil.get_terminal_size((100, 24)).columns))


def _flat(text: str) -> str:
    """One line, its blanks kept."""
    return plain(text.translate(_BREAKS))


def strong(text: str) -> str:
    """A heading or a count."""
    return click.style(_flat(text), bold=True)


def name(text: str) -> str:
    """An id, or a command to type."""
    return click.style(_flat(text), fg="cyan")


def faint(text: str) -> str:
    """What is there for the second look."""
    return click.style(_flat(text), dim=True)


def bad(text: str) -> str:
    """What went wrong."""
    return click.style(_flat(text), fg="red")


def grade(word: str) -> str:
    """The word of a check: ok, warning or problem."""
    return click.style(padded(word, 8), fg={"ok": "green", "warning": "yellow"}.get(word, "red"))


def body(text: str, indent: str = "  ", margin: int = 0) -> Iterator[str]:
    """A text in its own lines, `margin` columns short of the window."""
    yield from wrapped(text, width() - margin, indent)


def quoted(text: str, indent: str = "    ") -> Iterator[str]:
    """Words of somebody else, each line behind a bar."""
    for row in wrapped(text, width() - 2, indent):
        yield f"{indent}{click.style('│', dim=True)} {row[len(indent) :]}"


def pairs(values: Iterable[tuple[str, str]], indent: str = "  ") -> Iterator[str]:
    """Names and values in two columns; what is empty is left out."""
    shown = [(key, value) for key, value in values if value]
    room = max((columns(key) for key, _ in shown), default=0)
    for key, value in shown:
        rows = list(wrapped(value, width() - len(indent) - room - 2))
        yield f"{indent}{faint(padded(key, room))}  {rows[0]}"
        yield from (f"{indent}{' ' * room}  {row}" for row in rows[1:])


def table(
    rows: Sequence[Sequence[str]], indent: str = "  ", *, whole: bool = False, right: Sequence[int] = ()
) -> Iterator[str]:
    """Rows in aligned columns; the last column is cut to the window, or left whole for paths and ids to copy.

    Args:
        right: Columns that end together, as figures do.
    """
    if not rows:
        return
    shown = [[line(cell) for cell in row] for row in rows]
    rooms = [max(columns(row[at]) for row in shown) for at in range(len(shown[0]) - 1)]
    left = width() - len(indent) - sum(room + 2 for room in rooms)
    for row in shown:
        cells = [
            " " * (room - columns(cell)) + cell if at in right else padded(cell, room)
            for at, (cell, room) in enumerate(zip(row, rooms, strict=False))
        ]
        yield (indent + "  ".join([*cells, line(row[-1], 0 if whole else max(20, left))])).rstrip()


def age(at: str, now: str) -> str:
    """How long ago, in words."""
    try:
        days = age_days(at, now)
    except (ValueError, IndexError):
        return "unknown"
    return "today" if not days else "1 day" if days == 1 else f"{days} days"


def minute(at: str) -> str:
    """A time to the minute, as a person reads it."""
    return f"{at[:10]} {at[11:16]} UTC" if at else ""


def place(path: str) -> str:
    """A path with the home folder as a shell writes it, where the shell gives it back."""
    home = str(Path.home()) + os.sep
    return f"~{os.sep}{path.removeprefix(home)}" if path.startswith(home) and " " not in path else path


def now() -> str:
    """The clock, for showing ages only."""
    import time

    return from_epoch(time.time())


def listed(values: Iterable[str]) -> str:
    """Values on one line."""
    return ", ".join(line(value) for value in values)


def joined(*parts: str) -> str:
    """The parts that are there, with a dot between."""
    return " · ".join(_flat(part) for part in parts if part)


def count(number: int, word: str, words: str = "") -> str:
    """`1 memory`, `2 memories`."""
    return f"{number:,} {word if number == 1 else words or word + 's'}"


def size(size_bytes: int) -> str:
    """`0.4 MB`, `2.8 KB`."""
    return f"{size_bytes / 1e6:.1f} MB" if size_bytes >= 100_000 else f"{size_bytes / 1e3:.1f} KB"


def unheard(diagnostics: Mapping[str, object]) -> Iterator[str]:
    """Which arm was to answer and did not, so that what it would have found is not taken for nothing."""
    arms = diagnostics.get("arms")
    told = dict(arms) if isinstance(arms, dict) else {}
    if evidence := diagnostics.get("denseEvidence"):
        told["dense (evidence)"] = evidence
    for name, word in told.items():
        if str(word).startswith("failed"):
            yield faint(f"! the {name} arm did not run ({word}); `learnt doctor` says why")
        elif word == "stale generation":
            yield faint(f"! the {name} arm did not run: there are no vectors of the present model; `learnt reembed`")
