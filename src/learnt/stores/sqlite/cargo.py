"""Everything in the file, given chapter by chapter; `learnt.stores.sqlite.stow` takes it."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Final

from learnt.errors import StoreCorruptError
from learnt.model.cargo import CHAPTERS, Load, stays
from learnt.stores.chapters import built
from learnt.stores.index.sheets import SHEET
from learnt.stores.sqlite import sheets
from learnt.stores.sqlite.statements import load

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from contextlib import AbstractContextManager

    from learnt.model.cargo import Carried, Chapter
    from learnt.model.scope import Sight
    from learnt.stores.sqlite.connection import Connection
    from learnt.stores.sqlite.scopes import Scopes

    Row = tuple[Any, ...]

SQL = load("cargo")
_FIRST: Final = -(2**63)
_LAST: Final = 2**63 - 1
_STRETCH: Final = 500


class SqliteCargo:
    """See `learnt.ports.cargo.Cargo`. A place is the key of the last row, as JSON."""

    chapters: tuple[Chapter, ...] = CHAPTERS

    def __init__(
        self, connection: Connection, scopes: Scopes, take: Callable[[Chapter, Sequence[Carried]], None]
    ) -> None:
        self._connection = connection
        self._scopes = scopes
        self._take = take

    def moment(self) -> AbstractContextManager[None]:
        """See `learnt.stores.sqlite.connection.Connection.snapshot`."""
        return self._connection.snapshot()

    def count(self, chapter: Chapter) -> int:
        """How many rows."""
        if chapter == "facts":
            return sum(not stays(str(key)) for (key,) in self._connection.rows(SQL["fact_keys"]))
        try:
            return int(self._connection.rows(SQL[f"count_{chapter}"])[0][0])
        except StoreCorruptError:
            return self._counted(chapter)

    def _counted(self, chapter: Chapter) -> int:
        """How many rows can be read."""
        count, after, more = 0, "", True
        while more:
            found = self.load(chapter, after, _STRETCH)
            count, after, more = count + len(found.values), found.after, bool(found.after)
        return count

    def load(self, chapter: Chapter, after: str, limit: int) -> Load:
        """The next rows."""
        width = _WIDTHS.get(chapter, 1)
        place = json.loads(after) if after else [_START.get((chapter, at), _FIRST) for at in range(width)]
        try:
            rows = self._connection.rows(SQL[chapter], (*place, limit))
        except StoreCorruptError:
            return self._around(chapter, place, limit)
        if chapter == "vectors" and rows:
            rows = self._with_parts(rows)
        values, damaged = built(chapter, rows, width)
        end = json.dumps(rows[-1][:width]) if rows else json.dumps(place)
        return Load(values, end if len(rows) == limit else "", end, damaged)

    def _around(self, chapter: Chapter, place: list[Any], limit: int) -> Load:
        """The rows before pages that cannot be read, then what comes after them; the stretch between is named.

        Rows are looked for with steps of twice the size until one is found, then back by halves: whoever was there
        between the last one that was read and this one is lost.
        """
        if limit > 1:
            return self.load(chapter, json.dumps(place), limit // 2)
        if len(place) == 1 and isinstance(place[0], int):
            last, found = place[0], _LAST
            for step in range(63):
                if self._reads(chapter, min(max(place[0], 0) + (1 << step), _LAST)):
                    found = max(place[0], 0) + (1 << step)
                    break
                last = max(place[0], 0) + (1 << step)
            while found - last > 1:
                middle = (found + last) // 2
                last, found = (last, middle) if self._reads(chapter, middle) else (middle, found)
            end = json.dumps([min(found, _LAST)])
            more = end if found < _LAST else ""
            return Load((), more, end, (f"rows {max(place[0], 0) + 1} to {found if more else 'the last'}",))
        end = json.dumps(place)
        return Load((), "", end, (f"rows after {end}",))

    def _reads(self, chapter: Chapter, place: int) -> bool:
        try:
            self._connection.rows(SQL[chapter], (place, 1))
        except StoreCorruptError:
            return False
        return True

    def within(self, sight: Sight, chapter: Chapter, after: str, limit: int) -> Load:
        """The next rows in sight."""
        name, key = json.loads(after) if after else ("", "")
        values = {"scopes": self._scopes.within(sight), "id": name, "key": key, "limit": limit}
        rows = self._connection.rows(SQL[f"within_{chapter}"], values)
        found, damaged = built(chapter, rows, 2)
        end = json.dumps(rows[-1][:2]) if rows else after
        return Load(found, end if len(rows) == limit else "", end, damaged)

    def left(self, sight: Sight) -> Mapping[str, int]:
        """How many rows in sight no `within` gives."""
        counts = self._connection.rows(SQL["left"], {"scopes": self._scopes.within(sight)})[0]
        return dict(zip(("units", "sessions", "extractions", "recipes", "receipts"), map(int, counts), strict=True))

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
        for (number,) in self._connection.rows(SQL["wordy"], (SHEET,)):
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


_WIDTHS: Final[dict[Chapter, int]] = {
    "checkpoints": 2,
    "flags": 3,
    "seen": 2,
    "recipes": 3,
    "digests": 2,
    "formers": 2,
    "summaries": 2,
    "vectors": 3,
    "failures": 2,
}
"""How many columns say where a row stands; one in other chapters."""

_START: dict[tuple[Chapter, int], str] = {
    ("flags", 0): "",
    ("flags", 1): "",
    ("flags", 2): "",
    ("checkpoints", 0): "",
    ("contexts", 0): "",
    ("jobs", 0): "",
    ("charges", 0): "",
    ("aliases", 0): "",
    ("facts", 0): "",
    ("recipes", 1): "",
    ("recipes", 2): "",
    ("threads", 0): "",
    ("extractions", 0): "",
    ("summaries", 1): "",
    ("digests", 1): "",
    ("formers", 0): "",
    ("formers", 1): "",
}
"""Where a column of text begins."""
