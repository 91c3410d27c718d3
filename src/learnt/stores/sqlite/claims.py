"""Claims, conflicts and pasts in SQLite."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from learnt.model.filter import Page
from learnt.stores import records
from learnt.stores.rows import conflict_of, legible, past_of, past_values
from learnt.stores.sqlite.statements import load

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from learnt.model.conflict import Conflict, Former, Reason
    from learnt.model.memory import Memory
    from learnt.model.scope import Scope, Sight
    from learnt.stores.rows import Forms
    from learnt.stores.sqlite.connection import Connection
    from learnt.stores.sqlite.scopes import Scopes

SQL = load("claims")


def index(connection: Connection, number: int, row: int, memory: Memory, made: Forms, *, known: bool) -> None:
    """Keep claims and conflicts of a memory that was put just now; inside its transaction."""
    if known:
        connection.write(SQL["unclaim"], (row,))
        connection.write(SQL["unoppose"], (memory.id,))
    fill(connection, number, ((row, memory, made),))


def fill(connection: Connection, number: int, placed: Iterable[tuple[int, Memory, Forms]]) -> None:
    """The same for memories of a scope that were not there before, many at once, each with its row."""
    keys: list[tuple[object, ...]] = []
    rivals: list[tuple[object, ...]] = []
    for row, memory, made in placed:
        if memory.status == "active":
            keys += [(number, key, row) for key in made.claims]
        rivals += [(each.memory_id, each.rival_id, number, each.reason, each.score, each.at) for each in made.conflicts]
    if keys:
        connection.write_many(SQL["claim"], keys)
    if rivals:
        connection.write_many(SQL["oppose"], rivals)


class SqliteClaims:
    """See `learnt.ports.claims.Claims`."""

    def __init__(self, connection: Connection, scopes: Scopes) -> None:
        self._connection = connection
        self._scopes = scopes

    def sharing(self, scope: Scope, keys: Sequence[int], limit: int) -> tuple[str, ...]:
        """Active memories found by one of these numbers, latest written first."""
        number = self._scopes.known(scope.key)
        if number is None or not keys:
            return ()
        values = {"scope_no": number, "keys": json.dumps(list(keys)), "limit": limit}
        return tuple(str(name) for (name,) in self._connection.rows(SQL["sharing"], values))

    def standing(self, sight: Sight, memory_ids: Sequence[str]) -> tuple[Conflict, ...]:
        """Open conflicts of these memories."""
        values = {"scopes": self._scopes.within(sight), "ids": json.dumps(list(memory_ids))}
        return tuple(conflict_of(row) for row in self._connection.rows(SQL["standing"], values))

    def open(self, sight: Sight, reasons: Sequence[Reason], limit: int) -> Page[Conflict]:
        """Open conflicts of these reasons, latest noticed first."""
        values: dict[str, object] = {"scopes": self._scopes.within(sight), "reasons": json.dumps(list(reasons))}
        total = int(self._connection.rows(SQL["open_count"], values)[0][0])
        rows = self._connection.rows(SQL["open"], {**values, "limit": limit})
        return Page(tuple(map(conflict_of, rows)), total)


class SqlitePasts:
    """See `learnt.ports.claims.Pasts`."""

    def __init__(self, connection: Connection, scopes: Scopes) -> None:
        self._connection = connection
        self._scopes = scopes

    def of(self, sight: Sight, memory_id: str) -> tuple[Former, ...]:
        """What one memory was, oldest first."""
        rows = self._connection.rows(SQL["past"], {"id": memory_id, "scopes": self._scopes.within(sight)})
        return tuple(legible(rows, past_of, self._connection.unreadable))

    def then(self, sight: Sight, at: str, limit: int) -> tuple[Memory, ...]:
        """Of what has changed since an instant, the state at that instant, by id."""
        values: dict[str, object] = {"scopes": self._scopes.within(sight), "at": at, "limit": limit}
        rows = self._connection.rows(SQL["then"], values)
        return tuple(legible(rows, records.memory_of, self._connection.unreadable))

    def put(self, scope: Scope, past: Former) -> None:
        """Keep one that another store gave."""
        number = self._scopes.number(scope)
        self._connection.write(SQL["keep"], {"scope_no": number, **past_values(past)})
