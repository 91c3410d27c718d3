"""The audit chain in PostgreSQL: one for each tenant, its end moved in the last statements of a transaction."""

from __future__ import annotations

from typing import TYPE_CHECKING

from learnt.model.chain import around
from learnt.stores.postgres.statements import load
from learnt.stores.rows import chain_row, event_json

if TYPE_CHECKING:
    from collections.abc import Iterator

    from learnt.model.event import ChainRow, Event
    from learnt.stores.postgres.connection import Connection

_SQL = load("events")


class PostgresEvents:
    """See `learnt.ports.store.Events`.

    An event is put off to the end of its transaction, so that the chain, which all of a tenant write to, is held for
    the time of the commit only. A reader inside the transaction does now what was put off.
    """

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def append(self, event: Event) -> None:
        """Add one event at the end of the chain."""
        detail = event_json(event.detail)
        opening, closing = around(event.id, event.operation, event.target_id, event.reason, event.timestamp, detail)
        values = {
            "id": event.id,
            "operation": event.operation,
            "target_id": event.target_id,
            "reason": event.reason,
            "timestamp": event.timestamp,
            "event_json": detail,
            "opening": opening,
            "closing": closing,
        }
        self._connection.last(_SQL["append"], values)

    def get(self, event_id: str) -> ChainRow | None:
        """The event as stored."""
        self._settle()
        row = self._connection.row(_SQL["get"], (event_id,))
        return chain_row(row) if row else None

    def about(self, target_id: str) -> tuple[ChainRow, ...]:
        """All events of one target, oldest first."""
        self._settle()
        return tuple(map(chain_row, self._connection.rows(_SQL["about"], {"target": target_id})))

    def chain(self) -> Iterator[ChainRow]:
        """Every event in order of the chain, streamed, as of the moment of the call."""
        return self.sealed()[1]

    def sealed(self) -> tuple[str | None, Iterator[ChainRow]]:
        """The head and the events up to it, both as of one moment, while others may go on appending."""
        self._settle()
        head, last = self._connection.row(_SQL["seal"]) or (None, None)
        return (None if head is None else str(head)), self._stretches(int(last or 0))

    def head(self) -> str | None:
        """Hash of the last event; None before the first."""
        self._settle()
        row = self._connection.row(_SQL["head"])
        return None if row is None or row[0] is None else str(row[0])

    def _settle(self) -> None:
        """A reader sees what its own transaction appended."""
        if work := self._connection.work:
            work.settle()

    def _stretches(self, last: int) -> Iterator[ChainRow]:
        after = -(2**63)
        while rows := self._connection.rows(_SQL["stretch"], (after, last)):
            yield from map(chain_row, rows)
            after = rows[-1][0]
