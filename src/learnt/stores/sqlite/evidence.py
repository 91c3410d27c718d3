"""Searching evidence in SQLite."""

from __future__ import annotations

import json
import threading
from typing import TYPE_CHECKING, Any

from learnt.model.filter import Page
from learnt.model.search import Match, Matches
from learnt.model.wording import WORDS_FORM
from learnt.stores.index.narrow import K1
from learnt.stores.index.sheets import SHEET, Area
from learnt.stores.sqlite import sheets
from learnt.stores.sqlite.narrow import listed
from learnt.stores.sqlite.sheets import SQL
from learnt.stores.units import units_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from learnt.model.evidence import EvidenceUnit
    from learnt.model.scope import Scope, Sight
    from learnt.model.search import EvidenceFilter
    from learnt.stores.index.inverted import Inverted, Ranked
    from learnt.stores.sqlite.connection import Connection
    from learnt.stores.sqlite.scopes import Scopes


class SqliteEvidence:
    """See `learnt.ports.evidence.Evidence`. What it remembers between questions follows the writes of others."""

    def __init__(self, connection: Connection, scopes: Scopes) -> None:
        self._connection = connection
        self._scopes = scopes
        self._inverted: Inverted | None = None
        self._turn = threading.Lock()
        connection.on_rollback.append(self._forget)

    def match(
        self, sight: Sight, terms: Sequence[str], wanted: EvidenceFilter, limit: int, also: Sequence[str] = ()
    ) -> Matches:
        """The best units by BM25, and those `also` asked for."""
        asked = list(dict.fromkeys(terms))
        areas = self._areas(sight)
        with self._turn:
            found = self._warm().rank(areas, asked, wanted, limit, self._places(sight, also))
        ceiling = (K1 + 1) * sum(found.rarity.get(term, 0.0) for term in asked)
        best, others = self._read(sight, found)
        return Matches(
            best=best,
            also=others,
            ceiling=ceiling,
            rarity=found.rarity,
            mean=found.mean,
            units=found.units,
            sessions={match.unit.session_id: found.sessions[match.unit.session_id] for match in best},
        )

    def beside(self, sight: Sight, ids: Sequence[str]) -> Mapping[str, tuple[str, str]]:
        """Of each unit the ids of those before and after it in its session."""
        places = self._places(sight, ids)
        with self._turn:
            pairs = self._warm().beside(self._areas(sight), places)
        seqs = {seq for pair in pairs.values() for seq in pair} | pairs.keys()
        values = {"seqs": listed(sorted(seqs)), "scopes": self._scopes.within(sight)}
        names = {row[0]: str(row[1]) for row in self._connection.rows(SQL["ids"], values)}
        return {names[seq]: (names.get(before, ""), names.get(after, "")) for seq, (before, after) in pairs.items()}

    def units(self, sight: Sight, names: Sequence[str]) -> tuple[EvidenceUnit, ...]:
        """The units with these ids or references, in the order asked for."""
        values = {"names": json.dumps(list(names)), "scopes": self._scopes.within(sight)}
        rows = sorted(self._connection.rows(SQL["by_name"], values), key=lambda row: int(row[0]))
        found = units_of((row[1:] for row in rows), sight, self._connection.unreadable)
        return tuple({(unit.scope.key, unit.ref): unit for unit in found}.values())

    def documents(self, sight: Sight, limit: int) -> Page[EvidenceUnit]:
        """Evidence documents, newest first."""
        values = {"scopes": self._scopes.within(sight)}
        rows = self._connection.rows(SQL["documents"], {**values, "limit": limit})
        total = self._connection.rows(SQL["document_count"], values)[0][0]
        return Page(tuple(units_of(rows, sight, self._connection.unreadable)), int(total))

    def trim(self, scope: Scope, max_bytes: int, max_records: int) -> int:
        """Remove the oldest uncited documents until the rest fits."""
        number = self._scopes.known(scope.key)
        if number is None:
            return 0
        rows = self._connection.rows(SQL["document_sizes"], {"scope": number})
        size_bytes, records, gone = sum(row[1] for row in rows), len(rows), []
        for seq, length, cited in reversed(rows):
            if (not max_bytes or size_bytes <= max_bytes) and (not max_records or records <= max_records):
                break
            if not cited:
                gone.append(seq)
                size_bytes, records = size_bytes - length, records - 1
        if gone:
            sheets.remove(self._connection, number, gone)
        return len(gone)

    def next_number(self, scope: Scope, session_id: str) -> int:
        """One more than the highest number in a reference of this session."""
        number = self._scopes.known(scope.key)
        values = {"scope": number, "session": session_id, "skip": len(f"session:{session_id}#") + 1}
        row = self._connection.row(SQL["last_number"], values)
        return 0 if row is None or row[0] is None else int(row[0]) + 1

    def backlog(self, sight: Sight) -> int:
        """How many units are in no sheet."""
        found = 0
        for area in self._areas(sight):
            if area.last > area.settled:
                values = {"scope": area.no, "seq": area.settled}
                found += int(self._connection.rows(SQL["count_after"], values)[0][0])
        return found

    def settle(self, sight: Sight) -> bool:
        """Make one sheet a scope; whether there are units enough for more."""
        for area in self._areas(sight):
            if area.last > area.settled:
                sheets.settle(self._connection, area.no)
        return self.backlog(sight) >= SHEET * len(sight.keys)

    def _areas(self, sight: Sight) -> list[Area]:
        values = {"scopes": self._scopes.within(sight), "form": WORDS_FORM}
        return [Area(row) for row in self._connection.rows(SQL["areas"], values)]

    def _places(self, sight: Sight, ids: Sequence[str]) -> dict[int, list[int]]:
        """By scope, where units with these ids stand."""
        found: dict[int, list[int]] = {}
        if ids:
            values = {"names": json.dumps(list(ids)), "scopes": self._scopes.within(sight)}
            for scope, seq in self._connection.rows(SQL["by_id"], values):
                found.setdefault(scope, []).append(seq)
        return found

    def _read(self, sight: Sight, found: Ranked) -> tuple[tuple[Match, ...], tuple[Match, ...]]:
        seqs = {seq for _, _, seq, _ in (*found.best, *found.also)}
        values = {"seqs": listed(sorted(seqs)), "scopes": self._scopes.within(sight)}
        rows = self._connection.rows(SQL["numbered"], values)
        bad = self._connection.unreadable
        units = {row[0]: unit for row in rows for unit in units_of((row[1:],), sight, bad)}
        best, also = (
            tuple(Match(units[seq], score, passage) for score, _, seq, passage in each if seq in units)
            for each in (found.best, found.also)
        )
        return best, also

    def _warm(self) -> Inverted:
        if self._inverted is None:
            from learnt.stores.index.inverted import Inverted

            self._inverted = Inverted(self._rows)
        return self._inverted

    def _forget(self) -> None:
        """What was learned inside an undone transaction does not hold."""
        self._inverted = None

    def _rows(self, name: str, values: dict[str, object]) -> list[tuple[Any, ...]]:
        bound = {key: json.dumps(value) if isinstance(value, list) else value for key, value in values.items()}
        return self._connection.rows(SQL[name], bound)
