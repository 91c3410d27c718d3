"""A verdict on work that memories were given for, and what it made of them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

Council = Literal["APPROVE", "REJECT", "CONCERNS"]
COUNCIL = get_args(Council)
"""What a council may say."""

NO_RECALL, ALREADY, DISABLED = "no_recall_usage_for_run", "already_rewarded", "memory_disabled"
"""Why a reward applied to nothing. Source: swarm-memory seed, recall learning."""

PROMOTION_RECALLS = 5
"""A promotion candidate was recalled more often than this. Source: swarm-memory seed, recall learning."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """One reward of one memory: its place in the order of all of them, and what it pulls the value to.

    Attributes:
        at: When what is rewarded was recalled. `key`: what rewarded it; with `at` the step's place.
        signal: The reward, or of a neighbour its share of it. `rate`: the step's width when it was made.
    """

    at: str
    key: str
    signal: float
    rate: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Learned:
    """What a reward did to one memory."""

    id: str
    q_before: float
    q_after: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Rewarded:
    """What a verdict did.

    Attributes:
        learned: The memories it was about. `near`: those like them, which had a share of it.
        bundles: The receipts that carry it.
        reason: Why it applied to nothing; None when it did.
        unsigned: Receipts that were named and are none of this installation's.
    """

    learned: tuple[Learned, ...] = ()
    near: tuple[Learned, ...] = ()
    bundles: tuple[str, ...] = ()
    reason: str | None = None
    unsigned: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Past:
    """One entry of a memory's history: which verdict moved its value from where to where.

    Attributes:
        shared: Whether it came as a neighbour's share.
    """

    at: str
    verdict: str
    signal: float
    q_before: float
    q_after: float
    shared: bool = False


def is_promotable(q_value: float, recalls: int, above: float) -> bool:
    """Worth promoting: both bounds are outside. Source: swarm-memory seed, recall learning."""
    return q_value > above and recalls > PROMOTION_RECALLS
