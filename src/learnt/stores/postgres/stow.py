"""What another store gave, kept in the database with all that is derived from it.

Many rows go in one statement, as arrays. Tried and rejected: COPY, which row-level security forbids into a table behind
its wall, and a pipeline cannot hold.
"""

from __future__ import annotations

import json
from itertools import groupby
from operator import attrgetter
from typing import TYPE_CHECKING, Any

from learnt.model.cargo import HEAD
from learnt.model.job import Job
from learnt.model.scope import scope_of
from learnt.model.seal import SEAL
from learnt.model.vector import Embedded
from learnt.stores import records
from learnt.stores.drawn import extraction_values, summary_values, thread_values
from learnt.stores.index.narrow import BLOCK
from learnt.stores.postgres import blocks, claims
from learnt.stores.postgres.outcomes import PostgresFlags
from learnt.stores.postgres.statements import load
from learnt.stores.postgres.text import encoded
from learnt.stores.rows import memory_anchors, memory_signals, memory_terms
from learnt.stores.said import outcome_values
from learnt.stores.signed import checkpoint_row

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from learnt.model.cargo import Carried, Chapter
    from learnt.model.memory import Memory
    from learnt.ports.store import Store
    from learnt.stores.postgres.connection import Connection
    from learnt.stores.postgres.scopes import Scopes

SQL = load("cargo")
_VECTORS = load("vectors")
_THREADS = load("threads")
_JOB = attrgetter(*Job.__slots__)
_EVENT = attrgetter(
    "position", "id", "operation", "target_id", "reason", "timestamp", "event_json", "prev_hash", "mac", "erased"
)
_BUNDLE = attrgetter("id", "timestamp", "run_id", "unit_id", "context", "moment", "q_value", "last_reward")


class Stow:
    """Takes chapters in, inside the caller's transaction."""

    def __init__(self, connection: Connection, scopes: Scopes, store: Store) -> None:
        self._connection = connection
        self._scopes = scopes
        self._store = store
        self._write = connection.write
        self._take: dict[Chapter, Callable[[Sequence[Any]], None]] = {
            "scopes": _each(scopes.number),
            "memories": self._memories,
            "formers": _each(lambda each: store.pasts.put(each.memory.scope, each)),
            "outcomes": self._outcomes,
            "flags": _each(self._flag),
            "proposals": _each(store.proposals.put),
            "events": self._events,
            "checkpoints": lambda given: connection.write_many(SQL["take_checkpoint"], map(checkpoint_row, given)),
            "receipts": self._receipts,
            "contexts": lambda given: self._columns(
                "take_contexts", [(each.session, each.generation, each.at) for each in given]
            ),
            "units": lambda given: _nothing(store.archive.put_units(given)),
            "sessions": _each(store.archive.put_session),
            "threads": _each(lambda each: self._drawn("take", each.scope_key, thread_values(each))),
            "extractions": _each(lambda each: self._drawn("take_extraction", each.scope_key, extraction_values(each))),
            "summaries": _each(
                lambda each: self._drawn(
                    "take_summary", each.scope_key, {**summary_values(each), "current": each.current}
                )
            ),
            "seen": lambda given: self._columns("take_seen", [(each.lineage, each.message) for each in given]),
            "recipes": _each(lambda each: store.recipes.add(each.scope, each.recipe)),
            "digests": _each(lambda each: store.digests.hold(each.scope, {each.digest: each.trace}, each.at)),
            "aliases": _each(lambda each: store.meta.adopt(each.key, each.value)),
            "facts": _each(self._fact),
            "generations": _each(self._generation),
            "vectors": self._placed,
            "failures": self._placed,
            "jobs": lambda given: connection.write_many(SQL["take_job"], map(_JOB, given)),
            "charges": _each(store.ledger.put),
        }

    def take(self, chapter: Chapter, values: Sequence[Carried]) -> None:
        """Keep these; the chapter says of which class they are."""
        self._take[chapter](values)

    def _columns(self, statement: str, rows: Iterable[Sequence[object]]) -> None:
        """Rows as one array a column."""
        columns = [list(column) for column in zip(*rows, strict=True)]
        if columns:
            self._write(SQL[statement], columns)

    def _drawn(self, statement: str, key: str, values: dict[str, object]) -> None:
        """What comes of sessions, in its scope."""
        self._write(_THREADS[statement], {"scope_no": self._scopes.number(scope_of(key)), **values})

    def _memories(self, given: Sequence[Any]) -> None:
        held = {row[0] for row in self._connection.rows(SQL["held"], ([each.id for each in given],))}
        for each in given:
            if each.id in held:
                self._store.memories.put(each)
        fresh = [each for each in given if each.id not in held]
        self._connection.lock({each.scope.key for each in fresh})
        for _, some in groupby(fresh, lambda each: each.scope.key):
            self._fill(list(some))

    def _fill(self, memories: Sequence[Memory]) -> None:
        """New memories of one scope: what `put` does to each, many at once."""
        number = self._scopes.number(memories[0].scope)
        terms = [" ".join(memory_terms(each)) if each.status == "active" else "" for each in memories]
        active = [each for each in memories if each.status == "active"]
        counts = {"active": len(active), "terms": sum(each.count(" ") + 1 for each in terms if each)}
        taken = self._connection.returning(SQL["next_rows"], {"no": number, "many": len(memories), **counts})
        if taken is None:
            raise AssertionError("a scope that is locked has gone")
        full, first = taken
        place = {"scope_no": number, "scope_key": memories[0].scope.key}
        rows = {"row": list(range(first, first + len(memories))), "terms": terms, **_arrays(memories)}
        self._write(SQL["take_memories"], {**place, **rows})
        ties = [(kind, key, each.id) for each in active for kind, key in memory_anchors(each)]
        if ties:
            types, keys, ids = map(list, zip(*ties, strict=True))
            self._write(SQL["take_anchors"], {"scope_no": number, "types": types, "keys": keys, "ids": ids})
        claims.fill(self._connection, number, enumerate(memories, first))
        made = ((first + len(memories)) & 0xFFFFFFFF) // BLOCK
        if made > full:
            blocks.close(self._connection, number, full, made)
        self._connection.generation += 1

    def _outcomes(self, given: Sequence[Any]) -> None:
        for each in given:
            values = {"scope_no": self._scopes.number(each.scope), **outcome_values(each.what)}
            self._write(SQL["take_outcome"], values)
        self._connection.generation += 1

    def _flag(self, each: Any) -> None:
        PostgresFlags(self._connection, self._scopes, known=False).put(each.scope, each.what)

    def _events(self, given: Sequence[Any]) -> None:
        self._columns("take_events", map(_EVENT, given))
        end = given[-1]
        self._write(SQL["take_end"], {"seq": end.position, "before": end.prev_hash or ""})

    def _fact(self, fact: Any) -> None:
        if fact.key == HEAD:
            self._write(SQL["take_head"], (fact.value,))
        elif fact.key == SEAL:
            self._write(SQL["take_seal"], (fact.value,))
        else:
            self._store.meta.put(fact.key, fact.value)

    def _receipts(self, given: Sequence[Any]) -> None:
        rows = [
            (each.number, *_BUNDLE(one), one.task_outcome, one.reward_key, records.plain_json(one))
            for each in given
            for one in (each.bundle,)
        ]
        self._columns("take_receipts", rows)
        self._connection.rows(SQL["pass_receipts"], (given[-1].number,))
        memories, scopes = [], []
        for number, bundle in ((each.number, each.bundle) for each in given):
            memories += [(name, number, bundle.context, bundle.moment) for name in dict.fromkeys(bundle.memory_ids)]
            named = map(scope_of, dict.fromkeys(bundle.scope_keys))
            scopes += [(self._scopes.numbered(each.key, each.type), number) for each in named]
        self._columns("take_receipt_memories", memories)
        self._columns("take_receipt_scopes", scopes)

    def _generation(self, era: Any) -> None:
        name = (era.target, era.version, era.form)
        self._write(SQL["take_generation"], (*name, era.dimension, era.status, era.began_at, era.finished_at))
        if era.status == "current":
            self._write(_VECTORS["reconfigure"], (era.target, era.version))

    def _placed(self, given: Sequence[Any]) -> None:
        for name, some in groupby(given, attrgetter("target", "version", "form")):
            generation = self._store.vectors.generation(*name)
            if generation is None:
                continue
            held = list(some)
            kept = [Embedded(id=each.id, vectors=each.vectors, failure=each.failure) for each in held]
            self._store.vectors.put(generation, kept, held[0].at)
            failed = [each for each in held if not each.vectors]
            if failed:
                values = {
                    "target": generation.target,
                    "generation": generation.number,
                    "ids": [each.id for each in failed],
                    "attempts": [each.attempts for each in failed],
                    "ats": [each.at for each in failed],
                }
                self._write(SQL["take_failures"], values)


def _arrays(memories: Sequence[Memory]) -> dict[str, list[object]]:
    """The columns of memories, each as an array."""
    own: dict[str, list[object]] = {name: [getattr(each, name) for each in memories] for name in records.MEMORY_COLUMNS}
    return {
        **own,
        "run": [each.provenance.run_id or each.provenance.session_id for each in memories],
        "tags": [json.dumps([encoded(tag) for tag in each.tags]) for each in memories],
        "signals": [memory_signals(each) for each in memories],
        "record_json": [records.memory_json(each) for each in memories],
    }


def _each(keep: Callable[[Any], object]) -> Callable[[Sequence[Any]], None]:
    """Keeps values one by one."""

    def take(given: Sequence[Any]) -> None:
        for each in given:
            keep(each)

    return take


def _nothing(answer: object) -> None:
    """Nobody asks how many were new."""
    del answer
