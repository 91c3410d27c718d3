"""How a store looks after itself."""

from __future__ import annotations

from typing import TYPE_CHECKING

from learnt.model.tokens import query_terms
from learnt.testing import samples
from learnt.testing.base import Base

if TYPE_CHECKING:
    from learnt.model.scope import Scope, Sight
    from learnt.ports.store import Store


class UpkeepSuite(Base):
    """Nothing is derived that is not right, and making it anew changes no answer."""

    def test_a_rebuild_changes_no_answer(self, store: Store, scope: Scope, foreign: Scope, sight: Sight) -> None:
        """Words, anchors and counts are what they were; the next write goes on."""
        with store.transaction():
            for n in range(30):
                store.memories.put(samples.memory(scope, f"fox number {n}", files=(f"src/f{n}.py",)))
            store.memories.put(samples.memory(scope, "fox number 3", status="superseded"))
            store.memories.put(samples.memory(foreign, "fox of others"))
        assert store.upkeep.disagreements() == {}
        terms = query_terms("fox number 7")
        before = [each.id for each in store.lexicon.candidates(sight, terms, 5).candidates]
        anchored = store.lexicon.anchored(sight, (("file", "src/f7.py"),))
        with store.transaction():
            store.upkeep.rebuild()
        assert [each.id for each in store.lexicon.candidates(sight, terms, 5).candidates] == before
        assert store.lexicon.anchored(sight, (("file", "src/f7.py"),)) == anchored
        late = samples.memory(scope, "walrus")
        with store.transaction():
            store.memories.put(late)
        assert [each.id for each in store.lexicon.candidates(sight, ("walrus",), 5).candidates] == [late.id]
        assert (store.upkeep.disagreements(), store.meta.gaps()) == ({}, {})

    def test_a_rebuild_keeps_the_ties_of_merges(self, store: Store, scope: Scope, sight: Sight) -> None:
        """What applied merges tie is made from them, and agrees with them."""
        taken = {"curatorDecision": {"action": "merge"}}
        merge = samples.proposal(
            scope, "", operation="merge", kind=None, related=("mem_a", "mem_b"), status="applied", metadata=taken
        )
        with store.transaction():
            store.proposals.put(merge)
            store.proposals.put(samples.proposal(scope, 'It says "operation":"merge".'))
        assert store.upkeep.disagreements() == {}
        with store.transaction():
            store.upkeep.rebuild()
        assert store.proposals.related(sight, ["mem_a"]) == {"mem_a": ("mem_b",)}
        assert store.upkeep.disagreements() == {}

    def test_a_rebuild_keeps_what_was_said_counted(self, store: Store, scope: Scope, sight: Sight) -> None:
        """Outcomes and open flags are counted as they are, of the memory as it is now."""
        one, two = samples.memory(scope), samples.memory(scope, "walrus")
        with store.transaction():
            store.memories.put(one)
            store.memories.put(two)
            store.outcomes.add(scope, samples.outcome(one, 1))
            store.outcomes.add(scope, samples.outcome(one, 2, result="dead_end"))
            store.flags.put(scope, samples.flag(one))
            store.flags.put(scope, samples.flag(two))
            store.flags.withdraw(sight, two.id, "person:tester")
        before = store.memories.many(sight, [one.id, two.id])
        assert store.upkeep.disagreements() == {}
        with store.transaction():
            store.upkeep.rebuild()
        assert store.memories.many(sight, [one.id, two.id]) == before
        assert store.flags.flagged(sight, 9) == (one.id,)
        assert store.upkeep.disagreements() == {}

    def test_every_scope_with_what_is_not_cleared_is_named(self, store: Store, scope: Scope, foreign: Scope) -> None:
        """Once, whoever may see it; none whose memories are cleared or not active."""
        gone = samples.memory(scope, "Gone.", status="deleted")
        with store.transaction():
            for each in (samples.memory(scope, clearance="set-1"), gone):
                store.memories.put(each)
        assert store.upkeep.uncleared("set-1", 9) == ()
        with store.transaction():
            for n in range(3):
                store.memories.put(samples.memory(foreign, f"Old {n}.", clearance=n * "set-2"))
        assert store.upkeep.uncleared("set-1", 9) == (foreign.key,)
        assert set(store.upkeep.uncleared("set-3", 9)) == {scope.key, foreign.key}
        assert len(store.upkeep.uncleared("set-3", 1)) == 1
