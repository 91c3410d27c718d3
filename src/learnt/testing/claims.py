"""Claims, conflicts and formers: found by number, open while both are active, kept whenever a memory changes."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from learnt.model.conflict import KEY, Conflict, as_rows
from learnt.model.filter import MemoryFilter
from learnt.model.instant import plus_days
from learnt.model.stated import looked_for, stated
from learnt.testing import samples
from learnt.testing.base import Base
from learnt.testing.fakes import NOON

if TYPE_CHECKING:
    from learnt.model.memory import Memory
    from learnt.model.scope import Scope, Sight
    from learnt.ports.store import Store


def _put(store: Store, *memories: Memory) -> None:
    with store.transaction():
        for memory in memories:
            store.memories.put(memory)


def _told(memory: Memory, rival: Memory, reason: str = "disputes", at: str = NOON) -> Memory:
    row = Conflict(memory_id=memory.id, rival_id=rival.id, reason=reason, score=0.5, at=at)  # type: ignore[arg-type]
    return replace(memory, metadata={**memory.metadata, KEY: as_rows((row,))})


class ClaimsSuite(Base):
    """What memories claim, and what stands in their way."""

    def test_who_shares_a_claim_is_found(self, store: Store, scope: Scope, foreign: Scope) -> None:
        """Active memories of one scope, latest written first; nobody else's."""
        old, new = samples.memory(scope, "Use npm"), samples.memory(scope, "Use yarn")
        other, far = samples.memory(scope, "Reviews are required"), samples.memory(foreign, "Use npm")
        _put(store, old, other, far, new)
        keys = looked_for(stated("Use pnpm"))
        assert store.claims.sharing(scope, keys, 9) == (new.id, old.id)
        assert store.claims.sharing(scope, keys, 1) == (new.id,)
        assert store.claims.sharing(scope, (), 9) == ()
        _put(store, replace(new, status="superseded", updated_at=plus_days(NOON, 1)))
        assert store.claims.sharing(scope, keys, 9) == (old.id,)
        _put(store, replace(new, updated_at=plus_days(NOON, 2)))
        assert store.claims.sharing(scope, keys, 9) == (new.id, old.id)

    def test_inside_a_transaction_its_own_writes_count(self, store: Store, scope: Scope) -> None:
        """What was put a moment ago is found before it is committed."""
        memory = samples.memory(scope, "Use npm")
        with store.transaction():
            store.memories.put(memory)
            assert store.claims.sharing(scope, looked_for(stated("Use pnpm")), 9) == (memory.id,)

    def test_a_conflict_is_open_while_both_are_active(self, store: Store, scope: Scope, sight: Sight) -> None:
        """It is found from either side, and closes when one of the two goes."""
        one, two = samples.memory(scope, "One."), samples.memory(scope, "Two.")
        _put(store, one, _told(two, one))
        for asked in (one, two):
            (found,) = store.claims.standing(sight, (asked.id,))
            assert (found.memory_id, found.rival_id, found.reason) == (two.id, one.id, "disputes")
        assert store.claims.open(sight, ("disputes",), 9).total == 1
        _put(store, replace(one, status="deleted", updated_at=plus_days(NOON, 1)))
        assert store.claims.standing(sight, (two.id,)) == ()
        assert store.claims.open(sight, ("disputes",), 9).total == 0

    def test_conflicts_are_listed_latest_first(self, store: Store, scope: Scope, sight: Sight, foreign: Scope) -> None:
        """By reason, a page at most, and only of what is in sight."""
        base = samples.memory(scope, "Base.")
        later = plus_days(NOON, 1)
        first, second = samples.memory(scope, "First."), samples.memory(scope, "Second.")
        alike, far = samples.memory(scope, "Alike."), samples.memory(foreign, "Far.")
        _put(store, base, _told(first, base), _told(second, base, at=later), _told(alike, base, "alike"))
        _put(store, samples.memory(foreign, "Far base."), _told(far, samples.memory(foreign, "Far base.")))
        page = store.claims.open(sight, ("disputes",), 1)
        assert (page.total, [each.memory_id for each in page.values]) == (2, [second.id])
        both = store.claims.open(sight, ("disputes", "alike"), 9)
        assert {each.memory_id for each in both.values} == {first.id, second.id, alike.id}

    def test_what_is_no_longer_told_is_no_conflict(self, store: Store, scope: Scope, sight: Sight) -> None:
        """A memory put without it takes its conflict along."""
        one, two = samples.memory(scope, "One."), samples.memory(scope, "Two.")
        _put(store, one, _told(two, one))
        _put(store, two)
        assert store.claims.standing(sight, (one.id, two.id)) == ()

    def test_a_removed_memory_leaves_nothing(self, store: Store, scope: Scope, sight: Sight) -> None:
        """Claims, conflicts and formers go with the row."""
        one, two = samples.memory(scope, "Use npm"), samples.memory(scope, "Two.")
        _put(store, one, _told(two, one))
        _put(store, replace(one, confidence=0.1, updated_at=plus_days(NOON, 1)))
        with store.transaction():
            store.memories.remove(sight, (one.id,))
        assert store.pasts.of(sight, one.id) == ()
        assert store.claims.standing(sight, (two.id,)) == ()
        assert store.claims.sharing(scope, looked_for(stated("Use pnpm")), 9) == ()


class FormersSuite(Base):
    """What memories were."""

    def test_a_change_keeps_what_was(self, store: Store, scope: Scope, sight: Sight, foreign: Scope) -> None:
        """The state before, whole, with the moment of the change; nobody else sees it."""
        memory = samples.full_memory(scope)
        later = plus_days(NOON, 1)
        _put(store, memory)
        held = store.memories.get(sight, memory.id)
        _put(store, replace(memory, status="superseded", superseded_by="mem_x", updated_at=later))
        (former,) = store.pasts.of(sight, memory.id)
        assert (former.memory, former.until) == (held, later)
        assert store.pasts.of(type(sight)((foreign,)), memory.id) == ()

    def test_what_says_nothing_else_keeps_nothing(self, store: Store, scope: Scope, sight: Sight) -> None:
        """The same once more, a new clearance or a learned value is no other state."""
        memory = samples.memory(scope, "One.")
        _put(store, memory)
        _put(store, memory)
        _put(store, replace(memory, clearance="other", q_value=0.7, last_accessed_at=None))
        assert store.pasts.of(sight, memory.id) == ()

    def test_of_changes_at_one_instant_the_state_before_counts(self, store: Store, scope: Scope, sight: Sight) -> None:
        """Two changes at one instant keep one former."""
        memory, later = samples.memory(scope, "One."), plus_days(NOON, 1)
        _put(store, memory)
        _put(
            store, replace(memory, confidence=0.2, updated_at=later), replace(memory, confidence=0.3, updated_at=later)
        )
        (former,) = store.pasts.of(sight, memory.id)
        assert former.memory.confidence == memory.confidence

    def test_the_state_at_an_instant(self, store: Store, scope: Scope, sight: Sight) -> None:
        """Of what changed since, the state that held then; not what was made later."""
        memory = samples.memory(scope, "One.")
        _put(store, memory)
        for day, confidence in enumerate((0.2, 0.3), 1):
            _put(store, replace(memory, confidence=confidence, updated_at=plus_days(NOON, day)))
        then = [store.pasts.then(sight, plus_days(NOON, day), 9) for day in (-1, 0, 0.5, 1, 1.5, 2)]
        shown = [[each.confidence for each in states] for states in then]
        assert shown == [[], [memory.confidence], [memory.confidence], [0.2], [0.2], []]

    def test_a_listing_of_a_moment_shows_what_was(self, store: Store, scope: Scope, sight: Sight) -> None:
        """Retired since: shown as it was; changed since: its state then; retired and back: not in between."""
        kept, gone = samples.memory(scope, "Kept."), samples.memory(scope, "Gone.", tags=("red",))
        back = samples.memory(scope, "Back.")
        _put(store, kept, gone, back)
        days = [plus_days(NOON, day) for day in range(6)]
        _put(store, replace(kept, confidence=0.1, updated_at=days[2]))
        _put(store, replace(gone, status="superseded", updated_at=days[2]))
        _put(store, replace(back, status="superseded", updated_at=days[1]))
        _put(store, replace(back, valid_from=days[4], updated_at=days[4]))

        def shown(day: float, **wanted: object) -> set[tuple[str, float, str]]:
            asked = MemoryFilter(as_of=plus_days(NOON, day), **wanted)  # type: ignore[arg-type]
            page = store.memories.page(sight, asked, NOON)
            assert page.total == len(page.values)
            return {(each.text, each.confidence, each.status) for each in page.values}

        assert shown(-1) == set()
        was = {(each.text, each.confidence, "active") for each in (kept, gone, back)}
        assert shown(0.5) == was
        assert {text for text, _, _ in shown(1.5)} == {"Kept.", "Gone."}
        assert shown(3) == {("Kept.", 0.1, "active")}
        assert {text for text, _, _ in shown(4.5)} == {"Kept.", "Back."}
        assert {text for text, _, _ in shown(1.5, tag="red")} == {"Gone."}
        assert shown(1.5, kinds=("scratch",)) == set()
