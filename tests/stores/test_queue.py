"""Workers rehearsed under clocks that jump, and worked for real by processes that are killed."""

from __future__ import annotations

import os
import signal
import time
from contextlib import closing
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from learnt.model.instant import from_epoch, to_epoch
from learnt.model.job import Done, JobFilter, JobRequest, Lease
from learnt.model.scope import Sight
from learnt.stores.ephemeral import EphemeralStore
from learnt.stores.ephemeral.queue import EphemeralQueue
from learnt.stores.sqlite.store import SqliteStore
from learnt.testing import samples
from learnt.testing.fakes import NOON, FixedClock
from learnt.testing.jobs import asked, got, held, job_of, leased, settled
from learnt.testing.rehearsal import Rehearsal
from tests.stores.processes import started

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from learnt.model.job import Ending, Job

STEPS = 40
SIGHT = Sight((samples.repository("r"),))


@pytest.mark.parametrize("part", range(4))
def test_ten_thousand_schedules(part: int) -> None:
    """Pauses, deaths, late returns, duplicates, a clock that jumps: no old token writes, nothing is lost or twice."""
    writes = refused = 0
    for seed in range(2_500 * part, 2_500 * (part + 1)):
        clock = FixedClock()
        played = Rehearsal(EphemeralStore(clock.now), clock, seed)
        played.run(STEPS)
        writes, refused = writes + played.writes, refused + played.refused
    assert writes > 8_000
    assert refused > 3_000


def test_schedules_on_a_file(tmp_path: Path) -> None:
    """The same on SQLite, one store for all of them."""
    clock = FixedClock()
    with closing(SqliteStore.open(tmp_path / "memory.db", now=clock)) as store:
        for seed in range(200):
            Rehearsal(store, clock, seed).run(STEPS)


def test_a_schedule_is_the_same_for_its_seed() -> None:
    """What failed once fails again."""

    def played(seed: int) -> tuple[object, ...]:
        clock = FixedClock()
        store = EphemeralStore(clock.now)
        done = Rehearsal(store, clock, seed)
        done.run(STEPS)
        return (done.writes, done.refused, clock.at, tuple(store.tables.jobs.values()))

    assert played(7) == played(7)
    assert played(7) != played(8)


class _Trusting(EphemeralQueue):
    """Compares the name of the worker and not the fence."""

    def _held(self, lease: Lease) -> Job | None:
        job = self._tables.jobs.get(lease.job.id)
        return job if job and job.status == "running" and job.owner == lease.owner else None


class _Repeating(EphemeralQueue):
    """Gives out one fence twice."""

    def lease(self, owner: str, kinds: Sequence[str], term_s: float, job_id: str = "") -> Lease | None:
        lease = super().lease(owner, kinds, term_s, job_id)
        if lease is None or lease.fence < 3:
            return lease
        job = self._tables.jobs[lease.job.id] = replace(lease.job, fence=2)
        return replace(lease, job=job)


class _Forgetful(EphemeralQueue):
    """Takes the input's present watermark for done, whatever the lease began with."""

    def settle(self, lease: Lease, ending: Ending) -> bool:
        job = self._tables.jobs[lease.job.id]
        return super().settle(replace(lease, job=replace(lease.job, watermark=job.watermark)), ending)


@pytest.mark.parametrize("broken", [_Trusting, _Repeating, _Forgetful])
def test_the_referee_sees_what_is_broken(broken: type[EphemeralQueue]) -> None:
    """A queue with one mistake fails within a few schedules."""

    def play() -> None:
        for seed in range(400):
            clock = FixedClock()
            store = EphemeralStore(clock.now)
            store.queue = broken(store.tables, store._guard, clock.now)
            Rehearsal(store, clock, seed).run(STEPS)

    with pytest.raises(AssertionError):
        play()


class _Machine:
    """A machine whose wall clock somebody sets, and whose count of the time since its start nobody does."""

    def __init__(self) -> None:
        self.wall, self.start, self.count_ms = FixedClock(), "start-1", 1_000_000

    def pass_by(self, seconds: float) -> None:
        """Time passes."""
        self.wall.advance(seconds)
        self.count_ms += round(seconds * 1000)

    def since_start(self) -> tuple[str, int]:
        """See `learnt.stores.sqlite.steady.Steady`."""
        return self.start, self.count_ms

    def store(self, path: Path) -> SqliteStore:
        """A store on this machine."""
        return SqliteStore.open(path, now=self.wall, since_start=self.since_start)


@pytest.mark.parametrize("jump_s", [-3_600.0, 2 * 86_400.0])
def test_setting_the_clock_moves_no_lease(tmp_path: Path, jump_s: float) -> None:
    """No lease lasts longer and none is stolen, for processes that were there before and for new ones."""
    machine = _Machine()
    with closing(machine.store(tmp_path / "memory.db")) as store:
        asked(store, "work")
        lease = got(store, "work")
        machine.wall.advance(jump_s)
        with closing(machine.store(tmp_path / "memory.db")) as other:
            assert leased(other, "work", "bob") is None
            machine.pass_by(100)
            assert held(store, lease)
            machine.pass_by(119)
            assert leased(other, "work", "bob") is None
            assert from_epoch(to_epoch(NOON) + 219) == other.queue.backlog().now
            machine.pass_by(2)
            assert got(other, "work", "bob").job.takeovers == 1


def test_after_a_new_start_the_wall_clock_counts(tmp_path: Path) -> None:
    """What was held before it is taken over when its lease ran out; a clock that was wrong then holds nobody up."""
    machine = _Machine()
    with closing(machine.store(tmp_path / "memory.db")) as store:
        asked(store, "work")
        got(store, "work")
    machine.start, machine.count_ms = "start-2", 5_000
    machine.wall.advance(-30 * 86_400)
    with closing(machine.store(tmp_path / "memory.db")) as store:
        assert leased(store, "work", "bob") is None
        machine.pass_by(121)
        assert got(store, "work", "bob").job.takeovers == 1


def _labour(path: Path, seconds: float) -> None:
    """A worker that counts each job it did in the transaction that ends it."""
    name = f"{os.getpid()}-{time.monotonic_ns()}"
    with closing(SqliteStore.open(path, now=lambda: from_epoch(time.time()))) as store:
        until = time.monotonic() + seconds
        while time.monotonic() < until:
            lease = leased(store, "work", name, 0.3)
            if lease is None:
                time.sleep(0.01)
                continue
            time.sleep(0.01)
            with store.transaction():
                if store.queue.hold(lease):
                    number = int(store.meta.get(f"did-{lease.job.key}") or 0)
                    store.meta.put(f"did-{lease.job.key}", str(number + 1))
                    store.queue.settle(lease, Done())


@pytest.mark.serial
def test_killed_workers_lose_and_double_nothing(tmp_path: Path) -> None:
    """Six processes, one killed again and again in the middle of its work: each job's effect is there once."""
    path = tmp_path / "memory.db"
    with closing(SqliteStore.open(path, now=lambda: from_epoch(time.time()))) as store:
        with store.transaction():
            for n in range(150):
                store.queue.enqueue(JobRequest(id=f"job_{n}", kind="work", key=str(n), max_attempts=100))
        workers = [started(_labour, path, 60.0) for _ in range(5)]
        while store.queue.backlog().of("done") < 150:
            victim = started(_labour, path, 60.0)
            time.sleep(0.15)
            assert victim.pid
            os.kill(victim.pid, signal.SIGKILL)
            victim.join(10)
        for worker in workers:
            worker.kill()
            worker.join(10)
        assert store.queue.page(SIGHT, JobFilter(statuses=("pending", "running", "dead"))).total == 0
        assert [store.meta.get(f"did-{n}") for n in range(150)] == ["1"] * 150
        assert not settled(store, Lease(job=job_of(store, SIGHT, "work", "0"), term_s=1), Done())
