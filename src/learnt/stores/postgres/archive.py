"""Evidence and sessions in PostgreSQL."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from learnt.model.keys import number64
from learnt.stores.postgres import sheets
from learnt.stores.postgres.statements import load
from learnt.stores.rows import legible, session_of, session_values
from learnt.stores.units import unit_row, units_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from learnt.model.evidence import EvidenceUnit, SessionRecord
    from learnt.model.scope import Sight
    from learnt.stores.postgres.connection import Connection
    from learnt.stores.postgres.scopes import Scopes

_SQL = load("archive")
_BULK, _BULK_CHARS = 500, 1 << 20
"""So much goes in one statement; a file of any size is read in the same memory."""


class PostgresArchive:
    """See `learnt.ports.archive.Archive`."""

    def __init__(self, connection: Connection, scopes: Scopes) -> None:
        self._connection = connection
        self._scopes = scopes

    def put_units(self, units: Iterable[EvidenceUnit]) -> int:
        """Insert; what is there already stays as it was, but becomes cited when it is cited now."""
        given = list(units)
        of = {unit.scope.key: unit.scope for unit in given}
        self._connection.lock(of)
        numbers = {key: self._scopes.number(scope) for key, scope in of.items()}
        new = 0
        for bulk in _bulks(given):
            columns = zip(*(unit_row(unit, numbers[unit.scope.key]) for unit in bulk), strict=True)
            counted = self._connection.returning(_SQL["put_units"], [list(column) for column in columns])
            new += int(counted[0]) if counted else 0
        for key, number in numbers.items() if new < len(given) else ():
            cited = [unit.ref for unit in given if unit.cited and unit.scope.key == key]
            self._connection.write(_SQL["cite"], {"scopes": [number], "refs": cited})
        return new

    def unit(self, sight: Sight, ref: str) -> EvidenceUnit | None:
        """The unit with this reference or id."""
        rows = self._connection.rows(_SQL["unit"], {"scopes": self._scopes.within(sight), "ref": ref})
        return next(iter(units_of(rows, sight, self._connection.unreadable)), None)

    def cite(self, sight: Sight, refs: Sequence[str]) -> None:
        """Mark units as cited."""
        self._connection.write(_SQL["cite"], {"scopes": self._scopes.within(sight), "refs": list(refs)})

    def prune(self, before: str, sight: Sight | None = None) -> int:
        """Remove uncited units observed before an instant; gives how many."""
        doomed: dict[int, list[int]] = {}
        found = self._connection.rows(_SQL["doomed"], {"before": before, "keys": list(sight.keys) if sight else None})
        self._connection.lock({str(key) for key, _, _ in found})
        for _, number, seq in found:
            doomed.setdefault(number, []).append(seq)
        return sum(self._remove(number, seqs) for number, seqs in doomed.items())

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
        numbers: dict[int, str] = {}
        for name in message_ids:
            numbers.setdefault(number64(name), name)
        values = {"lineage": number64(lineage), "messages": list(numbers)}
        new = {row[0] for row in self._connection.rows(_SQL["see"], values)} if numbers else ()
        return tuple(name for number, name in numbers.items() if number in new)

    def _remove(self, number: int, seqs: list[int]) -> int:
        gone = self._connection.returning(_SQL["remove"], (number, seqs))
        self._connection.write(_SQL["left"], (number,))
        sheets.remake(self._connection, number, seqs)
        return int(gone[0]) if gone else 0

    def _readable(self, rows: list[tuple[Any, ...]]) -> list[SessionRecord]:
        return legible(rows, session_of, self._connection.unreadable)


def _bulks(units: Sequence[EvidenceUnit]) -> Iterator[list[EvidenceUnit]]:
    bulk: list[EvidenceUnit] = []
    chars = 0
    for unit in units:
        bulk.append(unit)
        chars += len(unit.text)
        if len(bulk) >= _BULK or chars >= _BULK_CHARS:
            yield bulk
            bulk, chars = [], 0
    if bulk:
        yield bulk
