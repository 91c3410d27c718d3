"""Sheets of the full text of evidence: 1,024 units of a scope each, remade when one of them leaves.

Tried and rejected: indexing a unit when it is kept (it halved the speed of reading transcripts, and every unit was
indexed again when its neighbour came); FTS5 (statistics over foreign scopes, and a microsecond for each matched row).
"""

from __future__ import annotations

import json
from struct import pack
from typing import TYPE_CHECKING, Any, Final

from learnt.model.evidence import UNIT_TYPES
from learnt.model.instant import to_epoch
from learnt.model.wording import HEAD_CHARS, WORDS_FORM, about, own_counts, passages, word_counts
from learnt.stores.sqlite.statements import load

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from learnt.stores.sqlite.connection import Connection

SQL = load("evidence")

SHEET: Final = 1_024
"""Units of a sheet: what a search reads whole beyond them takes some 50 ms at worst."""

HEAD: Final = "^"
"""Before the terms of the beginning of a long passage; no term begins with it."""

_LONGEST: Final = 65_535
_MOST_PASSAGES: Final = 30_000


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


class Words:
    """The terms of passages, gathered one after the other.

    Attributes:
        numbers: A row a passage: seq, moment, length, head, session, who, about, type.
        held: For each term, at which passages it stands how often; the beginning of a long passage once more under the
            term with `HEAD` before it.
    """

    __slots__ = ("_columns", "held", "numbers")

    def __init__(self, columns: tuple[Callable[[str], int], Callable[[str], int], Callable[[str], int]]) -> None:
        self._columns = columns
        self.numbers: list[tuple[int, ...]] = []
        self.held: dict[str, dict[int, int]] = {}

    def add(self, row: Sequence[Any], first: int = 0) -> None:
        """Take in a unit; `first` is the place of the first passage ever added."""
        seq, session, who, type_, at, detail, text = row
        sessions, whos, abouts = self._columns
        subject = about(json.loads(detail)) if detail else ""
        codes = (sessions(session), whos(who), abouts(subject), UNIT_TYPES.index(type_))
        for nth, passage in enumerate(passages(text)):
            place = first + len(self.numbers)
            counts, length = own_counts(passage, opens=type_ == "document" and not nth)
            head = length
            self._hold(place, counts, "")
            if len(passage) > HEAD_CHARS:
                counts = word_counts(passage[:HEAD_CHARS])
                head = sum(counts.values())
                self._hold(place, counts, HEAD)
            short = (min(length, _LONGEST), min(head, _LONGEST))
            self.numbers.append((seq, moment_ms(at), *short, *codes, len(passage) > HEAD_CHARS))

    def _hold(self, place: int, counts: Mapping[str, int], mark: str) -> None:
        for term, often in counts.items():
            key = mark + term
            places = self.held.get(key)
            if places is None:
                places = self.held[key] = {}
            places[place] = often


def _make(connection: Connection, scope: int, number: int, units: Sequence[tuple[Any, ...]]) -> None:
    names: tuple[dict[str, int], ...] = ({}, {}, {})
    sessions, whos, abouts = ((lambda name, known=each: known.setdefault(name, len(known))) for each in names)
    words = Words((sessions, whos, abouts))
    taken = 0
    for row in units:
        words.add(row)
        taken += 1
        if len(words.numbers) >= _MOST_PASSAGES:
            break
    postings = ((scope, number, term, *_packed(places)) for term, places in sorted(words.held.items()))
    connection.write_many(SQL["put_posting"], postings)
    sheet = (scope, number, WORDS_FORM, units[0][0], units[taken - 1][0], taken)
    listed = json.dumps([list(each) for each in names], ensure_ascii=False)
    connection.write(SQL["put_sheet"], (*sheet, _card(words.numbers), listed))


def _packed(places: Mapping[int, int]) -> tuple[bytes, bytes]:
    """The columns `places` and `repeats`."""
    repeats = [number for at, often in enumerate(places.values()) if often > 1 for number in (at, min(often, _LONGEST))]
    return pack(f"<{len(places)}H", *places), pack(f"<{len(repeats)}H", *repeats)


def _card(numbers: Sequence[tuple[int, ...]]) -> bytes:
    """The column `numbers`: two rows of 64 bits, seven of 16."""
    columns = list(zip(*numbers, strict=True)) or [()] * 9
    count = len(numbers)
    long = (pack(f"<{count}q", *column) for column in columns[:2])
    short = (pack(f"<{count}H", *column) for column in columns[2:])
    return b"".join((*long, *short))
