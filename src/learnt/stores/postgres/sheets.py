"""Sheets of the full text of evidence: 1,024 units of a scope each, remade when one of them leaves."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from typing import TYPE_CHECKING, Any, Final

from learnt.model.wording import WORDS_FORM
from learnt.stores.index.sheets import SHEET, Sheet
from learnt.stores.postgres.statements import load

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from learnt.stores.postgres.connection import Connection

SQL = load("evidence")

_STEP: Final = 128
_TOGETHER: Final = 4_096


def settle(connection: Connection, scope: int) -> None:
    """Make the next sheet of a scope when there are units enough. Inside a transaction that holds the scope."""
    if connection.rows(SQL["drop_stale"], {"scope": scope, "form": WORDS_FORM}):
        connection.write(SQL["changed"], (scope,))
    ((number, last),) = connection.rows(SQL["last_sheet"], {"scope": scope, "form": WORDS_FORM})
    if connection.rows(SQL["count_after"], {"scope": scope, "seq": last})[0][0] >= SHEET:
        _make(connection, scope, number + 1, _next(connection, scope, last))


def remake(connection: Connection, scope: int, seqs: Sequence[int]) -> None:
    """Make the sheets again that held units which have left, from what is left of them."""
    gone = sorted(seqs)
    for number, first, last in connection.rows(SQL["stretches"], (scope,)):
        if bisect_left(gone, first) < bisect_right(gone, last):
            connection.write(SQL["drop_sheet"], (scope, number))
            connection.write(SQL["drop_postings"], (scope, number))
            left = connection.rows(SQL["between"], {"scope": scope, "first": first, "last": last})
            if left:
                _make(connection, scope, number, left)


def _next(connection: Connection, scope: int, last: int) -> Iterator[tuple[Any, ...]]:
    """The units of the sheet after a place, a few at a time: a thousand long ones would not be small."""
    for _ in range(SHEET // _STEP):
        for row in connection.rows(SQL["after"], {"scope": scope, "seq": last, "limit": _STEP}):
            yield row
            last = row[0]


def _make(connection: Connection, scope: int, number: int, units: Iterable[tuple[Any, ...]]) -> None:
    made = Sheet(units)
    postings = list(made.postings())
    for start in range(0, len(postings), _TOGETHER):
        terms, places, repeats, heads = map(list, zip(*postings[start : start + _TOGETHER], strict=True))
        columns = {"terms": terms, "places": places, "repeats": repeats, "heads": heads}
        connection.write(SQL["put_postings"], {"scope": scope, "sheet": number, **columns})
    sheet = (scope, number, WORDS_FORM, made.first, made.last, made.taken)
    connection.write(SQL["put_sheet"], (*sheet, made.numbers, made.names))
