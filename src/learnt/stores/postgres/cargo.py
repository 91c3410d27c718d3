"""Everything of a tenant, given chapter by chapter; `learnt.stores.postgres.stow` takes it."""

from __future__ import annotations

import json
from array import array
from contextlib import contextmanager
from typing import TYPE_CHECKING, Final

import psycopg

from learnt.model.cargo import CHAPTERS, Load, stays
from learnt.model.scope import Sight, scope_of
from learnt.stores.chapters import built
from learnt.stores.index.sheets import SHEET
from learnt.stores.postgres import faults
from learnt.stores.postgres.statements import load
from learnt.stores.postgres.stow import Stow
from learnt.stores.postgres.text import incoming, outgoing

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from learnt.model.cargo import Carried, Chapter
    from learnt.ports.store import Store
    from learnt.stores.postgres.connection import Connection
    from learnt.stores.postgres.pool import Raw
    from learnt.stores.postgres.scopes import Scopes
    from learnt.stores.postgres.text import Row, Values

SQL = load("cargo")
_VECTORS = load("vectors")
_FIRST: Final = -(2**63)


class PostgresCargo:
    """See `learnt.ports.cargo.Cargo`. A place is the key of the last row, as JSON."""

    chapters: tuple[Chapter, ...] = CHAPTERS

    def __init__(self, connection: Connection, scopes: Scopes, store: Store) -> None:
        self._connection = connection
        self._scopes = scopes
        self._store = store
        self._seen: Raw | None = None

    @contextmanager
    def moment(self) -> Iterator[None]:
        """A transaction of its own that sees what was committed when it began."""
        seen = self._connection.aside.take()
        try:
            with _translating():
                seen.execute(SQL["moment"].encode())
                seen.execute(SQL["patience"].encode())
            self._seen = seen
            yield
        finally:
            self._seen = None
            self._connection.aside.drop(seen)

    def count(self, chapter: Chapter) -> int:
        """How many rows."""
        if chapter == "facts":
            return sum(not stays(str(key)) for (key,) in self._rows(SQL["fact_keys"]))
        return int(self._rows(SQL[f"count_{chapter}"])[0][0])

    def load(self, chapter: Chapter, after: str, limit: int) -> Load:
        """The next rows."""
        width = _WIDTHS.get(chapter, 1)
        place = json.loads(after) if after else [_START.get((chapter, at), _FIRST) for at in range(width)]
        rows = self._rows(SQL[chapter], (*place, limit))
        if chapter == "vectors" and rows:
            rows = self._with_parts(rows)
        values, damaged = built(chapter, rows, width)
        end = json.dumps(rows[-1][:width]) if rows else json.dumps(place)
        return Load(values, end if len(rows) == limit else "", end, damaged)

    def within(self, sight: Sight, chapter: Chapter, after: str, limit: int) -> Load:
        """The next rows in sight."""
        name, key = json.loads(after) if after else ("", "")
        values = {"scopes": self._scopes.within(sight), "id": name, "key": key, "limit": limit}
        rows = self._rows(SQL[f"within_{chapter}"], values)
        found, damaged = built(chapter, rows, 2)
        end = json.dumps(rows[-1][:2]) if rows else after
        return Load(found, end if len(rows) == limit else "", end, damaged)

    def left(self, sight: Sight) -> Mapping[str, int]:
        """How many rows in sight no `within` gives."""
        counts = self._rows(SQL["left"], {"scopes": self._scopes.within(sight)})[0]
        return dict(zip(("units", "sessions", "extractions", "recipes", "receipts"), map(int, counts), strict=True))

    def accept(self, chapter: Chapter, values: Sequence[Carried]) -> None:
        """Keep these."""
        Stow(self._connection, self._scopes, self._store).take(chapter, values)

    def clear(self) -> None:
        """Remove everything of the tenant but facts that stay."""
        for (number,) in self._connection.rows(SQL["generation_numbers"]):
            self._connection.returning(_VECTORS["unshelve"], (number,))
        for name, sql in SQL.items():
            if name.startswith("clear_"):
                self._connection.write(sql)
        keys = [str(key) for (key,) in self._connection.rows(SQL["fact_keys"])]
        self._connection.write(SQL["drop_facts"], ([key for key in keys if not stays(key)],))
        self._scopes.forget()
        self._connection.generation += 1

    def finish(self) -> None:
        """The sheets of evidence, and what the planner knows of the tables."""
        for (key,) in self._connection.rows(SQL["wordy"], (SHEET,)):
            more = True
            while more:
                with self._connection.transaction():
                    more = self._store.evidence.settle(Sight((scope_of(key),)))
        with self._connection.transaction():
            self._connection.write(SQL["analyze"])

    def _rows(self, sql: str, values: Values = ()) -> list[Row]:
        """All rows of a query, as of the moment where there is one."""
        if self._seen is None:
            return self._connection.rows(sql, values)
        with _translating():
            return incoming(self._seen.execute(sql.encode(), outgoing(values), binary=True).fetchall())

    def _with_parts(self, rows: Sequence[Row]) -> list[Row]:
        """The rows of `vectors`, each with its vectors at the end."""
        parts: dict[Row, list[bytes]] = {row[:4]: [] for row in rows}
        for *place, numbers in self._rows(SQL["parts"], (*rows[0][:4], *rows[-1][:4])):
            held = parts.get(tuple(place))
            if held is not None:
                held.append(array("f", numbers).tobytes())
        return [(*row, tuple(parts[row[:4]])) for row in rows]


@contextmanager
def _translating() -> Iterator[None]:
    try:
        yield
    except psycopg.Error as error:
        raise faults.translated(error) from error


_WIDTHS: Final[dict[Chapter, int]] = {
    "checkpoints": 2,
    "flags": 3,
    "seen": 2,
    "recipes": 3,
    "digests": 2,
    "formers": 2,
    "summaries": 2,
    "vectors": 4,
    "failures": 2,
}
"""How many columns say where a row stands; one in other chapters."""

_START: Final[dict[tuple[Chapter, int], str]] = {
    ("proposals", 0): "",
    ("flags", 0): "",
    ("flags", 1): "",
    ("flags", 2): "",
    ("checkpoints", 0): "",
    ("contexts", 0): "",
    ("sessions", 0): "",
    ("recipes", 2): "",
    ("threads", 0): "",
    ("extractions", 0): "",
    ("summaries", 1): "",
    ("digests", 1): "",
    ("formers", 0): "",
    ("formers", 1): "",
    ("facts", 0): "",
    ("jobs", 0): "",
    ("charges", 0): "",
}
"""Where a column of text begins."""
