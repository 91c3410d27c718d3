"""The full-text stage over PostgreSQL: cold for a process that asks once, warm for one that goes on asking."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Any

from learnt.stores.index.area import Area
from learnt.stores.index.narrow import COLD_ACTIVE, Answer, candidate, cold, whole
from learnt.stores.postgres.blocks import SQL

if TYPE_CHECKING:
    from collections.abc import Sequence

    from learnt.model.candidate import Candidate
    from learnt.model.scope import Sight
    from learnt.stores.index.postings import Postings
    from learnt.stores.postgres.connection import Connection
    from learnt.stores.postgres.scopes import Scopes

_STAMP, _ENDS = 9, 10
"""Columns of the statement `scopes` after those of an `Area`."""


class PostgresLexicon:
    """See `learnt.ports.lexicon.Lexicon`. Ranked by the code that ranks for SQLite, cold and warm in the same cases.

    What is kept in memory follows the writes of others: each question reads its scopes' counters and last changes
    first. Inside a transaction nothing is kept, and each question is answered cold: what is not committed is nobody
    else's to see.
    """

    def __init__(self, connection: Connection, scopes: Scopes) -> None:
        self._connection = connection
        self._scopes = scopes
        self._asked = 0
        self._postings: Postings | None = None
        self._turn = threading.Lock()

    def candidates(
        self, sight: Sight, terms: Sequence[str], limit: int, *, kinds: Sequence[str] = (), now: str = ""
    ) -> Answer:
        """The memories to score."""
        surveyed = self._rows("scopes", {"scopes": self._scopes.within(sight)})
        areas = [Area(row[:_STAMP]) for row in surveyed]
        active = sum(area.active for area in areas)
        if active <= limit:
            return whole(self._rows, areas)
        if not any(row[_ENDS] is not None and row[_ENDS] <= now for row in surveyed):
            now = ""  # nothing has ended: nobody need be asked what has
        self._asked += 1
        if self._asked == 1 or active <= COLD_ACTIVE or self._connection.work is not None:
            return cold(self._rows, areas, terms, limit, kinds, now)
        with self._turn:
            return self._warm().narrow(areas, terms, limit, kinds, now, [row[: _STAMP + 1] for row in surveyed])

    def named(self, sight: Sight, memory_ids: Sequence[str], *, words: bool = True) -> list[Candidate]:
        """The active ones of these memories, not ranked, in the order given."""
        scopes = self._within(sight)
        values: dict[str, object] = {"ids": list(memory_ids), "scopes": list(scopes)}
        rows = self._rows("named" if words else "named_bare", values)
        found = {row[1]: candidate(row, scopes[row[2]]) for row in rows}
        return [found[memory_id] for memory_id in memory_ids if memory_id in found]

    def retired(self, sight: Sight, limit: int) -> list[Candidate]:
        """The superseded memories retired last, as if they were active."""
        scopes = self._within(sight)
        rows = self._rows("retired", {"scopes": list(scopes), "limit": limit})
        return [candidate(row, scopes[row[2]]) for row in rows]

    def anchored(self, sight: Sight, anchors: Sequence[tuple[str, str]]) -> tuple[str, ...]:
        """Ids tied to one of the anchors, in order of these, then id."""
        columns = {"types": [kind for kind, _ in anchors], "keys": [key for _, key in anchors]}
        rows = self._rows("anchored", {**columns, "scopes": self._scopes.within(sight)})
        return tuple(dict.fromkeys(str(row[0]) for row in rows))

    def _within(self, sight: Sight) -> dict[int, tuple[str, str]]:
        """Key and type of each scope in sight that holds anything, by its number."""
        self._scopes.within(sight)
        numbered = ((self._scopes.known(scope.key), scope) for scope in sight.scopes)
        return {number: (scope.key, scope.type) for number, scope in numbered if number is not None}

    def _warm(self) -> Postings:
        if self._postings is None:
            from learnt.stores.index.postings import Postings

            self._postings = Postings(self._rows)
        return self._postings

    def _rows(self, name: str, values: dict[str, object]) -> list[tuple[Any, ...]]:
        return self._connection.rows(SQL[name], values)
