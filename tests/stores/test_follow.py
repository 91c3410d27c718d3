"""What a process keeps in memory of full text follows the writes of others, on both databases."""

from __future__ import annotations

from contextlib import ExitStack
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from learnt.model.scope import Sight
from learnt.model.tokens import query_terms
from learnt.stores.index.narrow import BLOCK
from learnt.stores.postgres import lexicon as postgres_lexicon
from learnt.stores.postgres.store import PostgresStore
from learnt.stores.sqlite import lexicon as sqlite_lexicon
from learnt.stores.sqlite.store import SqliteStore
from learnt.testing import samples
from learnt.testing.base import OnPurposeError, undone
from learnt.testing.fakes import FixedClock
from tests.stores.roles import prepare

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from learnt.model.candidate import Candidate
    from learnt.model.memory import Memory
    from learnt.ports.store import Store
    from tests.server import Server

HERE = samples.repository("here")
SIGHT = Sight((HERE,))


@pytest.fixture(params=["sqlite", "postgres"])
def handles(
    request: pytest.FixtureRequest, tmp_path: Path, server: Server, monkeypatch: pytest.MonkeyPatch
) -> Iterator[tuple[Store, Store]]:
    """Two handles of one store, which answer warm whatever its size."""
    monkeypatch.setattr(sqlite_lexicon, "COLD_ACTIVE", 0)
    monkeypatch.setattr(postgres_lexicon, "COLD_ACTIVE", 0)
    with ExitStack() as stack:
        if request.param == "postgres":
            url = stack.enter_context(server.database(prepare))
            one, two = (PostgresStore.open(url, now=FixedClock()) for _ in range(2))
        else:
            one, two = (SqliteStore.open(tmp_path / "memory.db", now=FixedClock()) for _ in range(2))  # type: ignore[assignment]
        stack.callback(one.close)
        stack.callback(two.close)
        put(one, *(samples.memory(HERE, f"common filler {n}") for n in range(30)))
        found(one, "common")
        yield one, two


def put(store: Store, *memories: Memory) -> None:
    with store.transaction():
        for memory in memories:
            store.memories.put(memory)


def found(store: Store, question: str, limit: int = 5) -> dict[str, Candidate]:
    narrowed = store.lexicon.candidates(SIGHT, query_terms(question), limit)
    return {each.id: each for each in narrowed.candidates} if narrowed.matched else {}


def test_a_new_memory_is_found(handles: tuple[Store, Store]) -> None:
    """As soon as another process has committed it."""
    one, two = handles
    memory = samples.memory(HERE, "A zeppelin over the common.")
    put(two, memory)
    assert list(found(one, "zeppelin")) == [memory.id]


def test_a_field_without_words_is_followed(handles: tuple[Store, Store]) -> None:
    """What scoring reads and full text does not hold is read again: a reward, another trust."""
    one, two = handles
    memory = samples.memory(HERE, "A zeppelin over the common.")
    put(one, memory)
    assert found(one, "zeppelin")[memory.id].q_value == memory.q_value
    put(two, replace(memory, q_value=0.9, trust="repository"))
    again = found(one, "zeppelin")[memory.id]
    assert (again.q_value, again.trust) == (0.9, "repository")


def test_other_words_and_what_left(handles: tuple[Store, Store]) -> None:
    """Changed tags are found instead of the old ones; what was retired is not found."""
    one, two = handles
    memory = samples.memory(HERE, "A zeppelin over the common.", tags=("oldtag",))
    put(one, memory)
    assert list(found(one, "oldtag")) == [memory.id]
    put(two, replace(memory, tags=("newtag",)))
    assert (list(found(one, "newtag")), list(found(one, "oldtag"))) == ([memory.id], [])
    put(two, replace(memory, status="superseded"))
    assert found(one, "zeppelin newtag") == {}


def test_what_was_undone_leaves_no_trace(handles: tuple[Store, Store]) -> None:
    """A question inside a transaction that fails teaches nothing to later ones, and nothing to others."""
    one, _ = handles
    memory = samples.memory(HERE, "A zeppelin over the common.")

    def write() -> None:
        one.memories.put(memory)
        assert list(found(one, "zeppelin")) == [memory.id]

    with pytest.raises(OnPurposeError):
        undone(one, write)
    assert found(one, "zeppelin") == {}
    other = samples.memory(HERE, "A balloon over the common.")
    put(one, other)
    assert (list(found(one, "balloon")), found(one, "zeppelin")) == ([other.id], {})


def test_a_block_that_fills_up(handles: tuple[Store, Store]) -> None:
    """Memories that another process moved into a block are still found, each once."""
    one, two = handles
    put(two, *(samples.memory(HERE, f"common number {n}") for n in range(BLOCK)))
    assert len(found(one, "filler", 50)) == 30
    assert len(found(one, "number 2040", 9)) == 9
    last = samples.memory(HERE, "A zeppelin over the common.")
    put(two, last)
    assert list(found(one, "zeppelin")) == [last.id]
