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

LEAST_SHARE: Final = 0.3
"""The newer statement answers well enough with this share of the older one's score above the base."""

LEAST_ALIKE: Final = 0.5
"""Cosine from which two texts speak of one thing. .45 and .55 give the same figures within .05.

Measured with these four on long chats (19 updates of a fact): newer above older .42 without, .84 with; the newer one
among the first five .89 both times. On sessions of one person over months (16 questions about the present): newest of
the evidence first .50 without, .81 with, recall@10 unchanged. Cost on questions of other conversations: .01 of mean
reciprocal rank.
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


def newer_first(hits: Sequence[Placed], alike: Callable[[str, str], float]) -> tuple[tuple[str, float], ...]:
    """`hits` (best first) with the newer of two alike statements of one speaker on the better of their two places.

    Only the two change places, so nothing else moves, and the newer one never falls. Hits without a time stay.

    Args:
        alike: Cosine of two hits by their ids; anything below `LEAST_ALIKE` where it is not known.
    """
    head = list(hits[:HEAD])
    base = hits[min(BASE_RANK, len(hits)) - 1].score if hits else 0.0
    for place in range(len(head)):
        later = [at for at in range(place + 1, len(head)) if _updates(head[at], head[place], base, alike)]
        while later:
            newest = max(later, key=lambda at: head[at].when)
            head[place], head[newest] = head[newest], head[place]
            later = [at for at in range(place + 1, len(head)) if _updates(head[at], head[place], base, alike)]
    names = [hit.id for hit in (*head, *hits[HEAD:])]
    return tuple((name, hit.score) for name, hit in zip(names, hits, strict=True))


def _updates(new: Placed, old: Placed, base: float, alike: Callable[[str, str], float]) -> bool:
    """Whether `new` is a later statement of the same speaker on the same thing that answers nearly as well."""
    if not new.when[0] or not old.when[0] or new.when <= old.when or new.who != old.who:
        return False
    return new.score - base >= LEAST_SHARE * (old.score - base) and alike(new.id, old.id) >= LEAST_ALIKE


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
