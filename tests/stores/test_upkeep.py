"""What is derived from rows: found out where it disagrees with them, and made anew."""

from __future__ import annotations

import sqlite3
import stat
import struct
from contextlib import closing
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from learnt.errors import StoreError, UsageError
from learnt.model.scope import Scope, Sight
from learnt.model.tokens import query_terms
from learnt.model.vector import Embedded, VectorFilter
from learnt.stores.sqlite.store import SqliteStore
from learnt.testing import samples
from learnt.testing.base import OnPurposeError, undone
from learnt.testing.embedders import HashEmbedder
from learnt.testing.fakes import NOON, FixedClock

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

SCOPE = Scope(type="repository", repo_id="r")
SIGHT = Sight((SCOPE,))
MODEL = HashEmbedder()
COUNT = 2_100
"""More than a block."""

_PAST = """
INSERT INTO memory_items (row, id, scope_no, scope_key, kind, status, trust, confidence, q_value, created_at,
                          updated_at, valid_from, deleted, clearance, run, text, signals, terms, record_json)
SELECT (SELECT max(row) + 1 FROM memory_items), 'mem_x', scope_no, scope_key, kind, status, trust, confidence, q_value,
       created_at, updated_at, valid_from, deleted, clearance, run, 'a lonely okapi', '', '',
       json_remove(record_json, '$.crc')
FROM memory_items
WHERE status = 'active'
LIMIT 1
"""
BREAKAGES = {
    "full text emptied": ("INSERT INTO memory_fts (memory_fts) VALUES ('delete-all')", {"full_text_terms"}),
    "full text overwritten": ("UPDATE memory_fts_data SET block = randomblob(64) WHERE id > 10", {"full_text_terms"}),
    "an entry too many": ("INSERT INTO memory_fts (rowid, terms) VALUES (7, '1_fox')", {"full_text_terms"}),
    "a block overwritten": (
        "UPDATE lexicon_blocks SET docs = x'0100', repeats = x'' WHERE term = 'fox'",
        {"full_text_blocks"},
    ),
    "a block gone": ("DELETE FROM lexicon_blocks WHERE term = 'fox'", {"full_text_blocks"}),
    "counters": ("UPDATE scopes SET active = 1, terms = 1", {"scope_counts"}),
    "terms": (
        "UPDATE memory_items SET terms = '1_hen' WHERE row % 100 = 1",
        {"full_text_terms", "full_text_blocks", "scope_counts"},
    ),
    "codes overwritten": ("UPDATE vector_codes SET code = randomblob(68) WHERE row % 2", {"vector_codes"}),
    "vectors gone": ("DELETE FROM vectors WHERE id % 5 = 0", {"vector_codes"}),
    "vectors overwritten": ("UPDATE vectors SET vector = randomblob(256) WHERE id % 5 = 0", {"vector_codes"}),
    "vectors of another size": ("UPDATE vectors SET vector = x'00000000'", {"vector_codes"}),
    "a row past the store": (_PAST, {"scope_counts"}),
    "a forged tie": ("INSERT INTO memory_relations VALUES (1, 'mem_a', 'mem_b', 'prop_x')", {"merge_ties"}),
    "counts of outcomes": ("UPDATE memory_items SET useful = 7, against = 1", {"outcome_counts"}),
    "counts of flags": ("UPDATE memory_items SET flags = 1 - flags", {"outcome_counts"}),
    "a tie gone": ("DELETE FROM memory_relations WHERE memory_id = 'mem_1'", {"merge_ties"}),
}


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store with a full block, a tail, retired memories, and vectors of the first hundred."""
    path = tmp_path_factory.mktemp("whole") / "memory.db"
    memories = [samples.memory(SCOPE, f"fox number {n} of the pack") for n in range(COUNT)]
    with closing(_opened(path)) as store:
        with store.transaction():
            store.memories.fill(memories)
            generation = store.vectors.begin("memory", MODEL.version, "text-1", MODEL.dimension, NOON)
            vectors = MODEL.embed([each.text for each in memories[:100]])
            given = [Embedded(id=m.id, vectors=(v,)) for m, v in zip(memories, vectors, strict=False) if v]
            store.vectors.put(generation, given, NOON)
        taken = {"curatorDecision": {"action": "merge"}}
        merge = samples.proposal(SCOPE, "", operation="merge", kind=None, related=("mem_1", "mem_2"), metadata=taken)
        with store.transaction():
            store.proposals.put(replace(merge, status="applied"))
            store.outcomes.add(SCOPE, samples.outcome(memories[1], 1))
            store.outcomes.add(SCOPE, samples.outcome(memories[1], 2, result="dead_end"))
            store.flags.put(SCOPE, samples.flag(memories[2]))
            for n in (5, 50, 2_080):
                store.memories.put(samples.memory(SCOPE, memories[n].text, status="superseded"))
        assert store.upkeep.disagreements() == {}
    return path


@pytest.fixture
def path(whole: Path, tmp_path: Path) -> Path:
    """A copy of it."""
    copy = tmp_path / "memory.db"
    with closing(sqlite3.connect(whole)) as source, closing(sqlite3.connect(copy)) as target:
        source.backup(target)
    return copy


def _opened(path: Path) -> SqliteStore:
    return SqliteStore.open(path, now=FixedClock())


def _answers(store: SqliteStore) -> list[object]:
    """What searches say, cold and warm, and what stands beside them."""
    found: list[object] = []
    for question in ("fox number 7 pack", "number 2090", "hen", "fox number 50"):
        for _ in range(2):
            narrowed = store.lexicon.candidates(SIGHT, query_terms(question), 20)
            found.append([each.id for each in narrowed.candidates] if narrowed.matched else None)
    generation = store.vectors.generation("memory")
    assert generation is not None
    (query,) = MODEL.embed(["fox number 7 of the pack"])
    assert query is not None
    found.append(store.vectors.search(SIGHT, generation, query, 5, VectorFilter())[0].id)
    found.append(store.proposals.related(SIGHT, ["mem_1", "mem_2", "mem_a"]))
    found.append(store.connection.rows("SELECT no, next_seq, active, terms, blocks FROM scopes"))
    found.append(
        store.connection.rows("SELECT row, terms, signals, flags, useful, against FROM memory_items ORDER BY row")
    )
    return found


@pytest.fixture
def broken(path: Path, request: pytest.FixtureRequest) -> Iterator[SqliteStore]:
    """The store after another program broke something."""
    with closing(sqlite3.connect(path)) as other, other:
        other.execute(request.param)
    with closing(_opened(path)) as store:
        yield store


@pytest.mark.parametrize(("broken", "names"), BREAKAGES.values(), indirect=["broken"], ids=BREAKAGES)
def test_what_is_broken_is_told_and_mended(broken: SqliteStore, names: set[str], whole: Path) -> None:
    """Each damage is named; a rebuild makes the answers what they were, and leaves nothing to name."""
    assert names <= set(broken.upkeep.disagreements())
    with broken.transaction():
        made = broken.upkeep.rebuild()
    assert broken.upkeep.disagreements() == {}
    assert broken.meta.gaps() == {}
    assert made["memories"] >= COUNT
    if broken.memories.count(SIGHT)["active"] > COUNT - 3:
        assert [each.id for each in broken.lexicon.candidates(SIGHT, ("okapi",), 5).candidates] == ["mem_x"]
    elif not made["vectors_lost"]:
        with closing(_opened(whole)) as store:
            assert _answers(broken) == _answers(store)
    generation = broken.vectors.generation("memory")
    assert generation is not None
    lacking = len(broken.vectors.missing(generation, COUNT + 1))
    assert lacking >= COUNT - 100 + made["vectors_lost"] - 3


def test_a_rebuild_is_one_transaction(path: Path) -> None:
    """Undone in the middle, everything is as it was."""
    with closing(_opened(path)) as store:
        before = _answers(store)
        with pytest.raises(OnPurposeError):
            undone(store, store.upkeep.rebuild)
        assert _answers(store) == before
        assert store.upkeep.disagreements() == {}


def test_writes_go_on_after_a_rebuild(path: Path) -> None:
    """The next memory has its own row, also after one that came past the store."""
    with closing(sqlite3.connect(path)) as other, other:
        other.execute(_PAST)
    with closing(_opened(path)) as store:
        with store.transaction():
            store.upkeep.rebuild()
        with store.transaction():
            store.memories.put(samples.memory(SCOPE, "a late walrus"))
        assert len(store.lexicon.candidates(SIGHT, ("walrus",), 5).candidates) == 1
        assert store.upkeep.disagreements() == {}


def test_a_backup_is_whole_and_private(path: Path, tmp_path: Path) -> None:
    """With what only the log holds, while a reader and a writer are there; never over a file that is there."""
    copy = tmp_path / "copy.db"
    with closing(_opened(path)) as store, closing(_opened(path)) as other:
        with other.transaction():
            other.memories.put(samples.memory(SCOPE, "in the log alone"))
        with closing(sqlite3.connect(path)) as reader:
            rows = reader.execute("SELECT text FROM memory_items")
            rows.fetchone()
            size = store.upkeep.backup(str(copy))
        with pytest.raises(UsageError) as caught:
            store.upkeep.backup(str(copy))
        assert caught.value.error_code == "backup_exists"
        with pytest.raises(StoreError):
            store.upkeep.backup(str(tmp_path / "nowhere" / "copy.db"))
    assert (copy.stat().st_size, stat.S_IMODE(copy.stat().st_mode)) == (size, 0o600)
    with closing(_opened(copy)) as store:
        assert [each.text for each in store.lexicon.candidates(SIGHT, ("log",), 5).candidates]
        assert store.memories.count(SIGHT)["active"] == COUNT - 3 + 1
        assert store.upkeep.disagreements() == {}


@pytest.mark.parametrize("written", ["randomblob(256)", "zeroblob(256)", "x'00000000'", "unhex_nan"])
def test_a_vector_that_is_none_spoils_no_search(path: Path, written: str) -> None:
    """What another program wrote over every other vector takes nothing from the rest."""
    nan = struct.pack(f"<{MODEL.dimension}f", *[float("nan")] * MODEL.dimension)
    with closing(sqlite3.connect(path)) as other, other:
        if written == "unhex_nan":
            other.execute("UPDATE vectors SET vector = ? WHERE id % 2", (nan,))
        else:
            other.execute(f"UPDATE vectors SET vector = {written} WHERE id % 2")  # noqa: S608 - one of the four above
    (query,) = MODEL.embed(["fox number 7 of the pack"])
    assert query is not None
    with closing(_opened(path)) as store:
        generation = store.vectors.generation("memory")
        assert generation is not None
        found = store.vectors.search(SIGHT, generation, query, 200, VectorFilter())
        assert all(-1.01 <= near.cosine <= 1.01 for near in found)
        right = {row[0] for row in store.connection.rows("SELECT id FROM vectors WHERE id % 2 = 0")}
        assert len(found) >= len(right) - 3


_INDEX = "SELECT name, sql FROM sqlite_schema WHERE type = 'index' AND sql NOT NULL ORDER BY name"


@pytest.mark.parametrize("name", ["memory_items_listing", "memory_items_clearance"])
def test_an_index_that_lost_its_entries_is_found_and_mended(path: Path, name: str) -> None:
    """Emptied behind SQLite's back it is named, and made anew from its table."""
    with closing(sqlite3.connect(path)) as other:
        sql = dict(other.execute(_INDEX))[name]
    emptied = f"{sql} {'AND' if ' WHERE ' in sql else 'WHERE'} 0"
    for held in (emptied, sql):
        with closing(sqlite3.connect(path)) as other, other:
            other.execute("PRAGMA writable_schema = ON")
            other.execute("UPDATE sqlite_schema SET sql = ? WHERE name = ?", (held, name))
        if held is emptied:
            with closing(sqlite3.connect(path)) as other, other:
                other.execute(f"REINDEX {name}")
    with closing(_opened(path)) as store:
        assert set(store.upkeep.disagreements()) == {"file_damage"}
        with store.transaction():
            store.upkeep.rebuild()
        assert store.upkeep.disagreements() == {}


def test_what_lies_beside_an_emptied_page_is_carried(path: Path, tmp_path: Path) -> None:
    """Of a table with a page that cannot be read every other row is given, and the stretch that is lost is named."""
    with closing(sqlite3.connect(path)) as other:
        other.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        text = other.execute("SELECT record_json FROM memory_items ORDER BY row LIMIT 1 OFFSET 1000").fetchone()[0]
        size = other.execute("PRAGMA page_size").fetchone()[0]
    broken = tmp_path / "broken.db"
    content = bytearray(path.read_bytes())
    at = content.index(text.encode()) // size * size
    content[at : at + size] = bytes(size)
    broken.write_bytes(content)
    with closing(_opened(path)) as whole, closing(_opened(broken)) as store:
        found, after = 0, ""
        damaged: list[str] = []
        while True:
            load = store.cargo.load("memories", after, 500)
            found, after = found + len(load.values), load.after
            damaged += load.damaged
            if not after:
                break
        assert 0 < whole.cargo.count("memories") - found < 40
        assert len(damaged) == 1
