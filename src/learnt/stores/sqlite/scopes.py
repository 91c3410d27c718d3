"""Scopes as numbers, and the one predicate that keeps every reader inside its sight."""

from __future__ import annotations

from typing import TYPE_CHECKING

from learnt.stores.sqlite.statements import load

if TYPE_CHECKING:
    from learnt.model.scope import Scope, Sight
    from learnt.stores.sqlite.connection import Connection

_SQL = load("scopes")


class Scopes:
    """The numbers of one file's scopes, remembered: a committed number never changes."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._known: dict[str, int] = {}
        connection.on_rollback.append(self._known.clear)

    def within(self, sight: Sight) -> str:
        """The scope predicate: the numbers of `sight` as a JSON array.

        Every reading statement holds `scope_no IN (SELECT value FROM json_each(:scopes))`; a scope nobody has written
        to has no number and so no rows.
        """
        numbers = (self.known(key) for key in sight.keys)
        return "[" + ",".join(str(number) for number in numbers if number is not None) + "]"

    def known(self, key: str) -> int | None:
        """The number of a scope key, or None when nothing was ever written there."""
        number = self._known.get(key)
        if number is None:
            row = self._connection.row(_SQL["number"], (key,))
            if row is None:
                return None
            number = self._known[key] = int(row[0])
        return number

    def number(self, scope: Scope) -> int:
        """The number of a scope, given now if it has none. Inside a transaction."""
        return self.numbered(scope.key, scope.type)

    def numbered(self, key: str, scope_type: str) -> int:
        """The same by key and type."""
        number = self.known(key)
        if number is None:
            self._connection.write(_SQL["create"], (key, scope_type))
            number = self.known(key)
        if number is None:
            raise AssertionError("a scope just created has no number")
        return number

    def moved(self, number: int, row: int | None, *, active: int, terms: int) -> tuple[int, int]:
        """Move the scope's counters, and its next sequence where there is no `row` yet: the row, and full blocks."""
        values = {"no": number, "new": row is None, "active": active, "terms": terms}
        next_row, full = self._connection.returning(_SQL["moved"], values)
        return int(next_row) - 1 if row is None else row, int(full)

    def next_rows(self, number: int, many: int) -> int:
        """The row after the scope's next `many` memories, which are the caller's now."""
        return int(self._connection.returning(_SQL["next_rows"], {"no": number, "many": many})[0])

    def count(self, number: int, *, active: int, terms: int) -> None:
        """Move the scope's counters by these differences."""
        if active or terms:
            self._connection.write(_SQL["count"], {"no": number, "active": active, "terms": terms})
