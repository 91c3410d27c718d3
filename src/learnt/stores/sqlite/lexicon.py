"""The full-text stage over SQLite: cold for a process that asks once, warm for one that goes on asking."""

from __future__ import annotations

import json
import threading
from typing import TYPE_CHECKING

from learnt.errors import StoreError
from learnt.stores.index.narrow import COLD_ACTIVE, Answer, candidate, cold, surveyed, whole
from learnt.stores.sqlite.narrow import SQL, by_name
from learnt.stores.sqlite.scopes import Scopes

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from learnt.model.candidate import Candidate
    from learnt.model.scope import Sight
    from learnt.stores.index.postings import Postings
    from learnt.stores.sqlite.connection import Connection


class SqliteLexicon:
    """See `learnt.ports.lexicon.Lexicon`.

    The first question to a large scope is answered cold, because most processes ask once and numpy alone takes longer
    to import than the answer; from the second on postings are kept in memory and the ranking is exact. A small scope is
    always answered cold (`COLD_ACTIVE`).

    Args:
        places: Rows of memories that somebody else knows already, by their ids.
    """

    def __init__(
        self, connection: Connection, scopes: Scopes | None = None, places: Mapping[str, int] | None = None
    ) -> None:
        self._connection = connection
        self._rows = by_name(connection.rows)
        self._scopes = scopes or Scopes(connection)
        self._places = places if places is not None else {}
        self._asked = 0
        self._postings: Postings | None = None
        self._turn = threading.Lock()
        connection.on_rollback.append(self._forget)

    def candidates(
        self, sight: Sight, terms: Sequence[str], limit: int, *, kinds: Sequence[str] = (), now: str = ""
    ) -> Answer:
        """The memories to score."""
        stamp = self._stamp()
        numbers = [number for number in map(self._scopes.known, sight.keys) if number is not None]
        areas = surveyed(self._rows, numbers)
        active = sum(area.active for area in areas)
        if active <= limit:
            return whole(self._rows, areas)
        self._asked += 1
        if self._asked == 1 or active <= COLD_ACTIVE:
            try:
                return cold(self._rows, areas, terms, limit, kinds, now)
            except StoreError as error:  # without FTS5 the rows themselves still hold every term
                self._connection.unreadable["memory_fts"] = error.message
        with self._turn:
            return self._warm().narrow(areas, terms, limit, kinds, now, stamp)

    def named(self, sight: Sight, memory_ids: Sequence[str], *, words: bool = True) -> list[Candidate]:
        """The active ones of these memories, not ranked, in the order given."""
        scopes = self._within(sight)
        placed = [self._places[memory_id] for memory_id in memory_ids if memory_id in self._places]
        others = [memory_id for memory_id in memory_ids if memory_id not in self._places]
        found: dict[str, Candidate] = {}
        postings = self._postings
        if placed and postings is not None:
            with self._turn:
                made = postings.named(scopes, placed, self._stamp(), words=words)
            found, placed = {each.id: each for each in made}, []
        if placed or others:
            known: dict[str, object] = {"scopes": self._scopes.within(sight)}
            values = {**known, "rows": json.dumps(placed), "ids": json.dumps(others)}
            rows = self._connection.rows(SQL["named" if words else "named_bare"], values)
            found.update((row[1], candidate(row, scopes[row[2]])) for row in rows)
        return [found[memory_id] for memory_id in memory_ids if memory_id in found]

    def retired(self, sight: Sight, limit: int) -> list[Candidate]:
        """The superseded memories retired last, as if they were active."""
        scopes = self._within(sight)
        values: dict[str, object] = {"scopes": self._scopes.within(sight), "limit": limit}
        return [candidate(row, scopes[row[2]]) for row in self._connection.rows(SQL["retired"], values)]

    def anchored(self, sight: Sight, anchors: Sequence[tuple[str, str]]) -> tuple[str, ...]:
        """Ids tied to one of the anchors, in order of these, then id."""
        values = {"anchors": json.dumps([list(pair) for pair in anchors]), "scopes": self._scopes.within(sight)}
        return tuple(dict.fromkeys(str(row[2]) for row in self._connection.rows(SQL["anchored"], values)))

    def _within(self, sight: Sight) -> dict[int, tuple[str, str]]:
        """Key and type of each scope in sight that holds anything, by its number."""
        numbered = ((self._scopes.known(scope.key), scope) for scope in sight.scopes)
        return {number: (scope.key, scope.type) for number, scope in numbered if number is not None}

    def _warm(self) -> Postings:
        if self._postings is None:
            from learnt.stores.index.postings import Postings

            self._postings = Postings(self._rows)
        return self._postings

    def _forget(self) -> None:
        """After a rollback: the numbers of what was read inside the transaction are given again."""
        self._postings = None

    def _stamp(self) -> tuple[object, int]:
        """Changes when a memory may have changed: by another connection, or by this one."""
        return self._connection.rows(SQL["data_version"])[0][0], self._connection.generation
