"""A pin beside the file as it stands now. Hook-safe."""

from __future__ import annotations

from learnt.model.pin import Freshness

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from learnt.model.pin import Pin, State
    from learnt.model.view import Look, View

_WINDOW = 8
"""Lines beside a place that are searched for the pin's neighbours: room for a few new ones in between."""
_NEIGHBOURS = 0.5
"""Share of its neighbours that must stand beside lines of which a copy was lost."""


def compare(pin: Pin, look: Look) -> Freshness:
    """How the pinned place compares with the file.

    Lines are intact when they stand together as they did, whatever is around them and however they are indented; moved
    when they do so at another line. A symbol is gone when its file no longer declares it.
    """
    if look == "unreadable":
        return Freshness(state="unknown", path=pin.path)
    if look == "absent":
        return Freshness(state="gone", path=pin.path, kept=0.0)
    if not pin.marks:
        return Freshness(state="intact", path=pin.path)
    if look.large:
        return Freshness(state="unknown", path=pin.path)
    if look.between(pin.line, pin.end)[: len(pin.marks)] == pin.marks:
        return Freshness(state="intact", path=pin.path, line=pin.line)
    line = _shifted(pin, look) or _found(pin, look)
    if line:
        return Freshness(state="intact" if line == pin.line else "moved", path=pin.path, line=line)
    return _broken(pin, look)


def _broken(pin: Pin, look: View) -> Freshness:
    """Where the symbol is now, and how much of the lines is left."""
    line = 0
    if pin.symbol:
        from learnt.stale.declared import declared  # few pins that a hook meets come as far as this

        line = declared(look.lines, pin.symbol)
    left = _common(pin.marks, look.marks)
    state: State = "gone" if pin.symbol and not line else "changed"
    return Freshness(state=state, path=pin.path, line=line, kept=round(left / len(pin.marks), 3))


def _shifted(pin: Pin, look: View) -> int:
    """Where the lines begin when all that changed lies above them; 0 when they do not stand there.

    Spares looking at every line of a file in the case met most.
    """
    by = len(look.lines) - pin.height
    if pin.copies != 1 or pin.line + by < 1:
        return 0
    return pin.line + by if look.between(pin.line + by, pin.end + by)[: len(pin.marks)] == pin.marks else 0


def _found(pin: Pin, look: View) -> int:
    """The line at which the pinned lines begin now; 0 when they do not stand together any more.

    Of several places the one among most of its old neighbours, then the nearest. Lines that stood there more than once
    are told apart by their neighbours as soon as one copy is lost.
    """
    starts = list(occurrences(look.marks, pin.marks)) if pin.copies else []
    if len(starts) <= 1 and len(starts) >= pin.copies:
        return look.numbers[starts[0]] if starts else 0
    if not starts:
        return 0
    best = max(starts, key=lambda at: (_beside(pin, look, at), -abs(look.numbers[at] - pin.line)))
    sure = len(starts) >= pin.copies or _beside(pin, look, best) >= _NEIGHBOURS
    return look.numbers[best] if sure else 0


def _beside(pin: Pin, look: View, at: int) -> float:
    """Share of the pin's neighbours that stand near the lines at a place; 0 when it had none."""
    if not (pin.before or pin.after):
        return 0.0
    end = at + len(pin.marks)
    above = _common(pin.before, look.marks[max(0, at - _WINDOW) : at])
    below = _common(pin.after, look.marks[end : end + _WINDOW])
    return (above + below) / (len(pin.before) + len(pin.after))


def _common(some: Sequence[int], others: Sequence[int]) -> int:
    """How many stand in both, each as often as in the one that holds it less often. `collections` costs a hook 1 ms."""
    left: dict[int, int] = {}
    for mark in others:
        left[mark] = left.get(mark, 0) + 1
    found = 0
    for mark in some:
        if left.get(mark):
            left[mark] -= 1
            found += 1
    return found


def occurrences(marks: Sequence[int], wanted: Sequence[int]) -> Iterator[int]:
    """Indices at which `wanted` stands in `marks`."""
    whole, length, at = list(wanted), len(wanted), -1
    while True:
        try:
            at = marks.index(whole[0], at + 1)
        except ValueError:
            return
        if marks[at : at + length] == whole:
            yield at
