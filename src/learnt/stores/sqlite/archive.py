"""Evidence and sessions in SQLite."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from learnt.model.keys import number64
from learnt.stores.rows import legible, session_of, session_values
from learnt.stores.sqlite import sheets
from learnt.stores.sqlite.statements import load
from learnt.stores.units import unit_row, units_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from learnt.model.evidence import EvidenceUnit, SessionRecord
    from learnt.model.scope import Sight
    from learnt.stores.sqlite.connection import Connection
    from learnt.stores.sqlite.scopes import Scopes

_SQL = load("archive")
_BULK, _BULK_CHARS = 200, 1 << 18
"""So much at once are part of many more; a file of any size is read in the same memory."""


class SqliteArchive:
    """See `learnt.ports.archive.Archive`."""

    def __init__(self, connection: Connection, scopes: Scopes) -> None:
        self._connection = connection
        self._scopes = scopes

    def put_units(self, units: Iterable[EvidenceUnit]) -> int:
        """Insert; what is there already stays as it was, but becomes cited when it is cited now."""
        given = list(units)
        if len(given) >= _BULK or sum(len(unit.text) for unit in given) >= _BULK_CHARS:
            self._connection.release()
        numbers = {scope: self._scopes.number(scope) for scope in dict.fromkeys(unit.scope for unit in given)}
        rows = (unit_row(unit, numbers[unit.scope]) for unit in given)
        new = self._connection.write_many(_SQL["put_unit"], rows) if given else 0
        for unit in given if new < len(given) else ():
            if unit.cited:
                self._connection.write(_SQL["cite_one"], (numbers[unit.scope], unit.ref))
        return new

    def unit(self, sight: Sight, ref: str) -> EvidenceUnit | None:
        """The unit with this reference or id."""
        rows = self._connection.rows(_SQL["unit"], {"scopes": self._scopes.within(sight), "ref": ref})
        return next(iter(units_of(rows, sight, self._connection.unreadable)), None)

    def cite(self, sight: Sight, refs: Sequence[str]) -> None:
        """Mark units as cited."""
        self._connection.write(_SQL["cite"], {"scopes": self._scopes.within(sight), "refs": json.dumps(list(refs))})

    def prune(self, before: str, sight: Sight | None = None) -> int:
        """Remove uncited units observed before an instant; gives how many."""
        values = {"before": before, "scopes": self._scopes.within(sight) if sight else ""}
        doomed: dict[int, list[int]] = {}
        for number, seq in self._connection.rows(_SQL["doomed_within" if sight else "doomed"], values):
            doomed.setdefault(number, []).append(seq)
        for number, seqs in doomed.items():
            sheets.remove(self._connection, number, seqs)
            self._connection.generation += 1
        return sum(map(len, doomed.values()))

    def put_session(self, session: SessionRecord) -> None:
        """Insert or replace by id."""
        values = session_values(session, self._scopes.number(session.scope))
        self._connection.write(_SQL["put_session"], values)

    def session(self, sight: Sight, name: str) -> SessionRecord | None:
        """By id, host session id or path."""
        values = {"scopes": self._scopes.within(sight), "name": name}
        return next(iter(self._readable(self._connection.rows(_SQL["session"], values))), None)

    def sessions(self, sight: Sight, limit: int) -> tuple[SessionRecord, ...]:
        """Latest `ended_at` first."""
        values = {"scopes": self._scopes.within(sight), "limit": limit}
        return tuple(self._readable(self._connection.rows(_SQL["sessions"], values)))

    def unseen(self, lineage: str, message_ids: Sequence[str]) -> tuple[str, ...]:
        """Those never passed for this lineage before, in order; they count as passed from now on."""
        line = number64(lineage)
        numbers = {name: number64(name) for name in message_ids}
        known = {row[0] for row in self._connection.rows(_SQL["seen"], (line, json.dumps(list(numbers.values()))))}
        new = {number: name for name, number in reversed(numbers.items()) if number not in known}
        if new:
            self._connection.write_many(_SQL["see"], ((line, number) for number in sorted(new)))
        return tuple(reversed(new.values()))

    def _readable(self, rows: list[tuple[Any, ...]]) -> list[SessionRecord]:
        return legible(rows, session_of, self._connection.unreadable)
