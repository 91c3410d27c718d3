"""The seed's fusion comes out to the last digit, and its algebra holds."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from learnt.recall.fuse import (
    RERANKED,
    dense_k,
    fused,
    may_rerank,
    metadata_order,
    raw_fused,
    reranked,
    stretched,
)

RANKINGS = st.lists(
    st.lists(st.sampled_from("abcdefgh"), max_size=8, unique=True).map(tuple), min_size=1, max_size=3
).map(tuple)


def test_the_vector_of_the_seed() -> None:
    """Lexical abc, dense bcd and metadata abc give the recorded sums and scores."""
    rankings = ("abc", "bcd", "abc")
    assert dict(raw_fused(rankings)) == pytest.approx(
        {"a": 0.009836066, "b": 0.016234796, "c": 0.015975422, "d": 0.006349206}, abs=1e-9
    )
    assert dict(fused(rankings)) == pytest.approx({"a": 0.352721, "b": 1, "c": 0.973762, "d": 0}, abs=1e-6)
    assert [name for name, _ in fused(rankings)] == ["b", "c", "a", "d"]


def test_first_everywhere_is_one_and_so_is_a_single_hit() -> None:
    """Top is 1; a single candidate is 1."""
    assert fused(("xyz", "xzy", "xyz"))[0] == ("x", 1.0)
    assert fused(("x", "", "")) == (("x", 1.0),)


def test_no_weight_and_no_hit() -> None:
    """With all weights 0 everything is 1, in order of ids; nothing in gives nothing out."""
    assert fused(("cab", "b"), weights=(0, 0, 0)) == (("a", 1.0), ("b", 1.0), ("c", 1.0))
    assert fused(("", "", "")) == ()


def test_the_last_hit_falls_to_any_threshold() -> None:
    """The design's trap, kept and known: of two unequal hits the second vanishes; at the bound a hit stays."""
    assert [name for name, _ in fused(("ab",), min_score=0.05)] == ["a"]
    assert [name for name, _ in fused(("ab",), min_score=0.0)] == ["a", "b"]


@pytest.mark.parametrize(
    ("elapsed", "budget", "may"), [(100, 250, True), (250, 250, True), (300, 250, False), (0, 0, True), (1, 0, False)]
)
def test_the_latency_gate(elapsed: float, budget: float, may: bool) -> None:
    """Exactly in time is in time."""
    assert may_rerank(elapsed, budget) is may


def test_a_reranker_reorders_the_head_only() -> None:
    """Reversing the first twenty of twenty-five leaves the last five where they were."""
    order = [f"m{number:02}" for number in range(25)]
    answer = reranked(order, lambda head: {name: float(at) for at, name in enumerate(head)})
    assert answer == (*reversed(order[:RERANKED]), *order[RERANKED:])


def test_a_reranker_that_fails_changes_nothing() -> None:
    """No scores, or none for some, never loses a hit."""
    assert reranked(("a", "b"), lambda head: None) == ("a", "b")
    assert reranked(("a", "b", "c"), lambda head: {"c": 1.0}) == ("c", "a", "b")


def test_buckets_of_metadata() -> None:
    """Scope and kind, then scope, then kind, then neither, each in the order given."""
    hits = (("n", False, False), ("k", False, True), ("s", True, False), ("b", True, True), ("c", True, True))
    assert metadata_order(hits) == ("b", "c", "s", "k", "n")


def test_how_many_nearest() -> None:
    """A hundred, or twenty for each item asked for."""
    assert (dense_k(3), dense_k(8)) == (100, 160)


@given(RANKINGS, st.sampled_from("abcdefgh"))
def test_fusion_is_monotone(rankings: tuple[tuple[str, ...], ...], name: str) -> None:
    """What rises to the first place of a ranking never loses score."""
    raised = tuple((name, *(other for other in ranking if other != name)) for ranking in rankings)
    assert dict(raw_fused(raised))[name] >= dict(raw_fused(rankings)).get(name, 0.0)


@given(RANKINGS)
def test_one_ranking_alone_keeps_its_order(rankings: tuple[tuple[str, ...], ...]) -> None:
    """With the others empty, fusion is the ranking itself: a dense arm that is off changes no place."""
    only = rankings[0]
    assert tuple(name for name, _ in fused((only, (), ()))) == only


@given(st.lists(st.tuples(st.text(max_size=3), st.floats(-5, 5)), max_size=9))
def test_stretching_keeps_order_and_bounds(scores: list[tuple[str, float]]) -> None:
    """Every score lies in 0..1 and no two change places."""
    answer = stretched(scores)
    assert all(0.0 <= score <= 1.0 for _, score in answer)
    order = sorted(range(len(scores)), key=lambda at: scores[at][1])
    values = [answer[at][1] for at in order]
    assert values == sorted(values)
