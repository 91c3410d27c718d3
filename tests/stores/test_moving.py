"""Moving a store leaves out no table: what is in neither a chapter nor derived would be lost in silence."""

from __future__ import annotations

import json
from contextlib import closing
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import psycopg
import pytest

from learnt.model.cargo import CHAPTERS
from learnt.model.scope import Sight
from learnt.model.vector import Embedded
from learnt.stores.ephemeral import EphemeralStore
from learnt.stores.postgres.store import PostgresStore
from learnt.stores.postgres.vectors import PostgresVectors
from learnt.stores.sqlite.store import SqliteStore
from learnt.testing import samples
from learnt.testing.cargo import carry, everything, tallies
from learnt.testing.embedders import HashEmbedder
from learnt.testing.fakes import NOON, FixedClock

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from learnt.ports.store import Store
    from tests.server import Server

    Counted = Callable[[Store], dict[str, list[Any]]]

ONE, OTHER = samples.repository("moving-a"), samples.repository("moving-b")
STAY = {"_meta", "schema_migrations"}
"""Facts that stay are among them."""
UNFILLED = {
    "lexicon_blocks",
    "lexicon_lengths",
    "evidence_sheets",
    "evidence_postings",
    "vector_shelves",
    "changes",
    "audit_nodes",
}
"""What a few rows do not fill: a block takes 2,048 memories, a sheet 1,024 units, a shelf 15,000 vectors; and the feed
of a file, which begins with the first who follows it."""


def _sqlite_tables(store: Any) -> dict[str, list[Any]]:
    names = store.connection.rows("SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'memory_fts%'")
    return {name: store.connection.rows(f"SELECT * FROM {name}") for (name,) in names}  # noqa: S608


def _postgres_tables(store: Any) -> dict[str, list[Any]]:
    names = store.connection.rows("SELECT tablename FROM pg_tables WHERE schemaname = current_schema()")
    # Revisions only count what was replaced in this very store.
    read = "SELECT (to_jsonb(t) - 'revision')::text FROM {} AS t"
    return {name: store.connection.rows(read.format(name)) for (name,) in names}


def _told(tables: dict[str, list[Any]]) -> set[tuple[int, str]]:
    """What a server's feed names. It begins anew with what arrives: what changed twice before is told once."""
    return {(told["scope_no"], told["target_id"]) for (row,) in tables["changes"] for told in (json.loads(row),)}


def prepare(url: str) -> None:
    """An empty store, to be copied."""
    PostgresStore.open(url, now=FixedClock()).close()


@pytest.fixture(params=["sqlite", "postgres"])
def stores(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[tuple[Store, Store, Counted]]:
    """Two empty stores of one kind, and what counts the rows of their tables."""
    if request.param == "sqlite":
        one, two = (SqliteStore.open(tmp_path / f"{name}.db", now=FixedClock()) for name in ("one", "two"))
        yield one, two, _sqlite_tables
        one.close()
        two.close()
        return
    server: Server = request.getfixturevalue("server")
    with server.database(prepare) as here, server.database(prepare) as there:
        one, two = (PostgresStore.open(url, now=FixedClock()) for url in (here, there))  # type: ignore[assignment]
        yield one, two, _postgres_tables
        one.close()
        two.close()


def test_every_table_arrives(stores: tuple[Store, Store, Counted]) -> None:
    """After a move each table holds what it held, whether it was moved or made anew."""
    one, two, tables = stores
    everything(one, ONE, OTHER)
    before = tables(one)
    assert {name for name, rows in before.items() if not rows} - STAY <= UNFILLED
    carry(one, two)
    after = tables(two)
    assert _told(after) == _told(before)
    for name in before.keys() - STAY - {"changes"}:
        assert sorted(map(str, after[name])) == sorted(map(str, before[name])), name


def test_clearing_leaves_no_row(stores: tuple[Store, Store, Counted]) -> None:
    """A move that begins anew begins with empty tables."""
    one, _, tables = stores
    everything(one, ONE, OTHER)
    with one.transaction():
        one.cargo.clear()
    assert {name for name, rows in tables(one).items() if rows} == STAY


@pytest.mark.parametrize("many", [2_200])
def test_full_blocks_and_sheets_are_made_anew(stores: tuple[Store, Store, Counted], many: int) -> None:
    """A scope large enough for blocks, and a session large enough for sheets, rank as they did."""
    one, two, tables = stores
    source = EphemeralStore()
    with source.transaction():
        for number in range(many):
            source.memories.put(samples.memory(ONE, f"alpha {number} beta {number % 7}"))
        source.archive.put_units(samples.unit(ONE, number) for number in range(1_100))
    carry(source, one, 500)
    carry(one, two, 700)
    for name in ("lexicon_blocks", "lexicon_lengths", "evidence_sheets", "evidence_postings"):
        here, there = tables(one)[name], tables(two)[name]
        assert here
        assert sorted(map(str, here)) == sorted(map(str, there))
    found = [_ranked(store) for store in (one, two)]
    assert found[0] == found[1]
    assert len(found[0]) == 50
    with two.transaction():
        two.memories.put(samples.memory(ONE, "alpha 17 beta 3 again"))
    assert two.meta.gaps() == {}


def _ranked(store: Store) -> list[str]:
    return [each.id for each in store.lexicon.candidates(Sight((ONE,)), ("alpha", "17", "beta"), 50).candidates]


def test_every_chapter_has_something(stores: tuple[Store, Store, Counted]) -> None:
    """The sample these tests rest on has rows in all chapters."""
    one, _, _ = stores
    everything(one, ONE, OTHER)
    assert [chapter for chapter in CHAPTERS if not one.cargo.count(chapter)] == []


ROLES = """
CREATE ROLE moving_owner LOGIN PASSWORD 'o' NOSUPERUSER NOBYPASSRLS;
CREATE ROLE moving_user LOGIN PASSWORD 'u' NOSUPERUSER NOBYPASSRLS;
"""
RIGHTS = """
GRANT USAGE ON SCHEMA public TO moving_user;
GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA public TO moving_user;
GRANT USAGE ON ALL SEQUENCES IN SCHEMA public TO moving_user;
"""


def test_behind_the_wall(server: Server) -> None:
    """Two tenants of one database, by roles that row-level security binds: neither move touches the other's rows."""
    with server.database() as url, psycopg.connect(url, autocommit=True) as root:
        root.execute(ROLES.encode())
        root.execute("GRANT CREATE, USAGE ON SCHEMA public TO moving_owner")
        try:
            owner, user = (_as(url, role, word) for role, word in (("moving_owner", "o"), ("moving_user", "u")))
            first = PostgresStore.open(f"{owner}?tenant=one", now=FixedClock())
            root.execute(RIGHTS.encode())
            second = PostgresStore.open(f"{user}?tenant=two", now=FixedClock())
            _tenants(first, second)
            first.close()
            second.close()
        finally:
            root.execute("DROP OWNED BY moving_user, moving_owner CASCADE")
            root.execute("DROP ROLE moving_user, moving_owner")


def _as(url: str, role: str, word: str) -> str:
    parts = urlsplit(url)
    return parts._replace(netloc=f"{role}:{word}@{parts.netloc.rpartition('@')[2]}").geturl()


def _tenants(first: Store, second: Store) -> None:
    one, two = EphemeralStore(), EphemeralStore()
    everything(one, ONE, OTHER)
    with two.transaction():
        two.memories.put(samples.memory(ONE, "another tenant's"))
        two.usage.put(samples.bundle(ONE))
    carry(one, first)
    assert tallies(second) == tallies(EphemeralStore())
    carry(two, second)
    assert (tallies(first), tallies(second)) == (tallies(one), tallies(two))
    with second.transaction():
        second.cargo.clear()
        second.usage.put(samples.bundle(ONE, context="after"))
    assert tallies(first) == tallies(one)


def test_a_crowded_scope_s_vectors_arrive(server: Server) -> None:
    """Those on a shelf of their own and those that wait to be moved there, each once."""
    with server.database(prepare) as url, closing(PostgresStore.open(url, now=FixedClock())) as store:
        memories = [samples.memory(ONE, f"alpha beta gamma w{number}") for number in range(40)]
        vectors = HashEmbedder().embed([each.text for each in memories])
        kept = [Embedded(id=each.id, vectors=(one, one)) for each, one in zip(memories, vectors, strict=True) if one]
        with store.transaction():
            for each in memories:
                store.memories.put(each)
            generation = store.vectors.begin("memory", "hash:64", "text-1", 64, NOON)
            store.vectors.put(generation, kept[:30], NOON)
        before = tallies(store)
        while PostgresVectors(store.connection, store.scopes, crowded=20).shelve():
            pass
        assert store.connection.rows("SELECT count(*) FROM vector_shelves")[0][0] == 1
        assert tallies(store) == before
        with store.transaction():
            store.vectors.put(generation, kept[30:], NOON)
        other = EphemeralStore()
        carry(store, other)
        assert other.cargo.count("vectors") == 40
        assert tallies(other) == tallies(store)
        with store.transaction():
            store.cargo.clear()
        carry(other, store)
        assert tallies(other) == tallies(store)
