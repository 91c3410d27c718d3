"""What a process keeps in memory of a store never outlives what the store holds."""

from __future__ import annotations

from contextlib import closing
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from learnt.model.scope import Sight
from learnt.model.tokens import query_terms
from learnt.model.vector import MEMORY_FORM, Embedded, VectorFilter
from learnt.stores.sqlite import lexicon
from learnt.stores.sqlite.store import SqliteStore
from learnt.testing import samples
from learnt.testing.embedders import HashEmbedder
from learnt.testing.fakes import NOON, FixedClock

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from learnt.model.memory import Memory

SCOPE = samples.repository("a")
SIGHT = Sight((SCOPE,))
MODEL = HashEmbedder(16)
ANY = VectorFilter()


@pytest.fixture
def two(tmp_path: Path) -> Iterator[tuple[SqliteStore, SqliteStore]]:
    """One file, opened twice, as two processes have it."""
    with (
        closing(SqliteStore.open(tmp_path / "m.db", now=FixedClock())) as one,
        closing(SqliteStore.open(tmp_path / "m.db", now=FixedClock())) as other,
    ):
        yield one, other


def _vector(text: str) -> bytes:
    (made,) = MODEL.embed([text])
    assert made is not None
    return made


def _taken_back(store: SqliteStore, memory: Memory) -> None:
    with store.transaction():
        store.memories.put(memory)
        assert store.memories.many(SIGHT, [memory.id]) == (memory,)
        raise RuntimeError


def test_a_vector_that_somebody_replaced(two: tuple[SqliteStore, SqliteStore]) -> None:
    """The next search measures the new one, though the old one was remembered."""
    one, other = two
    memory = samples.memory(SCOPE, "about foxes")
    with other.transaction():
        generation = other.vectors.begin("memory", MODEL.version, MEMORY_FORM, MODEL.dimension, NOON)
        other.memories.put(memory)
        other.vectors.put(generation, [Embedded(id=memory.id, vectors=(_vector("about foxes"),))], NOON)
    for _ in range(2):
        assert one.vectors.search(SIGHT, generation, _vector("about foxes"), 3, ANY)[0].cosine > 0.99
    with other.transaction():
        other.vectors.put(generation, [Embedded(id=memory.id, vectors=(_vector("quite another thing"),))], NOON)
    for _ in range(2):
        assert one.vectors.search(SIGHT, generation, _vector("about foxes"), 3, ANY)[0].cosine < 0.9
        assert one.vectors.search(SIGHT, generation, _vector("quite another thing"), 3, ANY)[0].cosine > 0.99


def test_a_cosine_does_not_depend_on_the_company(two: tuple[SqliteStore, SqliteStore]) -> None:
    """The same vector has the same cosine among any others, read now or remembered."""
    one, _ = two
    texts = [f"statement number {n} about {n % 7} foxes" for n in range(60)]
    memories = [samples.memory(SCOPE, text) for text in texts]
    with one.transaction():
        generation = one.vectors.begin("memory", MODEL.version, MEMORY_FORM, MODEL.dimension, NOON)
        for memory in memories:
            one.memories.put(memory)
            one.vectors.put(generation, [Embedded(id=memory.id, vectors=(_vector(memory.text),))], NOON)
    asked = _vector("foxes")
    found = [
        {near.id: near.cosine for near in store.vectors.search(SIGHT, generation, asked, k, ANY)}
        for store in two
        for k in (60, 3, 17, 60)
    ]
    for each in found:
        assert each.items() <= found[0].items()


def test_a_memory_that_somebody_changed(two: tuple[SqliteStore, SqliteStore]) -> None:
    """Whoever reads it again gets it as it is, also after a change that was taken back."""
    one, other = two
    memory = samples.memory(SCOPE)
    with other.transaction():
        other.memories.put(memory)
    assert one.memories.many(SIGHT, [memory.id]) == (memory,)
    changed = replace(memory, status="superseded")
    with other.transaction():
        other.memories.put(changed)
    assert one.memories.many(SIGHT, [memory.id]) == (changed,)
    with pytest.raises(RuntimeError):
        _taken_back(one, memory)
    assert one.memories.many(SIGHT, [memory.id]) == (changed,)


def test_a_memory_of_another_scope_stays_unseen(two: tuple[SqliteStore, SqliteStore]) -> None:
    """That it was read for somebody who may see it lets nobody else see it."""
    one, _ = two
    memory = samples.memory(SCOPE)
    with one.transaction():
        one.memories.put(memory)
        one.memories.put(samples.memory(samples.repository("b")))
    assert one.memories.many(SIGHT, [memory.id]) == (memory,)
    assert one.memories.many(Sight((samples.repository("b"),)), [memory.id]) == ()


def test_candidates_follow_what_others_write(
    two: tuple[SqliteStore, SqliteStore], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A warm process names no memory that is not active any more, and only those in sight."""
    monkeypatch.setattr(lexicon, "COLD_ACTIVE", 0)
    one, other = two
    memories = [samples.memory(SCOPE, f"statement number{n} about foxes") for n in range(9)]
    foreign = samples.memory(samples.repository("b"), "statement about foxes")
    with other.transaction():
        generation = other.vectors.begin("memory", MODEL.version, MEMORY_FORM, MODEL.dimension, NOON)
        for each in (*memories, foreign):
            other.memories.put(each)
            other.vectors.put(generation, [Embedded(id=each.id, vectors=(_vector(each.text),))], NOON)
    names = [each.id for each in (*memories, foreign)]
    both = Sight((SCOPE, samples.repository("b")))
    one.vectors.search(both, generation, _vector("foxes"), 20, ANY)
    for _ in range(3):
        assert len(one.lexicon.candidates(SIGHT, query_terms("statement foxes"), 4).candidates) == 4
        assert [each.id for each in one.lexicon.named(SIGHT, names)] == names[:-1]
    with other.transaction():
        other.memories.put(replace(memories[2], status="superseded"))
    assert [each.id for each in one.lexicon.named(SIGHT, names)] == [*names[:2], *names[3:-1]]
