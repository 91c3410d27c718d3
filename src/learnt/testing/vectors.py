"""How a store keeps vectors beside what they stand for, and finds the nearest."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from learnt.errors import UsageError
from learnt.model.scope import Scope, Sight
from learnt.model.vector import Embedded, VectorFilter
from learnt.testing import samples
from learnt.testing.base import Base, OnPurposeError, undone
from learnt.testing.embedders import HashEmbedder, nans, row, short, zeros
from learnt.testing.fakes import NOON

if TYPE_CHECKING:
    from collections.abc import Callable

    from learnt.model.memory import Memory
    from learnt.model.vector import Generation
    from learnt.ports.store import Store

LATER = "2026-05-25T12:00:00.000Z"
FORM = "text-1"
MODEL = HashEmbedder()
ANY = VectorFilter()


def vector(text: str, model: HashEmbedder = MODEL) -> bytes:
    """The vector of a text with words."""
    (found,) = model.embed([text])
    assert found is not None
    return found


def begun(store: Store, model: HashEmbedder = MODEL, form: str = FORM) -> Generation:
    """The generation of memories of a model."""
    with store.transaction():
        return store.vectors.begin("memory", model.version, form, model.dimension, NOON)


def keep(store: Store, *memories: Memory, model: HashEmbedder = MODEL) -> Generation:
    """Store memories with their vectors."""
    generation = begun(store, model)
    with store.transaction():
        for memory in memories:
            store.memories.put(memory)
        store.vectors.put(
            generation, [Embedded(id=each.id, vectors=(vector(each.text, model),)) for each in memories], NOON
        )
    return generation


def nearest(store: Store, sight: Sight, query: str, k: int = 3, wanted: VectorFilter = ANY) -> list[str]:
    """Ids of the nearest of the current generation of `MODEL`."""
    generation = store.vectors.generation("memory", MODEL.version, FORM)
    assert generation is not None
    return [near.id for near in store.vectors.search(sight, generation, vector(query), k, wanted)]


class NearestSuite(Base):
    """What a search finds."""

    def test_the_nearest_come_first(self, store: Store, scope: Scope, sight: Sight) -> None:
        """Cosine descending, then id; k bounds the answer, and a smaller k gives the beginning of it."""
        same = [samples.memory(scope, f"{word} red fox jumps") for word in ("a", "b")]
        far = samples.memory(scope, "nothing alike whatsoever")
        generation = keep(store, *same, far)
        found = store.vectors.search(sight, generation, vector("a red fox jumps"), 9, ANY)
        assert found[0].id == same[0].id
        assert abs(found[0].cosine - 1.0) < 1e-5
        assert found[-1].id == far.id
        assert store.vectors.search(sight, generation, vector("a red fox jumps"), 1, ANY) == found[:1]

    def test_nobody_finds_outside_their_sight(self, store: Store, scope: Scope, foreign: Scope) -> None:
        """Another scope's nearer vectors take no place."""
        mine = samples.memory(scope, "red fox")
        keep(store, mine, *(samples.memory(foreign, f"red fox {n}") for n in range(5)))
        assert nearest(store, Sight((scope,)), "red fox 1", 1) == [mine.id]
        assert len(nearest(store, Sight((scope, foreign)), "red fox", 9)) == 6

    def test_filters_bound_before_the_nearest_are_taken(self, store: Store, scope: Scope, sight: Sight) -> None:
        """Kind, date and expiry: what is nearer but not wanted uses up no place."""
        old = [samples.memory(scope, f"cache eviction {n}") for n in range(40)]
        ended = [samples.memory(scope, f"eviction cache {n}", expires_at=LATER, at=LATER) for n in range(5)]
        new = samples.memory(scope, "cache policy of eviction in the store", at=LATER)
        lesson = samples.memory(scope, "evict the cache now and then", kind="lesson")
        keep(store, *old, *ended, new, lesson)
        after = VectorFilter(since="2026-05-25T00:00:00.000Z", now=LATER)
        assert nearest(store, sight, "cache eviction", 2, after) == [new.id]
        assert nearest(store, sight, "cache eviction", 2, VectorFilter(kinds=("lesson",))) == [lesson.id]
        assert nearest(store, sight, "cache eviction", 2, VectorFilter(kinds=("todo",))) == []
        assert new.id not in nearest(store, sight, "cache eviction", 99, VectorFilter(until=LATER))
        assert new.id not in nearest(store, sight, "cache eviction", 99, VectorFilter(now=NOON))

    def test_retired_facts_take_no_place(self, store: Store, scope: Scope, sight: Sight) -> None:
        """Of forty corrected statements only what holds is found; what comes back is found again."""
        old = [samples.memory(scope, f"the port is number {n}") for n in range(40)]
        keep(store, *old)
        assert len(nearest(store, sight, "the port is number", 50)) == 40
        with store.transaction():
            for each in old[1:]:
                store.memories.put(replace(each, status="superseded"))
        assert nearest(store, sight, "the port is number", 6) == [old[0].id]
        retired = VectorFilter(retired=True)
        assert nearest(store, sight, "the port is number 7", 1, retired) == [old[7].id]
        assert len(nearest(store, sight, "the port is number", 50, retired)) == 39
        with store.transaction():
            store.memories.put(old[7])
        assert set(nearest(store, sight, "the port is number", 6)) == {old[0].id, old[7].id}

    def test_vectors_are_read_back(self, store: Store, scope: Scope, foreign: Scope, sight: Sight) -> None:
        """By id, all pieces in order; nothing of a foreign scope, of what has none, or of another generation."""
        mine, bare, theirs = (samples.memory(each, f"fox {n}") for n, each in enumerate((scope, scope, foreign)))
        generation = keep(store, mine, theirs)
        pieces = (vector("red fox"), vector("blue hen"))
        with store.transaction():
            store.memories.put(bare)
            store.vectors.put(generation, [Embedded(id=mine.id, vectors=pieces)], NOON)
        names = [mine.id, bare.id, theirs.id]
        assert store.vectors.kept(sight, generation, names) == {mine.id: pieces}
        assert store.vectors.kept(sight, generation, []) == {}
        other = HashEmbedder(name="other")
        assert store.vectors.kept(sight, begun(store, other), names) == {}

    def test_deletion_takes_the_vector_along(self, store: Store, scope: Scope, sight: Sight) -> None:
        """A deleted memory that comes back has no vector, and is missed."""
        memory = samples.memory(scope)
        generation = keep(store, memory)
        with store.transaction():
            store.memories.put(replace(memory, status="deleted"))
        assert nearest(store, sight, memory.text) == []
        with store.transaction():
            store.memories.put(memory)
        assert nearest(store, sight, memory.text) == []
        assert [each.id for each in store.vectors.missing(generation, 9)] == [memory.id]

    def test_another_handle_follows(self, store: Store, reopen: Callable[[], Store], scope: Scope) -> None:
        """What another process writes, changes and retires counts at the next search."""
        sight = Sight((scope,))
        one, two = samples.memory(scope, "alpha beta"), samples.memory(scope, "alpha gamma")
        keep(store, one)
        assert nearest(store, sight, "alpha") == [one.id]
        other = reopen()
        keep(other, two)
        assert set(nearest(store, sight, "alpha")) == {one.id, two.id}
        with other.transaction():
            other.memories.put(replace(one, status="superseded"))
        assert nearest(store, sight, "alpha") == [two.id]
        other.close()

    def test_an_undone_write_is_not_found(self, store: Store, scope: Scope, sight: Sight) -> None:
        """Row and vector come and go together, also for a search inside the transaction."""
        generation = keep(store, samples.memory(scope, "alpha"))
        lost = samples.memory(scope, "alpha omega")

        def write() -> None:
            store.memories.put(lost)
            store.vectors.put(generation, [Embedded(id=lost.id, vectors=(vector(lost.text),))], NOON)
            assert lost.id in nearest(store, sight, "alpha omega")

        with pytest.raises(OnPurposeError):
            undone(store, write)
        assert lost.id not in nearest(store, sight, "alpha omega")
        kept = samples.memory(scope, "omega")
        keep(store, kept)
        assert nearest(store, sight, "omega", 1) == [kept.id]

    def test_churn_leaves_each_live_one_first(self, store: Store, scope: Scope, sight: Sight) -> None:
        """After deletions and changes each live memory is nearest to its own vector."""
        memories = [samples.memory(scope, f"word{n} term{n % 7}") for n in range(60)]
        keep(store, *memories)
        nearest(store, sight, "word1")
        with store.transaction():
            for each in memories[::2]:
                store.memories.put(replace(each, status="deleted"))
        for each in memories[1::2]:
            assert nearest(store, sight, each.text, 1) == [each.id]
        assert len(nearest(store, sight, "term1", 99)) == 30

    def test_the_nearest_piece_counts(self, store: Store, scope: Scope, sight: Sight) -> None:
        """A text embedded in pieces is found once, by the piece that fits."""
        long, other = samples.memory(scope, "long"), samples.memory(scope, "other")
        generation = keep(store, long, other)
        with store.transaction():
            pieces = (vector("alpha beta"), vector("gamma delta"))
            store.vectors.put(generation, [Embedded(id=long.id, vectors=pieces)], NOON)
        for query in ("alpha beta", "gamma delta"):
            assert nearest(store, sight, query, 2)[0] == long.id
        with store.transaction():
            store.vectors.put(generation, [Embedded(id=long.id, vectors=(vector("alpha beta"),))], NOON)
        found = store.vectors.search(sight, generation, vector("gamma delta"), 2, ANY)
        assert all(near.cosine < 0.9 for near in found)

    def test_a_broken_query_is_refused(self, store: Store, scope: Scope, sight: Sight) -> None:
        """Zeros, NaN and another length never reach the order."""
        generation = keep(store, samples.memory(scope))
        for broken in (zeros(64), nans(64), short(64), row([2.0] * 64), b""):
            with pytest.raises(UsageError):
                store.vectors.search(sight, generation, broken, 3, ANY)

    def test_nothing_there_finds_nothing(self, store: Store, scope: Scope, sight: Sight) -> None:
        """An unknown scope and an empty one."""
        generation = begun(store)
        assert store.vectors.search(sight, generation, vector("a"), 3, ANY) == ()
        with store.transaction():
            store.memories.put(samples.memory(scope))
        assert store.vectors.search(sight, generation, vector("a"), 3, ANY) == ()

    def test_evidence_has_vectors_too(self, store: Store, scope: Scope, sight: Sight) -> None:
        """In a generation of its own, with its moment and type as filters; it leaves when it is pruned."""
        units = [samples.unit(scope, n, text=f"fox number {n}", at=(NOON, LATER)[n % 2]) for n in range(4)]
        with store.transaction():
            store.archive.put_units(units)
            generation = store.vectors.begin("evidence", MODEL.version, "said-1", MODEL.dimension, NOON)
            wanted = store.vectors.missing(generation, 9)
            assert [(each.id, each.who) for each in wanted] == [(unit.id, unit.who) for unit in units]
            store.vectors.put(generation, [Embedded(id=each.id, vectors=(vector(each.text),)) for each in wanted], NOON)
        found = store.vectors.search(sight, generation, vector("fox number 1"), 1, ANY)
        assert [near.id for near in found] == [units[1].id]
        early = store.vectors.search(sight, generation, vector("fox"), 9, VectorFilter(until=LATER))
        assert {near.id for near in early} == {units[0].id, units[2].id}
        with store.transaction():
            store.archive.prune(LATER)
        left = store.vectors.search(sight, generation, vector("fox"), 9, ANY)
        assert {near.id for near in left} == {units[1].id, units[3].id}

    def test_speaker_and_session_bound_evidence(self, store: Store, scope: Scope, sight: Sight) -> None:
        """What others said, or what was said elsewhere, is nearer and takes no place."""
        spoken = [("agent", "s1"), ("person", "s1"), ("person", "s2"), ("agent", "s2")]
        near = [samples.unit(scope, n, text=f"red fox {n}", who="tool", session_id="s1") for n in range(40)]
        far = [
            samples.unit(scope, 40 + n, text=f"some fox of number {n}", who=who, session_id=session)
            for n, (who, session) in enumerate(spoken)
        ]
        with store.transaction():
            store.archive.put_units([*near, *far])
            generation = store.vectors.begin("evidence", MODEL.version, "said-1", MODEL.dimension, NOON)
            given = [Embedded(id=each.id, vectors=(vector(each.text),)) for each in (*near, *far)]
            store.vectors.put(generation, given, NOON)

        def found(k: int = 9, **wanted: str) -> set[str]:
            asked = VectorFilter(**wanted)  # type: ignore[arg-type]
            return {each.id for each in store.vectors.search(sight, generation, vector("red fox"), k, asked)}

        assert found(2, who="person") == {far[1].id, far[2].id}
        assert found(session="s2") == {far[2].id, far[3].id}
        assert found(1, who="agent", session="s2") == {far[3].id}
        assert found(who="nobody") == set()
