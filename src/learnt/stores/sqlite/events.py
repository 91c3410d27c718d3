"""The audit chain in SQLite: each event carries the hash of the one before, read in the transaction that adds it."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from learnt.errors import StoreCorruptError, StoreError
from learnt.model.chain import row_hash
from learnt.model.checkpoint import End
from learnt.model.event import GENESIS, ChainRow
from learnt.model.seal import LOG, SEAL, mark, seal
from learnt.stores.notary import Notary
from learnt.stores.rows import chain_row, event_json, no_text
from learnt.stores.sqlite.statements import load

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from learnt.model.event import Event
    from learnt.stores.sqlite.connection import Connection

_SQL = load("events")


class SqliteEvents:
    """See `learnt.ports.store.Events`."""

    def __init__(self, connection: Connection, notary: Notary | None = None) -> None:
        self._connection = connection
        self._notary = notary or Notary()
        connection.on_rollback.append(self._notary.undone)
        connection.on_commit.append(self._notary.committed)

    def append(self, *events: Event) -> None:
        """Add events at the end of the chain, each with its mark where there is a key, and seal the last."""
        if not events:
            return
        end = self.end()
        hashed = end.head or GENESIS
        log, name, secret = self._notary.begin(end, self._hash_at) or ("", "", b"")
        rows = []
        for position, event in enumerate(events, end.position + 1):
            detail = event_json(event.detail)
            row = (event.id, event.operation, event.target_id, event.reason, event.timestamp, detail, hashed)
            hashed = row_hash(*row)
            rows.append((position, *row, mark(name, secret, event.id, position, hashed) if log else None))
        self._connection.write_many(_SQL["append"], rows)
        if not log:
            self._connection.write(_SQL["set_head"], (hashed,))
            return
        self._connection.write(_SQL["set_end"], (hashed, SEAL, seal(name, secret, event.id, position, hashed)))
        if not end.log:
            self._connection.write(_SQL["set_log"], (LOG, log))
        self._notary.moved(log, position, hashed)

    def end(self) -> End:
        """See `learnt.ports.trail.Trail.end`."""
        head, seal, log, last = map(no_text, self._connection.rows(_SQL["end"])[0])
        return End(position=int(last or 0), head=head, seal=seal, log=log or "")

    def get(self, event_id: str) -> ChainRow | None:
        """The event as stored."""
        row = self._connection.row(_SQL["get"], (event_id,))
        return chain_row(row) if row else None

    def about(self, *target_ids: str) -> tuple[ChainRow, ...]:
        """All events of these targets, oldest first."""
        return tuple(map(chain_row, self._connection.rows(_SQL["about"], (json.dumps(target_ids),))))

    def chain(self) -> Iterator[ChainRow]:
        """Every event in order of the chain, streamed, as of the moment of the call."""
        return self.sealed()[1]

    def sealed(self) -> tuple[str | None, Iterator[ChainRow]]:
        """The head and the events up to it, both as of one moment, while others may go on appending."""
        end = self.end()
        return end.head, self.stretches(-(2**63), end.position)

    def head(self) -> str | None:
        """Hash of the last event; None before the first."""
        return self.end().head

    def stretches(self, after: int, last: int) -> Iterator[ChainRow]:
        """See `learnt.ports.trail.Trail.rows`."""
        while rows := self._stretch(after, last):
            yield from map(chain_row, rows)
            after = rows[-1][0]

    def _stretch(self, after: int, last: int) -> Sequence[tuple[Any, ...]]:
        """The next events; of those that hold bytes which are no text, each as the bytes it holds."""
        try:
            return self._connection.rows(_SQL["stretch"], (after, last))
        except StoreCorruptError:
            raise
        except StoreError:
            rows = self._connection.rows(_SQL["stretch_bytes"], (after, last))
            return [tuple(map(_legible, row)) for row in rows]

    def _hash_at(self, position: int) -> str | None:
        """What the event after one says that its hash is."""
        row = self._connection.row(_SQL["after"], (position + 1,))
        return row[0] if row else None


def _legible(value: Any) -> Any:
    """Text, where the bytes are any: what is none stays bytes, which is no value of an event."""
    if not isinstance(value, bytes):
        return value
    try:
        return value.decode()
    except UnicodeDecodeError:
        return value
