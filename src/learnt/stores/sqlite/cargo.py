"""Everything in the file, given chapter by chapter; `learnt.stores.sqlite.stow` takes it."""

from __future__ import annotations

import json
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Final

from learnt.errors import UsageError
from learnt.model.cargo import Era, Fact, Load, Placed, Receipt, Seen, Sighting, Sitting, stays
from learnt.model.evidence import Recipe, SessionRecord
from learnt.model.job import Job
from learnt.model.ranking import Bundle
from learnt.model.scope import Sight, scope_of
from learnt.stores import records
from learnt.stores.rows import chain_row, unit_of
from learnt.stores.sqlite import sheets
from learnt.stores.sqlite.statements import load

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from contextlib import AbstractContextManager

    from learnt.model.cargo import Carried, Chapter
    from learnt.stores.sqlite.connection import Connection

    Row = tuple[Any, ...]

SQL = load("cargo")
_FIRST: Final = -(2**63)


class SqliteCargo:
    """See `learnt.ports.cargo.Cargo`. A place is the key of the last row, as JSON."""

    def __init__(self, connection: Connection, take: Callable[[Chapter, Sequence[Carried]], None]) -> None:
        self._connection = connection
        self._take = take

    def moment(self) -> AbstractContextManager[None]:
        """See `learnt.stores.sqlite.connection.Connection.snapshot`."""
        return self._connection.snapshot()

    def count(self, chapter: Chapter) -> int:
        """How many rows."""
        if chapter == "facts":
            return sum(not stays(str(key)) for (key,) in self._connection.rows(SQL["fact_keys"]))
        return int(self._connection.rows(SQL[f"count_{chapter}"])[0][0])

    def load(self, chapter: Chapter, after: str, limit: int) -> Load:
        """The next rows."""
        width, built = _CHAPTERS[chapter]
        place = json.loads(after) if after else [_START.get((chapter, at), _FIRST) for at in range(width)]
        rows = self._connection.rows(SQL[chapter], (*place, limit))
        if chapter == "vectors" and rows:
            rows = self._with_parts(rows)
        values, damaged = _values(rows, built, chapter in _NAMED)
        end = json.dumps(rows[-1][:width]) if rows else json.dumps(place)
        return Load(values, end if len(rows) == limit else "", end, damaged)

    def accept(self, chapter: Chapter, values: Sequence[Carried]) -> None:
        """Keep these."""
        self._take(chapter, values)

    def clear(self) -> None:
        """Remove everything but facts that stay."""
        for name, sql in SQL.items():
            if name.startswith("clear_"):
                self._connection.write(sql)
        keys = [str(key) for (key,) in self._connection.rows(SQL["fact_keys"])]
        self._connection.write_many(SQL["drop_fact"], ((key,) for key in keys if not stays(key)))
        self._connection.forget()

    def finish(self) -> None:
        """The sheets of evidence."""
        for number in [row[0] for row in self._connection.rows(SQL["scopes"], (_FIRST, -1))]:
            more = True
            while more:
                with self._connection.transaction():
                    more = sheets.settle(self._connection, number)

    def _with_parts(self, rows: Sequence[Row]) -> list[Row]:
        """The rows of `vectors`, each with its vectors at the end."""
        parts: dict[Row, list[bytes]] = {row[:3]: [] for row in rows}
        for *place, vector in self._connection.rows(SQL["parts"], (*rows[0][:3], *rows[-1][:3])):
            held = parts.get(tuple(place))
            if held is not None:
                held.append(vector)
        return [(*row, tuple(parts[row[:3]])) for row in rows]


def _values(rows: Sequence[Row], built: Callable[[Row], Carried | None], name: int) -> tuple[Any, tuple[str, ...]]:
    """The values of rows, and what the unreadable ones are called."""
    values, damaged = [], []
    for row in rows:
        try:
            value = built(row)
        except (records.UndecodableError, UsageError, ValueError, TypeError):
            damaged.append(str(row[name]))
            continue
        if value is not None:
            values.append(value)
    return tuple(values), tuple(damaged)


@lru_cache(maxsize=4_096)
def _sight(key: str) -> Sight:
    return Sight((scope_of(key),))


def _receipt(row: Row) -> Carried:
    return Receipt(row[0], records.plain_of(Bundle, row[1]))


def _recipe(row: Row) -> Carried:
    _, key, session_id, scope, command, commit, ref, at = row
    recipe = Recipe(key=key, command=command, session_id=session_id, commit=commit, ref=ref, at=at)
    return Sighting(scope_of(scope), recipe)


def _fact(row: Row) -> Carried | None:
    return None if stays(row[0]) else Fact(row[0], row[1])


def _era(row: Row) -> Carried:
    _, target, version, form, dimension, status, began_at, finished_at = row
    return Era(
        target=target,
        version=version,
        form=form,
        dimension=dimension,
        status=status,
        began_at=began_at,
        finished_at=finished_at,
    )


def _vectors(row: Row) -> Carried | None:
    _, _, _, target, version, form, name, vectors = row
    return name and Placed(target=target, version=version, form=form, id=name, vectors=vectors)


def _failure(row: Row) -> Carried | None:
    _, _, target, version, form, name, reason, attempts, at = row
    failure = "" if reason == "blank" else reason
    return name and Placed(
        target=target, version=version, form=form, id=name, failure=failure, attempts=attempts, at=at
    )


_CHAPTERS: dict[Chapter, tuple[int, Callable[[Row], Any]]] = {
    "scopes": (1, lambda row: scope_of(row[1])),
    "memories": (1, lambda row: records.memory_of(row[1:])),
    "proposals": (1, lambda row: records.proposal_of(row[1:])),
    "events": (1, chain_row),
    "receipts": (1, _receipt),
    "contexts": (1, lambda row: Sitting(*row)),
    "units": (1, lambda row: unit_of(row[2:], _sight(row[2]))),
    "sessions": (1, lambda row: records.plain_of(SessionRecord, row[2])),
    "seen": (2, lambda row: Seen(*row)),
    "recipes": (3, _recipe),
    "aliases": (1, lambda row: Fact(*row)),
    "facts": (1, _fact),
    "generations": (1, _era),
    "vectors": (3, _vectors),
    "failures": (2, _failure),
    "jobs": (1, lambda row: Job(**dict(zip(Job.__slots__, row, strict=True)))),
}
"""How many columns say where a row stands, and what its columns mean."""

_NAMED: Final = frozenset({"memories", "proposals", "units", "sessions"})
"""Chapters whose second column is an id; of the others a row is called by its place."""

_START: dict[tuple[Chapter, int], str] = {
    ("contexts", 0): "",
    ("jobs", 0): "",
    ("aliases", 0): "",
    ("facts", 0): "",
    ("recipes", 1): "",
    ("recipes", 2): "",
}
"""Where a column of text begins."""
