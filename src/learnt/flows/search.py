"""A search through evidence and memories: each arm asked, one ranking, nothing held back in silence."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from math import log
from typing import TYPE_CHECKING, Final

from learnt.errors import EmbedderError, RerankerError, UsageError
from learnt.flows.alike import Likeness
from learnt.flows.arms import OFF, RAN, heard, idle, remaining
from learnt.flows.guard import cleared
from learnt.flows.observe import settle, showable
from learnt.flows.touch import task_files
from learnt.gate.hygiene import is_readable, repair
from learnt.model.instant import just_after
from learnt.model.kinds import PROFILES
from learnt.model.search import WHERES, Matches, SearchAnswer, SearchHit
from learnt.model.tokens import bounded, query_terms
from learnt.model.vector import EVIDENCE_FORM, VectorFilter
from learnt.model.wording import question_terms
from learnt.ports.embedder import Absent
from learnt.recall.abstain import confidence, is_small_talk, weight_of_words
from learnt.recall.found import Ask, Dense, arranged, found, sessions_found
from learnt.recall.fuse import reranked
from learnt.recall.order import HEAD
from learnt.recall.rank import SAME
from learnt.recall.touched import raised

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from learnt.flows.means import Means
    from learnt.model.memory import Memory
    from learnt.model.search import SearchQuery

DEPTH: Final = 200
"""Units each arm gives to the ranking. Source: own measurement; more change nothing among the first twenty."""
SESSION_DEPTH: Final = 1_000
"""The same where sessions are ranked, which need several units each."""
LEAST_UNITS: Final = 50
"""Among fewer passages every word is rare, and nothing is too much to read: small talk is answered."""
LEAST_RARE: Final = 0.6
"""What a word weighs at least to be rare; one that two of a thousand passages hold weighs .87."""
MAX_HITS: Final = 1_000
BACKLOG: Final = 4_096
"""Units a search reads whole at most, before it takes them into the full text."""


@dataclass(frozen=True, slots=True)
class _Heard:
    """What the dense arm found, or why it found nothing.

    Attributes:
        unheard: Why evidence was not searched by meaning where memories were; "" where it was, or was not to be.
    """

    arm: str
    units: Mapping[str, float] = field(default_factory=dict)
    memories: Mapping[str, float] = field(default_factory=dict)
    unheard: str = ""


def search(means: Means, query: SearchQuery) -> SearchAnswer:
    """What was said and what is known about a question, best first.

    Raises:
        UsageError: It names a place, a profile or a number that does not exist.
        EmbedderError: The profile `dense` was asked for and the dense arm did not run.
    """
    _check(query)
    query = replace(query, text=repair(query.text))
    if not means.settings.memory.enabled:
        off = dict.fromkeys(("lexical", "dense", "rerank"), OFF)
        return SearchAnswer(hits=(), diagnostics={"arms": off, "reason": "disabled"})
    terms = question_terms(query.text)
    if query.profile == "dense" and query.where == "memories" and not query.group and is_readable(query.text):
        return _nearest(means, query, terms)
    near = _heard(means, query) if is_readable(query.text) else _Heard(idle(means)["dense"])
    if near.arm != RAN and (silent := _silent(means, query, terms, near.arm)):
        return silent
    files = task_files(means, query)
    matches = _matches(means, query, terms, (*near.units, *files.units))
    if query.profile == "default" and near.arm == RAN and _is_idle(query.text, terms, matches, near):
        return SearchAnswer(hits=(), diagnostics={"arms": idle(means, near.arm), "reason": "no_signal"})
    ask = Ask(query.text, query.profile, means.clock.now())
    ranked = _ranked(means, query, ask, matches, near)
    sure = _confidence(query.text, ranked, matches, near)
    if query.group:
        ranked = sessions_found(ask, ranked, matches.sessions)
    ranked = raised(ranked, files, grouped=bool(query.group))
    if query.profile == "default" and near.arm == RAN:
        ranked = arranged(ask, ranked, Likeness(means, ranked[:HEAD]).between, sessions=bool(query.group))
    ranked, rerank = _reranked(means, query, ranked)
    hits = tuple(_shown(means, ranked, query))
    told = _diagnostics(query, idle(means, near.arm, rerank), terms, matches, hits)
    if near.unheard and matches.units:
        told["denseEvidence"] = near.unheard
    if query.profile == "default" and near.arm == RAN and hits:
        told["confidence"] = round(sure, 6)
    return SearchAnswer(hits=hits, diagnostics=told)


def _confidence(text: str, ranked: Sequence[SearchHit], matches: Matches, near: _Heard) -> float:
    """How far an answer may be trusted to exist, from hits that are not yet grouped or rearranged."""
    best = max((*near.units.values(), *near.memories.values()), default=0.0)
    said = [hit.unit.who if hit.unit else "" for hit in ranked]
    return confidence(best, text, said[:3], frozenset(said), max(matches.sessions.values(), default=0.0))


def _silent(means: Means, query: SearchQuery, terms: Sequence[str], arm: str) -> SearchAnswer | None:
    """The answer where the dense arm did not run and no word can be looked up; None where words are left."""
    if query.profile == "dense" and terms:
        raise EmbedderError("The profile `dense` needs vectors.", code="no_vectors", details={"arm": arm})
    if terms:
        return None
    return SearchAnswer(hits=(), diagnostics={"arms": idle(means, arm), "reason": "no_signal"})


def _nearest(means: Means, query: SearchQuery, terms: Sequence[str]) -> SearchAnswer:
    """Memories by likeness alone: no word is looked up, and only what is shown is read."""
    wanted = VectorFilter(kinds=remaining(means.settings.memory.exclude_kinds), now=means.clock.now())
    hits: tuple[SearchHit, ...] = ()
    for depth in (query.k, _depth(query)):  # deeper only where something may not be shown
        answer = heard(means, query.text, depth, wanted)
        if answer.arm != RAN:
            return _silent(means, query, terms, answer.arm) or SearchAnswer(hits=())
        hits = tuple(_likely(means, {each.id: each.cosine for each in answer.near if each.cosine > 0}))[: query.k]
        if len(hits) == query.k or len(answer.near) < depth:
            break
    return SearchAnswer(hits=hits, diagnostics=_diagnostics(query, idle(means, RAN), terms, Matches(best=()), hits))


def _likely(means: Means, cosines: Mapping[str, float]) -> Iterator[SearchHit]:
    for memory in means.store.memories.many(means.context.sight, tuple(cosines)):
        shown = cleared(means, memory) if memory.status == "active" else None
        if shown is not None:
            cosine = cosines[memory.id]
            yield SearchHit(score=cosine, memory=shown, signals={"likeness": cosine})


def _heard(means: Means, query: SearchQuery) -> _Heard:
    """The nearest units and memories; every filter bounds them before the nearest are taken."""
    if query.profile == "lexical":
        return _Heard(OFF if not isinstance(means.embedder, Absent) else means.embedder.reason)
    k = _depth(query)
    answers = []
    if query.where != "memories":
        asked = query.wanted
        until = just_after(asked.until) if asked.until else ""
        wanted = VectorFilter(kinds=asked.types, since=asked.since, until=until, who=asked.who, session=asked.session)
        answers.append(heard(means, query.text, k, wanted, "evidence", EVIDENCE_FORM))
    if query.where != "evidence":
        kinds = remaining(means.settings.memory.exclude_kinds)
        answers.append(heard(means, query.text, k, VectorFilter(kinds=kinds, now=means.clock.now())))
    ran = [answer for answer in answers if answer.arm == RAN]
    if not ran:
        return _Heard(next((each.arm for each in answers if each.arm.startswith("failed")), answers[0].arm))
    units, memories = (
        {each.id: each.cosine for answer in ran for each in answer.near if each.id.startswith("mem_") is kind}
        for kind in (False, True)
    )
    return _Heard(RAN, units, memories, "" if answers[0].arm == RAN else answers[0].arm)


def _is_idle(text: str, terms: Sequence[str], matches: Matches, near: _Heard) -> bool:
    """Whether nothing is asked for. Words that are all known and all rare are looked up, however unlike anything."""
    if matches.units < LEAST_UNITS:
        return False
    unknown = log(2 * matches.units + 2)
    known = [rarity for term in terms if 0 < (rarity := matches.rarity.get(term, 0.0)) < unknown - SAME]
    weight = weight_of_words(known, matches.units)
    if known and len(known) == len(terms) and weight >= LEAST_RARE * len(terms):
        return False
    return is_small_talk(text, weight, max((*near.units.values(), *near.memories.values()), default=0.0))


def _depth(query: SearchQuery) -> int:
    return max(SESSION_DEPTH if query.group else DEPTH, query.k)


def _check(query: SearchQuery) -> None:
    if query.where not in WHERES:
        raise UsageError(f"There is no place {query.where!r}. One of: {', '.join(WHERES)}.", code="where")
    if query.profile not in PROFILES:
        raise UsageError(f"There is no profile {query.profile!r}. One of: {', '.join(PROFILES)}.", code="profile")
    if query.group not in {"", "session"}:
        raise UsageError("Hits are grouped by session, or not at all.", code="group")
    if not 1 <= query.k <= MAX_HITS:
        raise UsageError(f"Between 1 and {MAX_HITS} hits can be asked for.", code="k")


def _matches(means: Means, query: SearchQuery, terms: Sequence[str], also: Sequence[str]) -> Matches:
    """The full text of evidence; also for memories alone, which are measured by the same rarity of words."""
    store, sight = means.store, means.context.sight
    if store.evidence.backlog(sight) > BACKLOG:
        settle(means)
    return store.evidence.match(sight, terms, query.wanted, _depth(query), tuple(dict.fromkeys(also)))


def _ranked(means: Means, query: SearchQuery, ask: Ask, matches: Matches, near: _Heard) -> list[SearchHit]:
    dense = None
    if near.arm == RAN:
        ids = [match.unit.id for match in (*matches.best, *matches.also)]
        beside = means.store.evidence.beside(means.context.sight, ids) if query.where != "memories" else {}
        dense = Dense(near.units, near.memories, beside)
    memories = _memories(means, query, near)
    return found(ask, matches, memories, dense, evidence=query.where != "memories")


def _memories(means: Means, query: SearchQuery, near: _Heard) -> list[Memory]:
    if query.where == "evidence":
        return []
    sight = means.context.sight
    kinds = remaining(means.settings.memory.exclude_kinds)
    narrowed = means.store.lexicon.candidates(
        sight, query_terms(query.text), _depth(query), kinds=kinds, now=means.clock.now()
    )
    held = [candidate.id for candidate in narrowed.candidates] if narrowed.matched else []
    return [
        memory
        for memory in means.store.memories.many(sight, tuple(dict.fromkeys((*held, *near.memories))))
        if memory.status == "active"
    ]


def _reranked(means: Means, query: SearchQuery, hits: list[SearchHit]) -> tuple[list[SearchHit], str]:
    """The first twenty in the order of the reranker, where the profile asks for one; scores stay as they are."""
    reranker = means.reranker
    if query.profile != "hybrid+rerank":
        return hits, OFF
    if isinstance(reranker, Absent):
        return hits, reranker.reason
    texts = {hit.id: means.gate.redact(hit.passage or (hit.memory.text if hit.memory else "")) for hit in hits[:20]}
    try:
        names = reranked(
            [hit.id for hit in hits],
            lambda head: dict(zip(head, reranker.score(query.text, [texts[name] for name in head]), strict=True)),
        )
    except (RerankerError, ValueError) as error:
        return hits, f"failed: {error.error_code if isinstance(error, RerankerError) else 'scores'}"
    by_id = {hit.id: hit for hit in hits}
    return [by_id[name] for name in names], RAN


def _shown(means: Means, ranked: Sequence[SearchHit], query: SearchQuery) -> Iterator[SearchHit]:
    """The first `k` that may be shown, as they may be shown."""
    left = query.k
    for hit in ranked:
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


def _diagnostics(
    query: SearchQuery, arms: Mapping[str, str], terms: Sequence[str], matches: Matches, hits: Sequence[SearchHit]
) -> dict[str, object]:
    told: dict[str, object] = {
        "arms": arms,
        "terms": list(terms),
        "passages": matches.units,
        "matched": len(matches.best),
        "returned": len(hits),
    }
    if bounded(query.text) != query.text:
        told["queryCut"] = True
    if not hits:
        told["reason"] = "no_results"
    return told
