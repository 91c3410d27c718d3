"""The full-text stage over SQLite: cold for a process that asks once, warm for one that goes on asking."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from learnt.stores.sqlite.narrow import SQL, Answer, narrow
from learnt.stores.sqlite.scopes import Scopes

if TYPE_CHECKING:
    from collections.abc import Sequence

    from learnt.model.scope import Sight
    from learnt.stores.sqlite.connection import Connection


class SqliteLexicon:
    """See `learnt.ports.store.Lexicon`."""

    def __init__(self, connection: Connection, scopes: Scopes | None = None) -> None:
        self._connection = connection
        self._scopes = scopes or Scopes(connection)

    def candidates(
        self, sight: Sight, terms: Sequence[str], limit: int, *, kinds: Sequence[str] = (), now: str = ""
    ) -> Answer:
        """The memories to score."""
        numbers = [number for number in map(self._scopes.known, sight.keys) if number is not None]
        return narrow(self._rows, numbers, terms, limit, kinds, now)

    def anchored(self, sight: Sight, anchors: Sequence[tuple[str, str]]) -> tuple[str, ...]:
        """Ids tied to one of the anchors, in order of these, then id."""
        values = {"anchors": json.dumps([list(pair) for pair in anchors]), "scopes": self._scopes.within(sight)}
        return tuple(dict.fromkeys(str(row[2]) for row in self._connection.rows(SQL["anchored"], values)))

    def _rows(self, sql: str, values: dict[str, object]) -> list[tuple[Any, ...]]:
        return self._connection.rows(sql, values)
