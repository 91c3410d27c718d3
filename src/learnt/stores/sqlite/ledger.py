"""Charges of models in SQLite. The write lock of a transaction lets one process reserve at a time."""

from __future__ import annotations

from typing import TYPE_CHECKING

from learnt.model.ledger import Charge, Spent
from learnt.stores.rows import charge_of, charge_values
from learnt.stores.sqlite.statements import load

if TYPE_CHECKING:
    from learnt.stores.sqlite.connection import Connection

_SQL = load("ledger")


class SqliteLedger:
    """See `learnt.ports.ledger.Ledger`."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def hold(self, user_id: str) -> None:
        """Nothing: the transaction has the file to itself."""

    def put(self, charge: Charge) -> None:
        """Write a charge down, or what became of one."""
        self._connection.write(_SQL["put"], charge_values(charge))

    def spent(self, user_id: str, *, since: str = "", start: str = "") -> Spent:
        """What the charges of a person came to."""
        name = "spent_start" if start else "spent_since"
        values = {"user_id": user_id, "start": start} if start else {"user_id": user_id, "since": since}
        return Spent(*map(int, self._connection.rows(_SQL[name], values)[0]))

    def last(self, user_id: str, provider: str, model: str) -> Charge | None:
        """The latest charge of a model whose answer told of a rate limit."""
        row = self._connection.row(_SQL["last"], {"user_id": user_id, "provider": provider, "model": model})
        return None if row is None else charge_of(row)

    def page(self, user_id: str, limit: int) -> tuple[Charge, ...]:
        """The latest charges, newest first."""
        rows = self._connection.rows(_SQL["page"], {"user_id": user_id, "limit": limit})
        return tuple(charge_of(row) for row in rows)
