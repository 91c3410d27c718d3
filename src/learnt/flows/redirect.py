"""A question asked in the old words finds what holds now.

A hit on a superseded memory surfaces its live successor, never itself, and the successor stands at least as high as
what it replaced would have stood. Measured on the Python Enhancement Proposals: dropping superseded documents finds the
current one first for .65 of the questions, redirecting for .96 (benchmarks, superseded decisions, told). Only in the
default profile; the seed's profiles drop what is superseded.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from learnt.recall.factors import labels, places
from learnt.recall.rank import MAX_ITEMS, MIN_ITEMS, Ranked, Scored, asked_of, clamped, let_through

if TYPE_CHECKING:
    from collections.abc import Iterable

    from learnt.flows.arms import Answer
    from learnt.flows.means import Means
    from learnt.model.candidate import Candidate
    from learnt.model.ranking import Query
    from learnt.recall.rank import Dials

_CHAIN = 32


def redirected(means: Means, query: Query, dials: Dials, answer: Answer, now: str) -> Ranked:
    """The ranking with the successors of superseded memories that answer the question."""
    if not answer.retired:
        return answer.ranked
    best = _successors(means, answer.retired)
    held = means.store.lexicon.named(means.context.sight, list(best), words=False)
    asked = asked_of(query, now, dials, means.context.sight.keys)
    passed = let_through(
        asked, held, frozenset(dials.exclude_kinds), {"preScoredFilteredCount": 0, "suppressedLowQCount": 0}
    )
    found = {one.id: (one, best[one.id]) for one in passed}
    return _merged(query, dials, answer.ranked, found) if found else answer.ranked


def _successors(means: Means, hits: Iterable[Scored]) -> dict[str, Scored]:
    """The live end of each hit's chain, with the best hit that led there; one query a link, however many hits."""
    found: dict[str, Scored] = {}
    at = {hit.id: [hit] for hit in hits}
    for _ in range(_CHAIN):
        onward: dict[str, list[Scored]] = {}
        for memory in means.store.memories.many(means.context.sight, list(at)):
            if memory.status == "active":
                best = max(at[memory.id], key=lambda hit: hit.score)
                if memory.id not in found or found[memory.id].score < best.score:
                    found[memory.id] = best
            elif memory.superseded_by is not None:
                onward.setdefault(memory.superseded_by, []).extend(at[memory.id])
        if not onward:
            break
        at = onward
    return found


def _merged(query: Query, dials: Dials, ranked: Ranked, successors: dict[str, tuple[Candidate, Scored]]) -> Ranked:
    """Both, the better score of the two, in the order of a ranking."""
    own = {hit.id: hit for hit in ranked.hits}
    for memory_id, (candidate, old) in successors.items():
        own[memory_id] = _lifted(own.get(memory_id), candidate, old)
    order = sorted(own.values(), key=lambda hit: (-round(hit.score + hit.signals["ftsBonus"], 9), hit.id))
    most = clamped(query.max_items, dials.max_items, MIN_ITEMS, MAX_ITEMS)
    kept = places([hit.candidate for hit in order], most) if query.mode == "injection" else None
    allowed = {candidate.id for candidate in kept} if kept is not None else own.keys()
    hits = tuple(hit for hit in order if hit.id in allowed)[:most]
    diagnostics = {**ranked.diagnostics, "redirectedCount": sum(hit.id in successors for hit in hits)}
    return replace(ranked, hits=hits, total=len(order), skip_reason=None, diagnostics=diagnostics)


def _lifted(own: Scored | None, candidate: Candidate, old: Scored) -> Scored:
    """The successor's own hit, or one made for it, with at least the score of what it replaced."""
    reason = f"asked in the words of {old.id}, which it replaced"
    if own is None:
        known = tuple(labels(candidate.confidence))
        return replace(old, candidate=candidate, reason=f"{reason}: {old.reason}", labels=known)
    if own.score >= old.score:
        return own
    return replace(own, score=old.score, reason=f"{own.reason}; {reason}")
