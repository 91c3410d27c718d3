"""The feed of changes in dictionaries."""

from __future__ import annotations

from typing import TYPE_CHECKING

from learnt.model.change import Change

if TYPE_CHECKING:
    from learnt.model.scope import Scope
    from learnt.stores.ephemeral.tables import Guard, Tables


class EphemeralFeed:
    """See `learnt.ports.feed.Feed`."""

    def __init__(self, tables: Tables, guard: Guard) -> None:
        self._tables = tables
        self._guard = guard

    def changes(self, scope: Scope, after: int, limit: int) -> tuple[Change, ...]:
        """At most `limit` entries with numbers above `after`, in order."""
        with self._guard.reading():
            end = min(self._tables.marks.get(scope.key, 0), after + limit)
            return tuple(Change(at, self._tables.changes[scope.key, at]) for at in range(after + 1, end + 1))

    def last(self, scope: Scope) -> int:
        """Number of the last entry; 0 before the first."""
        with self._guard.reading():
            return self._tables.marks.get(scope.key, 0)


def tell(tables: Tables, scope: Scope, target_id: str) -> None:
    """Add an entry, inside the transaction of the change it tells of."""
    number = tables.marks.get(scope.key, 0) + 1
    tables.marks[scope.key] = number
    tables.changes[scope.key, number] = target_id
