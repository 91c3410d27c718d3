"""How a store keeps receipts and facts about itself."""

from __future__ import annotations

from typing import TYPE_CHECKING

from learnt.model.scope import Scope, Sight
from learnt.testing import samples
from learnt.testing.base import Base

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
