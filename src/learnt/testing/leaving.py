"""How memories leave a store for good."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from learnt.model.filter import MemoryFilter
from learnt.model.scope import Scope, Sight
from learnt.testing import samples
from learnt.testing.base import Base, OnPurposeError, undone
from learnt.testing.fakes import NOON
from learnt.testing.vectors import keep

if TYPE_CHECKING:
    from learnt.model.memory import Memory
    from learnt.ports.store import Store

UNKNOWN = "mem_0000000000000000"
TIED = {"trigger": [["command", "=npm test"]]}


def put(store: Store, *memories: Memory) -> None:
    """Store some memories in one transaction."""
    with store.transaction():
        for memory in memories:
            store.memories.put(memory)


def remove(store: Store, sight: Sight, *ids: str) -> set[str]:
    """Remove some memories in one transaction; gives which were there."""
    with store.transaction():
        return set(store.memories.remove(sight, ids))


class RemovalSuite(Base):
    """`Memories.remove` and `Upkeep.shrink`."""

    def test_what_was_removed_is_nowhere(self, store: Store, scope: Scope, sight: Sight) -> None:
        """Neither by id nor in a listing, a count, full text or anchors; the others are as they were."""
        stay = samples.memory(scope, "The harbour is deep.", metadata=TIED)
        gone = samples.memory(scope, "The harbour is shallow.", metadata=TIED)
        put(store, stay, gone, *(samples.memory(scope, f"Filler {n}.") for n in range(4)))
        assert remove(store, sight, gone.id, UNKNOWN, gone.id) == {gone.id}
        assert (store.memories.get(sight, gone.id), store.memories.count(sight)) == (None, {"active": 5})
        assert gone not in store.memories.page(sight, MemoryFilter(statuses=()), NOON).values
        found = store.lexicon.candidates(sight, ("harbour", "shallow"), 2).candidates
        assert [each.id for each in found] == [stay.id]
        assert store.lexicon.anchored(sight, [("command", "=npm test")]) == (stay.id,)
        assert (store.upkeep.disagreements(), store.meta.gaps()) == ({}, {})
        assert remove(store, sight, gone.id) == set()

    @pytest.mark.parametrize("status", ["superseded", "deleted", "consolidated", "quarantined"])
    def test_whatever_its_status(self, store: Store, scope: Scope, sight: Sight, status: str) -> None:
        """What was not in the full text leaves as well."""
        gone = samples.memory(scope, "Gone.", status=status)
        put(store, gone, samples.memory(scope, "Stays."))
        assert remove(store, sight, gone.id) == {gone.id}
        assert store.memories.count(sight) == {"active": 1}
        assert store.upkeep.disagreements() == {}

    def test_what_is_out_of_sight_stays(self, store: Store, scope: Scope, foreign: Scope, sight: Sight) -> None:
        """A foreign id is no id."""
        theirs = samples.memory(foreign, "Theirs.")
        put(store, theirs)
        assert remove(store, sight, theirs.id) == set()
        assert store.memories.get(Sight((foreign,)), theirs.id) == theirs

    def test_it_can_be_written_again(self, store: Store, scope: Scope, sight: Sight) -> None:
        """As a new memory: its moments are those of the new one."""
        memory = samples.memory(scope, "The lighthouse.")
        put(store, memory)
        remove(store, sight, memory.id)
        again = replace(memory, created_at="2026-06-01T12:00:00.000Z")
        put(store, again, *(samples.memory(scope, f"Filler {n}.") for n in range(4)))
        assert store.memories.get(sight, memory.id) == again
        found = store.lexicon.candidates(sight, ("lighthouse",), 2).candidates
        assert [each.id for each in found] == [memory.id]

    def test_a_failure_takes_nothing_away(self, store: Store, scope: Scope, sight: Sight) -> None:
        """Removal is undone with its transaction, full text and all."""
        memory = samples.memory(scope, "The lighthouse.")
        put(store, memory, *(samples.memory(scope, f"Filler {n}.") for n in range(4)))
        with pytest.raises(OnPurposeError):
            undone(store, lambda: store.memories.remove(sight, [memory.id]))
        assert store.memories.get(sight, memory.id) == memory
        assert [each.id for each in store.lexicon.candidates(sight, ("lighthouse",), 2).candidates] == [memory.id]
        assert store.upkeep.disagreements() == {}

    def test_out_of_a_full_block(self, store: Store, scope: Scope, sight: Sight) -> None:
        """In a scope large enough for blocks of full text, these stay right, at their edges too."""
        memories = [samples.memory(scope, f"Statement {n} of many.") for n in range(2_100)]
        put(store, *memories)
        gone = [memories[at].id for at in (0, 1_000, 2_046, 2_047, 2_048, 2_099)]
        assert remove(store, sight, *gone) == set(gone)
        assert store.upkeep.disagreements() == {}
        assert [each.id for each in store.lexicon.candidates(sight, ("1001",), 1).candidates] == [memories[1_001].id]
        assert not store.lexicon.candidates(sight, ("1000",), 1).matched

    def test_the_feed_tells_of_it(self, store: Store, scope: Scope, sight: Sight) -> None:
        """Whoever keeps a copy hears that it is gone."""
        memory = samples.memory(scope)
        store.feed.last(scope)
        put(store, memory)
        remove(store, sight, memory.id)
        assert [each.target_id for each in store.feed.changes(scope, 0, 9)] == [memory.id, memory.id]

    def test_receipts_keep_what_they_gave(self, store: Store, scope: Scope, sight: Sight) -> None:
        """How often it was recalled is known as long as the receipts are."""
        memory = samples.memory(scope)
        put(store, memory)
        with store.transaction():
            store.usage.put(samples.bundle(scope, memory.id))
        remove(store, sight, memory.id)
        assert store.usage.recalls(memory.id) == 1

    @pytest.mark.parametrize("whole", [True, False])
    def test_shrinking_changes_no_answer(self, store: Store, scope: Scope, sight: Sight, *, whole: bool) -> None:
        """After it everything is found as before."""
        memories = [samples.memory(scope, f"Statement {n} of many.") for n in range(50)]
        put(store, *memories)
        remove(store, sight, *(each.id for each in memories[:20]))
        told = store.upkeep.shrink(whole=whole)
        assert set(told) == {"freed_bytes", "log_bytes"}
        assert [each.id for each in store.lexicon.candidates(sight, ("30",), 1).candidates] == [memories[30].id]
        assert (store.upkeep.disagreements(), store.meta.gaps()) == ({}, {})


class SurveySuite(Base):
    """`Upkeep.survey`."""

    def test_every_memory_in_short(self, store: Store, scope: Scope, foreign: Scope, sight: Sight) -> None:
        """Of every status, each once, with the beginning of its text; nobody else's."""
        long = samples.memory(scope, "naïve 日本語 " * 40, expires_at="2027-01-01T00:00:00.000Z", confidence=0.25)
        old = samples.memory(scope, "Old.", status="superseded", superseded_by=long.id)
        put(store, long, old, samples.memory(foreign, "Theirs."))
        found = {each.id: each for each in store.upkeep.survey(sight)}
        assert found.keys() == {long.id, old.id}
        first, second = found[long.id], found[old.id]
        assert (first.text, first.expires_at, first.confidence) == (long.text[:120], long.expires_at, 0.25)
        assert (second.status, second.superseded_by, second.kind) == ("superseded", long.id, old.kind)
        assert (first.q_value, first.created_at, first.updated_at) == (0.5, NOON, NOON)
        assert list(store.upkeep.survey(Sight((samples.repository("nobody"),)))) == []

    def test_a_survey_of_many(self, store: Store, scope: Scope, sight: Sight) -> None:
        """More than one stretch, none twice, none left out."""
        memories = [samples.memory(scope, f"Statement {n} of many.") for n in range(2_100)]
        put(store, *memories)
        found = [each.id for each in store.upkeep.survey(sight)]
        assert sorted(found) == sorted(each.id for each in memories)


class RemovedVectorsSuite(Base):
    """`Memories.remove` where there are vectors."""

    def test_its_vectors_leave_with_it(self, store: Store, scope: Scope, sight: Sight) -> None:
        """Nothing near is found any more, and written anew it has none."""
        memory = samples.memory(scope, "near the harbour")
        era = keep(store, memory)
        assert store.vectors.kept(sight, era, [memory.id])
        remove(store, sight, memory.id)
        assert not store.vectors.kept(sight, era, [memory.id])
        put(store, memory)
        assert not store.vectors.kept(sight, era, [memory.id])
