"""Full text, counters, anchors and codes of vectors: checked against their rows and made anew; and the whole copied.

Nothing here asks the index that may be broken how to mend it: it is emptied first, then filled from the memories.
"""

from __future__ import annotations

import os
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any

from learnt.errors import StoreError, UsageError
from learnt.model.brief import Brief
from learnt.stores import records
from learnt.stores.index.blocks import Block, alike
from learnt.stores.index.narrow import BLOCK
from learnt.stores.rows import forms, memory_anchors, memory_signals, memory_terms
from learnt.stores.sqlite import blocks, claims, ties
from learnt.stores.sqlite.statements import load

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from learnt.model.memory import Memory
    from learnt.model.scope import Sight
    from learnt.stores.sqlite.connection import Connection
    from learnt.stores.sqlite.scopes import Scopes

SQL = load("upkeep")
_MEMORIES = load("memories")
_STRETCH = 2_048
UNIT = 1e-3
"""How far a vector's squared length may be from 1; see `learnt.model.vector.is_sound`."""
_FIRST = 3
"""Columns before those of a memory in the statement `every`."""


class SqliteUpkeep:
    """See `learnt.ports.upkeep.Upkeep`."""

    def __init__(self, connection: Connection, scopes: Scopes) -> None:
        self._connection = connection
        self._scopes = scopes

    def survey(self, sight: Sight) -> Iterator[Brief]:
        """Every memory in sight, scope by scope, in the order of their rows."""
        for number in filter(None, map(self._scopes.known, sight.keys)):
            after, end = number << 32, (number + 1) << 32
            while rows := self._connection.rows(SQL["survey"], {"after": after, "end": end, "limit": _STRETCH}):
                after = rows[-1][0]
                yield from (Brief(*row[1:]) for row in rows)

    @property
    def builds(self) -> bool:
        """Every search finds its way without."""
        return False

    def build(self) -> bool:
        """There is nothing to build."""
        return False

    def shrink(self, *, whole: bool = True) -> Mapping[str, int]:
        """Merge the words of what left out of the full text, give free pages back, and empty the log."""
        connection = self._connection
        before = connection.rows(SQL["size"])[0][0]
        with connection.transaction():
            connection.write(SQL["secure"])
            connection.write(SQL["optimize"] if whole else SQL["merge"])
        free = connection.rows(SQL["free"])[0][0]
        for begun in range(0, free, _STRETCH):
            with connection.transaction():  # Python's driver takes one step of the statement, and one step is a page
                for _ in range(min(_STRETCH, free - begun)):
                    connection.write(SQL["vacuum"])
        after = connection.rows(SQL["size"])[0][0]
        _, pages, moved = connection.rows(SQL["truncate"])[0]
        log_bytes = max(0, pages - moved) * connection.rows(SQL["page_bytes"])[0][0]
        return {"freed_bytes": before - after, "log_bytes": log_bytes}

    def uncleared(self, pattern_set: str, limit: int) -> tuple[str, ...]:
        """Keys of the scopes with active memories that this pattern set has not cleared."""
        rows = self._connection.rows(SQL["uncleared"], {"pattern_set": pattern_set, "limit": limit})
        return tuple(str(key) for (key,) in rows)

    def disagreements(self) -> Mapping[str, int]:
        """How much of what is derived does not agree with its rows, by name; reads everything."""
        connection = self._connection
        found = {
            "file_damage": len(_damage(connection)),
            "full_text_terms": _full_text(connection),
            "full_text_blocks": _blocks(connection),
            "scope_counts": _counts(connection),
            "merge_ties": ties.missing(connection),
            "outcome_counts": connection.rows(SQL["miscounted"])[0][0],
            "vector_codes": sum(code != held for _, code, held in _codes(connection)),
        }
        return {name: number for name, number in found.items() if number}

    def rebuild(self) -> Mapping[str, int]:
        """Everything that is derived, made from the rows; gives what was made, by name.

        Where the file itself is damaged its indexes are made anew first: what is in them follows from the tables, too.
        """
        connection = self._connection
        if _damage(connection):
            connection.write(SQL["reindex"])
        connection.write(SQL["empty"])
        connection.write(claims.SQL["disown"])
        connection.write(claims.SQL["reconcile"])
        memories = sum(_scope(connection, number, next_seq) for number, next_seq, *_ in connection.rows(SQL["scopes"]))
        connection.write(SQL["drop_sheets"])
        connection.write(SQL["drop_postings"])
        ties.derive(connection)
        connection.write(SQL["count_again"])
        codes = lost = 0
        for place, code, held in list(_codes(connection)):
            if code != held:
                connection.write(SQL["recode"], {**place, "code": code})
                codes, lost = codes + (code is not None), lost + (code is None)
        connection.generation += 1
        return {"memories": memories, "vector_codes": codes, "vectors_lost": lost}

    def backup(self, path: str) -> int:
        """The file with everything committed until now, in a new one of its own.

        Raises:
            UsageError: `backup_exists`.
            StoreError: It cannot be written.
        """
        try:
            handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_NOFOLLOW", 0), 0o600)
        except FileExistsError:
            raise UsageError(f"There is {path} already.", code="backup_exists") from None
        except (OSError, ValueError) as error:
            why = error.strerror if isinstance(error, OSError) else error
            raise StoreError(f"The copy cannot be written: {why}.", code="backup_failed") from error
        os.close(handle)
        try:
            self._connection.rows(SQL["copy"], (path,))
        except BaseException:
            Path(path).unlink()
            raise
        return Path(path).stat().st_size


def _damage(connection: Connection) -> list[str]:
    """What SQLite finds wrong with pages, rows and indexes, a hundred things at most; full text has its own check."""
    return [told for (told,) in connection.rows(SQL["integrity"]) if told != "ok" and "fts5" not in told.casefold()]


def _full_text(connection: Connection) -> int:
    """Terms that the full text says another number of memories hold than do; 1 where it cannot be read at all."""
    counts: Counter[str] = Counter()
    for _, _, terms in _held(connection, 0, 1 << 62):
        counts.update(set(terms.split()))
    try:
        connection.rows(SQL["vocabulary_gone"])
        connection.rows(SQL["vocabulary"])
        said = dict(connection.rows(SQL["vocabulary_terms"]))
        connection.rows(SQL["vocabulary_gone"])
    except StoreError:
        return max(1, len(counts))
    return sum(said.get(term, 0) != counts.get(term, 0) for term in said.keys() | counts.keys())


def _blocks(connection: Connection) -> int:
    """Blocks of the full text that are not what their memories make them."""
    wrong = 0
    for number, _, full, _, _ in connection.rows(SQL["scopes"]):
        for block in range(full):
            first = (number << 32) | (block * BLOCK)
            rows = _held(connection, first - 1, first + BLOCK)
            made = Block((row - first, _bare(terms)) for row, _, terms in rows if terms)
            lengths = connection.row(SQL["lengths"], (number, block))
            same = lengths is not None and bytes(lengths[0]) == made.lengths
            wrong += not (same and alike(made, connection.rows(SQL["block"], (number, block))))
    return wrong


def _counts(connection: Connection) -> int:
    """Scopes that count other memories or terms than they have."""
    wrong = 0
    for number, _, _, active, terms in connection.rows(SQL["scopes"]):
        rows = [(status, held) for _, status, held in _held(connection, number << 32, (number + 1) << 32)]
        live = sum(status == "active" for status, _ in rows)
        wrong += (live, sum(len(held.split()) for _, held in rows)) != (active, terms)
    return wrong


def _held(connection: Connection, after: int, end: int) -> Iterator[tuple[int, str, str]]:
    while rows := connection.rows(SQL["held"], {"after": after, "end": end, "limit": _STRETCH}):
        yield from rows
        after = rows[-1][0]


def _bare(terms: str) -> list[str]:
    """Terms without the scope's prefix."""
    return [term.partition("_")[2] for term in terms.split()]


def _scope(connection: Connection, number: int, next_seq: int) -> int:
    """Full text, anchors, blocks and counters of one scope; gives how many memories are in it."""
    after, end = number << 32, (number + 1) << 32
    last = active = length = count = 0
    while rows := connection.rows(SQL["every"], {"after": after, "end": end, "limit": _STRETCH}):
        made = [(row, _read(connection, row)) for row in rows]
        told = [(row, memory, _terms(memory, number)) for row, memory in made]
        connection.write_many(SQL["derive"], list(_changed(told)))
        connection.write_many(_MEMORIES["index"], [(row[0], terms) for row, _, terms in told if terms])
        connection.write_many(_MEMORIES["untie"], [(row[_FIRST],) for row in rows])
        for row, memory, _ in told:
            if memory is not None:
                claims.index(connection, number, row[0], memory, forms(memory), known=False)
        live = [memory for _, memory, _ in told if memory is not None and memory.status == "active"]
        connection.write_many(
            _MEMORIES["tie"], [(number, kind, key, each.id) for each in live for kind, key in memory_anchors(each)]
        )
        active += sum(row[5] == "active" for row in rows)
        length += sum(len(terms.split()) for _, _, terms in told)
        count, after, last = count + len(rows), rows[-1][0], rows[-1][0] & 0xFFFFFFFF
    following = max(next_seq, last + 1)
    connection.write(SQL["drop_blocks"], (number,))
    connection.write(SQL["drop_lengths"], (number,))
    connection.write(SQL["recount"], {"no": number, "active": active, "terms": length, "next_seq": following})
    blocks.close(connection, number, following // BLOCK)
    return count


def _read(connection: Connection, row: tuple[Any, ...]) -> Memory | None:
    """The memory of a row; None for one that cannot be read, which nobody finds until it can."""
    try:
        return records.memory_of(row[_FIRST:])
    except records.UndecodableError as error:
        connection.unreadable[str(row[_FIRST])] = str(error)
        return None


def _terms(memory: Memory | None, number: int) -> str:
    if memory is None or memory.status != "active":
        return ""
    return " ".join(f"{number}_{term}" for term in memory_terms(memory))


def _changed(told: list[tuple[tuple[Any, ...], Memory | None, str]]) -> Iterator[tuple[str, str, int]]:
    """Terms, token sets and row of the memories that held others."""
    for row, memory, terms in told:
        signals = memory_signals(memory) if memory is not None else row[2]
        if (terms, signals) != (row[1], row[2]):
            yield terms, signals, row[0]


def _codes(connection: Connection) -> Iterator[tuple[dict[str, object], bytes | None, bytes | None]]:
    """Where each code stands, what its vector makes of it (None for a vector that is none), and what it is."""
    place: dict[str, object] = {"generation": 0, "scope": 0, "row": 0, "part": 0}
    while rows := connection.rows(SQL["codes"], {**place, "limit": _STRETCH}):
        for row, made in zip(rows, _coded([(row[5], row[6]) for row in rows]), strict=True):
            place = dict(zip(place, row[:4], strict=True))
            yield place, made, row[4]


def _coded(given: list[tuple[bytes | None, int]]) -> list[bytes | None]:
    """The codes of vectors, each with its number of dimensions; None for one that is no unit vector of so many."""
    import numpy as np

    from learnt.stores.sqlite.nearest import coded

    made: list[bytes | None] = [None] * len(given)
    for dimension in {dimension for _, dimension in given}:
        held = [(at, vector) for at, (vector, size) in enumerate(given) if size == dimension]
        whole = [(at, vector) for at, vector in held if vector is not None and len(vector) == 4 * dimension]
        numbers = np.frombuffer(b"".join(vector for _, vector in whole), "<f4").reshape(len(whole), dimension)
        with np.errstate(all="ignore"):  # what was overwritten may hold anything
            unit = np.abs(np.square(numbers, dtype=np.float64).sum(axis=1) - 1.0) <= UNIT
        good = [pair for pair, sound in zip(whole, unit.tolist(), strict=True) if sound]
        for (at, _), code in zip(good, coded([vector for _, vector in good]) if good else (), strict=True):
            made[at] = code
    return made
