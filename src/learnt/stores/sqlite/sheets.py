"""Sheets of the full text of evidence: 1,024 units of a scope each, remade when one of them leaves.

Tried and rejected: indexing a unit when it is kept (it halved the speed of reading transcripts, and every unit was
indexed again when its neighbour came); FTS5 (statistics over foreign scopes, and a microsecond for each matched row).
"""

from __future__ import annotations

import json
from bisect import bisect_left, bisect_right
from typing import TYPE_CHECKING, Any, Final

from learnt.model.wording import WORDS_FORM
from learnt.stores.index.sheets import SHEET, Sheet
from learnt.stores.sqlite.statements import load

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from learnt.stores.sqlite.connection import Connection

SQL = load("evidence")

_STEP: Final = 64


def settle(connection: Connection, scope: int) -> bool:
    """Make the next sheet of a scope when there are units enough; whether there may be another one to make."""
    connection.release()
    _drop_stale(connection, scope)
    held = connection.row(SQL["last_sheet"], {"scope": scope, "form": WORDS_FORM}) or (-1, 0)
    number, last = int(held[0]) + 1, int(held[1])
    if connection.rows(SQL["count_after"], {"scope": scope, "seq": last})[0][0] < SHEET:
        return False
    _make(connection, scope, number, _next(connection, scope, last))
    return True


def _next(connection: Connection, scope: int, last: int) -> Iterator[tuple[Any, ...]]:
    """The units of the sheet after a place, a few at a time: a thousand long ones would not be small."""
    for _ in range(SHEET // _STEP):
        for row in connection.rows(SQL["after"], {"scope": scope, "seq": last, "limit": _STEP}):
            yield row
            last = row[0]


def remove(connection: Connection, scope: int, seqs: Sequence[int]) -> None:
    """Remove units and every trace of them in the index."""
    connection.write(SQL["remove"], {"scope": scope, "seqs": json.dumps(list(seqs))})
    connection.write(SQL["changed"], (scope,))
    gone = sorted(seqs)
    for number, first, last in connection.rows(SQL["stretches"], (scope,)):
        if bisect_left(gone, first) < bisect_right(gone, last):
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


def _make(connection: Connection, scope: int, number: int, units: Iterable[tuple[Any, ...]]) -> None:
    made = Sheet(units)
    connection.write_many(SQL["put_posting"], ((scope, number, *posting) for posting in made.postings()))
    sheet = (scope, number, WORDS_FORM, made.first, made.last, made.taken)
    connection.write(SQL["put_sheet"], (*sheet, made.numbers, made.names))
