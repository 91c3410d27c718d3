"""Sheets of the full text of evidence: 1,024 units of a scope each, remade when one of them leaves.

Tried and rejected: indexing a unit when it is kept (it halved the speed of reading transcripts, and every unit was
indexed again when its neighbour came); FTS5 (statistics over foreign scopes, and a microsecond for each matched row).
"""

from __future__ import annotations

import json
from array import array
from struct import pack
from typing import TYPE_CHECKING, Any, Final

from learnt.model.evidence import UNIT_TYPES
from learnt.model.instant import to_epoch
from learnt.model.wording import WORDS_FORM, word_counts
from learnt.stores.sqlite.statements import load

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from learnt.stores.sqlite.connection import Connection

SQL = load("evidence")

SHEET: Final = 1_024
"""Units of a sheet: what a search reads whole beyond them takes some 50 ms at worst."""

_LONGEST: Final = 65_535


def moment_ms(at: str) -> int:
    """A canonical instant in milliseconds since 1970; 0 for none."""
    try:
        return round(to_epoch(at) * 1000)
    except (ValueError, IndexError):
        return 0


def settle(connection: Connection, scope: int) -> bool:
    """Make the next sheet of a scope when there are units enough; whether there may be another one to make."""
    _drop_stale(connection, scope)
    held = connection.row(SQL["last_sheet"], {"scope": scope, "form": WORDS_FORM}) or (-1, 0)
    number, last = int(held[0]) + 1, int(held[1])
    units = connection.rows(SQL["after"], {"scope": scope, "seq": last, "limit": SHEET})
    if len(units) < SHEET:
        return False
    _make(connection, scope, number, units)
    return True


def remove(connection: Connection, scope: int, seqs: Sequence[int]) -> None:
    """Remove units and every trace of them in the index."""
    connection.write(SQL["remove"], {"scope": scope, "seqs": json.dumps(list(seqs))})
    connection.write(SQL["changed"], (scope,))
    for number, first, last in connection.rows(SQL["stretches"], (scope,)):
        if any(first <= seq <= last for seq in seqs):
            _drop(connection, scope, number)
            left = connection.rows(SQL["between"], {"scope": scope, "first": first, "last": last})
            if left:
                _make(connection, scope, number, left)


def _drop_stale(connection: Connection, scope: int) -> None:
    stale = connection.rows(SQL["stale_sheets"], {"scope": scope, "form": WORDS_FORM})
    for (number,) in stale:
        _drop(connection, scope, number)
    if stale:
        connection.write(SQL["changed"], (scope,))


def _drop(connection: Connection, scope: int, number: int) -> None:
    connection.write(SQL["drop_sheet"], (scope, number))
    connection.write(SQL["drop_postings"], (scope, number))


def _make(connection: Connection, scope: int, number: int, units: Sequence[tuple[Any, ...]]) -> None:
    held: dict[str, tuple[array[int], array[int]]] = {}
    lengths = []
    for place, row in enumerate(units):
        counts = word_counts(row[5])
        lengths.append(min(sum(counts.values()), _LONGEST))
        for term, often in counts.items():
            places, repeats = held.get(term) or held.setdefault(term, (array("H"), array("H")))
            if often > 1:
                repeats.extend((len(places), min(often, _LONGEST)))
            places.append(place)
    postings = (
        (scope, number, term, places.tobytes(), repeats.tobytes()) for term, (places, repeats) in sorted(held.items())
    )
    connection.write_many(SQL["put_posting"], postings)
    numbers, names = _card(units, lengths)
    sheet = (scope, number, WORDS_FORM, units[0][0], units[-1][0], len(units), numbers, names)
    connection.write(SQL["put_sheet"], sheet)


def _card(units: Sequence[tuple[Any, ...]], lengths: Sequence[int]) -> tuple[bytes, str]:
    """The columns `numbers` and `names`."""
    sessions, whos = (_coded(row[at] for row in units) for at in (1, 2))
    count = len(units)
    numbers = b"".join(
        (
            pack(f"<{count}q", *(row[0] for row in units)),
            pack(f"<{count}q", *(moment_ms(row[4]) for row in units)),
            pack(f"<{count}H", *lengths),
            pack(f"<{count}H", *(sessions[row[1]] for row in units)),
            pack(f"<{count}H", *(whos[row[2]] for row in units)),
            pack(f"<{count}H", *(UNIT_TYPES.index(row[3]) for row in units)),
        )
    )
    return numbers, json.dumps([list(sessions), list(whos)], ensure_ascii=False)


def _coded(names: Iterable[str]) -> dict[str, int]:
    """Distinct names, numbered in order."""
    return {name: number for number, name in enumerate(dict.fromkeys(names))}
