"""Hits that dispute one another, labelled and put in order."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from learnt.govern.truth import evidence_at
from learnt.recall.dispute import ordered, sides

if TYPE_CHECKING:
    from learnt.flows.means import Means
    from learnt.model.memory import Memory
    from learnt.model.ranking import Hit
    from learnt.recall.dispute import Pair


def disputed(means: Means, hits: tuple[Hit, ...]) -> tuple[Hit, ...]:
    """The hits, those in dispute with another active memory labelled, newer evidence before older."""
    pairs = _pairs(means, {hit.memory.id: hit.memory for hit in hits}) if hits else []
    if not pairs:
        return hits
    told = sides(pairs)
    order = ordered([hit.memory.id for hit in hits], pairs)
    return tuple(_labelled(hits[at], told.get(hits[at].memory.id, "")) for at in order)


def _pairs(means: Means, held: dict[str, Memory]) -> list[Pair]:
    """Each dispute of these memories, the newer evidence first; ordered as both hook and engine read them."""
    sight = means.context.sight
    found = [each for each in means.store.claims.standing(sight, list(held)) if each.reason == "disputes"]
    missing = {name for each in found for name in (each.memory_id, each.rival_id)} - held.keys()
    memories = {**held, **{each.id: each for each in means.store.memories.many(sight, sorted(missing))}}
    return [_pair(memories[each.memory_id], memories[each.rival_id]) for each in found]


def _pair(one: Memory, other: Memory) -> Pair:
    return (one.id, other.id) if evidence_at(one) >= evidence_at(other) else (other.id, one.id)


def _labelled(hit: Hit, label: str) -> Hit:
    return replace(hit, labels=(*hit.labels, label)) if label else hit
