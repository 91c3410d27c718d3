"""A question answered: narrowed by the store, ranked, cleared by the gate, put into a block, receipted."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from learnt.errors import GateError, UsageError
from learnt.flows import explore, fresh, then
from learnt.flows.arms import idle, ranked
from learnt.flows.beside import beside_hits
from learnt.flows.dispute import disputed
from learnt.flows.guard import cleared, guarded
from learnt.flows.lift import lifted
from learnt.flows.receipt import receipted
from learnt.flows.redirect import redirected
from learnt.flows.reward import believed
from learnt.inject.block import Shown, render
from learnt.model.instant import age_days
from learnt.model.keys import bundle_id, collapse
from learnt.model.kinds import MODES, PROFILES
from learnt.model.ranking import Hit, Ranking
from learnt.recall.rank import (
    MAX_BUDGET_TOKENS,
    MAX_ITEMS,
    MIN_BUDGET_TOKENS,
    MIN_ITEMS,
    Dials,
    clamped,
)
from learnt.recall.roles import LIMITS_OF, profile_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from learnt.flows.arms import Answer
    from learnt.flows.means import Means
    from learnt.model.kinds import SkipReason
    from learnt.model.memory import Memory
    from learnt.model.ranking import Query
    from learnt.recall.rank import Scored

MIN_QUERY = 3
"""Characters of an ASCII query. Source: swarm-memory seed, gateway."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Shortened:
    """What is left to show after the gate, and what it took away."""

    hits: tuple[Hit, ...]
    dropped: int = 0
    stale: Mapping[str, int] = field(default_factory=dict)


def recall(means: Means, query: Query) -> Ranking:
    """The ranking for a query, its block and its receipt.

    Raises:
        UsageError: The query is too short, or names a mode or profile that does not exist.
    """
    now, started_s = means.clock.now(), means.monotonic_s()
    if not _enabled(means, query):
        return _empty(means, query, now, "disabled")
    _check_names(query)
    if _too_short(query):
        if query.mode == "manual":
            raise UsageError(f"A query has at least {MIN_QUERY} characters.", code="query_too_short")
        return receipted(means, query, now, _empty(means, query, now, "no_signal"))
    try:
        means.gate.ready()
        ranking = _ranked(means, query, now, started_s)
    except GateError as error:
        ranking = _closed(means, query, now, error)
    return receipted(means, query, now, ranking)


def _ranked(means: Means, query: Query, now: str, started_s: float) -> Ranking:
    """The answer, whose memories the gate let through."""
    dials = dials_of(means, query)
    answer = _found(means, query, dials, now, started_s)
    kept = _fresh(means, query, dials, answer, now)
    if query.as_of is not None:
        return receipted(means, query, now, _answered(means, query, dials, answer, kept, now))
    kept = replace(kept, hits=disputed(means, kept.hits))
    if tied := beside_hits(means, query, dials, kept.hits, now, lambda memory: cleared(means, memory)):
        kept = replace(kept, hits=(*kept.hits, *tied))
    if explore.is_due(means, query, answer.ranked.diagnostics):
        kept = _explored(means, query, dials, kept, now, started_s)
    return _answered(means, query, dials, answer, kept, now)


def _closed(means: Means, query: Query, now: str, error: GateError) -> Ranking:
    """Nothing, because nothing could be looked at first; the diagnostics say so. Source: lessons seed, memory guard."""
    empty = _empty(means, query, now, "no_results")
    return replace(empty, skip_reason=None, diagnostics={**empty.diagnostics, "gate": f"failed: {error.error_code}"})


def choices(means: Means, query: Query) -> Ranking:
    """Every hit that `recall` chooses from, its own answer first; without a block and without a receipt.

    For a caller that leaves out what it gave before, and makes block and receipt itself.

    Raises:
        UsageError: The query names a mode or profile that does not exist.
    """
    now, started_s = means.clock.now(), means.monotonic_s()
    if not _enabled(means, query):
        return _empty(means, query, now, "disabled")
    _check_names(query)
    if _too_short(query):
        return _empty(means, query, now, "no_signal")
    try:
        means.gate.ready()
        dials = dials_of(means, query)
        answer = _found(means, query, dials, now, started_s)
        kept = _fresh(means, query, replace(dials, max_items=MAX_ITEMS), answer, now)
    except GateError as error:
        return _closed(means, query, now, error)
    return replace(
        _empty(means, query, now, answer.ranked.skip_reason or "no_results"),
        hits=kept.hits,
        total=len(kept.hits),
        skip_reason=answer.ranked.skip_reason if not kept.hits else None,
        diagnostics=_diagnostics(answer, kept, len(kept.hits)),
    )


def _found(means: Means, query: Query, dials: Dials, now: str, started_s: float) -> Answer:
    """What the arms found, with successors in the place of what they replaced, and spare ones where hits may fall."""
    if query.as_of is not None:
        return then.answered(means, query, dials, now)
    wide = replace(query, max_items=MAX_ITEMS) if fresh.applies(query) else query
    answer = ranked(means, wide, dials, now, started_s)
    answer = replace(answer, ranked=redirected(means, wide, dials, answer, now))
    lifted_ranking, read = lifted(means, wide, answer.ranked)
    return replace(answer, ranked=lifted_ranking, read=read)


def _explored(means: Means, query: Query, dials: Dials, kept: _Shortened, now: str, started_s: float) -> _Shortened:
    """The hits, and beyond them the best of what outcomes have suppressed."""
    wider = explore.widened(query)
    answer = _found(means, wider, dials_of(means, wider), now, started_s)
    low = explore.hidden(answer.ranked.hits, dials.suppressed_below)
    found = _shown(means, low[:1], answer.read, now).hits
    return replace(kept, hits=(*kept.hits, *(explore.marked(hit) for hit in found)))


def _enabled(means: Means, query: Query) -> bool:
    wanted = query.mode != "injection" or means.settings.recall.injection.enabled
    return means.settings.memory.enabled and wanted


def _check_names(query: Query) -> None:
    if query.mode not in MODES:
        raise UsageError(f"There is no mode {query.mode!r}. One of: {', '.join(MODES)}.", code="mode")
    if query.profile not in PROFILES:
        raise UsageError(f"There is no profile {query.profile!r}. One of: {', '.join(PROFILES)}.", code="profile")
    if query.max_items is not None and query.max_items < MIN_ITEMS:
        raise UsageError("An answer has at least one memory: `max_items` is 1 or more.", code="max_items")


def _too_short(query: Query) -> bool:
    text = collapse(query.text)
    return not text or (text.isascii() and len(text) < MIN_QUERY)


def dials_of(means: Means, query: Query) -> Dials:
    """The numbers of this recall: the caller's, else the role's, else the settings of its mode."""
    wide, narrow, learning = means.settings.recall, means.settings.recall.injection, means.settings.learning
    if query.mode == "injection":
        items, budget, least = narrow.max_items, narrow.budget_tokens, narrow.min_score
    elif query.role:
        items, budget = LIMITS_OF[profile_of(query.role)]
        least = wide.min_score
    else:
        items, budget, least = wide.max_items, wide.budget_tokens, wide.min_score
    return Dials(
        max_items=clamped(query.max_items, items, MIN_ITEMS, MAX_ITEMS),
        budget_tokens=clamped(query.budget_tokens, budget, MIN_BUDGET_TOKENS, MAX_BUDGET_TOKENS),
        min_score=least if query.min_score is None else query.min_score,
        q_weight=learning.q_value_boost_weight,
        suppressed_below=learning.suppression_threshold,
        exclude_kinds=means.settings.memory.exclude_kinds,
    )


def _shown(means: Means, hits: Sequence[Scored], read: Mapping[str, Memory], now: str) -> _Shortened:
    """The hits with their memories; what the present pattern set never cleared is scanned first."""
    missing = [hit.id for hit in hits if hit.id not in read]
    more = means.store.memories.many(means.context.sight, missing) if missing else ()
    memories = {**read, **{memory.id: memory for memory in more}}
    safe = guarded(means, [memories[hit.id] for hit in hits if hit.id in memories])
    found = [(hit, safe[hit.id]) for hit in hits if hit.id in memories]
    shown = tuple(_hit(hit, memory, now) for hit, memory in found if memory is not None)
    return _Shortened(hits=shown, dropped=len(found) - len(shown))


def _fresh(means: Means, query: Query, dials: Dials, answer: Answer, now: str) -> _Shortened:
    """The hits beside the work tree, as many as were asked for.

    Those after the first are read only when one of these was hidden or fell: nothing else lets them come before.
    """
    hits = answer.ranked.hits
    first = _shown(means, hits[: dials.max_items], answer.read, now)
    if not fresh.applies(query):
        kept, counts = fresh.weighed(means, query, first.hits)
        return replace(first, hits=kept, stale=counts)
    kept, counts = fresh.weighed(means, query, first.hits)
    if counts.keys() <= {"movedCount"}:
        return replace(first, hits=kept, stale=counts)
    every = _shown(means, hits, answer.read, now)
    kept, counts = fresh.weighed(means, query, every.hits)
    return replace(every, hits=kept[: dials.max_items], stale=counts)


def _hit(scored: Scored, memory: Memory, now: str) -> Hit:
    return Hit(
        memory=memory,
        score=scored.score,
        age_days=age_days(memory.updated_at, now),
        signals=scored.signals,
        reason=scored.reason,
        labels=scored.labels,
    )


def shown(hit: Hit) -> Shown:
    """A hit as the block shows it."""
    memory = hit.memory
    return Shown(
        id=memory.id,
        kind=memory.kind,
        scope=memory.scope.type,
        trust=memory.trust,
        confidence=memory.confidence,
        updated_at=memory.updated_at,
        text=memory.text,
        score=hit.score,
        source=memory.source.place,
        labels=hit.labels,
    )


def _answered(means: Means, query: Query, dials: Dials, answer: Answer, kept: _Shortened, now: str) -> Ranking:
    bundle = bundle_id(now, query.text)
    block, count, tokens = render(
        [shown(hit) for hit in kept.hits],
        bundle_id=bundle,
        marker=means.ids.marker(),
        now=now,
        budget_tokens=dials.budget_tokens,
    )
    skip = answer.ranked.skip_reason if not (answer.ranked.hits or count) else None
    if not count:
        block, tokens = "", 0
        skip = skip or ("budget" if kept.hits else "no_results")
    return Ranking(
        bundle_id=bundle,
        hits=believed(means, kept.hits[:count]),
        total=len(kept.hits),
        token_estimate=tokens,
        prompt_block=block,
        skip_reason=skip,
        diagnostics=_diagnostics(answer, kept, count),
    )


def _diagnostics(answer: Answer, kept: _Shortened, count: int) -> dict[str, object]:
    counts = {**answer.ranked.diagnostics, **kept.stale, "returnedCount": count}
    found: dict[str, object] = {"arms": dict(answer.arms), **counts}
    if kept.dropped:
        found["droppedByGateCount"] = kept.dropped
    if explored := explore.count(kept.hits[:count]):
        found["exploredCount"] = explored
    return found


def _empty(means: Means, query: Query, now: str, reason: SkipReason) -> Ranking:
    arms = idle(means)
    return Ranking(
        bundle_id=bundle_id(now, query.text),
        hits=(),
        total=0,
        token_estimate=0,
        prompt_block="",
        skip_reason=reason,
        diagnostics={"arms": arms if reason != "disabled" else dict.fromkeys(arms, "off")},
    )
