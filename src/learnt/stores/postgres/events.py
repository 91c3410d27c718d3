"""The audit chain in PostgreSQL: one for each tenant, its end moved in the last statements of a transaction."""

from __future__ import annotations

from typing import TYPE_CHECKING

import psycopg

from learnt.model.chain import around
from learnt.model.checkpoint import End
from learnt.model.seal import end_key, pads, row_key
from learnt.stores.notary import Notary
from learnt.stores.postgres import faults
from learnt.stores.postgres.statements import load
from learnt.stores.rows import chain_row, event_json

if TYPE_CHECKING:
    from collections.abc import Iterator

    from learnt.model.event import ChainRow, Event
    from learnt.stores.postgres.connection import Connection

_SQL = load("events")
_OFTEN = 64
"""So many events are appended before the end is looked at once more; it is at the end of the process in any case."""


class PostgresEvents:
    """See `learnt.ports.store.Events`.

    An event is put off to the end of its transaction, so that the chain, which all of a tenant write to, is held for
    the time of the commit only. A reader inside the transaction does now what was put off.

    The server makes the marks, for only it knows place and hash; it is given keys that mark this one event.
    """

    def __init__(self, connection: Connection, notary: Notary | None = None) -> None:
        self._connection = connection
        self._notary = notary or Notary()
        self._log: tuple[str, str, bytes] | None = None
        self._looked = False
        self._since = 0

    def append(self, *events: Event) -> None:
        """Add events at the end of the chain."""
        for event in events:
            self._append(event)

    def _append(self, event: Event) -> None:
        detail = event_json(event.detail)
        opening, closing = around(event.id, event.operation, event.target_id, event.reason, event.timestamp, detail)
        values: dict[str, object] = {
            "id": event.id,
            "operation": event.operation,
            "target_id": event.target_id,
            "reason": event.reason,
            "timestamp": event.timestamp,
            "event_json": detail,
            "opening": opening,
            "closing": closing,
        }
        log = self._marking()
        if log is None:
            self._connection.last(_SQL["append_unmarked"], values)
            return
        _, name, key = log
        mac_inner, mac_outer = pads(row_key(key, event.id))
        seal_inner, seal_outer = pads(end_key(key, event.id))
        marks = {"mac_inner": mac_inner, "mac_outer": mac_outer, "seal_inner": seal_inner, "seal_outer": seal_outer}
        self._connection.last(_SQL["append"], {**values, "name": name, **marks})
        self._since += 1

    def end(self) -> End:
        """See `learnt.ports.trail.Trail.end`."""
        self._settle()
        head, seal, log, last = self._connection.rows(_SQL["end"])[0]
        return End(position=int(last or 0), head=head, seal=seal, log=log or "")

    def get(self, event_id: str) -> ChainRow | None:
        """The event as stored."""
        self._settle()
        row = self._connection.row(_SQL["get"], (event_id,))
        return chain_row(row) if row else None

    def about(self, *target_ids: str) -> tuple[ChainRow, ...]:
        """All events of these targets, oldest first."""
        self._settle()
        return tuple(map(chain_row, self._connection.rows(_SQL["about"], {"targets": list(target_ids)})))

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
        while rows := self._connection.rows(_SQL["stretch"], (after, last)):
            yield from map(chain_row, rows)
            after = rows[-1][0]

    def remember(self, *, anyway: bool = False) -> None:
        """Note how far the trail goes, now and then and with `anyway`: only the server knows where a commit put it."""
        if self._log is None or not self._since or not (anyway or self._since >= _OFTEN):
            return
        self._since, end = 0, self.end()
        if end.head is not None:
            self._notary.moved(self._log[0], end.position, end.head)
            self._notary.committed()

    def _marking(self) -> tuple[str, str, bytes] | None:
        """What to mark with: looked up once, with a watch over what this machine saw last."""
        if not self._looked:
            end = self.end()
            self._log = self._notary.begin(end, self._hash_at)
            if self._log is not None and not end.log:
                log = self._named(self._log[0])
                key = self._notary.key(log)
                self._log = (log, *key) if key else None
            self._looked = True
        return self._log

    def _named(self, log: str) -> str:
        """What the log is called; named in a transaction of its own, which no other waits for."""
        aside = self._connection.aside.take()
        try:
            aside.execute(_SQL["name_log"].encode(), (log,))
            row = aside.execute(_SQL["log"].encode()).fetchone()
        except psycopg.Error as error:
            raise faults.translated(error) from error
        finally:
            self._connection.aside.drop(aside)
        return str(row[0]) if row else log

    def _hash_at(self, position: int) -> str | None:
        """What the event after one says that its hash is."""
        row = self._connection.row(_SQL["after"], (position + 1,))
        return row[0] if row else None

    def _settle(self) -> None:
        """A reader sees what its own transaction appended."""
        if work := self._connection.work:
            work.settle()
