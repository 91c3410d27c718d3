"""What ties a memory to the code it speaks of: a file, some of its lines, a symbol, as they stood when it was written.

Not an anchor: an anchor is what an action is recognised by, a pin is what a statement rests on.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

State = Literal["intact", "moved", "changed", "gone", "unknown"]
STATES: tuple[State, ...] = ("intact", "moved", "changed", "gone", "unknown")
MAX_PINS = 20
MAX_MARKS = 1_000
"""Lines of one pin that are compared, blank ones not counted; a longer range is pinned by its first thousand."""

KEY = "pins"
"""Where a memory's metadata holds them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Pin:
    """One place a memory rests on. Holds paths, numbers and hashes, never the text of a file.

    Attributes:
        path: Repository-relative.
        line, end: First and last pinned line, neither of them blank; 0 for the file as a whole.
        symbol: The symbol whose body the lines are; "" for lines that somebody named.
        marks: Of the pinned lines, in order (see `learnt.model.view.View`).
        before, after: Marks of up to three lines above and below.
        copies: How often the pinned lines stood in the file; 1 for lines that can be told from all others, 0 for a
            place between lines, which is known only where it was.
        height: How many lines the file had.
        commit: What was checked out; "" where git did not tell.
    """

    path: str
    line: int = 0
    end: int = 0
    symbol: str = ""
    marks: tuple[int, ...] = ()
    before: tuple[int, ...] = ()
    after: tuple[int, ...] = ()
    copies: int = 1
    height: int = 0
    commit: str = ""

    @property
    def place(self) -> str:
        """Where it is, as an evidence reference: `path`, `path:line` or `path:line-end`."""
        if not self.line:
            return self.path
        return f"{self.path}:{self.line}" + (f"-{self.end}" if self.end != self.line else "")


@dataclass(frozen=True, slots=True, kw_only=True)
class Freshness:
    """How a pin, or all pins of a memory, compare with the work tree.

    Attributes:
        line: Where the pinned lines begin now; 0 where that is not known.
        kept: Share of the pinned lines that still stand in the file, 0 to 1.
    """

    state: State
    path: str = ""
    line: int = 0
    kept: float = 1.0


def as_row(pin: Pin) -> dict[str, object]:
    """A pin as a JSON object without empty fields; marks are eight hex digits each."""
    full: dict[str, object] = {
        "path": pin.path,
        "line": pin.line,
        "end": pin.end,
        "symbol": pin.symbol,
        "marks": _packed(pin.marks),
        "before": _packed(pin.before),
        "after": _packed(pin.after),
        "height": pin.height,
        "commit": pin.commit,
    }
    full = {key: value for key, value in full.items() if value}
    return full if pin.copies == 1 else {**full, "copies": pin.copies}


def pins_of(metadata: Mapping[str, object]) -> tuple[Pin, ...]:
    """The pins in a memory's metadata; what is no pin (an import may bring anything) is left out."""
    rows = metadata.get(KEY)
    found = (_pin(row) for row in rows) if isinstance(rows, list | tuple) else ()
    return tuple(pin for pin in found if pin is not None)[:MAX_PINS]


def repinned(old: Mapping[str, object], new: Mapping[str, object]) -> tuple[Pin, ...]:
    """The pins of a statement that was written again: the new ones, then old ones of other places.

    Saying a thing again confirms it for the code as it is now. A pin that differs only in its commit stays as it was.
    """
    before = {(pin.path, pin.line, pin.symbol): pin for pin in pins_of(old)}
    named = {(pin.path, pin.symbol) for pin in pins_of(new)}
    found = []
    for pin in pins_of(new):
        known = before.get((pin.path, pin.line, pin.symbol))
        found.append(known if known is not None and _same(known, pin) else pin)
    kept = [pin for pin in before.values() if (pin.path, pin.symbol) not in named]
    return (*found, *kept)[:MAX_PINS]


def _same(one: Pin, other: Pin) -> bool:
    return (one.end, one.marks, one.before, one.after) == (other.end, other.marks, other.before, other.after)


def _pin(row: object) -> Pin | None:
    if not isinstance(row, dict) or not isinstance(row.get("path"), str) or not row["path"]:
        return None
    try:
        return Pin(
            path=row["path"],
            line=int(row.get("line", 0)),
            end=int(row.get("end", 0)),
            symbol=str(row.get("symbol", "")),
            marks=_unpacked(row.get("marks", "")),
            before=_unpacked(row.get("before", "")),
            after=_unpacked(row.get("after", "")),
            copies=int(row.get("copies", 1)),
            height=int(row.get("height", 0)),
            commit=str(row.get("commit", "")),
        )
    except (TypeError, ValueError, struct.error):
        return None


def _packed(marks: Iterable[int]) -> str:
    found = tuple(marks)
    return struct.pack(f">{len(found)}I", *found).hex()


def _unpacked(text: str) -> tuple[int, ...]:
    return struct.unpack(f">{len(text) // 8}I", bytes.fromhex(text))
