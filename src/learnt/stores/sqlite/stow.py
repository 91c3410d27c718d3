"""What another store gave, kept in the file with all that is derived from it."""

from __future__ import annotations

import json
from itertools import groupby
from operator import attrgetter
from typing import TYPE_CHECKING, Any

from learnt.model.job import Job
from learnt.model.scope import scope_of
from learnt.model.vector import Embedded
from learnt.stores.drawn import extraction_values, summary_values, thread_values
from learnt.stores.rows import receipt_values
from learnt.stores.said import outcome_values
from learnt.stores.signed import checkpoint_row
from learnt.stores.sqlite.statements import load

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from learnt.model.cargo import Carried, Chapter
    from learnt.ports.store import Store
    from learnt.stores.sqlite.connection import Connection
    from learnt.stores.sqlite.memories import SqliteMemories
    from learnt.stores.sqlite.scopes import Scopes

SQL = load("cargo")
_USAGE = load("usage")
_VECTORS = load("vectors")
_THREADS = load("threads")
_ARCHIVE = load("archive")
_JOB = attrgetter(*Job.__slots__)
_EVENT = attrgetter(
    "position", "id", "operation", "target_id", "reason", "timestamp", "event_json", "prev_hash", "mac", "erased"
)


class Stow:
    """Takes chapters in, inside the caller's transaction."""

    def __init__(self, connection: Connection, scopes: Scopes, memories: SqliteMemories, store: Store) -> None:
        self._store = store
        self._filed = memories
        self._scopes = scopes
        self._connection = connection
        self._write = connection.write
        self._write_many = connection.write_many
        self._take: dict[Chapter, Callable[[Sequence[Any]], object]] = {
            "scopes": _each(scopes.number),
            "memories": self._memories,
            "formers": _each(lambda each: store.pasts.put(each.memory.scope, each)),
            "outcomes": self._outcomes,
            "flags": _each(lambda each: store.flags.put(each.scope, each.what)),
            "proposals": _each(store.proposals.put),
            "events": self._events,
            "checkpoints": lambda given: self._write_many(SQL["take_checkpoint"], map(checkpoint_row, given)),
            "receipts": self._receipts,
            "contexts": lambda given: self._write_many(
                SQL["take_context"], [(each.session, each.generation, each.at) for each in given]
            ),
            "units": store.archive.put_units,
            "sessions": _each(store.archive.put_session),
            "threads": _each(lambda each: self._drawn("take", each.scope_key, thread_values(each))),
            "extractions": _each(lambda each: self._drawn("take_extraction", each.scope_key, extraction_values(each))),
            "summaries": _each(
                lambda each: self._drawn(
                    "take_summary", each.scope_key, {**summary_values(each), "current": each.current}
                )
            ),
            "seen": lambda given: self._write_many(_ARCHIVE["see"], [(each.lineage, each.message) for each in given]),
            "recipes": _each(lambda each: store.recipes.add(each.scope, each.recipe)),
            "digests": _each(lambda each: store.digests.hold(each.scope, {each.digest: each.trace}, each.at)),
            "aliases": _each(lambda each: store.meta.adopt(each.key, each.value)),
            "facts": _each(lambda each: store.meta.put(each.key, each.value)),
            "generations": self._generations,
            "vectors": self._placed,
            "failures": self._placed,
            "jobs": lambda given: self._write_many(SQL["take_job"], map(_JOB, given)),
            "charges": _each(store.ledger.put),
        }

    def take(self, chapter: Chapter, values: Sequence[Carried]) -> None:
        """Keep these; the chapter says of which class they are."""
        self._take[chapter](values)

    def _drawn(self, statement: str, key: str, values: dict[str, object]) -> None:
        """What comes of sessions, in its scope."""
        self._write(_THREADS[statement], {"scope_no": self._scopes.number(scope_of(key)), **values})

    def _memories(self, given: Sequence[Any]) -> None:
        ids = json.dumps([each.id for each in given])
        held = {name for (name,) in self._connection.rows(SQL["held"], (ids,))}
        for each in given:
            if each.id in held:
                self._filed.put(each)
        fresh = [each for each in given if each.id not in held]
        for _, some in groupby(fresh, lambda each: each.scope.key):
            self._filed.fill(list(some))

    def _outcomes(self, given: Sequence[Any]) -> None:
        rows = [{"scope_no": self._scopes.number(each.scope), **outcome_values(each.what)} for each in given]
        self._write_many(SQL["take_outcome"], rows)
        self._filed.changed(each.what.memory_id for each in given)

    def _events(self, given: Sequence[Any]) -> None:
        self._write_many(SQL["take_event"], map(_EVENT, given))

    def _receipts(self, given: Sequence[Any]) -> None:
        self._write_many(SQL["take_receipt"], [{"seq": each.number, **receipt_values(each.bundle)} for each in given])
        memories, scopes = [], []
        for number, bundle in ((each.number, each.bundle) for each in given):
            memories += [(name, number, bundle.context, bundle.moment) for name in bundle.memory_ids]
            scopes += [(self._scopes.number(scope_of(key)), number) for key in bundle.scope_keys]
        self._write_many(_USAGE["put_memory"], memories)
        self._write_many(_USAGE["put_scope"], scopes)

    def _generations(self, given: Sequence[Any]) -> None:
        for era in given:
            name = (era.target, era.version, era.form)
            self._write(SQL["take_generation"], (*name, era.dimension, era.status, era.began_at, era.finished_at))
            if era.status == "current":
                self._write(_VECTORS["reconfigure"], (era.target, era.version))

    def _placed(self, given: Sequence[Any]) -> None:
        vectors = self._store.vectors
        for (target, version, form), some in groupby(given, lambda each: (each.target, each.version, each.form)):
            generation = vectors.generation(target, version, form)
            if generation is None:
                continue
            for each in some:
                vectors.put(generation, [Embedded(id=each.id, vectors=each.vectors, failure=each.failure)], each.at)
                owner = None if each.vectors else self._connection.row(_VECTORS[f"owner_{target}"], (each.id,))
                if owner is not None:
                    self._write(SQL["take_failure"], (each.attempts, each.at, generation.number, owner[0]))


def _each(keep: Callable[[Any], object]) -> Callable[[Sequence[Any]], None]:
    """Keeps values one by one."""

    def take(given: Sequence[Any]) -> None:
        for each in given:
            keep(each)

    return take
