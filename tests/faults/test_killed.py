"""A server of a test's own that is killed and comes up again: in the middle of writes and jobs, and as a replica."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections import Counter
from contextlib import ExitStack, closing, contextmanager, suppress
from threading import Thread
from typing import TYPE_CHECKING, Any

import psycopg
import pytest

from learnt.errors import StoreError, StoreReadOnlyError
from learnt.flows.recall import recall
from learnt.flows.remember import remember
from learnt.flows.work import Outcome, Watch, work
from learnt.model.answer import Written
from learnt.model.backlog import JobFilter
from learnt.model.filter import MemoryFilter
from learnt.model.job import Done
from learnt.model.ranking import Query
from learnt.model.request import WriteRequest
from learnt.testing.fakes import FixedClock
from tests.cli.shell import COMMAND, Shell
from tests.faults.machine import machine
from tests.faults.world import chained, means_over, opened, raised
from tests.flows.test_work import KIND, trade
from tests.stores.processes import started
from tests.stores.roles import PASSWORD

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from learnt.flows.lease import Grip
    from learnt.flows.means import Means
    from learnt.model.job import Ending
from tests.faults.machine import Machine

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="the processes of a server are found in /proc")

UNKNOWN = "store_outcome_unknown"
AWAY = {"store_unavailable", "store_stopping", "store_starting", UNKNOWN}
"""How a write may end that met a server that was not there."""

PAUSE_S = 0.05
PATIENCE_S = 90.0
PROCESSES, THREADS, WRITES = 2, 2, 25


@pytest.fixture(scope="module")
def served() -> Iterator[Machine]:
    """A server that keeps what it acknowledged, and an empty store on it."""
    with machine() as found:
        yield found


class _Log:
    """What a writer was told, a line each, kept when the writer dies."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def tell(self, *said: object) -> None:
        """One line, in one piece."""
        with self.path.open("ab", buffering=0) as file:
            file.write(json.dumps(said).encode() + b"\n")

    def read(self) -> list[list[Any]]:
        """All lines."""
        return [json.loads(line) for line in self.path.read_text().splitlines()] if self.path.exists() else []


def _write(means: Means, log: _Log, word: str) -> None:
    """A memory after the other; one that was refused as to be repeated is repeated, one that may be there is not."""
    for number in range(WRITES):
        text = f"The {word} harbour{number} opens at dawn."
        end_s = time.monotonic() + PATIENCE_S
        while time.monotonic() < end_s:
            try:
                answer = remember(means, WriteRequest(text=text, kind="project_fact"))
            except StoreError as error:
                log.tell("refused", error.error_code, error.may_retry, bool(error.advice), error.exit_code)
                if error.error_code == UNKNOWN:
                    log.tell("unknown", text)
                    break
                time.sleep(PAUSE_S)
            else:
                assert isinstance(answer, Written)
                log.tell("existing" if answer.existing else "written", text)
                break


def _writer(url: str, folder: Path, log: _Log, nth: int) -> None:
    """A process of several threads on one store object, and a repository each."""
    with closing(opened(url)) as store:
        threads = []
        for thread in range(THREADS):
            name = f"p{nth}t{thread}"
            means = means_over(store, folder, repository=f"repo-{thread}", name=name)
            threads.append(Thread(target=_write, args=(means, log, name)))
        for each in threads:
            each.start()
        for each in threads:
            each.join()


def _until(found: Callable[[], bool]) -> None:
    end_s = time.monotonic() + PATIENCE_S
    while not found() and time.monotonic() < end_s:
        time.sleep(0.01)
    assert found()


def _crash(served: Machine) -> None:
    """One of the server's processes dies, which makes the server end the others and start again by itself."""
    with suppress(psycopg.OperationalError), psycopg.connect(served.admin) as connection:
        (pid,) = connection.execute("SELECT pg_backend_pid()").fetchone() or (0,)
        os.kill(pid, signal.SIGKILL)


@pytest.mark.slow
@pytest.mark.serial
def test_nothing_acknowledged_is_lost_and_nothing_doubled(served: Machine, tmp_path: Path) -> None:
    """What was answered is there once, with one event, in a whole chain; every other answer said what to do."""
    log = _Log(tmp_path / "log")

    def done() -> int:
        return sum(each[0] != "refused" for each in log.read())

    writers = [started(_writer, served.url, tmp_path, log, nth) for nth in range(PROCESSES)]
    every = PROCESSES * THREADS * WRITES
    _until(lambda: done() > every // 5)
    served.kill()
    _until(lambda: any(each[0] == "refused" for each in log.read()))
    served.start()
    _until(lambda: done() > every * 2 // 5)
    _crash(served)
    _until(lambda: done() > every * 3 // 5)
    served.kill()
    served.start()
    for writer in writers:
        writer.join(PATIENCE_S)
    assert [writer.exitcode for writer in writers] == [0] * PROCESSES
    told = log.read()
    assert done() == every
    refused = [each for each in told if each[0] == "refused"]
    assert {code for _, code, *_ in refused} <= AWAY
    assert all(may == (code != UNKNOWN) and hint and exit_code == 5 for _, code, may, hint, exit_code in refused)
    with closing(opened(served.url)) as store:
        texts: Counter[str] = Counter()
        for nth in range(THREADS):
            sight = means_over(store, tmp_path, repository=f"repo-{nth}").context.sight
            page = store.memories.page(sight, MemoryFilter(statuses=(), limit=1_000), "")
            assert page.total == len(page.values)
            texts.update(each.text for each in page.values)
            for memory in page.values:
                assert [row.operation for row in store.events.about(memory.id)] == ["upsert"]
        acknowledged = {each[1] for each in told if each[0] in {"written", "existing"}}
        unknown = {each[1] for each in told if each[0] == "unknown"}
        assert acknowledged <= set(texts) <= acknowledged | unknown
        assert set(texts.values()) == {1}
        assert chained(store) == len(texts)
        assert store.meta.gaps() == {}


@pytest.mark.slow
@pytest.mark.serial
def test_a_server_that_becomes_a_replica_is_read(served: Machine, tmp_path: Path) -> None:
    """An open store, and one that is opened then, read and recall there; both write once it leads again."""
    with ExitStack() as stack:
        old = stack.enter_context(closing(opened(served.url)))
        means = means_over(old, tmp_path, repository="repo-s", name="old")
        written = remember(means, WriteRequest(text="The replica follows its primary.", kind="project_fact"))
        assert isinstance(written, Written)
        served.kill()
        served.follow()
        new = stack.enter_context(closing(opened(served.url)))
        there = means_over(new, tmp_path, repository="repo-s", name="new")
        for each in (means, there):
            ranking = recall(each, Query(text="which primary does the replica follow"))
            assert [hit.memory.id for hit in ranking.hits] == [written.memory.id]
            assert ranking.diagnostics["usage"] == "store_read_only"
            with pytest.raises(StoreReadOnlyError) as caught:
                remember(each, WriteRequest(text="Written to a replica.", kind="project_fact"))
            assert not caught.value.may_retry
            assert caught.value.advice
        served.kill()
        served.lead()
        remember(means, WriteRequest(text="Written to the primary.", kind="project_fact"))
        assert old.memories.count(means.context.sight) == {"active": 2}
        chained(old)


@pytest.mark.slow
@pytest.mark.serial
def test_a_server_without_a_free_connection_is_told(served: Machine) -> None:
    """Nobody is let in, whoever is in goes on, and the next attempt works once there is room."""
    with ExitStack() as stack:
        store = stack.enter_context(closing(opened(served.url)))
        store.events.head()
        with ExitStack() as crowd:
            with suppress(psycopg.OperationalError):
                while True:
                    crowd.enter_context(closing(psycopg.connect(served.admin)))
            error = raised(lambda: opened(served.url))
            assert error is not None
            assert (error.error_code, error.may_retry, error.exit_code) == ("store_connections", True, 5)
            chained(store)
        stack.enter_context(closing(opened(served.url)))


@pytest.mark.slow
@pytest.mark.serial
def test_a_job_begun_before_the_end_is_done_once(served: Machine, tmp_path: Path) -> None:
    """The server dies under a worker: what the attempt stored stays, and the worker takes the job up again."""
    clock, waited, done = FixedClock(), list[str](), list[Outcome]()
    with closing(opened(served.url, clock)) as store:
        means = means_over(store, tmp_path, clock, repository="repo-w")

        def run(grip: Grip) -> Ending:
            for step in range(4):
                if store.meta.get(f"step{step}"):
                    continue
                with store.transaction():
                    grip.hold()
                    store.meta.put(f"step{step}", grip.lease.owner + str(grip.lease.fence))
                if step == 1 and not waited:
                    served.kill()
            return Done()

        def waits(error: StoreError) -> None:
            assert error.error_code in AWAY
            if not waited:
                served.start()
            waited.append(error.error_code)
            clock.advance(600)

        watch = Watch(stop=lambda: bool(done) or len(waited) > 20, waits=waits, ended=done.append)
        found = work(means, watch=watch, trades=[trade(run, "a")])
        assert found.counts == {"done": 1}
        (job,) = store.queue.page(means.context.sight, JobFilter(kinds=(KIND,))).values
        assert (job.status, job.attempts) == ("done", 2)
        fences = [store.meta.get(f"step{step}") for step in range(4)]
        assert all(fences)
        assert fences[0] == fences[1] != fences[2] == fences[3]


@pytest.mark.slow
@pytest.mark.serial
@contextmanager
def _ending(process: subprocess.Popen[bytes]) -> Iterator[None]:
    """Whatever a test finds, its process does not outlive it."""
    try:
        yield
    finally:
        process.kill()


def test_a_worker_waits_for_the_server(
    served: Machine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The command says that it waits, goes on when the server is back, and ends in order; a command does not wait."""
    learnt = Shell(tmp_path, monkeypatch, capsys)
    learnt.monkeypatch.setenv("LEARNT_DATABASE_URL", served.url)
    learnt.remember()
    with (
        subprocess.Popen([*COMMAND, "worker", "--json"], stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process,
        _ending(process),
    ):
        assert process.stderr
        assert b": done" in process.stderr.readline()
        served.kill()
        assert any(b"Trying again." in line for line in process.stderr)
        answer = learnt("list", "--json")
        assert (answer.code, answer.error["code"], answer.error["retryable"]) == (5, "store_unavailable", True)
        served.start()
        learnt.json("list")
        process.send_signal(signal.SIGTERM)
        out, told = process.communicate(timeout=60)
    assert process.returncode == 0, told
    assert json.loads(out)["totals"]["done"] >= 1
    assert PASSWORD.encode() not in out + told
