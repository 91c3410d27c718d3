"""The audit chain in SQLite: each event carries the hash of the one before, read in the transaction that adds it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from learnt.model.chain import row_hash
from learnt.model.event import GENESIS, ChainRow
from learnt.stores.rows import chain_row, event_json
from learnt.stores.sqlite.statements import load

if TYPE_CHECKING:
    from collections.abc import Iterator

    from learnt.model.event import Event
    from learnt.stores.sqlite.connection import Connection

_SQL = load("events")


class SqliteEvents:
    """See `learnt.ports.store.Events`."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def append(self, event: Event) -> None:
        """Add one event at the end of the chain."""
        before = self.head() or GENESIS
        detail = event_json(event.detail)
        row = (event.id, event.operation, event.target_id, event.reason, event.timestamp, detail, before)
        self._connection.write(_SQL["append"], row)
        self._connection.write(_SQL["set_head"], (row_hash(*row),))

    def get(self, event_id: str) -> ChainRow | None:
        """The event as stored."""
        row = self._connection.row(_SQL["get"], (event_id,))
        return chain_row(row) if row else None

    def about(self, target_id: str) -> tuple[ChainRow, ...]:
        """All events of one target, oldest first."""
        return tuple(map(chain_row, self._connection.rows(_SQL["about"], (target_id,))))

    def chain(self) -> Iterator[ChainRow]:
        """Every event in order of the chain, streamed, as of the moment of the call."""
        return self.sealed()[1]

    def sealed(self) -> tuple[str | None, Iterator[ChainRow]]:
        """The head and the events up to it, both as of one moment, while others may go on appending."""
        row = self._connection.row(_SQL["seal"])
        head, last = row or (None, None)
        return (None if head is None else str(head)), self._stretches(int(last or 0))

    def head(self) -> str | None:
        """Hash of the last event; None before the first."""
        row = self._connection.row(_SQL["head"])
        return str(row[0]) if row else None

    def _stretches(self, last: int) -> Iterator[ChainRow]:
        after = -(2**63)
        while rows := self._connection.rows(_SQL["stretch"], (after, last)):
            yield from map(chain_row, rows)
            after = rows[-1][0]
