"""How vectors of another model come in, and what a store counts of them."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from learnt.errors import UsageError
from learnt.model.vector import Embedded
from learnt.testing import samples
from learnt.testing.base import Base
from learnt.testing.embedders import HashEmbedder, nans, short, zeros
from learnt.testing.fakes import NOON
from learnt.testing.vectors import ANY, FORM, MODEL, begun, keep, nearest, vector

if TYPE_CHECKING:
    from learnt.model.scope import Scope, Sight
    from learnt.ports.store import Store


class GenerationsSuite(Base):
    """How vectors of another model come in."""

    def test_the_first_is_searched_at_once(self, store: Store, scope: Scope) -> None:
        """And beginning it again changes nothing."""
        first = begun(store)
        assert first.status == "current"
        assert begun(store) == first
        assert store.vectors.generation("memory") == first
        assert store.vectors.generation("evidence") is None

    def test_two_models_are_never_mixed(self, store: Store, scope: Scope, sight: Sight) -> None:
        """Of the same size or not, each is searched alone; nothing of the old one is lost."""
        other = HashEmbedder(name="other")
        memory = samples.memory(scope, "alpha beta")
        old = keep(store, memory)
        new = begun(store, other)
        assert (new.status, new.number == old.number) == ("building", False)
        assert store.vectors.search(sight, new, vector("alpha beta", other), 3, ANY) == ()
        assert nearest(store, sight, "alpha beta") == [memory.id]

    def test_a_generation_waits_until_it_is_complete(self, store: Store, scope: Scope) -> None:
        """Then it takes over in one step, and the old one can be swept away."""
        memories = [samples.memory(scope, f"alpha {n}") for n in range(3)]
        old = keep(store, *memories)
        other = HashEmbedder(32, name="other")
        new = begun(store, other)
        with store.transaction():
            assert not store.vectors.finish(new, NOON)
            given = [Embedded(id=each.id, vectors=(vector(each.text, other),)) for each in memories]
            store.vectors.put(new, given[:2], NOON)
            assert not store.vectors.finish(new, NOON)
            store.vectors.put(new, given[2:], NOON)
            assert store.vectors.finish(new, NOON)
        held = {each.number: each.status for each in store.vectors.state("memory")}
        assert held == {new.number: "current", old.number: "retired"}
        with store.transaction():
            while store.vectors.sweep(2) == 2:
                pass
        assert [each.number for each in store.vectors.state("memory")] == [new.number]

    def test_counts(self, store: Store, scope: Scope) -> None:
        """What has a vector, what lacks one, and what was tried in vain, of what should have one."""
        kept, failed, left = (samples.memory(scope, text) for text in ("one", "two", "three"))
        others = [
            samples.memory(scope, "session", stability="session"),
            samples.memory(scope, "scratch", kind="scratch", stability="ephemeral"),
            samples.memory(scope, "gone", status="consolidated"),
            samples.memory(scope, " \n\t"),
            samples.memory(scope, " \n", status="superseded"),
            samples.memory(scope, "old session", stability="session", status="superseded"),
        ]
        generation = begun(store)
        with store.transaction():
            for each in (kept, failed, left, *others):
                store.memories.put(each)
            given = [Embedded(id=kept.id, vectors=(vector("one"),)), Embedded(id=failed.id, failure="refused")]
            store.vectors.put(generation, given, NOON)
        (state,) = store.vectors.state("memory")
        assert (state.embedded, state.missing, state.failed) == (1, 2, 1)
        missing = store.vectors.missing(generation, 9)
        assert {each.id for each in missing} == {failed.id, left.id}
        assert [each.id for each in store.vectors.missing(generation, 9, after=missing[0].place)] == [missing[1].id]

    def test_superseded_memories_get_vectors(self, store: Store, scope: Scope, sight: Sight) -> None:
        """One that was replaced before it was embedded is missed like one that holds, and found among the retired."""
        memories = [samples.memory(scope, f"alpha {n}") for n in range(3)]
        generation = keep(store, memories[0])
        with store.transaction():
            for each in memories:
                store.memories.put(replace(each, status="superseded"))
            new = store.vectors.begin("memory", "other:64", FORM, 64, NOON)
            assert not store.vectors.finish(new, NOON)
            given = [Embedded(id=memories[1].id, failure="refused")]
            store.vectors.put(generation, given, NOON)
        (state,) = (each for each in store.vectors.state("memory") if each.number == generation.number)
        assert (state.embedded, state.missing, state.failed) == (1, 2, 1)
        assert [each.id for each in store.vectors.missing(generation, 9)] == [each.id for each in memories[1:]]
        with store.transaction():
            for made in (generation, new):
                given = [Embedded(id=each.id, vectors=(vector(each.text),)) for each in memories]
                store.vectors.put(made, given, NOON)
            assert store.vectors.finish(new, NOON)
        assert [(each.embedded, each.missing) for each in store.vectors.state("memory")] == [(3, 0), (3, 0)]
        found = store.vectors.search(sight, new, vector("alpha 1"), 9, replace(ANY, retired=True))
        assert (found[0].id, len(found)) == (memories[1].id, 3)
        with store.transaction():
            store.memories.put(memories[1])
        assert store.vectors.state("memory")[0].embedded == 3
        assert [each.id for each in store.vectors.search(sight, new, vector("alpha 1"), 9, ANY)] == [memories[1].id]

    def test_degenerate_vectors_are_failures(self, store: Store, scope: Scope, sight: Sight) -> None:
        """Zeros, NaN, another length: none is kept, each is counted and comes again."""
        memories = [samples.memory(scope, f"text {n}") for n in range(3)]
        generation = keep(store, *memories)
        with store.transaction():
            broken = (zeros(64), nans(64), short(64))
            given = [Embedded(id=each.id, vectors=(one,)) for each, one in zip(memories, broken, strict=True)]
            store.vectors.put(generation, given, NOON)
        (state,) = store.vectors.state("memory")
        assert (state.embedded, state.missing, state.failed) == (0, 3, 3)
        assert nearest(store, sight, "text 1") == []
        with store.transaction():
            store.vectors.put(generation, [Embedded(id=memories[0].id, vectors=(vector("text 0"),))], NOON)
        assert store.vectors.state("memory")[0].failed == 2

    def test_unknown_targets_are_passed_over(self, store: Store, scope: Scope) -> None:
        """A vector of what is no longer there is not kept."""
        generation = begun(store)
        with store.transaction():
            store.vectors.put(generation, [Embedded(id="mem_0000000000000000", vectors=(vector("a"),))], NOON)
        assert store.vectors.state("memory")[0].embedded == 0

    def test_a_model_keeps_its_size(self, store: Store) -> None:
        """The same version with another number of dimensions is refused."""
        begun(store)
        with pytest.raises(UsageError), store.transaction():
            store.vectors.begin("memory", MODEL.version, FORM, 32, NOON)
