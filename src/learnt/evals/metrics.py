"""Figures of one ranking and of many. Pure.

Recall at k is the mean share of the evidence among the first k; hit at k whether any of it is there; both only over
questions that have evidence. Source: the usual definitions, as in the published figures learnt is compared with.
"""

from __future__ import annotations

from math import log2
from statistics import fmean
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Sequence

CUTS = (1, 5, 10, 20)
DEPTH = 100
"""How deep a ranking is asked for: the reciprocal rank of what stands deeper counts as 0."""


def recall(ranking: Sequence[str], relevant: Collection[str], k: int) -> float:
    """Share of the relevant ones among the first `k`; `relevant` is not empty."""
    return len(set(ranking[:k]) & set(relevant)) / len(relevant)


def hit(ranking: Sequence[str], relevant: Collection[str], k: int) -> float:
    """1 when any relevant one is among the first `k`, else 0."""
    return float(any(each in relevant for each in ranking[:k]))


def reciprocal_rank(ranking: Sequence[str], relevant: Collection[str]) -> float:
    """1 / place of the first relevant one, 0 when there is none."""
    return next((1 / place for place, each in enumerate(ranking, 1) if each in relevant), 0.0)


def ndcg(ranking: Sequence[str], relevant: Collection[str], k: int) -> float:
    """Discounted cumulative gain of the first `k` against the best possible, gain 1 each.

    Source: Järvelin and Kekäläinen 2002, discount log2(place + 1).
    """
    gained = sum(1 / log2(place + 1) for place, each in enumerate(ranking[:k], 1) if each in relevant)
    ideal = sum(1 / log2(place + 1) for place in range(1, min(k, len(relevant)) + 1))
    return gained / ideal


def place(ranking: Sequence[str], wanted: Collection[str]) -> int | None:
    """Place of the first wanted one, the first being 1; None when there is none."""
    return next((at for at, each in enumerate(ranking, 1) if each in wanted), None)


def above(ranking: Sequence[str], upper: Collection[str], lower: Collection[str]) -> bool:
    """Whether the best of `upper` stands above the best of `lower`; false when no `upper` was found."""
    first, second = place(ranking, upper), place(ranking, lower)
    return first is not None and (second is None or first < second)


def folded(ranking: Iterable[str]) -> tuple[str, ...]:
    """Each name once, where it first stands."""
    return tuple(dict.fromkeys(ranking))


def means(judged: Sequence[tuple[Sequence[str], Collection[str]]]) -> dict[str, float | int]:
    """The figures over rankings and their relevant ones; `questions` alone when there is none."""
    figures: dict[str, float | int] = {"questions": len(judged)}
    if not judged:
        return figures
    for k in CUTS:
        figures[f"recall@{k}"] = _mean(recall(ranking, relevant, k) for ranking, relevant in judged)
    for k in CUTS:
        figures[f"hit@{k}"] = _mean(hit(ranking, relevant, k) for ranking, relevant in judged)
    figures["mrr"] = _mean(reciprocal_rank(ranking, relevant) for ranking, relevant in judged)
    for k in (5, 10):
        figures[f"ndcg@{k}"] = _mean(ndcg(ranking, relevant, k) for ranking, relevant in judged)
    return figures


def _mean(values: Iterable[float]) -> float:
    return round(fmean(values), 6)


def share(truths: Iterable[bool]) -> float | None:
    """Share of the true ones; None for none at all."""
    found = list(truths)
    return round(sum(found) / len(found), 6) if found else None


def percentile(values: Sequence[float], percent: float) -> float:
    """The value at `percent` of the sorted values, the nearest rank above. 0 for none."""
    if not values:
        return 0.0
    ordered = sorted(values)
    at = max(0, min(len(ordered) - 1, -(-len(ordered) * percent // 100) - 1))
    return ordered[int(at)]
