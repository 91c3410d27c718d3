"""A memory rises a little when the evidence it cites speaks of what is asked, in words the memory itself left out.

A distilled statement loses what the raw text keeps: the error message, the name of the machine, who asked for it. The
lift is bounded, so that evidence orders neighbours and never carries a memory past one that answers itself. Only in the
default profile, and only where something cited matches: otherwise the ranking is the same object.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

from learnt.model.tokens import STOP_WORDS, tokens

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from learnt.flows.means import Means
    from learnt.model.memory import Memory
    from learnt.model.ranking import Query
    from learnt.recall.rank import Ranked, Scored

MOST_LIFT: Final = 0.1
"""What evidence that holds every word of the question adds, a fifth of what the memory's own words can. Own choice."""

LEAST_SHARE: Final = 0.25
"""Below this share of the question's words a match is chance."""

_CITED = ("session:", "evidence-cache:")
_MOST_REFS: Final = 5


def lifted(means: Means, query: Query, ranked: Ranked) -> tuple[Ranked, Mapping[str, Memory]]:
    """`ranked` with the hits lifted whose evidence matches, in the order of their new scores; the memories read."""
    if query.profile != "default" or query.as_of is not None or len(ranked.hits) < 2:
        return ranked, {}
    asked = tokens(query.text) - STOP_WORDS
    memories = {memory.id: memory for memory in means.store.memories.many(means.context.sight, _ids(ranked.hits))}
    said = _said(means, memories.values())
    shares = {name: _share(asked, memory, said) for name, memory in memories.items()} if asked and said else {}
    if not any(shares.values()):
        return ranked, memories
    hits = [_raised(hit, shares.get(hit.id, 0.0)) for hit in ranked.hits]
    hits.sort(key=lambda hit: (-round(hit.score + hit.signals["ftsBonus"], 9), hit.id))
    return replace(ranked, hits=tuple(hits)), memories


def _ids(hits: Sequence[Scored]) -> list[str]:
    return [hit.id for hit in hits]


def _said(means: Means, memories: Iterable[Memory]) -> dict[str, frozenset[str]]:
    """Of each cited piece of evidence that is kept here, its words."""
    refs = list(dict.fromkeys(ref for memory in memories for ref in _refs(memory)))
    if not refs:
        return {}
    return {unit.ref: tokens(unit.text) for unit in means.store.evidence.units(means.context.sight, refs)}


def _refs(memory: Memory) -> list[str]:
    return [each.ref for each in memory.evidence if each.ref.startswith(_CITED)][:_MOST_REFS]


def _share(asked: frozenset[str], memory: Memory, said: Mapping[str, frozenset[str]]) -> float:
    """Which share of the question's words the best piece of evidence holds and the memory does not."""
    left = asked - tokens(memory.text)
    best = max((len(left & said[ref]) for ref in _refs(memory) if ref in said), default=0)
    share = best / len(asked)
    return share if share >= LEAST_SHARE else 0.0


def _raised(hit: Scored, share: float) -> Scored:
    if not share:
        return hit
    signals = {**hit.signals, "evidenceOverlap": share}
    reason = f"{hit.reason}; its evidence matches"
    return replace(hit, score=hit.score + MOST_LIFT * share, signals=signals, reason=reason)
