"""Scopes as numbers, the one predicate that keeps every reader inside its sight, and who holds a scope."""

from __future__ import annotations

from typing import TYPE_CHECKING

from learnt.stores.postgres.statements import load
from learnt.stores.postgres.work import WIDE

if TYPE_CHECKING:
    from collections.abc import Iterable

    from learnt.model.scope import Scope, Sight
    from learnt.stores.postgres.connection import Connection

_SQL = load("scopes")

_MOST = 65_536
"""So many numbers are remembered: a worker meets every repository of a tenant."""


class Scopes:
    """The numbers of one database's scopes, remembered: a committed number never changes."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._known: dict[str, int] = {}

    def within(self, sight: Sight) -> list[int]:
        """The scope predicate: the numbers of `sight`; inside a transaction they are locked first.

        Every reading statement holds `scope_no = ANY(%(scopes)s::bigint[])`, or the keys in its place (`keys`); a scope
        nobody has written to has no number and so no rows.
        """
        self.hold(sight)
        found = self._numbers(sight.keys)
        return [found[key] for key in sight.keys if key in found]

    def keys(self, sight: Sight) -> list[str]:
        """The same predicate for tables that hold a scope's key: `scope_key = ANY(%(scopes)s::text[])`."""
        self.hold(sight)
        return list(sight.keys)

    def hold(self, sight: Sight) -> None:
        """Inside a transaction: nobody changes these scopes until its end, but for the wide ones."""
        if self._connection.work is not None:
            self._connection.lock(scope.key for scope in sight if scope.type not in WIDE)

    def known(self, key: str) -> int | None:
        """The number of a scope key, or None when nothing was ever written there."""
        return self._numbers((key,)).get(key)

    def number(self, scope: Scope) -> int:
        """The number of a scope that is about to be changed, given now if it has none. It is locked."""
        self._connection.lock((scope.key,))
        return self.numbered(scope.key, scope.type)

    def numbered(self, key: str, scope_type: str) -> int:
        """The number by key and type, given now if it has none; without a lock, for what only adds rows."""
        number = self.known(key)
        if number is None:
            number = self._created(key, scope_type)
        return number

    def forget(self) -> None:
        """The numbers were taken back: a move begins anew."""
        self._known.clear()

    def _created(self, key: str, scope_type: str) -> int:
        self._connection.write(_SQL["create"], (key, scope_type))
        row = self._connection.row(_SQL["numbers"], ([key],))
        if row is None:
            raise AssertionError("a scope just created has no number")
        if work := self._connection.work:
            work.numbers[key] = int(row[1])
        return int(row[1])

    def _numbers(self, keys: Iterable[str]) -> dict[str, int]:
        """Numbers by key, of those that have one. What this transaction created is its own until it is committed."""
        work = self._connection.work
        own = work.numbers if work else {}
        found = {key: self._known.get(key) or own.get(key, 0) for key in keys}
        if unknown := [key for key, number in found.items() if not number]:
            fresh = {str(key): int(no) for key, no in self._connection.rows(_SQL["numbers"], (unknown,))}
            if len(self._known) > _MOST:
                self._known.clear()
            self._known.update(fresh)
            found.update(fresh)
        return {key: number for key, number in found.items() if number}
