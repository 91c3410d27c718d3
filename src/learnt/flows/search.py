"""A search through evidence and memories: each arm asked, one ranking, nothing held back in silence."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Final

from learnt.errors import UsageError
from learnt.flows.observe import settle, showable
from learnt.flows.recall import cleared
from learnt.model.kinds import PROFILES
from learnt.model.search import WHERES, Matches, SearchAnswer
from learnt.model.tokens import bounded, query_terms
from learnt.model.wording import question_terms
from learnt.recall.found import Ask, memories_found, ordered, sessions_found, units_found

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from learnt.flows.means import Means
    from learnt.model.memory import Memory
    from learnt.model.search import SearchHit, SearchQuery

DEPTH: Final = 200
"""Units each arm gives to the ranking. Source: own measurement; more change nothing among the first twenty."""
SESSION_DEPTH: Final = 1_000
"""The same where sessions are ranked, which need several units each."""
MAX_HITS: Final = 1_000
BACKLOG: Final = 4_096
"""Units a search reads whole at most, before it takes them into the full text."""


@dataclass(slots=True)
class _Arms:
    """What each arm said."""

    terms: tuple[str, ...]
    units: Mapping[str, float] = field(default_factory=dict)
    memories: Mapping[str, float] = field(default_factory=dict)
    dense: str = "no embedder"


def search(means: Means, query: SearchQuery) -> SearchAnswer:
    """What was said and what is known about a question, best first.

    Raises:
        UsageError: It names a place, a profile or a number that does not exist.
    """
    _check(query)
    arms = _Arms(question_terms(query.text))
    ask = Ask(query.text, query.profile, dense=arms.dense == "ran")
    if not means.settings.memory.enabled:
        return SearchAnswer(hits=(), diagnostics={"arms": _told(arms, "off"), "reason": "disabled"})
    if not arms.terms and not ask.dense:
        return SearchAnswer(hits=(), diagnostics={"arms": _told(arms, "ran"), "reason": "no_signal"})
    matches = _matches(means, query, arms)
    found = ordered([*_evidence(query, ask, matches, arms), *_memories(means, query, ask, matches, arms)])
    hits = tuple(_shown(means, found, query))
    return SearchAnswer(hits=hits, diagnostics=_diagnostics(query, arms, matches, found, hits))


def _check(query: SearchQuery) -> None:
    if query.where not in WHERES:
        raise UsageError(f"There is no place {query.where!r}. One of: {', '.join(WHERES)}.", code="where")
    if query.profile not in PROFILES:
        raise UsageError(f"There is no profile {query.profile!r}. One of: {', '.join(PROFILES)}.", code="profile")
    if query.group not in {"", "session"}:
        raise UsageError("Hits are grouped by session, or not at all.", code="group")
    if not 1 <= query.k <= MAX_HITS:
        raise UsageError(f"Between 1 and {MAX_HITS} hits can be asked for.", code="k")


def _matches(means: Means, query: SearchQuery, arms: _Arms) -> Matches:
    """The full text of evidence; also for memories alone, which are measured by the same rarity of words."""
    store, sight = means.store, means.context.sight
    if store.evidence.backlog(sight) > BACKLOG:
        settle(means)
    limit = max(SESSION_DEPTH if query.group else DEPTH, query.k)
    return store.evidence.match(sight, arms.terms, query.wanted, limit, tuple(arms.units))


def _evidence(query: SearchQuery, ask: Ask, matches: Matches, arms: _Arms) -> list[SearchHit]:
    if query.where == "memories":
        return []
    hits = units_found(ask, matches, arms.units)
    return sessions_found(hits, matches.sessions) if query.group else hits


def _memories(means: Means, query: SearchQuery, ask: Ask, matches: Matches, arms: _Arms) -> list[SearchHit]:
    if query.where == "evidence":
        return []
    limit = max(DEPTH, query.k)
    terms = query_terms(query.text)
    narrowed = means.store.lexicon.candidates(means.context.sight, terms, limit, now=means.clock.now())
    found = [candidate.id for candidate in narrowed.candidates] if narrowed.matched else []
    wanted = tuple(dict.fromkeys((*found, *arms.memories)))
    memories = [
        memory
        for memory in means.store.memories.many(means.context.sight, wanted)
        if memory.status == "active" and memory.kind not in means.settings.memory.exclude_kinds
    ]
    return memories_found(ask, memories, arms.terms, matches, arms.memories)


def _shown(means: Means, found: Sequence[SearchHit], query: SearchQuery) -> Iterator[SearchHit]:
    """The first `k` that may be shown, as they may be shown."""
    left = query.k
    for hit in found:
        if not left:
            return
        if hit.unit is not None:
            unit = showable(means, hit.unit)
            same = unit is hit.unit
            yield hit if same else replace(hit, unit=unit, passage=means.gate.redact(hit.passage))
        else:
            memory = _allowed(means, hit.memory)
            if memory is None:
                continue
            yield replace(hit, memory=memory)
        left -= 1


def _allowed(means: Means, memory: Memory | None) -> Memory | None:
    return cleared(means, memory) if memory is not None else None


def _told(arms: _Arms, lexical: str) -> dict[str, str]:
    return {"lexical": lexical, "dense": "off" if lexical == "off" else arms.dense, "rerank": "off"}


def _diagnostics(
    query: SearchQuery, arms: _Arms, matches: Matches, found: Sequence[SearchHit], hits: Sequence[SearchHit]
) -> dict[str, object]:
    told: dict[str, object] = {
        "arms": _told(arms, "ran" if query.profile != "dense" or arms.dense != "ran" else "off"),
        "terms": list(arms.terms),
        "units": matches.units,
        "found": len(found),
        "returned": len(hits),
    }
    if bounded(query.text) != query.text:
        told["queryCut"] = True
    if not hits:
        told["reason"] = "no_results"
    return told
