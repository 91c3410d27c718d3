"""What models cost, as a store keeps it, and who may reserve while another does."""

from __future__ import annotations

import threading
from dataclasses import replace
from typing import TYPE_CHECKING

from learnt.model.instant import plus_days
from learnt.model.ledger import Spent, settled
from learnt.testing import samples
from learnt.testing.base import Base, undone
from learnt.testing.fakes import NOON

if TYPE_CHECKING:
    from collections.abc import Callable

    from learnt.model.ledger import Charge
    from learnt.model.scope import Scope
    from learnt.ports.store import Store

_AT_ONCE, _EACH, _ROOM = 4, 5, 12


def written(store: Store, *charges: Charge) -> None:
    """Write these down, each in a transaction of its own."""
    for charge in charges:
        with store.transaction():
            store.ledger.put(charge)


class LedgerSuite(Base):
    """Charges of models."""

    def test_calls_are_counted_from_a_moment_on(self, store: Store, scope: Scope) -> None:
        """Reserved ones as they were reserved, this person's alone."""
        who = f"user-{scope.repo_id}"
        old = samples.charge(who, 1, at=plus_days(NOON, -1), input_tokens=10, cost_nano_usd=7)
        new = samples.charge(who, 2, input_tokens=5, output_tokens=2, cost_nano_usd=3)
        written(store, old, new, samples.charge(f"{who}-else", 3, input_tokens=1_000, cost_nano_usd=1_000))
        assert store.ledger.spent(who) == Spent(2, 17, 10)
        assert store.ledger.spent(who, since=NOON) == Spent(1, 7, 3)
        assert store.ledger.spent(f"{who}-nobody") == Spent()

    def test_calls_are_counted_by_their_start(self, store: Store, scope: Scope) -> None:
        """Whenever they were."""
        who = f"user-{scope.repo_id}"
        written(store, *(samples.charge(who, no, start=f"start-{no % 2}", input_tokens=no) for no in range(1, 5)))
        assert store.ledger.spent(who, start="start-1") == Spent(2, 4, 0)
        assert store.ledger.spent(who, start="start-none") == Spent()

    def test_what_became_of_a_call_takes_its_place(self, store: Store, scope: Scope) -> None:
        """Once, with all its fields, numbers beyond 32 bits among them."""
        who = f"user-{scope.repo_id}"
        charge = samples.charge(who, 1, input_tokens=100, output_tokens=100, cost_nano_usd=5_000_000_000_000)
        end = settled(
            charge,
            plus_days(NOON, 1),
            input_tokens=80,
            output_tokens=9,
            cost_nano_usd=4_000_000_000_001,
            fault="timeout",
            remaining_percent=10.1,
            resets_at=plus_days(NOON, 2),
        )
        written(store, charge, end)
        assert store.ledger.page(who, 10) == (end,)
        assert store.ledger.spent(who) == Spent(1, 89, 4_000_000_000_001)

    def test_the_latest_come_first(self, store: Store, scope: Scope) -> None:
        """Then by id."""
        who = f"user-{scope.repo_id}"
        charges = [samples.charge(who, no, at=plus_days(NOON, no % 2)) for no in range(4)]
        written(store, *reversed(charges))
        assert [charge.id for charge in store.ledger.page(who, 3)] == [charges[1].id, charges[3].id, charges[0].id]

    def test_the_last_word_on_a_rate_limit_is_found(self, store: Store, scope: Scope) -> None:
        """Of one model; charges whose answers said nothing are passed over."""
        who = f"user-{scope.repo_id}"
        told = samples.charge(who, 1, remaining_percent=40.0, resets_at=plus_days(NOON, 1))
        later = replace(samples.charge(who, 2, at=plus_days(NOON, 1)), remaining_percent=0.0)
        written(store, told, later, samples.charge(who, 3, at=plus_days(NOON, 2)))
        written(store, samples.charge(who, 4, at=plus_days(NOON, 3), model="other", remaining_percent=90.0))
        assert store.ledger.last(who, "openai", "small") == later
        assert store.ledger.last(who, "openai", "none") is None

    def test_a_call_is_undone_with_its_transaction(self, store: Store, scope: Scope) -> None:
        """What was not committed was not reserved."""
        who = f"user-{scope.repo_id}"
        try:
            undone(store, lambda: store.ledger.put(samples.charge(who, 1)), ZeroDivisionError())
        except ZeroDivisionError:
            assert store.ledger.spent(who) == Spent()

    def test_two_do_not_reserve_the_same_room(self, reopen: Callable[[], Store], scope: Scope) -> None:
        """Of many that look and write at once, only so many write as there is room for."""
        who = f"user-{scope.repo_id}"
        stores = [reopen() for _ in range(_AT_ONCE)]
        threads = [threading.Thread(target=_reserve, args=(each, who, no)) for no, each in enumerate(stores)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert stores[0].ledger.spent(who) == Spent(_ROOM, _ROOM, 0)
        for each in stores:
            each.close()


def _reserve(store: Store, who: str, number: int) -> None:
    for turn in range(_EACH):
        with store.transaction():
            store.ledger.hold(who)
            if store.ledger.spent(who).tokens < _ROOM:
                store.ledger.put(samples.charge(who, number * 100 + turn, input_tokens=1))
