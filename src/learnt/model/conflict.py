"""Statements that stand in one another's way, and what a memory was before it changed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, Literal

if TYPE_CHECKING:
    from learnt.model.memory import Memory

Reason = Literal["disputes", "alike", "related", "returned", "held"]
REASONS: Final[tuple[Reason, ...]] = ("disputes", "held", "alike", "returned", "related")
"""Why two statements are told of together, the most pressing first.

`disputes`: both cannot hold, and which of them does is open. `held`: the newer one would have replaced the other, and a
brake stopped it. `alike`: they are so alike that one may replace or repeat the other. `returned`: the older one came
back, and this had replaced it. `related`: the nearest decisions to a new one; it may replace one of them.
"""
NOMINATED: Final[tuple[Reason, ...]] = ("held", "alike", "returned", "related")

KEY: Final = "rivals"
"""Where the metadata of the later written memory names what stands in its way; stores keep it by both ids."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Conflict:
    """Two memories of one scope that stand in each other's way.

    Attributes:
        memory_id: The later written one. `rival_id`: the other.
        score: How alike they are, 0 to 1; 1 for what is known to disagree.
        at: When it was noticed.
    """

    memory_id: str
    rival_id: str
    reason: Reason
    score: float = 1.0
    at: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Former:
    """What a memory was, and until when the store held it like that."""

    memory: Memory
    until: str


def as_rows(conflicts: tuple[Conflict, ...]) -> list[list[Any]]:
    """How metadata holds them."""
    return [[each.rival_id, each.reason, round(each.score, 4), each.at] for each in conflicts]


def conflicts_of(memory: Memory) -> tuple[Conflict, ...]:
    """What stands in the way of a memory, as its metadata tells; what is malformed is left out."""
    held = memory.metadata.get(KEY, ())
    rows = held if isinstance(held, list | tuple) else ()
    return tuple(
        Conflict(memory_id=memory.id, rival_id=row[0], reason=row[1], score=float(row[2]), at=row[3])
        for row in rows
        if _is_whole(row)
    )


def _is_whole(row: object) -> bool:
    if not isinstance(row, list | tuple) or len(row) != 4:
        return False
    rival, reason, score, at = row
    return isinstance(rival, str) and reason in REASONS and isinstance(score, int | float) and isinstance(at, str)
