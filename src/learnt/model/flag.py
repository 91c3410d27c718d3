"""What a reader has against a memory."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from learnt.model.memory import Memory

MAX_REASON = 500
MOST_REASONS = 20
"""Reasons listed of one memory, the newest. Source of both: lessons seed, administration."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Flag:
    """One reader's objection to one memory: open until it is withdrawn or cleared.

    Attributes:
        by: The reader (`person:ID`, `agent:NAME`); one open flag each. `person`: whether that is a person.
        login: As whom the store, or a server before it, knows that person by their credentials; "" where nobody is
            authenticated, as on a single-user machine.
        cleared_at: "" while it is open. `cleared_by`: who looked at it and let the memory stand.
    """

    memory_id: str
    by: str
    at: str
    reason: str
    person: bool = False
    login: str = ""
    cleared_at: str = ""
    cleared_by: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Flagged:
    """A memory was flagged, or a flag withdrawn, or all of them cleared.

    Attributes:
        flags: Open ones now. `replaced`: the reader had one, which this took the place of.
        cleared: How many were cleared.
        restored: Whether clearing made a memory active again that its flags had quarantined.
    """

    memory: Memory
    event: str
    flags: int = 0
    replaced: bool = False
    cleared: int = 0
    restored: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Objection:
    """A flagged memory with what there is to know about it.

    Attributes:
        flags: The newest open ones, at most 20. `past`: the newest of those that were cleared.
        total: How many are open.
    """

    memory: Memory
    flags: tuple[Flag, ...]
    total: int
    past: tuple[Flag, ...] = ()


@dataclass(frozen=True, slots=True)
class FlagCount:
    """Open flags, and how many memories have any."""

    flags: int = 0
    memories: int = 0
