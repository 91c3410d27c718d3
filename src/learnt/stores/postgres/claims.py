"""Claims, conflicts and pasts in PostgreSQL."""

from __future__ import annotations

from typing import TYPE_CHECKING

from learnt.model.conflict import conflicts_of
from learnt.model.filter import Page
from learnt.model.scope import Sight
from learnt.stores import records
from learnt.stores.postgres.statements import load
from learnt.stores.rows import conflict_of, legible, memory_claims, past_of, past_values

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from learnt.model.conflict import Conflict, Former, Reason
    from learnt.model.memory import Memory
    from learnt.model.scope import Scope
    from learnt.stores.postgres.connection import Connection
    from learnt.stores.postgres.scopes import Scopes
    from learnt.stores.rows import Forms

SQL = load("claims")


def index(connection: Connection, number: int, row: int, memory: Memory, made: Forms, *, known: bool) -> None:
    """Keep claims and conflicts of a memory that was put just now; inside its transaction."""
    if known:
        connection.write(SQL["unclaim"], (row,))
        connection.write(SQL["unoppose"], (memory.id,))
    if made.claims and memory.status == "active":
        rows = [row] * len(made.claims)
        connection.write(SQL["claim"], {"scope_no": number, "keys": list(made.claims), "rows": rows})
    for each in made.conflicts:
        connection.write(SQL["oppose"], {"scope_no": number, **_columns(each)})


def fill(connection: Connection, number: int, placed: Iterable[tuple[int, Memory]]) -> None:
    """The same for memories of a scope that were not there before, many at once, each with its row."""
    keys: list[int] = []
    rows: list[int] = []
    for row, memory in placed:
        own = memory_claims(memory) if memory.status == "active" else ()
        keys += own
        rows += [row] * len(own)
        for each in conflicts_of(memory):
            connection.write(SQL["oppose"], {"scope_no": number, **_columns(each)})
    if keys:
        connection.write(SQL["claim"], {"scope_no": number, "keys": keys, "rows": rows})


def _columns(conflict: Conflict) -> dict[str, object]:
    names = ("memory_id", "rival_id", "reason", "score", "at")
    return {name: getattr(conflict, name) for name in names}


class PostgresClaims:
    """See `learnt.ports.claims.Claims`."""

    def __init__(self, connection: Connection, scopes: Scopes) -> None:
        self._connection = connection
        self._scopes = scopes

    def sharing(self, scope: Scope, keys: Sequence[int], limit: int) -> tuple[str, ...]:
        """Active memories found by one of these numbers, latest written first."""
        values = {"scopes": self._scopes.within(Sight((scope,))), "keys": list(keys), "limit": limit}
        return tuple(str(name) for (name,) in self._connection.rows(SQL["sharing"], values)) if keys else ()

    def standing(self, sight: Sight, memory_ids: Sequence[str]) -> tuple[Conflict, ...]:
        """Open conflicts of these memories."""
        values = {"scopes": self._scopes.within(sight), "ids": list(memory_ids)}
        return tuple(map(conflict_of, self._connection.rows(SQL["standing"], values)))

    def open(self, sight: Sight, reasons: Sequence[Reason], limit: int) -> Page[Conflict]:
        """Open conflicts of these reasons, latest noticed first."""
        values: dict[str, object] = {"scopes": self._scopes.within(sight), "reasons": list(reasons)}
        total = int(self._connection.rows(SQL["open_count"], values)[0][0])
        rows = self._connection.rows(SQL["open"], {**values, "limit": limit})
        return Page(tuple(map(conflict_of, rows)), total)


class PostgresPasts:
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
