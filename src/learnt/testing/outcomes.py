"""How a store keeps outcomes and flags."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from learnt.errors import UsageError
from learnt.model.filter import MemoryFilter
from learnt.model.flag import FlagCount
from learnt.model.outcome import Outcome, Spot
from learnt.model.scope import Scope, Sight
from learnt.testing import samples
from learnt.testing.base import Base, OnPurposeError, undone
from learnt.testing.fakes import NOON

if TYPE_CHECKING:
    from learnt.model.flag import Flag
    from learnt.model.memory import Memory
    from learnt.ports.store import Store

EARLIER = "2026-05-20T12:00:00.000Z"
LATER = "2026-05-25T12:00:00.000Z"
LATEST = "2026-05-26T12:00:00.000Z"


def said(store: Store, scope: Scope, *what: Outcome | Flag) -> None:
    """Keep these in one transaction."""
    with store.transaction():
        for each in what:
            if isinstance(each, Outcome):
                store.outcomes.add(scope, each)
            else:
                store.flags.put(scope, each)


def kept(store: Store, sight: Sight, *memories: Memory) -> list[Memory]:
    """Keep memories; gives them as they are stored."""
    with store.transaction():
        for each in memories:
            store.memories.put(each)
    return list(store.memories.many(sight, [each.id for each in memories]))


class OutcomesSuite(Base):
    """What became of memories."""

    def test_every_field_of_an_outcome_comes_back(self, store: Store, scope: Scope, sight: Sight) -> None:
        """By its id, and among those of its memory, by time then id."""
        (memory,) = kept(store, sight, samples.memory(scope))
        spots = (Spot("src/a b.py"), Spot("src/é.py", "load"))
        full = samples.outcome(
            memory, 2, result="corrected", correction="It is \x00 async.", task="run-1", clearance="p1", spots=spots,
            repository_id="abc",
        )  # fmt: skip
        early, twin = samples.outcome(memory, 3, at=EARLIER), samples.outcome(memory, 1)
        said(store, scope, full, early, twin)
        assert store.outcomes.get(sight, full.id) == full
        assert store.outcomes.of(sight, [memory.id, memory.id, "mem_unknown"]) == (early, twin, full)

    def test_an_outcome_is_seen_from_its_scope_alone(
        self, store: Store, scope: Scope, sight: Sight, foreign: Scope
    ) -> None:
        """Another scope has its own outcome of the same id."""
        (memory,) = kept(store, sight, samples.memory(scope))
        (other,) = kept(store, Sight((foreign,)), samples.memory(foreign))
        said(store, scope, samples.outcome(memory))
        said(store, foreign, samples.outcome(other, result="dead_end"))
        assert [each.result for each in store.outcomes.of(sight, [memory.id, other.id])] == ["useful"]
        found = store.outcomes.get(Sight((foreign,)), samples.outcome(memory).id)
        assert found is not None
        assert found.memory_id == other.id
        assert store.outcomes.size_bytes(sight) > 0
        assert store.outcomes.size_bytes(Sight((samples.repository(f"{scope.repo_id}-none"),))) == 0

    def test_an_outcome_is_never_replaced(self, store: Store, scope: Scope, sight: Sight) -> None:
        """A second one of the same id fails the transaction."""
        (memory,) = kept(store, sight, samples.memory(scope))
        said(store, scope, samples.outcome(memory))
        with pytest.raises(UsageError):
            said(store, scope, samples.outcome(memory, result="dead_end"))
        assert [each.result for each in store.outcomes.of(sight, [memory.id])] == ["useful"]

    def test_outcomes_are_counted_on_their_memory(self, store: Store, scope: Scope, sight: Sight) -> None:
        """However it is read; writing the memory again changes no count."""
        (memory,) = kept(store, sight, samples.memory(scope))
        said(store, scope, samples.outcome(memory, 1), samples.outcome(memory, 2, result="dead_end"))
        said(store, scope, samples.outcome(memory, 3, result="corrected", correction="So."))
        (again,) = kept(store, sight, replace(memory, confidence=0.25, flags=7, useful=7))
        page = store.memories.page(sight, MemoryFilter(), NOON).values
        for held in (again, store.memories.get(sight, memory.id), *page):
            assert held is not None
            assert (held.useful, held.against, held.flags, held.confidence) == (1, 2, 0, 0.25)

    def test_a_memory_written_anew_begins_without_outcomes(self, store: Store, scope: Scope, sight: Sight) -> None:
        """Removed and written again, it has neither its outcomes nor its flags, and no count of them."""
        (memory,) = kept(store, sight, samples.memory(scope))
        said(store, scope, samples.outcome(memory), samples.flag(memory))
        with store.transaction():
            store.memories.remove(sight, [memory.id])
        assert store.outcomes.get(sight, samples.outcome(memory).id) is None
        (anew,) = kept(store, sight, replace(memory, created_at=LATER))
        assert (anew.useful, anew.flags) == (0, 0)
        assert store.outcomes.of(sight, [memory.id]) == ()
        assert store.flags.count(sight) == FlagCount(0, 0)
        said(store, scope, samples.outcome(memory, 5))  # told late, of the memory as it was before
        assert store.outcomes.of(sight, [memory.id]) == ()
        assert store.memories.many(sight, [memory.id])[0].useful == 0

    def test_the_newest_active_memories_tell(self, store: Store, scope: Scope, sight: Sight) -> None:
        """Retired and expired ones take no place; the order is that of a listing."""
        made = kept(
            store, sight,
            samples.memory(scope, "Oldest.", updated_at=EARLIER),
            samples.memory(scope, "Silent.", updated_at=LATER),
            samples.memory(scope, "Newest.", updated_at=LATER),
            samples.memory(scope, "Retired.", updated_at=LATEST, status="superseded"),
            samples.memory(scope, "Expired.", updated_at=LATEST, expires_at=NOON),
        )  # fmt: skip
        told = [samples.outcome(each, number) for number, each in enumerate(made) if each.text != "Silent."]
        said(store, scope, *told)
        assert store.outcomes.told(sight, LATER, 10) == (3, (made[2].id, made[0].id))
        assert store.outcomes.told(sight, LATER, 2) == (2, (made[2].id,))

    def test_an_outcome_is_told_to_who_follows(self, store: Store, scope: Scope, sight: Sight) -> None:
        """The feed names the memory; a transaction undone leaves nothing."""
        (memory,) = kept(store, sight, samples.memory(scope))
        before = store.feed.last(scope)
        with suppress(OnPurposeError):
            undone(store, lambda: store.outcomes.add(scope, samples.outcome(memory)))
        assert store.memories.many(sight, [memory.id])[0].useful == 0
        said(store, scope, samples.outcome(memory))
        assert memory.id in [each.target_id for each in store.feed.changes(scope, before, 9)]


class FlagsSuite(Base):
    """What readers have against memories."""

    def test_a_reader_has_one_open_flag(self, store: Store, scope: Scope, sight: Sight) -> None:
        """A second one takes its place; each reader's counts, newest first."""
        (memory,) = kept(store, sight, samples.memory(scope))
        first = samples.flag(memory, reason="Old \x00 reason.", login="ada")
        other = samples.flag(memory, "agent:a", at=EARLIER, person=False)
        said(store, scope, first, other)
        assert set(store.flags.of(sight, [memory.id])) == {replace(first, login="ada"), other}
        said(store, scope, replace(first, reason="New.", at=LATER))
        assert [each.reason for each in store.flags.of(sight, [memory.id])] == ["New.", "Not any more."]
        assert store.flags.count(sight) == FlagCount(2, 1)
        assert store.memories.many(sight, [memory.id])[0].flags == 2

    def test_a_flag_is_withdrawn(self, store: Store, scope: Scope, sight: Sight, foreign: Scope) -> None:
        """By its reader, within sight; nothing of it is left."""
        (memory,) = kept(store, sight, samples.memory(scope))
        said(store, scope, samples.flag(memory))
        with store.transaction():
            assert not store.flags.withdraw(Sight((foreign,)), memory.id, "person:tester")
            assert not store.flags.withdraw(sight, memory.id, "person:else")
            assert store.flags.withdraw(sight, memory.id, "person:tester")
            assert not store.flags.withdraw(sight, memory.id, "person:tester")
        assert store.flags.past(sight, memory.id, 9) == ()
        assert store.memories.many(sight, [memory.id])[0].flags == 0

    def test_cleared_flags_are_history(self, store: Store, scope: Scope, sight: Sight) -> None:
        """With who cleared them and when, newest first; the same reader may flag again."""
        (memory,) = kept(store, sight, samples.memory(scope))
        said(store, scope, samples.flag(memory), samples.flag(memory, "agent:a", person=False))
        with store.transaction():
            assert store.flags.clear(sight, memory.id, LATER, "person:boss") == 2
            assert store.flags.clear(sight, memory.id, LATER, "person:boss") == 0
        said(store, scope, samples.flag(memory, reason="Again."))
        with store.transaction():
            store.flags.clear(sight, memory.id, LATEST, "person:boss")
        past = store.flags.past(sight, memory.id, 9)
        assert [(each.by, each.cleared_at, each.cleared_by) for each in past] == [
            ("person:tester", LATEST, "person:boss"),
            ("agent:a", LATER, "person:boss"),
            ("person:tester", LATER, "person:boss"),
        ]
        assert store.flags.past(sight, memory.id, 1) == past[:1]
        assert store.flags.of(sight, [memory.id]) == ()
        assert store.memories.many(sight, [memory.id])[0].flags == 0

    def test_the_flagged_are_found(self, store: Store, scope: Scope, sight: Sight, foreign: Scope) -> None:
        """The latest flag first; of one's own scopes alone."""
        one, two, three = kept(store, sight, *(samples.memory(scope, f"Statement {each}.") for each in "abc"))
        said(store, scope, samples.flag(one), samples.flag(two, at=EARLIER), samples.flag(two, "agent:a", at=LATER))
        assert store.flags.flagged(sight, 9) == (two.id, one.id)
        assert store.flags.flagged(sight, 1) == (two.id,)
        assert store.flags.flagged(Sight((foreign,)), 9) == ()
        assert three.id not in store.flags.flagged(sight, 9)

    def test_a_listing_is_narrowed_to_the_flagged(self, store: Store, scope: Scope, sight: Sight) -> None:
        """With its total."""
        one, two = kept(store, sight, *(samples.memory(scope, f"Statement {each}.") for each in "ab"))
        assert store.memories.page(sight, MemoryFilter(flagged=True), NOON).total == 0
        said(store, scope, samples.flag(one))
        page = store.memories.page(sight, MemoryFilter(flagged=True), NOON)
        assert ([each.id for each in page.values], page.total) == ([one.id], 1)
        assert store.memories.page(sight, MemoryFilter(), NOON).total == 2
        assert two.flags == 0
