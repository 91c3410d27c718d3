"""The feed of changes in SQLite: rows that triggers write beside whatever they tell of.

The first who asks begins it, with everything that is there; a file that nobody follows is not made slower by it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from learnt.model.change import Change
from learnt.stores.sqlite.statements import load

if TYPE_CHECKING:
    from learnt.model.scope import Scope
    from learnt.stores.sqlite.connection import Connection

_SQL = load("feed")


class SqliteFeed:
    """See `learnt.ports.feed.Feed`."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._begun = False

    def changes(self, scope: Scope, after: int, limit: int) -> tuple[Change, ...]:
        """At most `limit` entries with numbers above `after`, in order."""
        self._begin()
        rows = self._connection.rows(_SQL["changes"], {"scope": scope.key, "after": after, "limit": limit})
        return tuple(Change(int(number), str(target)) for number, target in rows)

    def last(self, scope: Scope) -> int:
        """Number of the last entry; 0 before the first."""
        self._begin()
        row = self._connection.row(_SQL["last"], (scope.key,))
        return int(row[0] or 0) if row else 0

    def _begin(self) -> None:
        if self._begun or self._connection.row(_SQL["begun"]):
            self._begun = True
            return
        with self._connection.transaction():
            if not self._connection.row(_SQL["begun"]):
                self._connection.write(_SQL["before"])
                self._connection.write(_SQL["begin"])
