"""Memories in SQLite: the row, its full-text entry, its anchors and its scope's counters always change together."""

from __future__ import annotations

import json
import threading
from typing import TYPE_CHECKING, Any

from learnt.errors import UsageError
from learnt.model.filter import Page
from learnt.model.kinds import STATUSES
from learnt.stores import records
from learnt.stores.index.narrow import BLOCK
from learnt.stores.rows import Forms, begun_after, forms, legible, make_ready, paged
from learnt.stores.sqlite import blocks, claims
from learnt.stores.sqlite.statements import load

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from learnt.model.filter import MemoryFilter
    from learnt.model.memory import Memory
    from learnt.model.scope import Sight
    from learnt.stores.sqlite.connection import Connection
    from learnt.stores.sqlite.scopes import Scopes

_SQL = load("memories")
_MOST_READ = 4_096
"""Memories that stay in memory as values, some 2 KB each, for who asks again: the longest known leave first, and all
when any changed."""


class SqliteMemories:
    """See `learnt.ports.store.Memories`. Only active memories are in the full-text index and have anchors."""

    def __init__(self, connection: Connection, scopes: Scopes) -> None:
        self._connection = connection
        self._scopes = scopes
        self._read: dict[str, Memory] = {}
        self._stamp: object = None
        self._turn = threading.Lock()

    def get(self, sight: Sight, memory_id: str) -> Memory | None:
        """The memory whatever its status."""
        values = {"id": memory_id, "scopes": self._scopes.within(sight)}
        return next(iter(self._readable(self._connection.rows(_SQL["get"], values))), None)

    def many(self, sight: Sight, memory_ids: Sequence[str]) -> tuple[Memory, ...]:
        """Those that `sight` may see, in the order asked for."""
        read = self._kept()
        missing = [memory_id for memory_id in memory_ids if memory_id not in read]
        found = {name: memory for name in memory_ids if (memory := read.get(name)) and memory.scope.key in sight.keys}
        if missing:
            values = {"ids": json.dumps(missing), "scopes": self._scopes.within(sight)}
            more = {memory.id: memory for memory in self._readable(self._connection.rows(_SQL["many"], values))}
            found.update(more)
            self._keep(read, more)
        return tuple(found[memory_id] for memory_id in memory_ids if memory_id in found)

    def _kept(self) -> dict[str, Memory]:
        """What was read lately and still holds: nothing, once anything was written here or elsewhere."""
        stamp = self._connection.rows(_SQL["data_version"])[0][0], self._connection.generation
        with self._turn:
            if stamp != self._stamp:
                self._read, self._stamp = {}, stamp
            return self._read

    def _keep(self, read: dict[str, Memory], more: Mapping[str, Memory]) -> None:
        with self._turn:
            read.update(more)
            while len(read) > _MOST_READ:
                del read[next(iter(read))]

    def changed(self, memory_ids: Iterable[str]) -> None:
        """Only these were changed just now, by this connection: what else was read holds on."""
        read = self._kept()
        for memory_id in memory_ids:
            read.pop(memory_id, None)
        self._connection.generation += 1
        self._stamp = self._connection.rows(_SQL["data_version"])[0][0], self._connection.generation

    def page(self, sight: Sight, wanted: MemoryFilter, now: str) -> Page[Memory]:
        """A listing, `updated_at` descending then id; `next` is the last row's place.

        Raises:
            UsageError: `after` is not the `next` of a page.
        """
        at, last_id = begun_after(wanted.after)
        values = {
            "scopes": self._scopes.within(sight),
            "statuses": json.dumps(wanted.statuses or STATUSES),
            "as_of": wanted.as_of,
            "kinds": records.dumped(list(wanted.kinds)),
            "tag": wanted.tag,
            "flagged": wanted.flagged,
            "expired": wanted.include_expired,
            "now": wanted.as_of or now,
        }
        narrowed = "_then" if wanted.as_of else "_narrowed" if wanted.kinds or wanted.tag or wanted.flagged else ""
        place = {**values, "at": at, "id": last_id, "limit": wanted.limit + 1}
        rows = self._connection.rows(_SQL["page" + narrowed], place)
        total = self._connection.rows(_SQL["total" + narrowed], values)[0][0]
        kept, end = paged(rows, wanted.limit)
        return Page(tuple(self._readable(kept)), int(total), end)

    def ready(self, memory: Memory) -> None:
        """Work its forms out before the transaction."""
        make_ready(memory)

    def put(self, memory: Memory) -> None:
        """Insert or replace by id."""
        number, made, active = self._scopes.number(memory.scope), forms(memory), memory.status == "active"
        terms = _terms(made, number) if active else ""
        held = self._connection.row(_SQL["held"], (memory.id,))
        if held is not None and held[1] != number:
            raise UsageError("This id belongs to another scope.", code="scope_foreign")
        was_active, old = (held[2] == "active", str(held[3])) if held else (False, "")
        moved = {"active": active - was_active, "terms": _length(terms) - _length(old)}
        row, full = self._scopes.moved(number, int(held[0]) if held else None, **moved)
        self._connection.write(_SQL["put"], {"row": row, "scope_no": number, "terms": terms, **_columns(memory, made)})
        self._reindex(row, old, terms)
        blocks.note(self._connection, number, row, old, terms, known=held is not None, full=full)
        claims.index(self._connection, number, row, memory, made, known=held is not None)
        self._connection.generation += 1
        if held:
            self._connection.write(_SQL["untie"], (memory.id,))
        for kind, key in made.anchors if active else ():
            self._connection.write(_SQL["tie"], (number, kind, key, memory.id))

    def fill(self, memories: Sequence[Memory]) -> None:
        """Insert new ones of one scope in this order: what `put` does to each, many at once."""
        number = self._scopes.number(memories[0].scope)
        end = self._scopes.next_rows(number, len(memories))
        shapes = [forms(memory) for memory in memories]
        terms = [
            _terms(shape, number) if memory.status == "active" else ""
            for memory, shape in zip(memories, shapes, strict=True)
        ]
        made = list(zip(range(end - len(memories), end), memories, shapes, terms, strict=True))
        write = self._connection.write_many
        write(
            _SQL["put"],
            ({"row": row, "scope_no": number, "terms": own, **_columns(each, shape)} for row, each, shape, own in made),
        )
        write(_SQL["index"], [(row, own) for row, _, _, own in made if own])
        active = [(memory, shape) for _, memory, shape, _ in made if memory.status == "active"]
        write(_SQL["tie"], [(number, kind, key, each.id) for each, shape in active for kind, key in shape.anchors])
        claims.fill(self._connection, number, ((row, each, shape) for row, each, shape, _ in made))
        blocks.close(self._connection, number, (end & 0xFFFFFFFF) // BLOCK)
        self._connection.generation += 1
        self._scopes.count(number, active=len(active), terms=sum(map(_length, terms)))

    def count(self, sight: Sight) -> Mapping[str, int]:
        """How many of each status."""
        rows = self._connection.rows(_SQL["count"], (self._scopes.within(sight),))
        return {str(status): int(number) for status, number in rows}

    def stale(self, sight: Sight, pattern_set: str, limit: int) -> tuple[Memory, ...]:
        """Active memories that this pattern set has not cleared, in any order."""
        values = {"scopes": self._scopes.within(sight), "pattern_set": pattern_set, "limit": limit}
        return tuple(self._readable(self._connection.rows(_SQL["stale"], values)))

    def remove(self, sight: Sight, memory_ids: Sequence[str]) -> tuple[str, ...]:
        """Take rows away with their full text, anchors and vectors; what they held is overwritten in the file."""
        self._connection.write(_SQL["secure"])
        values = {"ids": json.dumps(list(memory_ids)), "scopes": self._scopes.within(sight)}
        rows = self._connection.rows(_SQL["leaving"], values)
        for memory_id, row, number, status, terms in rows:
            self._connection.write(_SQL["remove"], (row,))
            self._reindex(row, terms, "")
            self._connection.write(_SQL["untie"], (memory_id,))
            self._scopes.count(number, active=-(status == "active"), terms=-_length(terms))
            blocks.note(self._connection, number, row, terms, "", known=True)
        self._connection.generation += 1
        return tuple(str(row[0]) for row in rows)

    def _reindex(self, row: int, old: str, new: str) -> None:
        if old == new:
            return
        if old:
            self._connection.write(_SQL["unindex"], (row, old))
        if new:
            self._connection.write(_SQL["index"], (row, new))

    def _readable(self, rows: list[tuple[Any, ...]]) -> list[Memory]:
        return legible(rows, records.memory_of, self._connection.unreadable)


def _terms(made: Forms, number: int) -> str:
    return " ".join([f"{number}_{term}" for term in made.terms])


def _length(terms: str) -> int:
    return terms.count(" ") + 1 if terms else 0


def _columns(memory: Memory, made: Forms) -> dict[str, object]:
    own = {name: getattr(memory, name) for name in records.MEMORY_COLUMNS}
    return {
        **own,
        "scope_key": memory.scope.key,
        "deleted": int(memory.status == "deleted"),
        "run": memory.provenance.run_id or memory.provenance.session_id,
        "signals": made.signals,
        "record_json": made.record_json,
    }
