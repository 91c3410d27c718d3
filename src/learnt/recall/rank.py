"""Candidates to a ranking: filter, score, threshold, order, and what happened on the way."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from learnt.model.tokens import bounded
from learnt.recall.factors import (
    Q_WEIGHT,
    SUPPRESSED_BELOW,
    Asked,
    Overlaps,
    barred,
    bonus,
    has_signal,
    is_telling,
    labels,
    places,
    reason,
    score,
)
from learnt.recall.roles import boosted, wanted

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from learnt.model.candidate import Candidate
    from learnt.model.kinds import SkipReason
    from learnt.model.ranking import Query

MIN_ITEMS, MAX_ITEMS = 1, 20
MIN_BUDGET_TOKENS, MAX_BUDGET_TOKENS = 100, 5_000
"""Bounds a caller's numbers are moved into. Source: swarm-memory seed, gateway."""

SAME = 1e-9
"""Scores nearer than this are equal: sums of decimals do not come out exact."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Dials:
    """The numbers of one recall, from the settings of its mode.

    Attributes:
        at_start: A session start, where no external memory has a place.
    """

    max_items: int = 8
    budget_tokens: int = 1_200
    min_score: float = 0.05
    q_weight: float = Q_WEIGHT
    suppressed_below: float = SUPPRESSED_BELOW
    exclude_kinds: tuple[str, ...] = ()
    at_start: bool = False


@dataclass(frozen=True, slots=True)
class Scored:
    """One candidate with its score: nine factors and the q term, never the full-text bonus that helped to order it."""

    candidate: Candidate
    score: float
    signals: Mapping[str, float]
    reason: str
    labels: tuple[str, ...] = ()

    @property
    def id(self) -> str:
        """The memory's id."""
        return self.candidate.id


@dataclass(frozen=True, slots=True)
class Ranked:
    """The answer before its block: best first, at most `max_items`.

    Attributes:
        total: How many passed the threshold.
        skip_reason: Why `hits` is empty; None when it is not.
    """

    hits: tuple[Scored, ...]
    total: int
    skip_reason: SkipReason | None
    diagnostics: dict[str, int | bool] = field(default_factory=dict)


def clamped(value: int | None, default: int, low: int, high: int) -> int:
    """`value` (or `default`) moved into low..high."""
    return max(low, min(high, default if value is None else value))


def kinds_of(query: Query, exclude: Iterable[str] = ()) -> tuple[str, ...]:
    """The kinds a query is narrowed to, sorted; empty for all.

    The caller's own list comes before the role's. Kinds a setting excludes leave both; where nothing is left the
    filter names a kind that does not exist, because an empty filter would mean all.
    """
    asked = frozenset(query.kinds) or wanted(query.role)
    excluded = frozenset(exclude)
    if not asked or not excluded:
        return tuple(sorted(asked))
    return tuple(sorted(asked - excluded)) or ("",)


def asked_of(query: Query, now: str, dials: Dials, scope_keys: Iterable[str] = ()) -> Asked:
    """The query made ready for scoring."""
    return Asked(
        query.text,
        query.task,
        at=query.as_of or now,
        mode=query.mode,
        kinds=kinds_of(query, dials.exclude_kinds),
        role_kinds=boosted(query.role),
        scope_keys=scope_keys,
        signal=query.mode == "injection" and query.require_query_signal,
        strict=query.profile == "default",
        past=query.as_of is not None,
        include_expired=query.include_expired,
        include_low_q=query.include_low_q,
        q_weight=dials.q_weight,
        suppressed_below=dials.suppressed_below,
    )


def rank(
    query: Query,
    candidates: Sequence[Candidate],
    *,
    now: str,
    dials: Dials,
    scope_keys: Iterable[str] = (),
    matched: bool = True,
) -> Ranked:
    """The ranking of `candidates` for `query`.

    Order: score plus full-text bonus descending, then id ascending. A memory exactly at `min_score` stays. With
    `as_of`, superseded memories among the candidates count as live: the caller passes those that were live then.

    Args:
        matched: Whether the full-text stage found anything. When it did not, injection and curator modes answer
            nothing and manual mode ranks what it is given. Source: swarm-memory seed, FTS5 candidate stage.
        scope_keys: The scopes of the reader; empty when the store already narrowed to them.
    """
    asked = asked_of(query, now, dials, scope_keys)
    pool: Sequence[Candidate] = candidates if matched or query.mode == "manual" else ()
    excluded = frozenset(dials.exclude_kinds)
    counts = {"candidateCount": len(pool), "preScoredFilteredCount": 0, "noSignalCount": 0, "suppressedLowQCount": 0}
    scored = list(met(asked, pool, excluded, counts))
    threshold = dials.min_score if query.min_score is None else query.min_score
    ranked = sum(1 for candidate in pool if candidate.position >= 0)
    found = sorted(
        (
            (value, bonus(one.position, ranked), one, overlaps)
            for value, one, overlaps in scored
            if value + SAME >= threshold and is_telling(asked, one, overlaps)
        ),
        key=lambda each: (-round(each[0] + each[1], 9), each[2].id),
    )
    most = clamped(query.max_items, dials.max_items, MIN_ITEMS, MAX_ITEMS)
    order = [each[2] for each in found]
    kept = places(order, most, at_start=dials.at_start) if query.mode == "injection" else order[:most]
    chosen = frozenset(map(id, kept))
    hits = tuple(hit_of(asked, query, *each) for each in found if id(each[2]) in chosen)
    return Ranked(
        hits, len(found), skip_of(hits, scored, counts), diagnosed(query, counts, len(scored), len(found), len(hits))
    )


def met(
    asked: Asked, pool: Sequence[Candidate], excluded: frozenset[str], counts: dict[str, int]
) -> Iterable[tuple[float, Candidate, Overlaps]]:
    """The candidates that are scored, with their scores; counts the others by why."""
    for candidate in let_through(asked, pool, excluded, counts):
        overlaps = Overlaps(asked, candidate)
        if asked.signal and not has_signal(asked, overlaps):
            counts["noSignalCount"] += 1
            continue
        yield score(asked, candidate, overlaps), candidate, overlaps


def let_through(
    asked: Asked, pool: Sequence[Candidate], excluded: frozenset[str], counts: dict[str, int]
) -> Iterable[Candidate]:
    """The candidates that pass the filters; counts the others."""
    for candidate in pool:
        why = "kind" if candidate.kind in excluded else barred(asked, candidate)
        if why:
            counts["preScoredFilteredCount"] += 1
            counts["suppressedLowQCount"] += why == "low_q"
            continue
        yield candidate


def hit_of(asked: Asked, query: Query, value: float, extra: float, candidate: Candidate, overlaps: Overlaps) -> Scored:
    """The candidate with its score, signals and reason; `extra` is the full-text bonus that helped to order it."""
    named = candidate.kind in query.kinds
    signals = {
        "textOverlap": overlaps.text,
        "tagOverlap": overlaps.tag,
        "fileOverlap": overlaps.file,
        "symbolOverlap": overlaps.symbol,
        "kindMatch": 1.0 if named or overlaps.kind else 0.0,
        "scopeMatch": 1.0,
        "partOverlap": overlaps.part,
        "ftsBonus": extra,
    }
    return Scored(candidate, value, signals, reason(asked, candidate, overlaps), tuple(labels(candidate.confidence)))


def skip_of(hits: tuple[Scored, ...], met: Sequence[object], counts: Mapping[str, int]) -> SkipReason | None:
    """Why there is no hit.

    Filtered memories do not count: when only they were there it is `no_results`; when every memory that survived the
    filters lacked a signal it is `no_signal`. Source: swarm-memory seed, injection skip reasons.
    """
    if hits:
        return None
    if met:
        return "below_threshold"
    return "no_signal" if counts["noSignalCount"] else "no_results"


def diagnosed(
    query: Query, counts: Mapping[str, int], scored: int, passed: int, returned: int
) -> dict[str, int | bool]:
    """The seed's names; what is only sometimes of interest is only sometimes there."""
    answer: dict[str, int | bool] = {
        "candidateCount": counts["candidateCount"],
        "preScoredFilteredCount": counts["preScoredFilteredCount"],
        "scoredCount": scored,
        "returnedCount": returned,
        "noSignalCount": counts["noSignalCount"],
        "belowThresholdCount": scored - passed,
    }
    if counts["suppressedLowQCount"]:
        answer["suppressedLowQCount"] = counts["suppressedLowQCount"]
    if bounded(query.text) != query.text:
        answer["queryCut"] = True
    return answer
