"""The vectors of recent queries."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from learnt.errors import EmbedderError
from learnt.providers.cache import CachingEmbedder, VectorCache
from learnt.testing.embedders import CountingEmbedder, FailingEmbedder, HashEmbedder, SilentEmbedder


def test_the_oldest_leaves() -> None:
    """Size 3, four put in: the first is gone."""
    cache = VectorCache(3)
    for name in "abcd":
        cache.put("m:1", name, name.encode())
    assert [cache.get("m:1", name) for name in "abcd"] == [None, b"b", b"c", b"d"]


def test_reading_and_setting_refresh() -> None:
    """What was read or set again stays, what was not leaves."""
    cache = VectorCache(3)
    for name in "abc":
        cache.put("m:1", name, b"1")
    cache.get("m:1", "a")
    cache.put("m:1", "b", b"2")
    cache.put("m:1", "d", b"1")
    cache.put("m:1", "e", b"1")
    assert [cache.get("m:1", name) for name in "abcde"] == [None, b"2", None, b"1", b"1"]


def test_case_and_outer_blanks_do_not_count() -> None:
    """`Foo` and ` foo ` are one query; inner blanks and another model's version are not."""
    cache = VectorCache(3)
    cache.put("m:1", "Foo bar", b"1")
    assert cache.get("m:1", "  foo BAR\n") == b"1"
    assert cache.get("m:1", "foo  bar") is None
    assert cache.get("m:2", "foo bar") is None
    assert cache.get("m", "1\0foo bar") is None


def test_size_zero_keeps_nothing() -> None:
    """Nothing kept, nothing found, nothing raised."""
    cache = VectorCache(0)
    cache.put("m:1", "a", b"1")
    assert (len(cache), cache.get("m:1", "a")) == (0, None)


def test_clearing() -> None:
    """After a model's change."""
    cache = VectorCache(3)
    cache.put("m:1", "a", b"1")
    cache.clear()
    assert cache.get("m:1", "a") is None


@given(st.integers(0, 4), st.lists(st.tuples(st.booleans(), st.integers(0, 6)), max_size=40))
def test_it_is_the_model_of_such_a_cache(size: int, steps: list[tuple[bool, int]]) -> None:
    """Against a list that is kept in order of use."""
    cache, used = VectorCache(size), list[int]()
    for put, name in steps:
        if put:
            cache.put("m:1", str(name), b"%d" % name)
        else:
            assert (cache.get("m:1", str(name)) is not None) == (name in used)
        if name in used or put:
            used = ([each for each in used if each != name] + [name])[-size:] if size else []
    assert len(cache) == len(used)


def test_a_query_is_embedded_once() -> None:
    """The second time, and in another case, the cache answers; repeats within one call are asked once."""
    counting = CountingEmbedder()
    embedder = CachingEmbedder(counting, 8)
    first = embedder.embed(["the lock", "cache", "the lock"])
    assert first == HashEmbedder().embed(["the lock", "cache", "the lock"])
    assert embedder.embed(["The Lock "]) == first[:1]
    assert counting.calls == [("the lock", "cache")]
    assert (embedder.version, embedder.dimension) == ("hash:64", 64)
    assert embedder.embed([]) == ()


def test_failures_are_not_kept() -> None:
    """A text without a vector, and a call that raised, are asked again."""
    counting = CountingEmbedder(SilentEmbedder(2))
    embedder = CachingEmbedder(counting, 8)
    assert [each is None for each in embedder.embed(["a", "b"])] == [False, True]
    assert [each is None for each in embedder.embed(["a", "b"])] == [False, False]
    assert counting.calls == [("a", "b"), ("b",)]
    failing = CachingEmbedder(FailingEmbedder(), 8)
    for _ in range(2):
        with pytest.raises(EmbedderError):
            failing.embed(["a"])
