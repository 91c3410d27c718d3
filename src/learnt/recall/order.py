"""Reordering after scoring: the newer of two statements first, an overview spread over its sessions.

Both only change places among the first hits, and the scores stay with the places, so that a threshold that was passed
is still passed.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

HEAD: Final = 8
"""Newer-first looks at so many hits. With 10 the older statement falls too far, with 15 unrelated hits move."""

BASE_RANK: Final = 20
"""The hit whose score counts as nothing when two scores are compared."""


@dataclass(frozen=True, slots=True)
class Least:
    """From where a later hit may take the place of an earlier one.

    Attributes:
        share: Of the earlier one's score above the base; with so much the later one answers well enough.
        alike: Cosine from which two texts speak of one thing.
    """

    share: float
    alike: float


OF_TURNS: Final = Least(0.3, 0.5)
"""On long chats (20 updates of a fact): newer above older .50 without, .80 with, .70 with a share of .4; the newer one
among the first five .75 and .85. Cost on turns of other conversations: .007 of mean reciprocal rank.
"""

OF_SESSIONS: Final = Least(0.7, 0.4)
"""A session speaks of much, and a later one is seldom its successor: the share is high. Sessions of one person over
months, 16 questions about the present: newest of the evidence first .69 without, .81 with, hit@1 of all questions .69
and .67; with the bounds of turns .69 and .66. Sessions of other conversations lose nothing.
"""

SPREAD_HEAD: Final = 100
"""An overview is spread within so many hits."""

SAME_SESSION_COST: Final = 0.06
"""What each hit of a session already shown costs in an overview, on the scale of a cosine."""


@dataclass(frozen=True, slots=True)
class Placed:
    """One hit, with what its place may depend on.

    Attributes:
        when: Orders the hits in time: the instant, then the place within a session.
    """

    id: str
    score: float
    when: tuple[str, int] = ("", 0)
    who: str = ""
    session: str = ""


def newer_first(
    hits: Sequence[Placed], alike: Callable[[str, str], float], least: Least = OF_TURNS
) -> tuple[tuple[str, float], ...]:
    """`hits` (best first) with the newer of two alike statements of one speaker on the better of their two places.

    Only the two change places, so nothing else moves, and the newer one never falls. Hits without a time stay.

    Args:
        alike: Cosine of two hits by their ids; anything below `least.alike` where it is not known.
    """
    head = list(hits[:HEAD])
    base = hits[min(BASE_RANK, len(hits)) - 1].score if hits else 0.0

    def later(place: int) -> list[int]:
        return [at for at in range(place + 1, len(head)) if _updates(head[at], head[place], base, alike, least)]

    for place in range(len(head)):
        while found := later(place):
            newest = max(found, key=lambda at: head[at].when)
            head[place], head[newest] = head[newest], head[place]
    names = [hit.id for hit in (*head, *hits[HEAD:])]
    return tuple((name, hit.score) for name, hit in zip(names, hits, strict=True))


def _updates(new: Placed, old: Placed, base: float, alike: Callable[[str, str], float], least: Least) -> bool:
    """Whether `new` is a later statement of the same speaker on the same thing that answers nearly as well."""
    if not new.when[0] or not old.when[0] or new.when <= old.when or new.who != old.who:
        return False
    return new.score - base >= least.share * (old.score - base) and alike(new.id, old.id) >= least.alike


def spread(hits: Sequence[Placed], cost: float = SAME_SESSION_COST) -> tuple[tuple[str, float], ...]:
    """`hits` (best first) for an overview: each hit of a session already shown counts `cost` less.

    Measured on summaries and courses of events over long chats: recall@10 of rounds .25 to .33 (order of events) and
    .26 to .30 (summaries).
    """
    left, shown, order = list(hits[:SPREAD_HEAD]), dict[str, int](), list[str]()
    while left:
        best = max(left, key=lambda hit: hit.score - cost * (shown.get(hit.session, 0) if hit.session else 0))
        left.remove(best)
        shown[best.session] = shown.get(best.session, 0) + 1
        order.append(best.id)
    order += [hit.id for hit in hits[SPREAD_HEAD:]]
    return tuple((name, hit.score) for name, hit in zip(order, hits, strict=True))
