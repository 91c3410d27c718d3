"""The embedders that tests are made with."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from learnt.errors import EmbedderError, RerankerError
from learnt.testing.embedders import (
    CountingEmbedder,
    CrookedEmbedder,
    FailingEmbedder,
    FailingReranker,
    HashEmbedder,
    OverlapReranker,
    ReversingReranker,
    SilentEmbedder,
    SlowEmbedder,
    cosine,
    nans,
    numbers,
    short,
    zeros,
)


def test_shared_words_are_likeness() -> None:
    """More shared words, nearer; the same words in another order and case, the same vector."""
    query, near, far, same = HashEmbedder(1024).embed(
        ["the cache lock", "a cache lock", "deploy now", "LOCK the, cache!"]
    )
    assert query is not None
    assert near is not None
    assert far is not None
    assert same == query
    assert cosine(query, near) > 0.5 > abs(cosine(query, far))


def test_the_same_bytes_everywhere() -> None:
    """Pinned, so that a store's expected order can be written down."""
    found = HashEmbedder(4).embed(["cache lock lock test"])[0]
    assert found is not None
    assert numbers(found) == pytest.approx((-0.948683, -0.316228, 0, 0), abs=1e-6)


@given(st.lists(st.text(), max_size=5))
def test_rows_are_unit_vectors_or_none(texts: list[str]) -> None:
    """Of the dimension told, in order; texts of two names are unrelated by version."""
    embedder = HashEmbedder(8)
    for text, vector in zip(texts, embedder.embed(texts), strict=True):
        assert embedder.embed([text]) == (vector,)
        if vector is not None:
            assert math.hypot(*numbers(vector)) == pytest.approx(1, abs=1e-6)
    assert HashEmbedder(8, "other").version != embedder.version


def test_names_part_vectors() -> None:
    """Two models of one dimension give different vectors for one text."""
    assert HashEmbedder(64, "a").embed(["cache"]) != HashEmbedder(64, "b").embed(["cache"])


def test_faults_come_as_ordered() -> None:
    """Every n-th text silent, every n-th call failing, prepared rows for named texts, a wait, a count."""
    silent = SilentEmbedder(3)
    assert [each is None for each in silent.embed(["a", "b"]) + silent.embed(["c", "d"])] == [False, False, True, False]
    failing = FailingEmbedder(every=2, code="timeout")
    failing.embed(["a"])
    with pytest.raises(EmbedderError) as caught:
        failing.embed(["a"])
    assert caught.value.error_code == "timeout"
    rows = {"zero": zeros(64), "nan": nans(64), "short": short(64)}
    crooked = CrookedEmbedder(rows)
    assert crooked.embed(["zero", "nan", "short", "a"]) == (*rows.values(), *HashEmbedder().embed(["a"]))
    waits: list[float] = []
    SlowEmbedder(2.5, CountingEmbedder(), waits.append).embed(["a"])
    assert waits == [2.5]


def test_rerankers_come_as_ordered() -> None:
    """By shared words, turned around, failing."""
    assert OverlapReranker().score("the lock", ["lock", "the LOCK", ""]) == (0.5, 1.0, 0.0)
    assert ReversingReranker().score("q", ["a", "b"]) == (0.0, 1.0)
    with pytest.raises(RerankerError):
        FailingReranker().score("q", ["a"])
