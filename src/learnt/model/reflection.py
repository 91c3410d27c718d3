"""The digest of all outcomes of a repository."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from learnt.model.outcome import Spot

Resolution = Literal["preferred", "tentative", "contested", "dead_end", "corrected"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Insight:
    """What outcomes say of one memory, at one spot of the code where they named any.

    Attributes:
        text: Of the memory, at most 512 characters, redacted.
        score: Useful outcomes less all others, each worth half after every half-life; six decimals.
        positive, negative: How many outcomes of either sort. `latest_at`: the last of them.
        correction: What is right instead, redacted; only of a correction. `by_person`: whether a person says so.
        clearance: The pattern set that cleared all that stands here; "" where the present one did not.
    """

    memory_id: str
    text: str
    resolution: Resolution
    score: float
    positive: int
    negative: int
    latest_at: str
    spot: Spot | None = None
    correction: str = ""
    by_person: bool = False
    clearance: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Reflection:
    """Insights by what they come to, each list in its order.

    Attributes:
        dead: Memories all of whose spots are gone from the work tree; they are nowhere else.
        entries: How many memories were looked at. `as_of`: the moment that ages are counted from.
    """

    as_of: str
    entries: int = 0
    preferred: tuple[Insight, ...] = ()
    tentative: tuple[Insight, ...] = ()
    contested: tuple[Insight, ...] = ()
    dead_ends: tuple[Insight, ...] = ()
    corrections: tuple[Insight, ...] = ()
    dead: tuple[str, ...] = ()
