"""Many processes on one file without a daemon, and processes that die."""

from __future__ import annotations

import os
import random
import signal
import time
from contextlib import closing
from typing import TYPE_CHECKING

import pytest

from learnt.audit.chain import verify
from learnt.errors import StoreError
from learnt.model.filter import MemoryFilter
from learnt.model.scope import Sight
from learnt.stores.sqlite.store import SqliteStore
from learnt.testing import samples
from learnt.testing.fakes import NOON, FixedClock
from tests.stores.processes import started, together

if TYPE_CHECKING:
    from pathlib import Path

SCOPE = samples.repository("contention")
SIGHT = Sight((SCOPE,))


def _open(path: Path) -> SqliteStore:
    return SqliteStore.open(path, now=FixedClock())


def _change(store: SqliteStore, number: int) -> None:
    with store.transaction():
        memory = samples.memory(SCOPE, f"Statement number{number} about things.")
        store.memories.put(memory)
        store.proposals.put(samples.proposal(SCOPE, f"Proposal {number}."))
        store.events.append(samples.event(number, memory.id))
        store.usage.put(samples.bundle(SCOPE, memory.id))


def _work(path: Path, first: int, count: int) -> None:
    with closing(_open(path)) as store:
        for number in range(first, first + count):
            _change(store, number)
            store.lexicon.candidates(SIGHT, ("statement", f"number{number}"), 5)
            store.memories.page(SIGHT, MemoryFilter(limit=5), NOON)


def _whole(store: SqliteStore) -> int:
    """How many changes are there; each with all its parts, or the test fails."""
    head, rows = store.events.sealed()
    report = verify(rows, head)
    assert report.verified
    assert store.memories.count(SIGHT) == ({"active": report.events} if report.events else {})
    assert sum(store.proposals.count(SIGHT).values()) == report.events
    assert len(store.usage.page(SIGHT, "", 10**6)) == report.events
    indexed = store.connection.rows("""SELECT count(*) FROM memory_fts WHERE memory_fts MATCH '"1_statement"'""")
    counted = store.connection.rows("SELECT sum(active) FROM scopes")
    assert indexed[0][0] == report.events == (counted[0][0] or 0)
    return report.events


@pytest.mark.slow
@pytest.mark.serial
def test_sixteen_processes_lose_nothing(tmp_path: Path) -> None:
    """Writes with reads between them: no process sees a lock error, every change is there, the chain holds."""
    path = tmp_path / "memory.db"
    assert together(_work, [(path, number * 1000, 20) for number in range(16)]) == [0] * 16
    with closing(_open(path)) as store:
        assert _whole(store) == 16 * 20


@pytest.mark.slow
@pytest.mark.serial
def test_killed_writers_leave_whole_changes(tmp_path: Path) -> None:
    """Killed at a random moment, a change is there with all its parts or not at all, and the next writer goes on."""
    path = tmp_path / "memory.db"
    _open(path).close()
    chance = random.Random(7)
    for attempt in range(12):
        process = started(_work, path, (attempt + 1) * 100_000, 100_000)
        time.sleep(0.05 + chance.random() * 0.1)
        os.kill(process.pid or 0, signal.SIGKILL)
        process.join(10)
        with closing(_open(path)) as store:
            before = _whole(store)
            _change(store, attempt)
            assert _whole(store) == before + 1


def _cut_off(store: SqliteStore, at: int, number: int) -> bool:
    """Do a change whose statement `at` is interrupted while it runs; gives whether it was (short ones run through)."""
    left = [at]

    def count(sql: str) -> None:
        left[0] -= 1

    raw = store.connection._raw
    raw.set_trace_callback(count)
    raw.set_progress_handler(lambda: left[0] == 0, 1)
    try:
        _change(store, number)
    except StoreError:
        return True
    finally:
        raw.set_progress_handler(None, 0)
        raw.set_trace_callback(None)
    return False


def test_a_statement_cut_off_leaves_no_half_change(tmp_path: Path) -> None:
    """At whichever SQL statement a change is interrupted, nothing of it remains, and the next one works."""
    with closing(_open(tmp_path / "memory.db")) as store:
        _change(store, 0)
        done, cut = 1, 0
        for at in range(1, 60):
            if _cut_off(store, at, at):
                cut += 1
            else:
                done += 1
            assert _whole(store) == done
        assert cut >= 10
