"""The fusion of the profiles `hybrid` and `hybrid+rerank`, with the numbers of the swarm-memory seed.

Three rankings are joined by reciprocal ranks, the sums are stretched to 0..1, a threshold drops, a reranker may put the
first twenty into another order. Source of every number here: swarm-memory seed, hybrid recall. `learnt.recall.blend`
is what the default profile uses instead, and says why.

A property to know before a threshold is set: stretching gives the last hit 0, whatever it is, so any threshold above 0
drops it, and of two hits of unequal rank the second always goes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

WEIGHTS = (0.5, 0.4, 0.1)
"""Of the lexical, the dense and the metadata ranking."""

K = 60
RERANKED = 20
"""At most so many of the first hits are put into a reranker's order."""


def dense_k(max_items: int) -> int:
    """How many nearest the dense stage asks for."""
    return max(100, 20 * max_items)


def metadata_order(hits: Iterable[tuple[str, bool, bool]]) -> tuple[str, ...]:
    """The metadata ranking of `(id, scope matches, kind matches)`: both, scope only, kind only, neither.

    Within a bucket the order given stays.
    """
    return tuple(each[0] for each in sorted(hits, key=lambda hit: -(2 * hit[1] + hit[2])))


def raw_fused(
    rankings: Sequence[Sequence[str]], weights: Sequence[float] = WEIGHTS, k: int = K
) -> tuple[tuple[str, float], ...]:
    """Reciprocal rank fusion: the sum of weight / (k + rank) over the rankings, best first, then by id.

    Ranks count from 1; a ranking that does not hold an id adds nothing. An id twice in one ranking counts where it
    stands first.
    """
    sums: dict[str, float] = {}
    for ranking, weight in zip(rankings, weights, strict=False):
        for rank, name in enumerate(dict.fromkeys(ranking), start=1):
            sums[name] = sums.get(name, 0.0) + weight / (k + rank)
    return tuple(sorted(sums.items(), key=lambda each: (-each[1], each[0])))


def stretched(scores: Sequence[tuple[str, float]]) -> tuple[tuple[str, float], ...]:
    """Min-max: the best is 1, the worst 0, all are 1 when all are equal."""
    if not scores:
        return ()
    values = [score for _, score in scores]
    low, high = min(values), max(values)
    if high == low:
        return tuple((name, 1.0) for name, _ in scores)
    return tuple((name, (score - low) / (high - low)) for name, score in scores)


def fused(
    rankings: Sequence[Sequence[str]],
    weights: Sequence[float] = WEIGHTS,
    k: int = K,
    min_score: float = 0.0,
) -> tuple[tuple[str, float], ...]:
    """The seed's stages from rankings to thresholded scores, best first. A score exactly at `min_score` stays."""
    return tuple(each for each in stretched(raw_fused(rankings, weights, k)) if each[1] >= min_score)


def may_rerank(elapsed_ms: float, budget_ms: float) -> bool:
    """Whether there is time for a reranker; exactly in time is in time."""
    return elapsed_ms <= budget_ms


def reranked(
    order: Sequence[str], scorer: Callable[[Sequence[str]], Mapping[str, float] | None], most: int = RERANKED
) -> tuple[str, ...]:
    """`order` with its first `most` by the scorer's scores; the tail never overtakes.

    Equal scores, and ids without one (they stand last of the head), keep their order. No scores (None) or too few to
    compare change nothing.
    """
    head, tail = tuple(order[:most]), tuple(order[most:])
    scores = scorer(head) if head else None
    if not scores:
        return (*head, *tail)
    known = [name for name in head if name in scores]
    unknown = [name for name in head if name not in scores]
    return (*sorted(known, key=lambda name: -scores[name]), *unknown, *tail)
