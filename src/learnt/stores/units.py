"""Evidence as rows, with a check sum of what is shown, so that no damaged text is served as if it were whole.

SQLite has no check sums of its own, and a server's pages only where it was set up with them. The sum costs a
microsecond a unit; readers that only rank (sheets, vectors) do without.
"""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING, Any
from zlib import crc32

from learnt.errors import StoreCorruptError
from learnt.model.evidence import ERASED, EvidenceUnit
from learnt.model.session import Span
from learnt.stores.records import UndecodableError

if TYPE_CHECKING:
    from collections.abc import Iterable

    from learnt.model.scope import Scope, Sight


def unit_row(unit: EvidenceUnit, number: int) -> tuple[object, ...]:
    """A unit as the columns of `evidence_units`, from `id` to `text`; `number` is its scope's."""
    span = unit.span
    place = (span.offset, span.length, span.record) if span else (None, None, None)
    head = (unit.id, number, unit.ref, unit.session_id, unit.type, unit.who, unit.at, int(unit.cited), unit.path)
    detail = json.dumps(unit.detail, ensure_ascii=False) if unit.detail else ""
    crc = _sum(unit.id, unit.ref, unit.session_id, unit.type, unit.who, unit.at, detail, unit.text)
    return (*head, *place, detail, unit.clearance, crc, unit.text)


def unit_of(row: tuple[Any, ...], sight: Sight, *, check: bool = True) -> EvidenceUnit:
    """The unit of a row in the columns of the statement `unit`: the scope's key, then `id` to `text`.

    Args:
        check: Refuse what is not what was written.

    Raises:
        UndecodableError: The row is damaged.
    """
    key, id_, ref, session_id, type_, who, at, cited, path, offset, length, record, detail, clearance, crc, text = row
    try:
        if check and crc is not None and crc != _sum(id_, ref, session_id, type_, who, at, detail, text):
            raise UndecodableError("check sum")
        told = tuple((str(name), str(value)) for name, value in json.loads(detail)) if detail else ()
    except (ValueError, TypeError) as error:
        raise UndecodableError(str(error)) from error
    return EvidenceUnit(
        id=id_,
        scope=_owner(key, sight),
        type=type_,
        ref=ref,
        session_id=session_id,
        who=who,
        at=at,
        text=text,
        span=None if offset is None else Span(offset=offset, length=length, record=record),
        path=path,
        cited=bool(cited),
        clearance=clearance,
        detail=told,
    )


def units_of(rows: Iterable[tuple[Any, ...]], sight: Sight, unreadable: dict[str, str]) -> list[EvidenceUnit]:
    """The units of such rows; a damaged one is left out, and told of in `unreadable` by its id."""
    found = []
    for row in rows:
        try:
            found.append(unit_of(row, sight))
        except UndecodableError as error:
            unreadable[str(row[1])] = str(error)
    return found


def blanked(unit: EvidenceUnit) -> EvidenceUnit:
    """A unit whose text was erased: its place stays, and nothing fills it again."""
    return replace(unit, text="", who="", path="", cited=True, detail=(ERASED,), clearance="")


def _sum(*parts: str) -> int:
    """CRC-32: against accidents of a disk; against people there is the audit trail."""
    return crc32("\0".join(parts).encode("utf-8", "surrogatepass"))


def _owner(key: str, sight: Sight) -> Scope:
    """The scope in sight with this key.

    Raises:
        StoreCorruptError: The key was damaged: a statement gives only rows in sight.
    """
    found = next((scope for scope in sight if scope.key == key), None)
    if found is None:
        raise StoreCorruptError
    return found
