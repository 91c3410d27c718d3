"""Where the audit trail ends, and what was signed of it."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class End:
    """The end of the trail as of one moment.

    Attributes:
        position: Of the last event; 0 before the first.
        head: Its hash. `seal`: the mark over its place and hash that only the last event has.
        log: What the log is called, wherever it is kept; "" before its first marked event.
    """

    position: int = 0
    head: str | None = None
    seal: str | None = None
    log: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Checkpoint:
    """A signed statement of one installation about the trail up to an event.

    Attributes:
        installation: Who signed. `epoch`: the number of the key that signed, which never signs again.
        size: How many events it speaks of, from the first ever on.
        cut: How many events from the first on are no longer kept; 0 where nothing was cut.
        statement: What was signed, as compact JSON. `signature`: of it, hex.
        peaks: The roots of the whole subtrees of the tree over `size` events, hex, largest first.
        cut_peaks: The same over the `cut` events, without which the tree could not be made again.
    """

    installation: str
    epoch: int
    size: int
    cut: int
    at: str
    statement: str
    signature: str
    peaks: tuple[str, ...]
    cut_peaks: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Node:
    """The root of a whole subtree: of the leaves from `number` times two to the power of `level` on, that many."""

    level: int
    number: int
    hash: str
