"""Full text, counters and anchors in PostgreSQL: checked against their rows, and made anew.

What an index of the server holds is the server's to keep (`REINDEX`); vectors have no second form here.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from learnt.errors import UsageError
from learnt.model.brief import Brief
from learnt.stores import records
from learnt.stores.index.blocks import Block, alike
from learnt.stores.index.narrow import BLOCK
from learnt.stores.postgres import blocks, claims, ties
from learnt.stores.postgres.statements import load
from learnt.stores.rows import forms, memory_anchors, memory_signals, memory_terms

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from learnt.model.memory import Memory
    from learnt.model.scope import Sight
    from learnt.stores.postgres.connection import Connection
    from learnt.stores.postgres.scopes import Scopes

SQL = load("upkeep")
_MEMORIES = load("memories")
_STRETCH = 2_048
_FIRST = 3
"""Columns before those of a memory in the statement `every`."""


class PostgresUpkeep:
    """See `learnt.ports.upkeep.Upkeep`.

    Args:
        shelve: See `learnt.stores.postgres.vectors.PostgresVectors.shelve`.
    """

    def __init__(self, connection: Connection, scopes: Scopes, shelve: Callable[[], bool]) -> None:
        self._connection = connection
        self._scopes = scopes
        self._shelve = shelve

    @property
    def builds(self) -> bool:
        """Crowded scopes get an index of their vectors."""
        return True

    def build(self) -> bool:
        """Give the most crowded scope a shelf of its own, or move there what it wrote since."""
        return self._shelve()

    def survey(self, sight: Sight) -> Iterator[Brief]:
        """Every memory in sight, scope by scope, in the order of their rows."""
        for number in self._scopes.within(sight):
            after, end = number << 32, (number + 1) << 32
            while rows := self._connection.rows(SQL["survey"], {"after": after, "end": end, "limit": _STRETCH}):
                after = rows[-1][0]
                yield from (Brief(*row[1:]) for row in rows)

    def shrink(self, *, whole: bool = True) -> Mapping[str, int]:
        """The server overwrites what left when it cleans up (autovacuum); nothing of that is a tenant's to do."""
        del whole
        return {"freed_bytes": 0, "log_bytes": 0}

    def uncleared(self, pattern_set: str, limit: int) -> tuple[str, ...]:
        """Keys of the scopes of the tenant with active memories that this pattern set has not cleared."""
        rows = self._connection.rows(SQL["uncleared"], {"pattern_set": pattern_set, "limit": limit})
        return tuple(str(key) for (key,) in rows)

    def disagreements(self) -> Mapping[str, int]:
        """How much of what is derived does not agree with its rows, by name; reads everything of the tenant."""
        scopes = self._connection.rows(SQL["scopes"])
        found = {
            "full_text_blocks": sum(
                not self._right(number, block) for number, _, full, _, _ in scopes for block in range(full)
            ),
            "merge_ties": ties.missing(self._connection),
            "outcome_counts": self._connection.rows(SQL["miscounted"])[0][0],
            "scope_counts": sum(self._counted(number) != (active, terms) for number, _, _, active, terms in scopes),
        }
        return {name: number for name, number in found.items() if number}

    def rebuild(self) -> Mapping[str, int]:
        """Everything that is derived, made from the rows; gives what was made, by name."""
        self._connection.write(claims.SQL["disown"])
        self._connection.write(claims.SQL["reconcile"])
        memories = sum(self._scope(number, next_seq) for number, next_seq, *_ in self._connection.rows(SQL["scopes"]))
        self._connection.write(SQL["drop_sheets"])
        self._connection.write(SQL["drop_postings"])
        ties.derive(self._connection)
        self._connection.write(SQL["count_again"])
        self._connection.generation += 1
        return {"memories": memories}

    def backup(self, path: str) -> int:
        """Not of this one.

        Raises:
            UsageError: `no_backup`.
        """
        raise UsageError(
            f"A store on a server is not copied to {path}.",
            code="no_backup",
            hint="Use `pg_dump`, or `learnt migrate --to sqlite:///FILE`.",
        )

    def _right(self, number: int, block: int) -> bool:
        """Whether a block is what its memories make it."""
        first = (number << 32) | (block * BLOCK)
        made = Block((row - first, terms.split()) for row, _, terms in self._held(first - 1, first + BLOCK) if terms)
        place = {"scope": number, "block": block}
        lengths = self._connection.rows(SQL["lengths"], place)
        same = bool(lengths) and bytes(lengths[0][0]) == made.lengths
        held = [
            (term, bytes(docs), bytes(repeats)) for term, docs, repeats in self._connection.rows(SQL["block"], place)
        ]
        return same and alike(made, held)

    def _counted(self, number: int) -> tuple[int, int]:
        rows = [(status, len(terms.split())) for _, status, terms in self._held(number << 32, (number + 1) << 32)]
        return sum(status == "active" for status, _ in rows), sum(length for _, length in rows)

    def _held(self, after: int, end: int) -> Iterator[tuple[int, str, str]]:
        while rows := self._connection.rows(SQL["held"], {"after": after, "end": end, "limit": _STRETCH}):
            yield from rows
            after = rows[-1][0]

    def _scope(self, number: int, next_seq: int) -> int:
        """Terms, anchors, blocks and counters of one scope; gives how many memories are in it."""
        after, end = number << 32, (number + 1) << 32
        count = active = length = last = 0
        while rows := self._connection.rows(SQL["every"], {"after": after, "end": end, "limit": _STRETCH}):
            for row in rows:
                length += self._derived(number, row, self._read(row))
                active += row[_FIRST + 2] == "active"
            count, after, last = count + len(rows), rows[-1][0], rows[-1][0] & 0xFFFFFFFF
        following = max(next_seq, last + 1)
        for name in ("drop_blocks", "drop_lengths"):
            self._connection.write(SQL[name], {"scope": number})
        told = {"no": number, "active": active, "terms": length, "next_seq": following}
        self._connection.write(SQL["recount"], told)
        blocks.close(self._connection, number, 0, following // BLOCK)
        return count

    def _derived(self, number: int, row: tuple[Any, ...], memory: Memory | None) -> int:
        """Write what is made of one memory where it is another; gives how many terms it has."""
        live = memory is not None and memory.status == "active"
        terms = " ".join(memory_terms(memory)) if memory is not None and live else ""
        signals = memory_signals(memory) if memory is not None else row[2]
        if (terms, signals) != (row[1], row[2]):
            self._connection.write(SQL["derive"], {"row": row[0], "terms": terms, "signals": signals})
        self._connection.write(_MEMORIES["untie"], (row[_FIRST],))
        anchors = memory_anchors(memory) if memory is not None and live else ()
        if anchors:
            types, keys = [kind for kind, _ in anchors], [key for _, key in anchors]
            place = {"scope_no": number, "id": row[_FIRST]}
            self._connection.write(_MEMORIES["tie"], {**place, "types": types, "keys": keys})
        if memory is not None:
            claims.index(self._connection, number, row[0], memory, forms(memory), known=False)
        return len(terms.split())

    def _read(self, row: tuple[Any, ...]) -> Memory | None:
        """The memory of a row; None for one that cannot be read, which nobody finds until it can."""
        try:
            return records.memory_of(row[_FIRST:])
        except records.UndecodableError as error:
            self._connection.unreadable[str(row[_FIRST])] = str(error)
            return None
