"""How many targets lack a vector is counted by differences; it is what a listing of them gives."""

from __future__ import annotations

import random
from contextlib import closing
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from learnt.model.kinds import KINDS, PROMOTABLE_KINDS
from learnt.model.vector import Embedded
from learnt.stores.sqlite.store import SqliteStore
from learnt.testing import samples
from learnt.testing.embedders import HashEmbedder
from learnt.testing.fakes import NOON, FixedClock

if TYPE_CHECKING:
    from pathlib import Path

    from learnt.model.vector import Target

MODEL = HashEmbedder(8)


def _checked(store: SqliteStore, target: Target) -> None:
    for state in store.vectors.state(target):
        assert state.missing == len(store.vectors.missing(state, 10_000))


@pytest.mark.parametrize("seed", range(8))
def test_missing_memories_are_counted_as_listed(tmp_path: Path, seed: int) -> None:
    """Whatever kind, stability, status and vector they have, and however these change."""
    chance, scope = random.Random(seed), samples.repository("a")
    with closing(SqliteStore.open(tmp_path / "m.db", now=FixedClock())) as store:
        with store.transaction():
            held = [store.vectors.begin("memory", f"hash{n}:8", "text-1", 8, NOON) for n in range(2)]
        memories = [
            samples.memory(
                scope,
                f"number {n}" if chance.random() < 0.9 else " " * (n + 1),
                kind=chance.choice(KINDS),
                stability=chance.choice(["durable", "durable", "session", "ephemeral"]),
                metadata=chance.choice([{}, {}, {"stability": "odd"}]),
            )
            for n in range(60)
        ]
        for _ in range(4):
            with store.transaction():
                for each in memories:
                    status = chance.choice(["active", "active", "superseded", "deleted"])
                    store.memories.put(replace(each, status=status))  # type: ignore[arg-type]
                    for generation in held:
                        what = chance.random()
                        vectors = tuple(MODEL.embed([each.id] * chance.choice([1, 2]))) if what < 0.5 else ()
                        failure = "" if what < 0.7 else "rate_limited"
                        if what < 0.8:
                            given = Embedded(id=each.id, vectors=tuple(v for v in vectors if v), failure=failure)
                            store.vectors.put(generation, [given], NOON)
            _checked(store, "memory")


@pytest.mark.parametrize("seed", range(4))
def test_missing_evidence_is_counted_as_listed(tmp_path: Path, seed: int) -> None:
    """Blank or not, embedded in pieces or not at all, and after some left."""
    chance, scope = random.Random(seed), samples.repository("a")
    with closing(SqliteStore.open(tmp_path / "m.db", now=FixedClock())) as store:
        units = [
            samples.unit(scope, n, text=chance.choice([f"words {n}", " \t\n"]), at=chance.choice([NOON, "2027"]))
            for n in range(40)
        ]
        with store.transaction():
            generation = store.vectors.begin("evidence", MODEL.version, "said-2", 8, NOON)
            store.archive.put_units(units)
            for each in units:
                what = chance.random()
                vectors = tuple(v for v in MODEL.embed(["x"] * chance.choice([1, 3])) if v) if what < 0.5 else ()
                if what < 0.8:
                    failure = "" if vectors or what < 0.7 else "rate_limited"
                    store.vectors.put(generation, [Embedded(id=each.id, vectors=vectors, failure=failure)], NOON)
        _checked(store, "evidence")
        with store.transaction():
            store.archive.prune("2026-12-31")
        _checked(store, "evidence")


def test_the_index_of_what_needs_no_vector_knows_the_kinds(tmp_path: Path) -> None:
    """It lists them, because an index cannot be told of them."""
    with closing(SqliteStore.open(tmp_path / "m.db", now=FixedClock())) as store:
        sql = store.connection.rows("SELECT sql FROM sqlite_schema WHERE name = 'memory_items_plain'")[0][0]
    kinds = ", ".join(f"'{kind}'" for kind in sorted(set(KINDS) - PROMOTABLE_KINDS))
    assert f"kind IN ({kinds})" in sql
