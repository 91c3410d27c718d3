"""The copy that hooks read where the store is elsewhere: a store file of its own, in the same schema.

Hooks cannot tell it from a store: they read the same tables with the same statements, and write their receipts there.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from learnt.model.change import CopyState, Mark
from learnt.model.keys import short_id
from learnt.model.scope import Sight
from learnt.stores.records import MEMORY_COUNTS
from learnt.stores.sqlite import blocks
from learnt.stores.sqlite.outbox import SqliteOutbox
from learnt.stores.sqlite.statements import load

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from learnt.model.change import Batch
    from learnt.model.scope import Scope
    from learnt.stores.sqlite.store import SqliteStore

_SQL = load("copy")
_MEMORIES = load("memories")
_PROPOSALS = load("proposals")
_OF_COPY = "copy"
"""Stands for the merges that tied two memories; the copy does not hold them."""
CLEARED, FAULT, DROPPED = "copy.cleared", "copy.fault", "copy.dropped"
_EMPTIED = (
    "marks",
    "words",
    "postings",
    "lengths",
    "anchors",
    "ties",
    "memories_gone",
    "proposals_gone",
    "summaries_gone",
    "counters",
)


class SqliteCopy:
    """See `learnt.ports.copy.Copy`.

    Args:
        store: The copy's file, open; nobody else writes memories into it.
    """

    def __init__(self, store: SqliteStore) -> None:
        self._store = store
        self._connection = store.connection
        self._connection.rows(_SQL["secure"])
        self.outbox = SqliteOutbox(store)

    def begin(self, pattern_set: str) -> None:
        """Empty the copy, receipts excepted, unless it was begun with this pattern set."""
        if self._store.meta.get(CLEARED) == pattern_set:
            return
        with self._store.transaction():
            for name in _EMPTIED:
                self._connection.write(_SQL[name])
            self._store.meta.put(CLEARED, pattern_set)
            self._connection.generation += 1
        self._connection.rows(_SQL["checkpoint"])

    def mark(self, scope: Scope) -> Mark:
        """How far the feed of a scope was taken over."""
        return self._place(scope)[0]

    def held(self, ids: Sequence[str]) -> tuple[str, ...]:
        """Those of `ids` that the copy holds."""
        asked = (json.dumps(list(ids)),)
        rows = self._connection.rows(_SQL["held_memories"], asked) + self._connection.rows(
            _SQL["held_proposals"], asked
        )
        return tuple(str(row[0]) for row in rows)

    def take(self, batch: Batch) -> bool:
        """Take a batch over, whole or not at all; False when another process was quicker."""
        with self._store.transaction():
            mark, at = self._place(batch.scope)
            if mark != batch.mark:
                return False
            number = self._store.scopes.number(batch.scope)
            self._remove(batch.gone)
            for memory in batch.memories:
                self._make_way(memory.id, number)
                self._store.memories.put(memory)
                counts = {name: getattr(memory, name) for name in MEMORY_COUNTS}
                self._connection.write(_SQL["counted"], {"id": memory.id, **counts})
                self._connection.write(_SQL["untied"], (memory.id,))
                ties = ((number, memory.id, other, _OF_COPY) for other in batch.ties.get(memory.id, ()))
                self._connection.write_many(_PROPOSALS["tie"], ties)
            for proposal in batch.observations:
                self._store.proposals.put(proposal)
            retold = self._tell(batch)
            self._store.meta.put(_row(batch.scope), f"{batch.until} {mark.revision + 1} {batch.at or at}")
            if batch.gone:
                self._connection.write(_SQL["settle"])
        if batch.gone or retold:
            self._connection.rows(_SQL["checkpoint"])
        return True

    def _tell(self, batch: Batch) -> bool:
        """What starting sessions are told from now on; whether that is something else."""
        sight = Sight((batch.scope,))
        if self._store.summaries.current(sight) == batch.summary:
            return False
        self._store.summaries.clear(sight)
        if batch.summary is not None:
            self._store.summaries.put(batch.summary)
        return True

    def places(self) -> Mapping[str, str]:
        """Identity values of this machine's places, with their repository ids."""
        return {str(value): str(known) for value, known in self._connection.rows(_SQL["places"])}

    def record(self, rows: Mapping[str, str], names: Mapping[str, str]) -> None:
        """Write rows for hooks, and names of places with their repository ids; what is there already is not written."""
        meta = self._store.meta
        new_rows = {key: value for key, value in rows.items() if meta.get(key) != value}
        new_names = {value: known for value, known in names.items() if meta.alias(value) != known}
        if not new_rows and not new_names:
            return
        with self._store.transaction():
            for key, value in new_rows.items():
                meta.put(key, value)
            for value, known in new_names.items():
                meta.adopt(value, known)

    def state(self, scope: Scope) -> CopyState:
        """The account of the copy; `scope` is whose age is told."""
        facts = self.facts()
        described = self._store.meta.describe()
        return CopyState(
            path=str(described["path"]),
            size_bytes=int(str(described["size_bytes"])),
            memories=self._count("memories"),
            observations=self._count("observations"),
            places=len(self.places()),
            queued=self.outbox.queued(),
            dropped=int(facts.get(DROPPED, "0")),
            synced_at=self._place(scope)[1],
            fault=facts.get(FAULT, ""),
        )

    def facts(self) -> Mapping[str, str]:
        """Rows about the copy itself."""
        return {str(key): str(value) for key, value in self._connection.rows(_SQL["facts"])}

    def close(self) -> None:
        """Give the file back; safe to call twice."""
        self._store.close()

    def _count(self, name: str) -> int:
        return int(self._connection.rows(_SQL[name])[0][0])

    def _place(self, scope: Scope) -> tuple[Mark, str]:
        """How far the feed was taken over, and when its end was last reached."""
        number, revision, at = (self._store.meta.get(_row(scope)) or "0 0 ").split(" ")
        return Mark(int(number), int(revision)), at

    def _make_way(self, memory_id: str, number: int) -> None:
        """What the store has in another scope by now leaves the one it had."""
        held = self._connection.row(_MEMORIES["held"], (memory_id,))
        if held is not None and held[1] != number:
            self._remove((memory_id,))

    def _remove(self, ids: Sequence[str]) -> None:
        for each in ids:
            held = self._connection.row(_MEMORIES["held"], (each,))
            if held is not None:
                self._remove_memory(*held)
            else:
                self._connection.write(_SQL["remove_proposal"], (each,))
            self._connection.write(_MEMORIES["untie"], (each,))
            self._connection.write(_SQL["untied"], (each,))

    def _remove_memory(self, row: int, number: int, status: str, terms: str) -> None:
        if terms:
            self._connection.write(_MEMORIES["unindex"], (row, terms))
            blocks.note(self._connection, number, row, terms, "", known=True)
        lost = -(terms.count(" ") + 1) if terms else 0
        self._store.scopes.count(number, active=-(status == "active"), terms=lost)
        self._connection.write(_SQL["remove_memory"], (row,))
        self._connection.generation += 1


def _row(scope: Scope) -> str:
    """The row of `_meta` with the copy's place in a scope's feed."""
    return "copy.at." + short_id(scope.key)
