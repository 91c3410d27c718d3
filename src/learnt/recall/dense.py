"""Rankings in which vectors have a say: the seed's hybrid, the default's blend, and cosine alone for measuring."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from learnt.recall.factors import TEXT_WEIGHT, bonus, is_telling, places
from learnt.recall.fuse import WEIGHTS, K, fused, metadata_order
from learnt.recall.rank import (
    MAX_ITEMS,
    MIN_ITEMS,
    SAME,
    Ranked,
    asked_of,
    clamped,
    diagnosed,
    hit_of,
    met,
    skip_of,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from learnt.model.candidate import Candidate
    from learnt.model.ranking import Query
    from learnt.recall.factors import Asked, Overlaps
    from learnt.recall.rank import Dials, Scored

WEAK_COSINE, STRONG_COSINE = 0.25, 0.75
"""Cosines that stand for no and for full overlap of the texts, until the blend is calibrated."""

SIGNAL_COSINE = 0.45
"""From here a cosine is a query signal of the default profile."""


@dataclass(frozen=True, slots=True)
class Found:
    """What both arms brought.

    Attributes:
        candidates: The full-text stage's. `others`: what only the vectors found.
        near: (id, cosine), nearest first; of both kinds.
        matched: Whether the full-text stage found anything.
    """

    candidates: Sequence[Candidate]
    others: Sequence[Candidate]
    near: Sequence[tuple[str, float]]
    matched: bool = True


@dataclass(frozen=True, slots=True)
class Entry:
    """One candidate on its way into a ranking; `score` is what thresholds act on."""

    candidate: Candidate
    overlaps: Overlaps
    score: float
    extra: float = 0.0
    cosine: float | None = None
    only_dense: bool = False


@dataclass(frozen=True, slots=True)
class Order:
    """Everything that was scored and passed the threshold, best first, before places are given."""

    asked: Asked
    entries: tuple[Entry, ...]
    scored: int
    counts: dict[str, int]

    def rearranged(self, entries: Sequence[Entry]) -> Order:
        """The same in another order."""
        return replace(self, entries=tuple(entries))


def _gathered(
    query: Query, found: Found, now: str, dials: Dials, scope_keys: Iterable[str]
) -> tuple[Asked, list[Entry], dict[str, int]]:
    """Every candidate that passes the filters, the full-text stage's in its order and then the others'."""
    asked = asked_of(query, now, dials, scope_keys)
    pool = found.candidates if found.matched or query.mode == "manual" else ()
    excluded = frozenset(dials.exclude_kinds)
    counts = {"preScoredFilteredCount": 0, "noSignalCount": 0, "suppressedLowQCount": 0}
    counts["candidateCount"] = len(pool) + len(found.others)
    placed = sum(1 for each in pool if each.position >= 0)
    cosines = dict(found.near)
    lexical = [
        Entry(one, overlaps, value, bonus(one.position, placed), cosines.get(one.id))
        for value, one, overlaps in met(asked, pool, excluded, counts)
    ]
    lexical.sort(key=lambda each: (-round(each.score + each.extra, 9), each.candidate.id))
    others = [
        Entry(one, overlaps, value, 0.0, cosines.get(one.id), only_dense=True)
        for value, one, overlaps in met(asked, found.others, excluded, counts)
    ]
    return asked, [*lexical, *others], counts


def hybrid(
    query: Query,
    found: Found,
    *,
    now: str,
    dials: Dials,
    scope_keys: Iterable[str] = (),
    weights: Sequence[float] = WEIGHTS,
    k: int = K,
) -> Order:
    """Ranks of words, vectors and metadata fused. Source: swarm-memory seed, hybrid recall.

    Args:
        weights: Of the lexical, the dense and the metadata ranking. `k`: what flattens ranks.
    """
    asked, gathered, counts = _gathered(query, found, now, dials, scope_keys)
    by_id = {each.candidate.id: each for each in gathered}
    lexical = [each for each in gathered if not each.only_dense]
    rankings = (
        [each.candidate.id for each in lexical],
        [name for name, _ in found.near if name in by_id],
        metadata_order((each.candidate.id, True, _kind_fits(query, each)) for each in lexical),
    )
    scores = fused(rankings, weights, k, _threshold(query, dials) - SAME)
    kept = tuple(replace(by_id[name], score=score) for name, score in scores)
    return Order(asked, kept, len(gathered), counts)


def _kind_fits(query: Query, entry: Entry) -> bool:
    return entry.candidate.kind in query.kinds or bool(entry.overlaps.kind)


def alone(query: Query, found: Found, *, now: str, dials: Dials, scope_keys: Iterable[str] = ()) -> Order:
    """Cosine and nothing else, for measuring."""
    asked, gathered, counts = _gathered(query, found, now, dials, scope_keys)
    least = _threshold(query, dials)
    near = [replace(each, score=each.cosine) for each in gathered if each.cosine is not None]
    kept = sorted(
        (each for each in near if each.score + SAME >= least), key=lambda each: (-each.score, each.candidate.id)
    )
    return Order(asked, tuple(kept), len(near), counts)


def default(query: Query, found: Found, *, now: str, dials: Dials, scope_keys: Iterable[str] = ()) -> Order:
    """The nine factors, in which the likeness of the meaning may stand for the overlap of the words.

    A cosine becomes a share of 0 to 1 and counts where it is more than the share of words in common, so a score means
    what it means without vectors, and no memory's falls. A near one is a query signal.
    """
    signal = query.mode == "injection" and query.require_query_signal
    asked, gathered, counts = _gathered(replace(query, require_query_signal=False), found, now, dials, scope_keys)
    raised = [replace(each, score=each.score + TEXT_WEIGHT * _gain(each)) for each in gathered]
    if signal:
        asked.signal = True
        heard = [each for each in raised if _speaks(asked, each)]
        counts["noSignalCount"] += len(raised) - len(heard)
        raised = heard
    least = _threshold(query, dials)
    kept = sorted(
        (each for each in raised if each.score + SAME >= least),
        key=lambda each: (-round(each.score + each.extra, 9), each.candidate.id),
    )
    return Order(asked, tuple(kept), len(raised), counts)


def _gain(entry: Entry) -> float:
    if entry.cosine is None:
        return 0.0
    share = (entry.cosine - WEAK_COSINE) / (STRONG_COSINE - WEAK_COSINE)
    return max(0.0, min(1.0, share) - entry.overlaps.text)


def _speaks(asked: Asked, entry: Entry) -> bool:
    if entry.cosine is not None and entry.cosine >= SIGNAL_COSINE:
        return True
    return is_telling(asked, entry.candidate, entry.overlaps)


def _threshold(query: Query, dials: Dials) -> float:
    return dials.min_score if query.min_score is None else query.min_score


def cut(order: Order, query: Query, dials: Dials, *, fused: bool) -> Ranked:
    """The first that find a place, with their signals and reasons.

    What only the vectors found carries zero signals. Source: swarm-memory seed, hybrid recall.
    """
    most = clamped(query.max_items, dials.max_items, MIN_ITEMS, MAX_ITEMS)
    candidates = [each.candidate for each in order.entries]
    kept = places(candidates, most, at_start=dials.at_start) if query.mode == "injection" else candidates[:most]
    chosen = frozenset(map(id, kept))
    hits = tuple(_scored(order.asked, query, each) for each in order.entries if id(each.candidate) in chosen)
    counts = {**order.counts}
    diagnostics = diagnosed(query, counts, order.scored, len(order.entries), len(hits))
    if fused:
        diagnostics["fusionActive"] = True
    return Ranked(hits, len(order.entries), skip_of(hits, range(order.scored), counts), diagnostics)


def _scored(asked: Asked, query: Query, entry: Entry) -> Scored:
    made = hit_of(asked, query, entry.score, entry.extra, entry.candidate, entry.overlaps)
    if entry.only_dense:
        made = replace(made, signals=dict.fromkeys(made.signals, 0.0))
    if entry.cosine is not None:
        made = replace(made, reason=f"{made.reason}, cosine {entry.cosine:.2f}")
    return made
