"""Which arms answer a question, and what they found: words, vectors, and a model that reads both together.

An arm that is off or fails leaves the others' answer as it would have been without it, byte for byte, and says so.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from learnt.errors import EmbedderError, LearntError, RerankerError
from learnt.gate.clearance import PATTERN_SET
from learnt.model.kinds import KINDS
from learnt.model.tokens import query_terms, tokens
from learnt.model.vector import MEMORY_FORM, VectorFilter
from learnt.ports.embedder import Absent
from learnt.recall import dense, fuse
from learnt.recall.rank import kinds_of, rank

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from learnt.flows.means import Means
    from learnt.model.candidate import Candidate
    from learnt.model.memory import Memory
    from learnt.model.ranking import Query
    from learnt.model.vector import Generation, Near, Target
    from learnt.ports.lexicon import Narrowed
    from learnt.recall.dense import Found, Order
    from learnt.recall.rank import Dials, Ranked, Scored

RETIRED = 500
"""Superseded memories scored, the latest retired first: about 3 ms."""

OFF, RAN, STALE = "off", "ran", "stale generation"


@dataclass(frozen=True, slots=True)
class Heard:
    """What the dense arm found, nearest first, and its word in `arms`."""

    arm: str
    near: tuple[Near, ...] = ()


@dataclass(frozen=True, slots=True)
class Answer:
    """The ranking, and which arms ran for it; of superseded memories those that answer, as if they still held.

    Attributes:
        read: Memories that were read on the way, by id, so that nobody reads them again.
    """

    ranked: Ranked
    arms: Mapping[str, str]
    retired: tuple[Scored, ...] = ()
    read: Mapping[str, Memory] = field(default_factory=dict)


def idle(means: Means, dense_arm: str = "", rerank_arm: str = OFF) -> dict[str, str]:
    """The arms of an answer for which none but the words was asked."""
    absent = means.embedder.reason if isinstance(means.embedder, Absent) else OFF
    return {"lexical": RAN, "dense": dense_arm or absent, "rerank": rerank_arm}


def ready(means: Means) -> dict[str, str]:
    """What would answer now: `ran` for an arm that is there. A model is not loaded for it."""
    arm = generation_of(means)
    reranker = means.reranker
    return idle(means, arm if isinstance(arm, str) else RAN, reranker.reason if isinstance(reranker, Absent) else RAN)


def generation_of(means: Means, target: Target = "memory", form: str = MEMORY_FORM) -> Generation | str:
    """The generation that this embedder's queries may be compared with, or why there is none.

    In a store without memories nothing is missed without one: `ran`.
    """
    if isinstance(means.asking, Absent):
        return means.asking.reason
    try:
        held = means.store.vectors.generation(target, means.asking.version, form)
    except EmbedderError as error:
        return f"failed: {error.error_code}"
    if held is None and _is_bare(means, target):
        return RAN
    return STALE if held is None or held.status != "current" else held


def _is_bare(means: Means, target: Target) -> bool:
    """Whether there is nothing that could have a vector, so that nothing is missed without one."""
    if target != "memory" or means.store.vectors.generation(target) is not None:
        return False
    return not means.store.memories.count(means.context.sight).get("active")


def ranked(means: Means, query: Query, dials: Dials, now: str, started_s: float) -> Answer:
    """The ranking of a question by its profile.

    Raises:
        EmbedderError: The profile `dense` was asked for and the dense arm did not run.
    """
    sight = means.context.sight
    said = query.task if query.mode == "injection" and query.task else query.text
    terms = query_terms(said)
    kinds = kinds_of(query, dials.exclude_kinds)
    if not tokens(said) and not terms:  # nothing to search for is not a wish for everything
        silent = rank(query, (), now=now, dials=dials, matched=False)
        return Answer(replace(silent, skip_reason="no_signal"), idle(means))
    bound = "" if query.include_expired or query.as_of else now
    limit = fuse.dense_k(dials.max_items)
    narrowed = means.store.lexicon.candidates(sight, terms, limit, kinds=kinds, now=bound)
    if query.profile == "lexical":
        return Answer(_by_words(means, query, dials, now, narrowed), idle(means))
    wanted = VectorFilter(kinds=kinds or remaining(dials.exclude_kinds), now=bound)
    near = heard(means, said, limit, wanted)
    if near.arm != RAN:
        if query.profile == "dense":
            raise EmbedderError("The profile `dense` needs vectors.", code="no_vectors", details={"arm": near.arm})
        retired = _retired_by_words(means, query, dials, now)
        return Answer(_by_words(means, query, dials, now, narrowed), idle(means, near.arm), retired)
    found = replace(_found(means, query, narrowed, near), every=len(near.near) < limit)
    old = _retired(means, query)
    if old:
        close = heard(means, said, limit, replace(wanted, retired=True)).near
        found = replace(found, retired=old, near_retired=[(each.id, each.cosine) for each in close])
    return _last(means, query, dials, _ordered(means, query, dials, now, found), started_s)


def _retired(means: Means, query: Query) -> Sequence[Candidate]:
    """What was superseded, where its successors are found by it: in the default profile, for the present."""
    if query.profile != "default" or query.as_of is not None:
        return ()
    return means.store.lexicon.retired(means.context.sight, RETIRED)


def _retired_by_words(means: Means, query: Query, dials: Dials, now: str) -> tuple[Scored, ...]:
    old = _retired(means, query)
    if not old:
        return ()
    hits = rank(query, old, now=now, dials=dials, scope_keys=means.context.sight.keys).hits
    return tuple(hit for hit in hits if hit.signals["textOverlap"] or hit.signals["tagOverlap"])


def _by_words(means: Means, query: Query, dials: Dials, now: str, narrowed: Narrowed) -> Ranked:
    keys = means.context.sight.keys
    return rank(query, narrowed.candidates, now=now, dials=dials, scope_keys=keys, matched=narrowed.matched)


def remaining(excluded: Sequence[str]) -> tuple[str, ...]:
    """The kinds that remain, so that excluded ones take no place among the nearest; none named for all."""
    return tuple(kind for kind in KINDS if kind not in excluded) if excluded else ()


def heard(
    means: Means, said: str, k: int, wanted: VectorFilter, target: Target = "memory", form: str = MEMORY_FORM
) -> Heard:
    """The nearest to what was said; whatever goes wrong is the arm's word, never the answer's end."""
    held = generation_of(means, target, form)
    if isinstance(held, str):
        return Heard(held)
    if isinstance(means.asking, Absent):
        return Heard(means.asking.reason)
    try:
        (vector,) = means.asking.embed([said])
        if vector is None:
            return Heard("failed: no_vector")
        return Heard(RAN, means.store.vectors.search(means.context.sight, held, vector, k, wanted))
    except LearntError as error:
        return Heard(f"failed: {error.error_code}")


def _found(means: Means, query: Query, narrowed: Narrowed, near: Heard) -> Found:
    candidates = narrowed.candidates if narrowed.matched or query.mode == "manual" else ()
    known = {each.id for each in candidates}
    heard = [(each.id, each.cosine) for each in near.near]
    missing = [name for name, _ in dense.worth_reading(query, heard) if name not in known]
    words = dense.needs_words(query)
    others = means.store.lexicon.named(means.context.sight, missing, words=words) if missing else ()
    return dense.Found(candidates, others, heard)


def _ordered(means: Means, query: Query, dials: Dials, now: str, found: Found) -> Order:
    keys = means.context.sight.keys
    if query.profile == "dense":
        return dense.alone(query, found, now=now, dials=dials, scope_keys=keys)
    if query.profile == "default":
        return dense.default(query, found, now=now, dials=dials, scope_keys=keys)
    numbers = means.settings.retrieval
    weights = (numbers.weight_lexical, numbers.weight_dense, numbers.weight_metadata)
    return dense.hybrid(query, found, now=now, dials=dials, scope_keys=keys, weights=weights, k=numbers.rrf_k)


def _last(means: Means, query: Query, dials: Dials, order: Order, started_s: float) -> Answer:
    """The order reranked where that was asked for and there is time, and cut."""
    fused = query.profile in {"hybrid", "hybrid+rerank"}
    arm = OFF
    if query.profile == "hybrid+rerank":
        order, arm = _reranked(means, query, order, started_s)
    retired = dense.replaced(order, query)
    return Answer(dense.cut(order, query, dials, fused=fused), idle(means, RAN, arm), retired)


def _reranked(means: Means, query: Query, order: Order, started_s: float) -> tuple[Order, str]:
    reranker = means.reranker
    if isinstance(reranker, Absent):
        return order, reranker.reason
    if not fuse.may_rerank(1000 * (means.monotonic_s() - started_s), means.settings.retrieval.latency_budget_ms):
        return order, "failed: latency"
    entries = {each.candidate.id: (score, each) for score, each in order.entries}
    try:
        names = fuse.reranked(
            list(entries), lambda head: dict(zip(head, reranker.score(query.text, _texts(means, head)), strict=True))
        )
    except (RerankerError, ValueError) as error:
        return order, f"failed: {error.error_code if isinstance(error, RerankerError) else 'scores'}"
    return replace(order, entries=tuple(entries[name] for name in names)), RAN


def _texts(means: Means, memory_ids: Sequence[str]) -> list[str]:
    """Their texts, as a model elsewhere may read them."""
    held = {each.id: each for each in means.store.memories.many(means.context.sight, memory_ids)}
    return [
        ""
        if (memory := held.get(name)) is None
        else memory.text
        if memory.clearance == PATTERN_SET
        else means.gate.redact(memory.text)
        for name in memory_ids
    ]
