"""Crowded scopes get a shelf of their own, with an index; what is found stays the same throughout.

Everything here happens as a role that row-level security binds and that may create nothing.
"""

from __future__ import annotations

import random
import threading
from dataclasses import replace
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

import psycopg
import pytest

from learnt.model.scope import Sight
from learnt.model.vector import Embedded, VectorFilter
from learnt.stores.postgres.packed import Packed
from learnt.stores.postgres.store import PostgresStore
from learnt.stores.postgres.vectors import SQL, PostgresVectors
from learnt.stores.sqlite.store import SqliteStore
from learnt.testing import samples
from learnt.testing.embedders import row
from learnt.testing.fakes import NOON, FixedClock
from tests.stores.roles import prepare

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from learnt.model.memory import Memory
    from learnt.model.vector import Generation, Near
    from learnt.ports.store import Store
    from tests.server import Server

SIZE, CROWDED = 600, 200
LARGE, SMALL = samples.repository("large"), samples.repository("small")
BOTH = Sight((LARGE, SMALL))
ANY = VectorFilter()
MEMBER = """
DO $$ BEGIN CREATE ROLE learnt_member LOGIN PASSWORD 'member'; EXCEPTION WHEN duplicate_object THEN END $$;
GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA public TO learnt_member;
GRANT USAGE ON ALL SEQUENCES IN SCHEMA public TO learnt_member;
"""


def vector(seed: object, size: int = 64) -> bytes:
    """A unit vector of its own for each seed."""
    drawn = random.Random(str(seed))
    numbers = [drawn.gauss(0, 1) for _ in range(size)]
    length = sum(number * number for number in numbers) ** 0.5
    return row([number / length for number in numbers])


class Desk:
    """A PostgreSQL store whose scopes are soon crowded, and a SQLite store with the same in it."""

    def __init__(self, postgres: PostgresStore, sqlite: SqliteStore) -> None:
        self.postgres = postgres
        postgres.__dict__["vectors"] = self.vectors = PostgresVectors(
            postgres.connection, postgres.scopes, crowded=CROWDED
        )
        self.stores: tuple[Store, ...] = (postgres, sqlite)

    def begin(self, version: str = "m:64") -> Generation:
        made = []
        for store in self.stores:
            with store.transaction():
                made.append(store.vectors.begin("memory", version, "text-1", 64, NOON))
        return made[0]

    def put(self, memories: Sequence[Memory], version: str = "m:64", stores: Sequence[Store] = ()) -> None:
        for store in stores or self.stores:
            with store.transaction():
                for memory in memories:
                    store.memories.put(memory)
                given = [Embedded(id=each.id, vectors=(vector(each.text + each.rationale),)) for each in memories]
                generation = store.vectors.begin("memory", version, "text-1", 64, NOON)
                store.vectors.put(generation, given, NOON)

    def change(self, *memories: Memory) -> None:
        for store in self.stores:
            with store.transaction():
                for memory in memories:
                    store.memories.put(memory)

    def same(self, asked: Sequence[object] = range(12), version: str = "m:64") -> None:
        """Both stores find the same."""
        for seed in asked:
            for wanted in (ANY, VectorFilter(kinds=("lesson",)), VectorFilter(retired=True), VectorFilter(now=NOON)):
                one, other = [self.found(store, seed, wanted, version) for store in self.stores]
                assert [near.id for near in one] == [near.id for near in other]

    def found(self, store: Store, seed: object, wanted: VectorFilter, version: str) -> tuple[Near, ...]:
        generation = store.vectors.generation("memory", version, "text-1")
        assert generation is not None
        return store.vectors.search(BOTH, generation, vector(seed), 10, wanted)

    def shelves(self) -> dict[int, int]:
        """How many vectors lie on each shelf."""
        return dict(self.postgres.connection.rows("SELECT shelf, count(*) FROM vectors GROUP BY shelf"))

    def settle(self) -> int:
        """Shelve until nothing is left to do; gives how often."""
        done = 0
        while self.vectors.shelve():
            done += 1
        return done


@pytest.fixture
def desk(server: Server, tmp_path: Path) -> Iterator[Desk]:
    """A large scope and a small one, nothing shelved yet."""
    with server.database(prepare) as url:
        with psycopg.connect(url, autocommit=True) as root:
            root.execute(MEMBER.encode())
        parts = urlsplit(url)
        member = parts._replace(netloc=f"learnt_member:member@{parts.hostname}:{parts.port}").geturl()
        postgres = PostgresStore.open(member, now=FixedClock())
        sqlite = SqliteStore.open(tmp_path / "memory.db", now=FixedClock())
        desk = Desk(postgres, sqlite)
        desk.begin()
        desk.put([samples.memory(LARGE, f"large {n}", kind=("lesson", "todo")[n % 2]) for n in range(SIZE)])
        desk.put([samples.memory(SMALL, f"small {n}") for n in range(5)])
        yield desk
        postgres.close()
        sqlite.close()


def test_a_crowded_scope_gets_a_shelf_of_its_own(desk: Desk) -> None:
    """Once, however often it is asked for; the small scope beside it stays where it is, and everything is found."""
    desk.same()
    assert desk.settle() == 1
    assert sorted(desk.shelves().values()) == [5, SIZE]
    desk.same()
    desk.same([f"small {n}" for n in range(5)])
    assert desk.settle() == 0


def test_what_is_written_later_is_found(desk: Desk) -> None:
    """New vectors, others for known memories, retired and deleted memories, those that came back."""
    desk.settle()
    known = [samples.memory(LARGE, f"large {n}", kind=("lesson", "todo")[n % 2]) for n in range(SIZE)]
    desk.put([samples.memory(LARGE, f"later {n}", kind="lesson") for n in range(30)])
    desk.put([replace(each, rationale="again") for each in known[:20]])
    desk.change(*(replace(each, status="superseded") for each in known[20:60]))
    desk.change(*(replace(each, status="deleted") for each in known[60:80]))
    desk.change(*known[20:40])
    asked = ["later 3", "large 0again", "large 0", "large 25", "large 45", "large 70"]
    desk.same(asked)
    assert desk.found(desk.postgres, "large 25", ANY, "m:64")[0].cosine == pytest.approx(1.0)


def test_what_waits_is_moved(desk: Desk) -> None:
    """When a shelved scope is crowded again, a bounded part a step, until nothing waits."""
    desk.settle()
    desk.put([samples.memory(LARGE, f"later {n}", kind="lesson") for n in range(CROWDED + 50)])
    assert desk.settle() >= 1
    assert desk.shelves()[0] <= CROWDED + 5
    desk.same(["later 3", "later 249", "large 5"])


def test_writes_while_an_index_is_built(desk: Desk) -> None:
    """What a writer has not committed when the copy is made is neither lost nor doubled."""
    known = [samples.memory(LARGE, f"large {n}", kind=("lesson", "todo")[n % 2]) for n in range(SIZE)]
    late = [samples.memory(LARGE, f"late {n}") for n in range(3)]
    retired = [replace(each, status="superseded") for each in known[:3]]
    postgres, sqlite = desk.stores
    shelving = threading.Thread(target=desk.vectors.shelve)
    with postgres.transaction():
        for each in (*late, *retired):
            postgres.memories.put(each)
        generation = postgres.vectors.begin("memory", "m:64", "text-1", 64, NOON)
        given = [Embedded(id=each.id, vectors=(vector(each.text),)) for each in late]
        postgres.vectors.put(generation, given, NOON)
        postgres.memories.count(BOTH)  # the writes have arrived
        shelving.start()
        shelving.join(1.5)
        assert shelving.is_alive()
    shelving.join()
    desk.put(late, stores=[sqlite])
    with sqlite.transaction():
        for each in retired:
            sqlite.memories.put(each)
    assert len(desk.shelves()) == 2
    assert sum(desk.shelves().values()) == SIZE + 5 + len(late)
    desk.same(["late 1", "large 1", "large 7"])


def test_vectors_alone_while_an_index_is_built(desk: Desk) -> None:
    """Another vector of a known memory, put in without the memory: the old one does not come back by the index."""
    known = samples.memory(LARGE, "large 1", kind="todo")
    generation = desk.begin()
    shelving = threading.Thread(target=desk.vectors.shelve)
    with desk.postgres.transaction():
        desk.vectors.put(generation, [Embedded(id=known.id, vectors=(vector("other"),))], NOON)
        assert desk.vectors.generation("memory") is not None  # the writes have arrived
        shelving.start()
        shelving.join(1.5)
        assert shelving.is_alive()
    shelving.join()
    assert sum(desk.shelves().values()) == SIZE + 5
    assert len(desk.shelves()) == 2
    assert desk.found(desk.postgres, "other", ANY, "m:64")[0].id == known.id
    assert desk.found(desk.postgres, "large 1", ANY, "m:64")[0].id != known.id


def test_a_retired_generation_takes_its_shelf_along(desk: Desk) -> None:
    """Swept, nothing of it is left, and the new one is searched."""
    desk.settle()
    known = [samples.memory(LARGE, f"large {n}", kind=("lesson", "todo")[n % 2]) for n in range(SIZE)]
    small = [samples.memory(SMALL, f"small {n}") for n in range(5)]
    new = desk.begin("n:64")
    desk.put([*known, *small], "n:64")
    for store in desk.stores:
        with store.transaction():
            mine = store.vectors.generation("memory", "n:64", "text-1")
            assert mine is not None
            assert store.vectors.finish(mine, NOON)
    with desk.postgres.transaction():
        while desk.vectors.sweep(100) == 100:
            pass
    assert desk.shelves() == {0: SIZE + 5}
    assert [each.number for each in desk.vectors.state("memory")] == [new.number]
    desk.settle()
    desk.same(version="n:64")


def test_plans(desk: Desk) -> None:
    """A shelved scope is searched through its index, any other by the rows of its own alone."""
    desk.put([samples.memory(LARGE, f"more {n}") for n in range(2_400)], stores=desk.stores[:1])
    desk.settle()
    assert desk.found(desk.postgres, "more 77", ANY, "m:64")[0].cosine == pytest.approx(1.0)
    numbers = {scope: desk.postgres.scopes.known(scope.key) for scope in BOTH}
    bounds = {"kinds": [], "now": NOON, "since": "", "until": "", "retired": False, "limit": 58}
    asked = {**bounds, "vector": Packed(vector("x")), "generation": 1, "shelf": max(desk.shelves())}

    def plan(statement: str, **more: object) -> str:
        rows = desk.postgres.connection.rows(f"EXPLAIN {statement}", {**asked, **more})
        return "\n".join(str(row[0])[:120] for row in rows)

    near = plan(SQL["near"].replace("DIMENSION", "64"), scope=numbers[LARGE])
    assert f"Index Scan using vectors_{asked['shelf']}_hnsw" in near
    assert "Sort" not in near
    exact = plan(SQL["exact"], scopes=[numbers[SMALL]])
    assert "vectors_shared_pkey" in exact
    assert "Seq Scan" not in exact
    assert f"vectors_{asked['shelf']}" not in exact


def test_a_setting_that_the_server_does_not_know(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    """An older pgvector: said once, nothing is lost, and the search goes on."""
    desk.settle()
    monkeypatch.setitem(SQL, "widely", SQL["widely"].replace("hnsw.iterative_scan", "hnsw.no_such_setting"))
    desk.same(["large 5"])
    assert list(desk.postgres.connection.unreadable) == ["hnsw.iterative_scan"]
    monkeypatch.undo()
    desk.same(["large 7"])


def test_another_tenant_is_not_shelved(desk: Desk) -> None:
    """Whoever asks for a shelf gives one to their own scopes only."""
    number = desk.postgres.scopes.known(LARGE.key)
    values = {"generation": 1, "scope": number, "lock": 1, "links": 16, "effort": 64}
    with desk.postgres.connection.transaction():
        desk.postgres.connection.rows("SELECT set_config('learnt.tenant', 'other', true)")
        assert desk.postgres.connection.rows(SQL["shelve"], values) == [(0,)]
