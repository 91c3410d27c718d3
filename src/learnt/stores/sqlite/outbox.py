"""Receipts that wait in the copy until the store has them."""

from __future__ import annotations

import secrets
from typing import TYPE_CHECKING

from learnt.model.instant import plus_days
from learnt.stores.rows import legible, receipt_of
from learnt.stores.sqlite.statements import load

if TYPE_CHECKING:
    from learnt.model.ranking import Bundle
    from learnt.stores.sqlite.store import SqliteStore

_SQL = load("copy")
NAME, SENT, DROPPED = "copy.name", "copy.sent", "copy.dropped"

CONTEXT_DAYS = 30
"""How long what a context was given is kept. Source: contract, `sessions.max_age_days`."""

MOST_KEPT = 5_000
"""Receipts that are kept although the store has them; some ten days of an agent that is used all day."""

MOST_WAITING = 50_000
"""Receipts that wait for a store that does not answer, about 30 MB; the oldest are given up for newer ones."""


class SqliteOutbox:
    """See `learnt.ports.copy.Outbox`."""

    def __init__(self, store: SqliteStore) -> None:
        self._store = store
        self._connection = store.connection

    @property
    def name(self) -> str:
        """What tells this copy from every other one; given once."""
        known = self._store.meta.get(NAME)
        if known is None:
            with self._store.transaction():
                known = self._store.meta.get(NAME) or secrets.token_hex(8)
                self._store.meta.put(NAME, known)
        return known

    def waiting(self, after: int, limit: int) -> tuple[tuple[int, Bundle], ...]:
        """The oldest unsent receipts numbered above `after`; one that cannot be read is passed over."""
        rows = self._connection.rows(_SQL["waiting"], {"after": max(after, self._sent()), "limit": limit})
        found = legible(rows, lambda row: (int(row[0]), receipt_of(row)), self._connection.unreadable, "usage:")
        return tuple(found)

    def queued(self) -> int:
        """How many receipts wait."""
        return int(self._connection.rows(_SQL["queued"], (self._sent(),))[0][0])

    def sent(self, until: int, now: str) -> None:
        """The store has everything up to this number: what no present context needs leaves.

        Also without anything newly sent: a store that does not answer for months must not fill this disk.
        """
        with self._store.transaction():
            sent = max(until, self._sent())
            self._store.meta.put(SENT, str(sent))
            newest = int(self._connection.rows(_SQL["latest"])[0][0])
            lost = self._overflow(sent, newest)
            values = {"sent": sent, "before": plus_days(now, -CONTEXT_DAYS), "newest": newest, "kept": MOST_KEPT}
            spent = max(lost, int(self._connection.rows(_SQL["spent"], values)[0][0]))
            for name in ("forget_memories", "forget_scopes", "forget_receipts"):
                self._connection.write(_SQL[name], {"until": min(spent, newest - 1)})
            self._connection.write(_SQL["forget_contexts"], (plus_days(now, -CONTEXT_DAYS),))

    def _overflow(self, sent: int, newest: int) -> int:
        """The number up to which unsent receipts are given up; they are counted."""
        lost = newest - MOST_WAITING
        if lost <= sent:
            return 0
        before = int(self._store.meta.get(DROPPED) or "0")
        held = self._connection.rows(_SQL["queued"], (sent,))[0][0] - MOST_WAITING
        self._store.meta.put(DROPPED, str(before + max(0, int(held))))
        return lost

    def _sent(self) -> int:
        return int(self._store.meta.get(SENT) or "0")
