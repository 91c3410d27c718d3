"""Recall's free places, filled with what a merge tied to the hits; see `learnt.recall.beside`."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from learnt.flows import fresh
from learnt.model.candidate import Candidate
from learnt.model.instant import age_days
from learnt.model.ranking import Hit
from learnt.model.relation import MERGED_WITH
from learnt.recall.beside import beside, told
from learnt.recall.factors import labels
from learnt.recall.rank import kinds_of

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from learnt.flows.means import Means
    from learnt.model.memory import Memory
    from learnt.model.ranking import Query
    from learnt.recall.rank import Dials


def beside_hits(
    means: Means, query: Query, dials: Dials, hits: Sequence[Hit], now: str, cleared: Callable[[Memory], Memory | None]
) -> tuple[Hit, ...]:
    """The memories to show beside `hits`, best first; nothing where every place is taken.

    Args:
        cleared: A memory as it may be shown, or None.
    """
    if not hits or len(hits) >= dials.max_items or query.as_of is not None:
        return ()
    sight, own = means.context.sight, {hit.memory.id for hit in hits}
    ties = means.store.proposals.related(sight, sorted(own))
    names = sorted({name for others in ties.values() for name in others} - own)
    if not names:
        return ()
    kinds, barred = kinds_of(query, dials.exclude_kinds), frozenset(dials.exclude_kinds)
    held = {
        memory.id: memory
        for memory in means.store.memories.many(sight, names)
        if _holds(memory, query, dials, now) and memory.kind not in barred and (not kinds or memory.kind in kinds)
    }
    order = [_candidate(hit.memory) for hit in hits]
    shown = {name: hit for name, memory in held.items() if (hit := _shown(means, query, memory, cleared, now))}
    known = {name: _candidate(hit.memory) for name, hit in shown.items()}
    found = beside(order, ties, known, dials.max_items, capped=query.mode == "injection")
    return tuple(_tied(shown[one.id], source, hits[-1].score) for one, source in found)


def _holds(memory: Memory, query: Query, dials: Dials, now: str) -> bool:
    expired = memory.expires_at is not None and memory.expires_at <= now
    low = memory.q_value < dials.suppressed_below
    return (
        memory.status == "active"
        and memory.valid_from <= now
        and (query.include_expired or not expired)
        and (query.include_low_q or not low)
    )


def _candidate(memory: Memory) -> Candidate:
    one = Candidate()
    one.id, one.trust, one.confidence, one.q_value = memory.id, memory.trust, memory.confidence, memory.q_value
    one.run = memory.provenance.run_id or memory.provenance.session_id
    return one


def _shown(
    means: Means, query: Query, memory: Memory, cleared: Callable[[Memory], Memory | None], now: str
) -> Hit | None:
    """The memory as a hit without a score, held against the work tree like any other."""
    clear = cleared(memory)
    if clear is None:
        return None
    hit = Hit(
        memory=clear,
        score=0.0,
        age_days=age_days(clear.updated_at, now),
        signals=dict.fromkeys(_SIGNALS, 0.0),
        reason="",
        labels=tuple(labels(clear.confidence)),
    )
    return next(iter(fresh.weighed(means, query, (hit,))[0]), None)


_SIGNALS = (
    "textOverlap",
    "tagOverlap",
    "fileOverlap",
    "symbolOverlap",
    "kindMatch",
    "scopeMatch",
    "partOverlap",
    "ftsBonus",
)


def _tied(hit: Hit, source: str, score: float) -> Hit:
    """The hit with what it is tied to; its score is that of the last hit, behind which it stands."""
    return replace(
        hit,
        score=score,
        related_to=source,
        relation=MERGED_WITH,
        reason=f"{MERGED_WITH} {source}",
        labels=(*hit.labels, told(source)),
    )
