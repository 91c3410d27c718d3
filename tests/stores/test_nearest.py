"""The search in memory: codes, the narrowing of large scopes, filters before the nearest, and growth."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest

from learnt.model.scope import Sight
from learnt.model.vector import Embedded, VectorFilter
from learnt.stores.sqlite.nearest import coded
from learnt.stores.sqlite.shelf import WHOLE, Shelf
from learnt.stores.sqlite.store import SqliteStore
from learnt.testing import samples
from learnt.testing.fakes import NOON, FixedClock
from learnt.testing.vectors import begun, nearest, vector

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

DIMENSION = 96
COUNT = WHOLE + 2_000


def drawn(count: int, seed: int = 7) -> np.ndarray:
    """Unit vectors around a hundred centres, as texts about a hundred matters would have."""
    chance = np.random.default_rng(seed)
    centres = np.random.default_rng(1).normal(size=(100, DIMENSION))
    rows = centres[chance.integers(0, 100, count)] + 0.7 * chance.normal(size=(count, DIMENSION))
    return (rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype("<f4")


def changes(vectors: np.ndarray, kinds: Sequence[str] = ("a",), **fields: str) -> list[tuple[object, ...]]:
    """Rows as the store gives them, one memory a vector."""
    codes = coded([row.tobytes() for row in vectors])
    since, until = fields.get("since", NOON), fields.get("until")
    return [(at + 1, at + 1, 0, 1, kinds[at % len(kinds)], since, until, at + 1, code) for at, code in enumerate(codes)]


@pytest.fixture(scope="module")
def large() -> tuple[np.ndarray, Shelf]:
    """A scope that is narrowed by signs first, of two kinds."""
    vectors = drawn(COUNT)
    shelf = Shelf(DIMENSION, 16)
    rows = changes(vectors, ("a", "b"))
    for start in range(0, COUNT, 3_000):
        shelf.take(rows[start : start + 3_000])
    return vectors, shelf


def found(shelf: Shelf, query: np.ndarray, k: int, wanted: VectorFilter) -> set[int]:
    """Rows of about the `k` nearest."""
    _, at = shelf.nearest(query, k, wanted)
    return set((shelf.keys[at] >> 6).tolist())


def true(vectors: np.ndarray, query: np.ndarray, k: int, kind: int | None = None) -> set[int]:
    """Rows of the nearest by float32, of every second memory where a kind is given."""
    likeness = vectors @ query
    if kind is not None:
        likeness[1 - kind :: 2] = -2
    return {int(at) + 1 for at in np.argsort(-likeness)[:k]}


def test_a_code_is_close_to_its_vector() -> None:
    """A quarter of the size, and a cosine wrong by a thousandth at most."""
    vectors = drawn(200)
    shelf = Shelf(DIMENSION, 0)
    shelf.take(changes(vectors))
    cosines, at = shelf.nearest(vectors[0], 200, VectorFilter())
    assert np.abs(cosines - (vectors @ vectors[0])[at]).max() < 0.003
    assert len(coded([vectors[0].tobytes()])[0]) == DIMENSION + 4


def test_a_large_scope_loses_nothing(large: tuple[np.ndarray, Shelf]) -> None:
    """Of the true ten nearest all are among those that are rescored."""
    vectors, shelf = large
    queries = drawn(60, seed=8)
    hits = sum(len(true(vectors, query, 10) & found(shelf, query, 58, VectorFilter())) for query in queries)
    assert hits >= 0.995 * 10 * len(queries)


def test_filters_come_first(large: tuple[np.ndarray, Shelf]) -> None:
    """With half of a large scope of another kind the ten nearest of the kind asked for are there."""
    vectors, shelf = large
    query = drawn(1, seed=9)[0]
    assert true(vectors, query, 10, kind=1) <= found(shelf, query, 58, VectorFilter(kinds=("b",)))
    assert found(shelf, query, 58, VectorFilter(kinds=("unknown",))) == set()
    assert found(shelf, query, 58, VectorFilter(since="2027-01-01T00:00:00.000Z")) == set()


def test_equal_vectors_are_no_trouble() -> None:
    """A scope of one vector again and again: so many are found as were asked for."""
    shelf = Shelf(DIMENSION, 0)
    vectors = np.repeat(drawn(1), COUNT, axis=0)
    shelf.take(changes(vectors))
    assert len(found(shelf, vectors[0], 50, VectorFilter())) == 50


def test_what_changes_keeps_its_place() -> None:
    """A row taken again replaces what was there; one that left is not found; both in small and large batches."""
    vectors = drawn(300)
    for batch in (1, 300):
        shelf = Shelf(DIMENSION, 0)
        rows = changes(vectors)
        shelf.take(rows)
        turned = changes(-vectors)
        for start in range(0, 300, batch):
            shelf.take(turned[start : start + batch])
        assert shelf.count == 300
        assert 1 in found(shelf, -vectors[0], 5, VectorFilter())
        shelf.take([(999, 1, 0, 0, "a", NOON, None, None, None)])
        assert 1 not in found(shelf, -vectors[0], 300, VectorFilter())


def test_codes_follow_rows_that_others_remove(tmp_path: Path) -> None:
    """A row another program deletes takes its vector along, because the file itself sees to it."""
    store = SqliteStore.open(tmp_path / "memory.db", now=FixedClock())
    scope = samples.repository("r")
    memory = samples.memory(scope, "red fox")
    generation = begun(store)
    with store.transaction():
        store.memories.put(memory)
        store.vectors.put(generation, [Embedded(id=memory.id, vectors=(vector("red fox"),))], NOON)
    sight = Sight((scope,))
    assert nearest(store, sight, "red fox") == [memory.id]
    with store.transaction():
        store.connection.write("DELETE FROM memory_items")
    store.connection.generation += 1
    assert nearest(store, sight, "red fox") == []
    assert store.connection.rows("SELECT count(*) FROM vectors") == [(0,)]
    store.close()
