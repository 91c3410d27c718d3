"""The feed of changes in PostgreSQL: rows that triggers write beside whatever they tell of.

Who changes a scope holds its lock until the end, so the next number is given after the one before it was committed.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from learnt.model.change import Change
from learnt.stores.postgres.statements import load

if TYPE_CHECKING:
    from learnt.model.scope import Scope
    from learnt.stores.postgres.connection import Connection

_SQL = load("feed")


class PostgresFeed:
    """See `learnt.ports.feed.Feed`."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def changes(self, scope: Scope, after: int, limit: int) -> tuple[Change, ...]:
        """At most `limit` entries with numbers above `after`, in order."""
        rows = self._connection.rows(_SQL["changes"], {"scope": scope.key, "after": after, "limit": limit})
        return tuple(Change(int(number), str(target)) for number, target in rows)

    def last(self, scope: Scope) -> int:
        """Number of the last entry; 0 before the first."""
        row = self._connection.row(_SQL["last"], (scope.key,))
        return int(row[0] or 0) if row else 0
