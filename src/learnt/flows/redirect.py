"""A question asked in the old words finds what holds now.

A hit on a superseded memory surfaces its live successor, never itself, and the successor stands at least as high as
what it replaced would have stood. Measured on the Python Enhancement Proposals: dropping superseded documents finds the
current one first for .65 of the questions, redirecting for .96 (benchmarks, superseded decisions, told). Only in the
default profile; the seed's profiles drop what is superseded.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from learnt.model.candidate import Candidate
from learnt.recall.factors import places
from learnt.recall.rank import MAX_ITEMS, MIN_ITEMS, Ranked, Scored, clamped, rank

if TYPE_CHECKING:
    from collections.abc import Iterable

    from learnt.flows.means import Means
    from learnt.model.memory import Memory
    from learnt.model.ranking import Query
    from learnt.recall.rank import Dials

LOOKED_AT = 500
"""Superseded memories scored, the latest retired first: about 3 ms."""
_CHAIN = 32


def redirected(means: Means, query: Query, dials: Dials, ranked: Ranked, now: str) -> Ranked:
    """`ranked` with the successors of superseded memories that answer the question."""
    if query.profile != "default" or query.as_of is not None:
        return ranked
    old = means.store.lexicon.retired(means.context.sight, LOOKED_AT)
    if not old:
        return ranked
    hits = rank(query, old, now=now, dials=dials, scope_keys=means.context.sight.keys).hits
    hits = tuple(hit for hit in hits if hit.signals["textOverlap"] or hit.signals["tagOverlap"])
    return _merged(query, dials, ranked, _successors(means, hits)) if hits else ranked


def _successors(means: Means, hits: Iterable[Scored]) -> dict[str, tuple[Memory, Scored]]:
    """The live end of each hit's chain, with the best hit that led there; one query a link, however many hits."""
    found: dict[str, tuple[Memory, Scored]] = {}
    at = {hit.id: [hit] for hit in hits}
    for _ in range(_CHAIN):
        onward: dict[str, list[Scored]] = {}
        for memory in means.store.memories.many(means.context.sight, list(at)):
            if memory.status == "active":
                best = max(at[memory.id], key=lambda hit: hit.score)
                if memory.id not in found or found[memory.id][1].score < best.score:
                    found[memory.id] = (memory, best)
            elif memory.superseded_by is not None:
                onward.setdefault(memory.superseded_by, []).extend(at[memory.id])
        if not onward:
            break
        at = onward
    return found


def _merged(query: Query, dials: Dials, ranked: Ranked, successors: dict[str, tuple[Memory, Scored]]) -> Ranked:
    """Both, the better score of the two, in the order of a ranking."""
    own = {hit.id: hit for hit in ranked.hits}
    for memory_id, (memory, old) in successors.items():
        own[memory_id] = _lifted(own.get(memory_id), memory, old)
    order = sorted(own.values(), key=lambda hit: (-round(hit.score + hit.signals["ftsBonus"], 9), hit.id))
    most = clamped(query.max_items, dials.max_items, MIN_ITEMS, MAX_ITEMS)
    kept = places([hit.candidate for hit in order], most) if query.mode == "injection" else None
    allowed = {candidate.id for candidate in kept} if kept is not None else own.keys()
    hits = tuple(hit for hit in order if hit.id in allowed)[:most]
    diagnostics = {**ranked.diagnostics, "redirectedCount": sum(hit.id in successors for hit in hits)}
    return replace(ranked, hits=hits, total=len(order), skip_reason=None, diagnostics=diagnostics)


def _lifted(own: Scored | None, memory: Memory, old: Scored) -> Scored:
    """The successor's own hit, or one made for it, with at least the score of what it replaced."""
    reason = f"asked in the words of {old.id}, which it replaced"
    if own is None:
        return replace(old, candidate=_candidate(memory), reason=f"{reason}: {old.reason}")
    if own.score >= old.score:
        return own
    return replace(own, score=old.score, reason=f"{own.reason}; {reason}")


def _candidate(memory: Memory) -> Candidate:
    """A successor as the slots of a block count it."""
    one = Candidate()
    one.id, one.kind, one.trust, one.status = memory.id, memory.kind, memory.trust, memory.status
    one.scope_type, one.scope_key = memory.scope.type, memory.scope.key
    one.run = memory.provenance.run_id or memory.provenance.session_id
    return one
