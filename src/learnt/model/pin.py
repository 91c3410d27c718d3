"""What ties a memory to the code it speaks of: a file, some of its lines, a symbol, as they stood when it was written.

Not an anchor: an anchor is what an action is recognised by, a pin is what a statement rests on. Hook-safe.
"""

from __future__ import annotations

import struct

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping
    from typing import Literal

    State = Literal["intact", "moved", "changed", "gone", "unknown"]

STATES: tuple[State, ...] = ("intact", "moved", "changed", "gone", "unknown")
MAX_PINS = 20
MAX_MARKS = 1_000
"""Lines of one pin that are compared, blank ones not counted; a longer range is pinned by its first thousand."""

KEY = "pins"
"""Where a memory's metadata holds them."""


class _Value:
    """Compares by what is in its slots; what a frozen dataclass would be where a hook could afford one."""

    __slots__: tuple[str, ...] = ()

    def _values(self) -> tuple[object, ...]:
        return tuple(getattr(self, name) for name in self.__slots__)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Value) and type(other) is type(self) and self._values() == other._values()

    def __hash__(self) -> int:
        return hash(self._values())

    def __repr__(self) -> str:
        return f"{type(self).__name__}{self._values()!r}"


class Pin(_Value):
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

    __slots__ = ("after", "before", "commit", "copies", "end", "height", "line", "marks", "path", "symbol")

    def __init__(
        self,
        *,
        path: str,
        line: int = 0,
        end: int = 0,
        symbol: str = "",
        marks: tuple[int, ...] = (),
        before: tuple[int, ...] = (),
        after: tuple[int, ...] = (),
        copies: int = 1,
        height: int = 0,
        commit: str = "",
    ) -> None:
        self.path = path
        self.line = line
        self.end = end
        self.symbol = symbol
        self.marks = marks
        self.before = before
        self.after = after
        self.copies = copies
        self.height = height
        self.commit = commit

    @property
    def place(self) -> str:
        """Where it is, as an evidence reference: `path`, `path:line` or `path:line-end`."""
        if not self.line:
            return self.path
        return f"{self.path}:{self.line}" + (f"-{self.end}" if self.end != self.line else "")


class Freshness(_Value):
    """How a pin, or all pins of a memory, compare with the work tree.

    Attributes:
        line: Where the pinned lines begin now; 0 where that is not known.
        kept: Share of the pinned lines that still stand in the file, 0 to 1.
    """

    __slots__ = ("kept", "line", "path", "state")

    def __init__(self, *, state: State, path: str = "", line: int = 0, kept: float = 1.0) -> None:
        self.state = state
        self.path = path
        self.line = line
        self.kept = kept


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
    return pin_of(row.get) if isinstance(row, dict) else None


def pin_of(value: Callable[[str], object]) -> Pin | None:
    """The pin whose fields `value` gives by name (None for a missing one); None when they make no pin."""
    path, numbers = value("path"), [value(name) for name in ("line", "end", "height")]
    copies = value("copies")
    try:
        line, end, height = (int(str(number or 0)) for number in numbers)
        made = Pin(
            path=path if isinstance(path, str) else "",
            line=line,
            end=end,
            symbol=str(value("symbol") or ""),
            marks=_unpacked(value("marks")),
            before=_unpacked(value("before")),
            after=_unpacked(value("after")),
            copies=1 if copies is None else int(str(copies)),
            height=height,
            commit=str(value("commit") or ""),
        )
    except (TypeError, ValueError, struct.error):
        return None
    return made if made.path else None


def _packed(marks: Iterable[int]) -> str:
    found = tuple(marks)
    return struct.pack(f">{len(found)}I", *found).hex()


def _unpacked(text: object) -> tuple[int, ...]:
    packed = bytes.fromhex(str(text or ""))
    return struct.unpack(f">{len(packed) // 4}I", packed)
