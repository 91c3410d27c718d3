"""Searching evidence in PostgreSQL."""

from __future__ import annotations

import threading
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from learnt.model.filter import Page
from learnt.model.search import Match, Matches
from learnt.model.wording import WORDS_FORM
from learnt.stores.index.narrow import K1
from learnt.stores.index.sheets import SHEET, Area
from learnt.stores.postgres import sheets
from learnt.stores.postgres.sheets import SQL
from learnt.stores.units import units_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from learnt.model.evidence import EvidenceUnit
    from learnt.model.scope import Scope, Sight
    from learnt.model.search import EvidenceFilter
    from learnt.stores.index.inverted import Inverted, Ranked
    from learnt.stores.postgres.connection import Connection
    from learnt.stores.postgres.scopes import Scopes


class PostgresEvidence:
    """See `learnt.ports.evidence.Evidence`. Ranked by the code that ranks for SQLite.

    What is remembered between questions follows the writes of others: each question reads its scopes' counters first.
    Inside a transaction nothing is remembered: what is not committed is nobody else's to see.
    """

    def __init__(self, connection: Connection, scopes: Scopes) -> None:
        self._connection = connection
        self._scopes = scopes
        self._inverted: Inverted | None = None
        self._turn = threading.Lock()

    def match(
        self, sight: Sight, terms: Sequence[str], wanted: EvidenceFilter, limit: int, also: Sequence[str] = ()
    ) -> Matches:
        """The best units by BM25, and those `also` asked for."""
        asked = list(dict.fromkeys(terms))
        areas, places = self._areas(sight), self._places(sight, also)
        with self._warm() as inverted:
            found = inverted.rank(areas, asked, wanted, limit, places)
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
        places, areas = self._places(sight, ids), self._areas(sight)
        with self._warm() as inverted:
            pairs = inverted.beside(areas, places)
        seqs = {seq for pair in pairs.values() for seq in pair} | pairs.keys()
        rows = self._rows("ids", {"seqs": sorted(seqs), "scopes": self._scopes.within(sight)})
        names = {row[0]: str(row[1]) for row in rows}
        return {names[seq]: (names.get(before, ""), names.get(after, "")) for seq, (before, after) in pairs.items()}

    def units(self, sight: Sight, names: Sequence[str]) -> tuple[EvidenceUnit, ...]:
        """The units with these ids or references, in the order asked for."""
        rows = self._rows("by_name", {"names": list(dict.fromkeys(names)), "scopes": self._scopes.within(sight)})
        found = units_of(rows, sight, self._connection.unreadable)
        return tuple({(unit.scope.key, unit.ref): unit for unit in found}.values())

    def documents(self, sight: Sight, limit: int) -> Page[EvidenceUnit]:
        """Evidence documents, newest first."""
        values: dict[str, object] = {"scopes": self._scopes.within(sight)}
        rows = self._rows("documents", {**values, "limit": limit})
        total = self._rows("document_count", values)[0][0]
        return Page(tuple(units_of(rows, sight, self._connection.unreadable)), int(total))

    def trim(self, scope: Scope, max_bytes: int, max_records: int) -> int:
        """Remove the oldest uncited documents until the rest fits."""
        self._connection.lock((scope.key,))
        number = self._scopes.known(scope.key)
        rows = self._rows("document_sizes", {"scope": number}) if number is not None else []
        size_bytes, records, gone = sum(row[1] for row in rows), len(rows), []
        for seq, length, cited in reversed(rows):
            if (not max_bytes or size_bytes <= max_bytes) and (not max_records or records <= max_records):
                break
            if not cited:
                gone.append(seq)
                size_bytes, records = size_bytes - length, records - 1
        if number is not None and gone:
            self._connection.write(SQL["remove"], {"scope": number, "seqs": gone})
            self._connection.write(SQL["changed"], (number,))
            sheets.remake(self._connection, number, gone)
        return len(gone)

    def next_number(self, scope: Scope, session_id: str) -> int:
        """One more than the highest number in a reference of this session."""
        number = self._scopes.known(scope.key)
        skip = len(f"session:{session_id}#") + 1
        values: dict[str, object] = {"scope": number, "session": session_id, "skip": skip}
        ((highest,),) = self._rows("last_number", values)
        return 0 if highest is None else int(highest) + 1

    def backlog(self, sight: Sight) -> int:
        """How many units are in no sheet."""
        found = 0
        for area in self._areas(sight):
            if area.last > area.settled:
                found += int(self._rows("count_after", {"scope": area.no, "seq": area.settled})[0][0])
        return found

    def settle(self, sight: Sight) -> bool:
        """Make one sheet a scope; whether there are units enough for more."""
        self._connection.lock(sight.keys)
        for area in self._areas(sight):
            if area.last > area.settled:
                sheets.settle(self._connection, area.no)
        return self.backlog(sight) >= SHEET * len(sight.keys)

    def _areas(self, sight: Sight) -> list[Area]:
        return [Area(row) for row in self._rows("areas", {"scopes": self._scopes.within(sight), "form": WORDS_FORM})]

    def _places(self, sight: Sight, ids: Sequence[str]) -> dict[int, list[int]]:
        """By scope, where units with these ids stand."""
        found: dict[int, list[int]] = {}
        if ids:
            for scope, seq in self._rows("by_id", {"names": list(ids), "scopes": self._scopes.within(sight)}):
                found.setdefault(scope, []).append(seq)
        return found

    def _read(self, sight: Sight, found: Ranked) -> tuple[tuple[Match, ...], tuple[Match, ...]]:
        seqs = {seq for _, _, seq, _ in (*found.best, *found.also)}
        rows = self._rows("numbered", {"seqs": sorted(seqs), "scopes": self._scopes.within(sight)})
        bad = self._connection.unreadable
        units = {row[0]: unit for row in rows for unit in units_of((row[1:],), sight, bad)}
        best, also = (
            tuple(Match(units[seq], score, passage) for score, _, seq, passage in each if seq in units)
            for each in (found.best, found.also)
        )
        return best, also

    @contextmanager
    def _warm(self) -> Iterator[Inverted]:
        """What is remembered, for one thread at a time."""
        from learnt.stores.index.inverted import Inverted

        if self._connection.work is not None:
            yield Inverted(self._rows)
            return
        with self._turn:
            if self._inverted is None:
                self._inverted = Inverted(self._rows)
            yield self._inverted

    def _rows(self, name: str, values: dict[str, object]) -> list[tuple[Any, ...]]:
        return self._connection.rows(SQL[name], values)
