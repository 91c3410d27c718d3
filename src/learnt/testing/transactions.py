"""All or nothing, one writer at a time."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

import pytest

from learnt.audit.chain import verify
from learnt.errors import StoreError
from learnt.model.filter import MemoryFilter
from learnt.testing import samples
from learnt.testing.base import Base, OnPurposeError, undone
from learnt.testing.fakes import NOON
from learnt.testing.wrappers import Counting, Flaky

if TYPE_CHECKING:
    from collections.abc import Callable

    from learnt.model.scope import Scope, Sight
    from learnt.ports.store import Store


def change(store: Store, scope: Scope, number: int) -> None:
    """A whole change: memory, proposal, event, receipt."""
    with store.transaction():
        memory = samples.memory(scope, f"Statement {number}.")
        store.memories.put(memory)
        store.proposals.put(samples.proposal(scope, f"Proposal {number}."))
        store.events.append(samples.event(number, memory.id))
        store.usage.put(samples.bundle(scope, memory.id))


class TransactionsSuite(Base):
    """What is inside is kept together."""

    def test_a_failure_undoes_everything(self, store: Store, scope: Scope, sight: Sight) -> None:
        """At whichever call a change fails, nothing of it remains and the next one works."""
        calls = Counting(store)
        change(calls, scope, 1)
        before = _state(store, sight)
        for at in range(1, len(calls.calls) + 1):
            with pytest.raises(StoreError, match="on purpose"):
                change(Flaky(store, at), scope, 1 + at)
            assert _state(store, sight) == before
        change(store, scope, 2)
        assert store.memories.count(sight) == {"active": 2}

    def test_an_interrupt_undoes_too(self, store: Store, scope: Scope, sight: Sight) -> None:
        """Not only errors: a person's Ctrl-C as well."""
        with pytest.raises(KeyboardInterrupt):
            undone(store, lambda: store.memories.put(samples.memory(scope)), KeyboardInterrupt())
        assert store.memories.count(sight) == {}

    def test_a_new_scope_is_forgotten_with_its_transaction(self, store: Store, scope: Scope, sight: Sight) -> None:
        """A scope first written to in an undone transaction can be written to again."""
        with pytest.raises(OnPurposeError):
            undone(store, lambda: store.memories.put(samples.memory(scope)))
        change(store, scope, 1)
        assert store.memories.count(sight) == {"active": 1}

    def test_a_write_outside_is_refused(self, store: Store, scope: Scope, sight: Sight) -> None:
        """Every writing port asks for a transaction."""
        writes: list[Callable[[], object]] = [
            lambda: store.memories.put(samples.memory(scope)),
            lambda: store.proposals.put(samples.proposal(scope)),
            lambda: store.events.append(samples.event(1)),
            lambda: store.usage.put(samples.bundle(scope)),
            lambda: store.archive.put_units([samples.unit(scope, 1)]),
            lambda: store.archive.cite(sight, ["x"]),
            lambda: store.archive.put_session(samples.session(scope, "s")),
            lambda: store.recipes.add(scope, samples.recipe("s")),
            lambda: store.meta.put("k", "v"),
        ]
        for write in writes:
            with pytest.raises(StoreError) as caught:
                write()
            assert caught.value.error_code == "no_transaction"

    def test_a_transaction_inside_another_is_refused(self, store: Store) -> None:
        """Nested begins have no meaning."""
        with pytest.raises(StoreError) as caught, store.transaction(), store.transaction():
            pass
        assert caught.value.error_code == "nested_transaction"

    def test_readers_see_what_was_committed(self, reopen: Callable[[], Store], scope: Scope, sight: Sight) -> None:
        """Another handle sees a change after its transaction, and its own writer sees it inside."""
        writer, reader = reopen(), reopen()
        memory = samples.memory(scope)
        with writer.transaction():
            writer.memories.put(memory)
            assert writer.memories.get(sight, memory.id) == memory
        assert reader.memories.get(sight, memory.id) == memory
        writer.close()
        reader.close()

    def test_threads_take_turns(self, store: Store, scope: Scope, sight: Sight) -> None:
        """Eight threads on one store lose nothing and keep one chain."""
        errors: list[Exception] = []

        def work(first: int) -> None:
            try:
                for number in range(first, first + 10):
                    change(store, scope, number)
                    store.memories.page(sight, MemoryFilter(), NOON)
            except Exception as error:  # noqa: BLE001 - carried to the asserting thread
                errors.append(error)

        threads = [threading.Thread(target=work, args=(first,)) for first in range(0, 80, 10)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert errors == []
        assert store.memories.count(sight) == {"active": 80}
        head, rows = store.events.sealed()
        assert verify(rows, head).verified

    def test_a_closed_store_says_so(self, reopen: Callable[[], Store], sight: Sight) -> None:
        """Closing twice is fine; reading afterwards is an error, not an empty answer."""
        store = reopen()
        store.close()
        store.close()
        with pytest.raises(StoreError):
            store.memories.count(sight)


def _state(store: Store, sight: Sight) -> object:
    return (
        store.memories.page(sight, MemoryFilter(statuses=()), NOON),
        store.proposals.count(sight),
        store.usage.page(sight, "", 100),
        store.events.head(),
        tuple(store.events.chain()),
    )
