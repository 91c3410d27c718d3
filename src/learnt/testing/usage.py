"""How a store keeps receipts and facts about itself."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING

from learnt.model.scope import Scope, Sight
from learnt.testing import samples
from learnt.testing.base import Base, OnPurposeError, undone

if TYPE_CHECKING:
    from learnt.model.ranking import Bundle
    from learnt.ports.store import Store

LATER = "2026-05-25T12:00:00.000Z"


def put(store: Store, *bundles: Bundle) -> None:
    """Store some receipts in one transaction."""
    with store.transaction():
        for bundle in bundles:
            store.usage.put(bundle)


class UsageSuite(Base):
    """Receipts of recalls."""

    def test_every_field_comes_back(self, store: Store, scope: Scope, sight: Sight) -> None:
        """A receipt comes back equal, an empty recall's too."""
        full = samples.bundle(scope, "mem_a", "mem_b", run_id="r", unit_id="u", session_id="s", context="c")
        empty = samples.bundle(scope, skip_reason="no_results", timestamp=LATER)
        put(store, full, empty)
        assert store.usage.page(sight, "", 10) == (empty, full)

    def test_a_run_and_a_limit_narrow(self, store: Store, scope: Scope, sight: Sight) -> None:
        """Newest first, of one run, no more than asked for."""
        one = samples.bundle(scope, "mem_a", run_id=f"{scope.repo_id}-run")
        two = samples.bundle(scope, "mem_a", run_id=f"{scope.repo_id}-run", timestamp=LATER)
        put(store, one, two, samples.bundle(scope, "mem_a"))
        assert store.usage.page(sight, f"{scope.repo_id}-run", 10) == (two, one)
        assert store.usage.page(sight, f"{scope.repo_id}-run", 1) == (two,)

    def test_a_shared_user_shares_no_receipts(self, store: Store, scope: Scope, foreign: Scope) -> None:
        """What was asked in one repository is not told in another of the same user."""
        me = samples.user(f"user-of-{scope.repo_id}")
        put(store, samples.bundle(scope, "mem_a", scope_keys=(scope.key, me.key)))
        assert store.usage.page(Sight((foreign, me)), "", 10) == ()
        assert len(store.usage.page(Sight((scope, me)), "", 10)) == 1

    def test_a_receipt_of_the_user_alone_is_the_users(self, store: Store, foreign: Scope) -> None:
        """It belongs to no repository."""
        me = samples.user(f"user-of-{foreign.repo_id}")
        put(store, samples.bundle(me, "mem_a"))
        assert len(store.usage.page(Sight((foreign, me)), "", 10)) == 1

    def test_recalls_are_counted(self, store: Store, scope: Scope) -> None:
        """A memory counts once a receipt."""
        name = f"mem_{scope.repo_id}"
        put(store, samples.bundle(scope, name, name, "mem_b"), samples.bundle(scope, name, timestamp=LATER))
        assert store.usage.recalls(name) == 2
        assert store.usage.recalls("mem_unknown") == 0

    def test_a_context_knows_what_it_was_given(self, store: Store, scope: Scope) -> None:
        """Each memory with its latest moment; the empty context has none."""
        context = f"context-{scope.repo_id}"
        first = samples.bundle(scope, "mem_a", "mem_b", context=context, moment="session_start")
        again = samples.bundle(scope, "mem_a", context=context, moment="pre_tool", timestamp=LATER)
        put(store, first, again, samples.bundle(scope, "mem_c"))
        assert store.usage.shown(context) == {"mem_a": "pre_tool", "mem_b": "session_start"}
        assert store.usage.shown("") == {}


class RewardSuite(Base):
    """What outcomes make of receipts and memories."""

    def test_a_receipt_is_found_by_its_id(self, store: Store, scope: Scope, sight: Sight, foreign: Scope) -> None:
        """By its reader alone."""
        given = samples.bundle(scope, "mem_a", run_id="r")
        put(store, given, samples.bundle(scope, "mem_b"))
        assert store.usage.find(sight, given.id) == (given,)
        assert store.usage.find(Sight((foreign,)), given.id) == ()
        assert store.usage.find(sight, "bundle_unknown") == ()

    def test_a_reward_stays(self, store: Store, scope: Scope, sight: Sight) -> None:
        """The receipt carries it, once; the memory its new value, and nothing else of it changed."""
        memory = samples.memory(scope)
        given, other = samples.bundle(scope, memory.id, run_id="r"), samples.bundle(scope, memory.id, run_id="s")
        with store.transaction():
            store.memories.put(memory)
            store.usage.put(given)
            store.usage.put(other)
        held = store.memories.get(sight, memory.id)
        assert held is not None
        rewarded = _rewarded(given)
        with store.transaction():
            store.usage.reward(sight, [rewarded], {memory.id: 0.55, "mem_unknown": 0.9})
        with store.transaction():
            store.usage.reward(sight, [_rewarded(given, reward_key="again")], {})
        assert store.usage.find(sight, given.id) == (rewarded,)
        assert store.usage.find(sight, other.id) == (other,)
        assert store.memories.get(sight, memory.id) == replace(held, q_value=0.55)
        assert store.memories.many(sight, [memory.id]) == (replace(held, q_value=0.55),)

    def test_a_stranger_rewards_nothing(self, store: Store, scope: Scope, sight: Sight, foreign: Scope) -> None:
        """Receipts and memories out of sight stay as they were."""
        memory, given = samples.memory(scope), samples.bundle(scope, "mem_a")
        with store.transaction():
            store.memories.put(memory)
            store.usage.put(given)
        before = store.memories.get(sight, memory.id)
        with store.transaction():
            store.usage.reward(Sight((foreign,)), [_rewarded(given)], {memory.id: 0.1})
        assert store.usage.find(sight, given.id) == (given,)
        assert store.memories.get(sight, memory.id) == before

    def test_a_reward_is_told(self, store: Store, scope: Scope, sight: Sight) -> None:
        """Whoever keeps a copy of the scope learns of the new value; ranking sees it."""
        memory = samples.memory(scope, "The lighthouse keeper rewards patience.")
        assert store.feed.last(scope) == 0
        with store.transaction():
            store.memories.put(memory)
        before = store.feed.last(scope)
        with store.transaction():
            store.usage.reward(sight, (), {memory.id: 0.25})
        assert [each.target_id for each in store.feed.changes(scope, before, 9)] == [memory.id]
        found = store.lexicon.candidates(sight, ("lighthouse",), 9).candidates
        assert [each.q_value for each in found] == [0.25]

    def test_an_undone_reward_leaves_nothing(self, store: Store, scope: Scope, sight: Sight) -> None:
        """Neither on the receipt nor on the memory."""
        memory, given = samples.memory(scope), samples.bundle(scope, "mem_a")
        with store.transaction():
            store.memories.put(memory)
            store.usage.put(given)
        with suppress(OnPurposeError):
            undone(store, lambda: store.usage.reward(sight, [_rewarded(given)], {memory.id: 0.9}))
        assert store.usage.find(sight, given.id) == (given,)
        assert [each.q_value for each in store.memories.many(sight, [memory.id])] == [0.5]

    def test_the_valued_are_found(self, store: Store, scope: Scope, sight: Sight) -> None:
        """Strictly above the bound, highest first, then by id; active ones of the sight."""
        made = [samples.memory(scope, f"Statement {number}.") for number in range(5)]
        values = dict(zip([each.id for each in made], (0.85, 0.9, 0.95, 0.95, 0.99), strict=True))
        with store.transaction():
            for each in made:
                store.memories.put(each)
            store.usage.reward(sight, (), values)
        with store.transaction():
            store.memories.put(replace(made[4], status="superseded", q_value=0.99))
        equal = sorted((made[2].id, made[3].id))
        assert store.usage.valued(sight, 0.85, 9) == (*equal, made[1].id)
        assert store.usage.valued(sight, 0.85, 1) == (equal[0],)

    def test_the_unrecalled_are_found(self, store: Store, scope: Scope, sight: Sight) -> None:
        """Active memories in no receipt, latest change first."""
        old = samples.memory(scope, "Old.")
        new = samples.memory(scope, "New.", updated_at=LATER)
        given = samples.memory(scope, "Given.")
        with store.transaction():
            for each in (old, new, given):
                store.memories.put(each)
            store.usage.put(samples.bundle(scope, given.id))
        assert store.usage.unrecalled(sight, 9) == (new.id, old.id)
        assert store.usage.unrecalled(sight, 1) == (new.id,)


def _rewarded(bundle: Bundle, **given: object) -> Bundle:
    fields = {"reward_key": "key", "last_reward": 1.0, "task_outcome": "APPROVE", "q_value": 0.55, **given}
    return replace(bundle, **fields)  # type: ignore[arg-type]


class MetaSuite(Base):
    """Facts about the store."""

    def test_a_fact_is_replaced(self, store: Store) -> None:
        """The last value counts; an unknown key has none."""
        with store.transaction():
            store.meta.put("test_fact", "one")
            store.meta.put("test_fact", "two")
        assert store.meta.get("test_fact") == "two"
        assert store.meta.get("test_other") is None

    def test_an_alias_is_adopted(self, store: Store, scope: Scope) -> None:
        """An identity value means the repository it was adopted for last."""
        value = f"/moved/{scope.repo_id}"
        assert store.meta.alias(value) is None
        with store.transaction():
            store.meta.adopt(value, "0123456789abcdef")
        assert store.meta.alias(value) == "0123456789abcdef"

    def test_it_describes_itself(self, store: Store) -> None:
        """At least engine, place, schema, journal and size."""
        assert store.meta.gaps() == {}
        assert {"engine", "path", "schema_version", "journal_mode", "size_bytes"} <= set(store.meta.describe())
