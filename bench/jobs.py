"""What a job costs a store beside the work itself, among many that are done, and a schedule of the rehearsal.

CPU time of this process; the server's own is not in it. A job is leased, held once and ended, each in a transaction of
its own, 20,000 others done.
"""

from __future__ import annotations

import tempfile
import time
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING

from bench.figure import Figure
from learnt.model.instant import from_epoch
from learnt.model.job import Done, JobRequest
from learnt.stores.ephemeral import EphemeralStore
from learnt.stores.sqlite.store import SqliteStore
from learnt.testing.fakes import FixedClock
from learnt.testing.rehearsal import Rehearsal

if TYPE_CHECKING:
    from collections.abc import Iterator

    from learnt.ports.store import Store

OTHERS, JOBS, LOOKS, SCHEDULES, STEPS = 20_000, 1_000, 1_000, 1_000, 40


def figures() -> Iterator[Figure]:
    """Per job, per look that finds nothing, and per rehearsed schedule."""
    with tempfile.TemporaryDirectory() as folder, closing(_store(Path(folder))) as store:
        _filled(store)
        yield Figure("job leased, held and ended", _worked(store), "ms", 1.0, statistic="mean", conditions=_CONDITIONS)
        yield Figure("look for work, none", _looked(store), "ms", 0.5, statistic="mean", conditions=_CONDITIONS)
    yield Figure("rehearsed schedule of 40 steps", _rehearsed(), "ms", 2.0, statistic="mean", conditions=_REHEARSED)


_CONDITIONS = f"SQLite, CPU, among {OTHERS:,} jobs that are done, {JOBS:,} times"
_REHEARSED = f"store of dictionaries, CPU, {SCHEDULES:,} seeds: the test plays 10,000"


def _store(folder: Path) -> SqliteStore:
    return SqliteStore.open(folder / "memory.db", now=lambda: from_epoch(time.time()))


def _filled(store: Store) -> None:
    with store.transaction():
        for n in range(OTHERS):
            store.queue.enqueue(JobRequest(id=f"old_{n}", kind="old", key=str(n)))
            lease = store.queue.lease("bench", ("old",), 60.0, f"old_{n}")
            assert lease is not None
            store.queue.settle(lease, Done())
        for n in range(JOBS):
            store.queue.enqueue(JobRequest(id=f"job_{n}", kind="work", key=str(n)))


def _worked(store: Store) -> float:
    began_s = time.process_time()
    for _ in range(JOBS):
        with store.transaction():
            lease = store.queue.lease("bench", ("work", "old"), 60.0)
        assert lease is not None
        with store.transaction():
            store.queue.hold(lease)
        with store.transaction():
            store.queue.settle(lease, Done())
    return (time.process_time() - began_s) / JOBS * 1_000


def _looked(store: Store) -> float:
    began_s = time.process_time()
    for _ in range(LOOKS):
        with store.transaction():
            store.queue.lease("bench", ("work", "old"), 60.0)
    return (time.process_time() - began_s) / LOOKS * 1_000


def _rehearsed() -> float:
    began_s = time.process_time()
    for seed in range(SCHEDULES):
        clock = FixedClock()
        Rehearsal(EphemeralStore(clock.now), clock, seed).run(STEPS)
    return (time.process_time() - began_s) / SCHEDULES * 1_000
