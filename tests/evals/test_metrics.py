"""Figures of rankings against values worked out by hand, and what must hold for every ranking."""

from __future__ import annotations

from math import log2

import pytest
from hypothesis import given
from hypothesis import strategies as st

from learnt.evals import metrics

RANKING = ["a", "x", "b", "y", "c"]
RELEVANT = {"a", "b", "c", "d"}

names = st.integers(0, 30).map(str)
rankings = st.lists(names, unique=True, max_size=30)
wanted = st.sets(names, min_size=1, max_size=10)


def test_recall_is_the_share_of_the_evidence() -> None:
    """Of four relevant ones one is first, two are among three, three among five."""
    assert [metrics.recall(RANKING, RELEVANT, k) for k in (1, 3, 5)] == [0.25, 0.5, 0.75]


def test_hit_is_any_of_it() -> None:
    """One relevant one among the first k is enough."""
    assert [metrics.hit(["x", "a"], RELEVANT, k) for k in (1, 2)] == [0.0, 1.0]


def test_reciprocal_rank_is_that_of_the_first() -> None:
    """1/place of the first relevant one, 0 when none was found."""
    assert metrics.reciprocal_rank(["x", "y", "b", "a"], RELEVANT) == pytest.approx(1 / 3)
    assert metrics.reciprocal_rank(["x"], RELEVANT) == 0.0


def test_ndcg_by_hand() -> None:
    """Gains at places 1, 3 and 5 of the best possible at 1 to 4."""
    gained = 1 + 1 / log2(4) + 1 / log2(6)
    ideal = 1 + 1 / log2(3) + 1 / log2(4) + 1 / log2(5)
    assert metrics.ndcg(RANKING, RELEVANT, 5) == pytest.approx(gained / ideal)


def test_above_needs_the_upper_one() -> None:
    """The new statement is above when it was found and the old one was not, never the other way round."""
    assert metrics.above(["new"], {"new"}, {"old"})
    assert metrics.above(["x", "new", "old"], {"new"}, {"old"})
    assert not metrics.above(["old", "new"], {"new"}, {"old"})
    assert not metrics.above([], {"new"}, {"old"})


def test_means_count_the_questions() -> None:
    """Figures are means over the questions; without any there is a count and nothing else."""
    figures = metrics.means([(["a"], {"a"}), (["x"], {"a"})])
    assert (figures["questions"], figures["recall@1"], figures["mrr"]) == (2, 0.5, 0.5)
    assert metrics.means([]) == {"questions": 0}


def test_percentiles_are_values_that_occurred() -> None:
    """The nearest rank: the median of four is the second, the 95th of twenty the nineteenth."""
    assert metrics.percentile([4, 1, 3, 2], 50) == 2
    assert metrics.percentile(list(range(1, 21)), 95) == 19
    assert metrics.percentile([], 95) == 0.0


@given(rankings, wanted)
def test_recall_never_falls_with_k(ranking: list[str], relevant: set[str]) -> None:
    """Deeper looks find at least as much, and a hit is there exactly when recall is."""
    values = [metrics.recall(ranking, relevant, k) for k in range(1, 31)]
    assert values == sorted(values)
    assert all(0 <= value <= 1 for value in values)
    assert all((value > 0) == (metrics.hit(ranking, relevant, k) > 0) for k, value in enumerate(values, 1))


@given(rankings, wanted, st.integers(1, 20))
def test_ndcg_lies_between_nothing_and_perfect(ranking: list[str], relevant: set[str], k: int) -> None:
    """It is 0 to 1, and 1 when the relevant ones come first."""
    assert 0 <= metrics.ndcg(ranking, relevant, k) <= 1 + 1e-12
    perfect = [*sorted(relevant), *(each for each in ranking if each not in relevant)]
    assert metrics.ndcg(perfect, relevant, k) == pytest.approx(1)


@given(st.lists(names))
def test_folding_keeps_the_first_of_each(ranking: list[str]) -> None:
    """Every name once, in the order of first appearance."""
    folded = metrics.folded(ranking)
    assert set(folded) == set(ranking)
    assert sorted(folded, key=ranking.index) == list(folded)
