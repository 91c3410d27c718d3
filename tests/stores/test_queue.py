"""Workers rehearsed under clocks that jump, and worked for real by processes that are killed."""

from __future__ import annotations

import os
import signal
import time
from contextlib import closing
from dataclasses import replace
from typing import TYPE_CHECKING

import psycopg
import pytest

from learnt.model.backlog import JobFilter
from learnt.model.instant import from_epoch, to_epoch
from learnt.model.job import Done, JobRequest, Lease
from learnt.model.scope import Sight
from learnt.stores.ephemeral import EphemeralStore
from learnt.stores.ephemeral.queue import EphemeralQueue
from learnt.stores.postgres.statements import load
from learnt.stores.postgres.store import PostgresStore
from learnt.stores.sqlite.store import SqliteStore
from learnt.testing import samples
from learnt.testing.fakes import NOON, FixedClock
from learnt.testing.jobs import asked, got, held, job_of, leased, settled
from learnt.testing.rehearsal import Rehearsal
from tests.stores.processes import started, together

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from learnt.model.job import Ending, Job
    from learnt.ports.store import Store
    from tests.server import Server

STEPS = 40
SIGHT = Sight((samples.repository("r"),))


def test_a_thousand_schedules() -> None:
    """Pauses, deaths, late returns, duplicates, a clock that jumps: no old token writes, nothing is lost or twice.

    `python -m faults leases` plays ten thousand.
    """
    writes = refused = 0
    for seed in range(1_000):
        clock = FixedClock()
        played = Rehearsal(EphemeralStore(clock.now), clock, seed)
        played.run(STEPS)
        writes, refused = writes + played.writes, refused + played.refused
    assert writes > 3_000
    assert refused > 1_000


def test_schedules_on_a_file(tmp_path: Path) -> None:
    """The same on SQLite, one store for all of them."""
    clock = FixedClock()
    with closing(SqliteStore.open(tmp_path / "memory.db", now=clock)) as store:
        for seed in range(200):
            Rehearsal(store, clock, seed).run(STEPS)


def prepare(url: str) -> None:
    """Every test starts from a copy of an empty store."""
    PostgresStore.open(url, now=FixedClock()).close()


@pytest.fixture
def url(server: Server) -> Iterator[str]:
    """A store on a server."""
    with server.database(prepare) as url:
        yield url


def test_schedules_on_a_server(url: str) -> None:
    """The same on PostgreSQL, under the test's clock."""
    clock = FixedClock()
    with closing(PostgresStore.open(url, now=clock, jobs_now=clock.now)) as store:
        for seed in range(30):
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


def _wall() -> str:
    return from_epoch(time.time())


def _opened(place: str) -> Store:
    """The store at a path or a URL, going by the clock it has in use."""
    if place.startswith("postgresql:"):
        return PostgresStore.open(place, now=_wall)
    return SqliteStore.open(place, now=_wall)


def _labour(place: str) -> None:
    """A worker that counts each job it did in the transaction that ends it, for as long as it lives."""
    with closing(_opened(place)) as store:
        while True:
            lease = leased(store, "work", f"{os.getpid()}-{time.monotonic_ns()}", 0.4)
            if lease is None:
                store.queue.wait(0.05)
                continue
            time.sleep(0.01)
            with store.transaction():
                if store.queue.hold(lease):
                    number = int(store.meta.get(f"did-{lease.job.key}") or 0)
                    store.meta.put(f"did-{lease.job.key}", str(number + 1))
                    store.queue.settle(lease, Done())


JOBS = 120


@pytest.mark.serial
@pytest.mark.parametrize("place", ["file", "server"])
def test_killed_workers_lose_and_double_nothing(place: str, tmp_path: Path, request: pytest.FixtureRequest) -> None:
    """Six processes, one killed again and again in the middle of its work: each job's effect is there once."""
    where = str(tmp_path / "memory.db") if place == "file" else request.getfixturevalue("url")
    with closing(_opened(where)) as store:
        with store.transaction():
            for n in range(JOBS):
                store.queue.enqueue(JobRequest(id=f"job_{n}", kind="work", key=str(n), max_attempts=100))
        workers = [started(_labour, where) for _ in range(4)]
        while store.queue.backlog().of("done") < JOBS:
            victim = started(_labour, where)
            time.sleep(0.2)
            assert victim.pid
            os.kill(victim.pid, signal.SIGKILL)
            victim.join(10)
        for worker in workers:
            worker.kill()
            worker.join(10)
        assert store.queue.page(SIGHT, JobFilter(statuses=("pending", "running", "dead"))).total == 0
        assert [store.meta.get(f"did-{n}") for n in range(JOBS)] == ["1"] * JOBS
        assert not settled(store, Lease(job=job_of(store, SIGHT, "work", "0"), term_s=1), Done())


def test_a_server_s_clock_is_everybody_s(url: str) -> None:
    """Workers whose own clocks are years apart agree on who holds a job."""
    early, late = FixedClock("2001-01-01T00:00:00.000Z"), FixedClock("2099-01-01T00:00:00.000Z")
    with closing(PostgresStore.open(url, now=early)) as past, closing(PostgresStore.open(url, now=late)) as future:
        job = asked(past, "work")
        assert abs(to_epoch(job.created_at) - time.time()) < 3_600
        lease = got(past, "work")
        assert leased(future, "work", "bob") is None
        assert settled(past, lease, Done())


def test_a_server_wakes_who_waits(url: str) -> None:
    """At the commit of a request of the same tenant, not before and not for another's."""
    other = f"{url}?tenant=other"
    with closing(_opened(url)) as store, closing(_opened(url)) as asking, closing(_opened(other)) as foreign:
        assert not store.queue.wait(0.01)
        asked(foreign, "work")
        assert not store.queue.wait(0.2)
        with asking.transaction():
            asking.queue.enqueue(JobRequest(id="j", kind="work", key="a"))
            assert not store.queue.wait(0.2)
        assert store.queue.wait(30)
        assert leased(foreign, "work", job_id="j") is None


def test_a_file_wakes_who_waits(tmp_path: Path) -> None:
    """Any commit of another connection does; one that waits finds out whether it was a request."""
    where = str(tmp_path / "memory.db")
    with closing(_opened(where)) as store, closing(_opened(where)) as asking:
        assert not store.queue.wait(0.01)
        asked(asking, "work")
        assert store.queue.wait(30)


def test_one_tenant_s_jobs_are_not_another_s(url: str) -> None:
    """The same kind and key are two jobs."""
    with closing(_opened(url)) as mine, closing(_opened(f"{url}?tenant=other")) as theirs:
        asked(mine, "work", payload='{"n": 1}')
        assert leased(theirs, "work") is None
        asked(theirs, "work", payload='{"n": 2}')
        assert got(theirs, "work").job.payload == '{"n": 2}'
        assert got(mine, "work").job.payload == '{"n": 1}'
        assert mine.queue.backlog().of("running") == 1


def _ask_often(place: str) -> None:
    """Ask for the same few jobs again and again, ever further."""
    with closing(_opened(place)) as store:
        for mark in range(1, 41):
            with store.transaction():
                for key in "abc":
                    request = JobRequest(id=f"j-{os.getpid()}-{mark}-{key}", kind="work", key=key, watermark=mark)
                    store.queue.enqueue(request)


@pytest.mark.serial
@pytest.mark.parametrize("place", ["file", "server"])
def test_requests_of_many_processes_are_one_job(place: str, tmp_path: Path, request: pytest.FixtureRequest) -> None:
    """Whoever asks first makes it, all others meet it; none fails, and the highest watermark stays."""
    where = str(tmp_path / "memory.db") if place == "file" else request.getfixturevalue("url")
    _opened(where).close()
    assert together(_ask_often, [(where,)] * 6) == [0] * 6
    with closing(_opened(where)) as store:
        jobs = store.queue.page(SIGHT, JobFilter()).values
        assert sorted((job.key, job.watermark) for job in jobs) == [("a", 40), ("b", 40), ("c", 40)]


PLANS = {
    "of": "jobs_tenant_kind_job_key_key",
    "held": "jobs_pkey",
    "due": "jobs_due",
    "lapsed": "jobs_leased",
    "spent": "jobs_leased",
    "ahead": "jobs_listing",
}


def test_a_server_finds_work_by_an_index(url: str) -> None:
    """Among 200,000 jobs that are done, and as many tenants' as there are, choosing one reads a handful of rows."""
    values = {"kind": "work", "key": "7", "id": "", "keys": [], "owner": "ann", "fence": 1, "kinds": ["work"]}
    values |= {"now": NOON, "limit": NOON}
    with psycopg.connect(url, autocommit=True) as raw:
        raw.execute("SET learnt.tenant = 'main'")
        raw.execute(
            """
            INSERT INTO jobs SELECT 'main', 'job_' || n, 'work', n, '', '{}',
                CASE WHEN n % 1000 = 0 THEN 'pending' WHEN n % 1001 = 0 THEN 'running' ELSE 'done' END,
                0, 3, '2026-05-24', 'ann', 1, '2026-05-24', 1, 0, 0, '', '2026-05-24', '2026-05-24'
            FROM generate_series(1, 200000) AS n
            """
        )
        raw.execute("ANALYZE jobs")
        for name, index in PLANS.items():
            plan = raw.execute(b"EXPLAIN " + load("queue")[name].encode(), values).fetchall()
            told = "\n".join(str(row[0]) for row in plan)
            assert index in told, told
            assert "Seq Scan" not in told, told
