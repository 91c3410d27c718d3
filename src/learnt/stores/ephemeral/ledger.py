"""Charges of models over dictionaries."""

from __future__ import annotations

from typing import TYPE_CHECKING

from learnt.model.ledger import Charge, Spent
from learnt.stores.ephemeral.tables import storable

if TYPE_CHECKING:
    from learnt.stores.ephemeral.tables import Guard, Tables


class EphemeralLedger:
    """See `learnt.ports.ledger.Ledger`."""

    def __init__(self, tables: Tables, guard: Guard) -> None:
        self._tables = tables
        self._guard = guard

    def hold(self, user_id: str) -> None:
        """Nothing: the transaction has the dictionaries to itself."""

    def put(self, charge: Charge) -> None:
        """Write a charge down, or what became of one."""
        storable(charge.provider, charge.model, charge.fault)
        with self._guard.writing():
            self._tables.charges[charge.id] = charge

    def spent(self, user_id: str, *, since: str = "", start: str = "") -> Spent:
        """What the charges of a person came to."""
        found = Spent()
        for charge in self._of(user_id):
            if charge.start == start if start else charge.at >= since:
                found = found.plus(charge)
        return found

    def last(self, user_id: str, provider: str, model: str) -> Charge | None:
        """The latest charge of a model whose answer told of a rate limit."""
        wanted = (provider, model)
        told = (each for each in self._of(user_id) if each.remaining_percent is not None)
        return next((charge for charge in told if (charge.provider, charge.model) == wanted), None)

    def page(self, user_id: str, limit: int) -> tuple[Charge, ...]:
        """The latest charges, newest first."""
        return tuple(self._of(user_id)[:limit])

    def _of(self, user_id: str) -> list[Charge]:
        with self._guard.reading():
            mine = sorted(
                (each for each in self._tables.charges.values() if each.user_id == user_id), key=lambda c: c.id
            )
        return sorted(mine, key=lambda each: each.at, reverse=True)
