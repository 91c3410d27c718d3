"""Calls of models over dictionaries."""

from __future__ import annotations

from typing import TYPE_CHECKING

from learnt.model.ledger import Call, Spent
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

    def put(self, call: Call) -> None:
        """Write a call down, or what became of one."""
        storable(call.provider, call.model, call.fault)
        with self._guard.writing():
            self._tables.calls[call.id] = call

    def spent(self, user_id: str, *, since: str = "", start: str = "") -> Spent:
        """What the calls of a person came to."""
        found = Spent()
        for call in self._of(user_id):
            if call.start == start if start else call.at >= since:
                found = found.plus(call)
        return found

    def last(self, user_id: str, provider: str, model: str) -> Call | None:
        """The latest call of a model whose answer told of a rate limit."""
        wanted = (provider, model)
        told = (each for each in self._of(user_id) if each.remaining_percent is not None)
        return next((call for call in told if (call.provider, call.model) == wanted), None)

    def page(self, user_id: str, limit: int) -> tuple[Call, ...]:
        """The latest calls, newest first."""
        return tuple(self._of(user_id)[:limit])

    def _of(self, user_id: str) -> list[Call]:
        with self._guard.reading():
            mine = sorted((each for each in self._tables.calls.values() if each.user_id == user_id), key=lambda c: c.id)
        return sorted(mine, key=lambda each: each.at, reverse=True)
