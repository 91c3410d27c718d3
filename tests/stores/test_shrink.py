"""What was removed from a file is in no page of it any more, and its room is given back."""

from __future__ import annotations

from typing import TYPE_CHECKING

from learnt.model.scope import Scope, Sight
from learnt.stores.sqlite.store import SqliteStore
from learnt.testing import samples
from learnt.testing.fakes import NOON

if TYPE_CHECKING:
    from pathlib import Path

SCOPE = Scope(type="repository", repo_id="r")
SIGHT = Sight((SCOPE,))
WORD = "zygomatic"


def opened(tmp_path: Path) -> SqliteStore:
    return SqliteStore.open(tmp_path / "memory.db", now=lambda: NOON)


def filled(store: SqliteStore, status: str, count: int = 3_000) -> list[str]:
    """Memories with a rare word each; gives their ids."""
    memories = [samples.memory(SCOPE, f"{WORD}{n} and some more words of number {n}") for n in range(count)]
    with store.transaction():
        for memory in memories:
            store.memories.put(memory)
    with store.transaction():
        for memory in memories if status != "active" else ():
            store.memories.put(samples.memory(SCOPE, memory.text, status=status))
    return [memory.id for memory in memories]


def on_disk(tmp_path: Path) -> bytes:
    return b"".join(path.read_bytes() for path in sorted(tmp_path.glob("memory.db*")))


def removed(store: SqliteStore, ids: list[str]) -> None:
    with store.transaction():
        assert len(store.memories.remove(SIGHT, ids)) == len(ids)


def test_nothing_of_what_was_removed_is_left(tmp_path: Path) -> None:
    """Neither rows nor words, wherever they had been: in rows, full text, blocks, or the log."""
    for status in ("active", "superseded"):
        store = opened(tmp_path)
        removed(store, filled(store, status))
        assert store.upkeep.shrink()["log_bytes"] == 0
        assert WORD.encode() not in on_disk(tmp_path)
        assert store.upkeep.disagreements() == {}
        store.close()


def test_the_file_becomes_smaller(tmp_path: Path) -> None:
    """By the pages that became free, all of them."""
    store = opened(tmp_path)
    removed(store, filled(store, "active"))
    told = store.upkeep.shrink()
    assert store.connection.rows("PRAGMA freelist_count") == [(0,)]
    assert told["freed_bytes"] > 1_000_000
    assert (tmp_path / "memory.db").stat().st_size < 1_000_000
    store.close()


def test_a_reader_in_the_way_is_told_of(tmp_path: Path) -> None:
    """Who reads an older state keeps the log alive; shrinking says how much, and waits for nobody."""
    store, reader = opened(tmp_path), opened(tmp_path)
    ids = filled(store, "active", 50)
    with reader.connection.snapshot():
        assert reader.memories.count(SIGHT) == {"active": 50}
        removed(store, ids)
        assert store.upkeep.shrink()["log_bytes"] > 0
    assert store.upkeep.shrink()["log_bytes"] == 0
    assert WORD.encode() not in on_disk(tmp_path)


def test_a_step_is_enough_for_one_that_was_found(tmp_path: Path) -> None:
    """The bounded step leaves the row's own text nowhere; only single words may wait in the full text for the next."""
    store = opened(tmp_path)
    ids = filled(store, "active", 50)
    removed(store, ids[:1])
    store.upkeep.shrink(whole=False)
    assert f"{WORD}0 and some more".encode() not in on_disk(tmp_path)
    assert store.memories.count(SIGHT) == {"active": 49}
