"""Memories in PostgreSQL: the row, its terms, its anchors and its scope's counters always change together."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from learnt.errors import UsageError
from learnt.model.filter import Page
from learnt.model.kinds import STATUSES
from learnt.stores import records
from learnt.stores.postgres import blocks, claims
from learnt.stores.postgres.statements import load
from learnt.stores.rows import Forms, begun_after, forms, legible, make_ready, paged

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from learnt.model.filter import MemoryFilter
    from learnt.model.memory import Memory
    from learnt.model.scope import Sight
    from learnt.stores.postgres.connection import Connection
    from learnt.stores.postgres.scopes import Scopes

_SQL = load("memories")
_UPDATED_AT = records.MEMORY_COLUMNS.index("updated_at")


class PostgresMemories:
    """See `learnt.ports.store.Memories`. Only active memories have terms and anchors."""

    def __init__(self, connection: Connection, scopes: Scopes) -> None:
        self._connection = connection
        self._scopes = scopes

    def get(self, sight: Sight, memory_id: str) -> Memory | None:
        """The memory whatever its status."""
        return next(iter(self.many(sight, (memory_id,))), None)

    def many(self, sight: Sight, memory_ids: Sequence[str]) -> tuple[Memory, ...]:
        """Those that `sight` may see, in the order asked for."""
        asked = list(dict.fromkeys(memory_ids))
        rows = self._connection.rows(_SQL["many"], {"ids": asked, "scopes": self._scopes.keys(sight)})
        if work := self._connection.work:
            work.read.update(dict.fromkeys(asked, 0))
        found = {memory.id: memory for memory in self._readable(rows)}
        return tuple(found[memory_id] for memory_id in memory_ids if memory_id in found)

    def page(self, sight: Sight, wanted: MemoryFilter, now: str) -> Page[Memory]:
        """A listing, `updated_at` descending then id; `next` is the last row's place.

        Raises:
            UsageError: `after` is not the `next` of a page.
        """
        at, last_id = begun_after(wanted.after)
        values = {
            "scopes": self._scopes.within(sight),
            "statuses": list(wanted.statuses or STATUSES),
            "as_of": wanted.as_of,
            "kinds": list(wanted.kinds),
            "tag": wanted.tag,
            "flagged": wanted.flagged,
            "expired": wanted.include_expired,
            "now": wanted.as_of or now,
        }
        place = {**values, "at": at, "id": last_id, "limit": wanted.limit + 1}
        rows = self._connection.rows(_SQL["page_then" if wanted.as_of else "page"], place)
        narrowed = "_then" if wanted.as_of else "_narrowed" if wanted.kinds or wanted.tag or wanted.flagged else ""
        total = self._connection.rows(_SQL["total" + narrowed], values)[0][0]
        kept, end = paged(rows, wanted.limit)
        found = legible(kept, records.memory_of, self._connection.unreadable) if wanted.as_of else self._readable(kept)
        return Page(tuple(found), int(total), end)

    def ready(self, memory: Memory) -> None:
        """Work its forms out before the transaction."""
        make_ready(memory)

    def put(self, memory: Memory) -> None:
        """Insert or replace by id.

        Raises:
            UsageError: The id belongs to another scope.
            StoreBusyError: Somebody else replaced it after it was read in this transaction.
        """
        number = self._scopes.number(memory.scope)
        active, made = memory.status == "active", forms(memory)
        terms = " ".join(made.terms) if active else ""
        held = self._connection.returning(_SQL["put"], _columns(memory, made, number, terms))
        if held is None:
            raise UsageError("This id belongs to another scope.", code="scope_foreign")
        row, full, old, revision = held
        self._note(memory.id, revision or 0)
        blocks.note(self._connection, number, row, full, old or "", terms)
        claims.index(self._connection, number, row, memory, made, known=revision is not None)
        self._connection.generation += 1
        if revision is not None:
            self._connection.write(_SQL["untie"], (memory.id,))
        if active and made.anchors:
            tie(self._connection, number, memory.id, made.anchors)

    def count(self, sight: Sight) -> Mapping[str, int]:
        """How many of each status."""
        rows = self._connection.rows(_SQL["count"], (self._scopes.within(sight),))
        return {str(status): int(number) for status, number in rows}

    def stale(self, sight: Sight, pattern_set: str, limit: int) -> tuple[Memory, ...]:
        """Active memories that this pattern set has not cleared, in any order."""
        values = {"scopes": self._scopes.within(sight), "pattern_set": pattern_set, "limit": limit}
        return tuple(self._readable(self._connection.rows(_SQL["stale"], values)))

    def remove(self, sight: Sight, memory_ids: Sequence[str]) -> tuple[str, ...]:
        """Take rows away with their anchors and vectors.

        Raises:
            StoreBusyError: Somebody else changed one of them after it was read in this transaction.
        """
        self._connection.lock(scope.key for scope in sight)
        asked = {"ids": list(dict.fromkeys(memory_ids)), "scopes": self._scopes.within(sight)}
        rows = self._connection.rows(_SQL["leaving"], asked)
        for memory_id, row, number, full, status, terms, revision in rows:
            self._note(memory_id, revision)
            self._connection.write(_SQL["remove"], {"row": row})
            self._connection.write(_SQL["untie"], (memory_id,))
            length = len(terms.split())
            left = {"no": number, "active": int(status == "active"), "terms": length, "known": bool(length)}
            self._connection.write(_SQL["left"], left)
            blocks.note(self._connection, number, row, full, terms, "")
        self._connection.generation += 1
        return tuple(str(row[0]) for row in rows)

    def _note(self, memory_id: str, revision: int) -> None:
        """Compare what was replaced with what was read, and remember what is there now."""
        if work := self._connection.work:
            work.expect(memory_id, revision)
            work.read[memory_id] = revision + 1

    def _readable(self, rows: list[tuple[Any, ...]]) -> list[Memory]:
        """The memories of these rows, whose last column is the revision that a later `put` must still find."""
        if work := self._connection.work:
            work.read.update((row[0], row[-1]) for row in rows)
        return legible(rows, records.memory_of, self._connection.unreadable)


def tie(connection: Connection, number: int, target: str, anchors: Sequence[tuple[str, str]]) -> None:
    """Tie a memory or an observation to what it speaks of."""
    types, keys = [kind for kind, _ in anchors], [key for _, key in anchors]
    connection.write(_SQL["tie"], {"scope_no": number, "id": target, "types": types, "keys": keys})


def untie(connection: Connection, target: str) -> None:
    """Take all its anchors back."""
    connection.write(_SQL["untie"], (target,))


def _columns(memory: Memory, made: Forms, number: int, terms: str) -> dict[str, object]:
    own = {name: getattr(memory, name) for name in records.MEMORY_COLUMNS}
    return {
        **own,
        "scope_no": number,
        "scope_key": memory.scope.key,
        "active": int(memory.status == "active"),
        "length": terms.count(" ") + 1 if terms else 0,
        "run": memory.provenance.run_id or memory.provenance.session_id,
        "tags": list(memory.tags),
        "signals": made.signals,
        "terms": terms,
        "record_json": made.record_json,
    }
