"""How a store keeps memories."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

from learnt.errors import UsageError
from learnt.model.filter import MemoryFilter
from learnt.model.kinds import STATUSES
from learnt.model.scope import Scope, Sight
from learnt.testing import samples
from learnt.testing.base import Base, Raw
from learnt.testing.fakes import NOON

if TYPE_CHECKING:
    from learnt.model.memory import Memory
    from learnt.ports.store import Store

LATER = "2026-05-25T12:00:00.000Z"


def put(store: Store, *memories: Memory) -> None:
    """Store some memories in one transaction."""
    with store.transaction():
        for memory in memories:
            store.memories.put(memory)


class MemoriesSuite(Base):
    """Writing and reading by id."""

    def test_every_field_comes_back(self, store: Store, scope: Scope, sight: Sight) -> None:
        """A memory with every field set, quotes, other scripts and a NUL included, comes back equal."""
        memory = samples.full_memory(scope)
        put(store, memory)
        assert store.memories.get(sight, memory.id) == memory

    def test_an_unknown_id_is_none(self, store: Store, sight: Sight) -> None:
        """No memory, no error."""
        assert store.memories.get(sight, "mem_0000000000000000") is None

    def test_the_first_moments_stay(self, store: Store, scope: Scope, sight: Sight) -> None:
        """A second put keeps created_at and takes the rest."""
        memory = samples.memory(scope)
        again = replace(memory, created_at=LATER, valid_from=LATER, updated_at=LATER, confidence=0.9)
        put(store, memory)
        put(store, again)
        expected = replace(memory, valid_from=LATER, updated_at=LATER, confidence=0.9)
        assert store.memories.get(sight, memory.id) == expected

    def test_two_puts_are_one_row(self, store: Store, scope: Scope, sight: Sight) -> None:
        """The same id twice in one transaction is one memory."""
        memory = samples.memory(scope)
        put(store, memory, memory)
        assert store.memories.count(sight) == {"active": 1}

    def test_many_keeps_the_order_asked_for(self, store: Store, scope: Scope, sight: Sight) -> None:
        """Unknown ids are left out, the others come in the caller's order."""
        one, two, three = (samples.memory(scope, f"Statement {n}.") for n in range(3))
        put(store, one, two, three)
        asked = (three.id, "mem_0000000000000000", one.id)
        assert store.memories.many(sight, asked) == (three, one)

    def test_what_is_not_cleared_is_found(self, store: Store, scope: Scope, foreign: Scope, sight: Sight) -> None:
        """Active memories of another pattern set or none, in sight, no more than asked for."""
        old = [samples.memory(scope, f"Old {n}.", clearance=n * "set-2") for n in range(3)]
        gone = samples.memory(scope, "Gone.", clearance="", status="deleted")
        put(store, *old, samples.memory(scope), gone, samples.memory(foreign, clearance=""))
        assert {each.id for each in store.memories.stale(sight, "set-1", 9)} == {each.id for each in old}
        assert len(store.memories.stale(sight, "set-1", 2)) == 2

    def test_a_lone_surrogate_is_refused_whole(self, store: Store, scope: Scope, sight: Sight) -> None:
        """Text that is no text leaves nothing behind."""
        with pytest.raises(UsageError):
            put(store, samples.memory(scope, "Good."), replace(samples.memory(scope), text="bad \udc80"))
        assert store.memories.count(sight) == {}

    def test_a_damaged_row_is_skipped(self, store: Store, raw: Raw, scope: Scope, sight: Sight) -> None:
        """A row that cannot be decoded is left out and told of; the others are listed."""
        good, bad = samples.memory(scope, "Good."), samples.memory(scope, "Bad.")
        put(store, good, bad)
        if not raw.spoil(bad.id):
            pytest.skip("this store cannot hold a damaged row")
        assert store.memories.page(sight, MemoryFilter(), NOON).values == (good,)
        assert store.memories.get(sight, bad.id) is None
        assert bad.id in str(store.meta.describe()["unreadable"])
        assert store.meta.gaps() == {"unreadable": 1}

    def test_a_damaged_row_is_told_of_once(self, store: Store, raw: Raw, scope: Scope, sight: Sight) -> None:
        """The next change carries one event about it, and later ones none."""
        bad = samples.memory(scope, "Bad.")
        put(store, bad)
        if not raw.spoil(bad.id):
            pytest.skip("this store cannot hold a damaged row")
        store.memories.get(sight, bad.id)
        put(store, samples.memory(scope, "One."))
        put(store, samples.memory(scope, "Two."))
        assert [event.operation for event in store.events.about(bad.id)] == ["invalid_load"]


class ScopesSuite(Base):
    """Nobody reads outside their sight."""

    def test_a_foreign_reader_sees_nothing(self, store: Store, scope: Scope, foreign: Scope) -> None:
        """Neither by id, nor by many ids, listing or count."""
        memory = samples.memory(scope)
        put(store, memory, samples.memory(foreign, "Elsewhere."))
        sight = Sight((foreign,))
        assert store.memories.get(sight, memory.id) is None
        assert store.memories.many(sight, (memory.id,)) == ()
        assert [each.text for each in store.memories.page(sight, MemoryFilter(), NOON).values] == ["Elsewhere."]
        assert store.memories.count(sight) == {"active": 1}

    def test_a_scope_nobody_wrote_to_is_empty(self, store: Store, scope: Scope, sight: Sight) -> None:
        """Reading in an unknown scope finds nothing and makes nothing."""
        put(store, samples.memory(samples.repository(scope.repo_id + "-other")))
        assert store.memories.page(sight, MemoryFilter(), NOON).total == 0
        assert store.memories.count(sight) == {}

    def test_the_same_words_in_two_scopes_are_two(self, store: Store, scope: Scope, foreign: Scope) -> None:
        """A statement of one repository is not shared with another that says the same."""
        mine, theirs = samples.memory(scope), samples.memory(foreign)
        put(store, mine, theirs)
        assert mine.id != theirs.id
        assert store.memories.get(Sight((scope,)), theirs.id) is None

    def test_a_sight_of_two_scopes_sees_both(self, store: Store, scope: Scope, foreign: Scope) -> None:
        """Scopes add up, in one order of time."""
        old, new = samples.memory(scope), samples.memory(foreign, at=LATER)
        put(store, old, new)
        page = store.memories.page(Sight((scope, foreign)), MemoryFilter(), NOON)
        assert page.values == (new, old)

    def test_an_id_cannot_move_to_another_scope(self, store: Store, scope: Scope, foreign: Scope) -> None:
        """Writing a known id under another scope is refused, and the row stays."""
        memory = samples.memory(scope)
        put(store, memory)
        with pytest.raises(UsageError):
            put(store, replace(memory, scope=foreign, text="Taken."))
        assert store.memories.get(Sight((scope,)), memory.id) == memory

    @pytest.mark.parametrize("name", ["a_b", "a/b:c", "..", "-x", "%", "*", "x" * 300, "kind') OR 1=1 --", "a\nb"])
    def test_odd_names_stay_apart(self, store: Store, scope: Scope, name: str) -> None:
        """Separators, patterns and quotes in a scope's name are only characters."""
        odd = samples.repository(f"{scope.repo_id}{name}")
        put(store, samples.memory(odd), samples.memory(scope))
        found = store.memories.page(Sight((odd,)), MemoryFilter(), NOON).values
        assert [memory.scope for memory in found] == [odd]


class ListingSuite(Base):
    """Pages of memories."""

    def test_newest_first_then_id(self, store: Store, scope: Scope, sight: Sight) -> None:
        """Order is the last change, ties by id."""
        same = sorted((samples.memory(scope, f"Same {n}.") for n in range(3)), key=lambda memory: memory.id)
        new = samples.memory(scope, "New.", at=LATER)
        put(store, *same, new)
        assert store.memories.page(sight, MemoryFilter(), NOON).values == (new, *same)

    def test_what_held_at_a_moment(self, store: Store, scope: Scope, sight: Sight) -> None:
        """Valid, not expired and not yet retired then, whatever its status now; the page knows its total."""
        before, then, later = "2026-05-01T00:00:00.000Z", "2026-05-10T00:00:00.000Z", "2026-05-20T00:00:00.000Z"
        given: list[dict[str, Any]] = [
            {"text": "held", "at": before},
            {"text": "retired since", "at": before, "status": "superseded", "updated_at": later},
            {"text": "deleted since", "at": before, "status": "deleted", "updated_at": later},
            {"text": "expired since", "at": before, "expires_at": later},
            {"text": "retired before", "at": before, "status": "superseded", "updated_at": before},
            {"text": "held back from the first", "at": before, "status": "quarantined"},
            {"text": "expired before", "at": before, "expires_at": then},
            {"text": "written later", "at": later},
        ]
        with store.transaction():
            for each in given:
                store.memories.put(samples.memory(scope, **each))
        held = {"held", "retired since", "deleted since", "expired since"}
        assert _texts(store, sight, MemoryFilter(as_of=then)) == held
        page = store.memories.page(sight, MemoryFilter(as_of=then, limit=3), NOON)
        rest = store.memories.page(sight, MemoryFilter(as_of=then, limit=3, after=page.next), NOON)
        assert (page.total, len(page.values), len(rest.values), rest.next) == (4, 3, 1, "")

    def test_pages_follow_one_another(self, store: Store, scope: Scope, sight: Sight) -> None:
        """Every page begins after the one before, and none is lost or repeated."""
        put(store, *(samples.memory(scope, f"Statement {n}.", at=LATER if n % 2 else NOON) for n in range(7)))
        whole = store.memories.page(sight, MemoryFilter(), NOON).values
        page = store.memories.page(sight, MemoryFilter(limit=3), NOON)
        seen = list(page.values)
        while page.next:
            page = store.memories.page(sight, MemoryFilter(limit=3, after=page.next), NOON)
            assert page.total == 7
            seen.extend(page.values)
        assert tuple(seen) == whole

    def test_a_made_up_cursor_is_refused(self, store: Store, sight: Sight) -> None:
        """`after` is the end of a page or nothing."""
        with pytest.raises(UsageError):
            store.memories.page(sight, MemoryFilter(after="x' OR 1=1 --"), NOON)

    def test_filters_narrow(self, store: Store, scope: Scope, sight: Sight) -> None:
        """Status, kind and tag each leave out what does not match; none named is all."""
        plain = samples.memory(scope, "Plain.")
        tagged = samples.memory(scope, "Tagged.", tags=("it's",))
        other = samples.memory(scope, "Other.", kind="lesson", status="superseded")
        put(store, plain, tagged, other)
        assert _texts(store, sight, MemoryFilter(tag="it's")) == {"Tagged."}
        assert _texts(store, sight, MemoryFilter(statuses=())) == {"Plain.", "Tagged.", "Other."}
        assert _texts(store, sight, MemoryFilter(statuses=("superseded",))) == {"Other."}
        assert _texts(store, sight, MemoryFilter(kinds=("lesson",), statuses=())) == {"Other."}

    def test_expired_is_left_out(self, store: Store, scope: Scope, sight: Sight) -> None:
        """An active memory ends at `expires_at` exactly, unless asked for."""
        put(store, samples.memory(scope, expires_at=NOON), samples.memory(scope, "Lasting.", expires_at=LATER))
        assert _texts(store, sight, MemoryFilter()) == {"Lasting."}
        assert len(_texts(store, sight, MemoryFilter(include_expired=True))) == 2

    def test_counts_by_status(self, store: Store, scope: Scope, sight: Sight) -> None:
        """Every status counts for itself."""
        put(store, *(samples.memory(scope, status, status=status) for status in STATUSES))
        assert store.memories.count(sight) == dict.fromkeys(STATUSES, 1)


def _texts(store: Store, sight: Sight, wanted: MemoryFilter) -> set[str]:
    page = store.memories.page(sight, wanted, NOON)
    assert page.total == len(page.values)
    return {memory.text for memory in page.values}
