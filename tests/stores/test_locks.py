"""Who waits for whom on a server, what a lost connection leads to, and that nothing is lost or done twice."""

from __future__ import annotations

import os
import socket
import threading
from contextlib import closing, suppress
from dataclasses import replace
from typing import TYPE_CHECKING
from urllib.parse import urlsplit, urlunsplit

import psycopg
import pytest

from learnt.audit.chain import verify
from learnt.errors import LearntError, StoreBusyError
from learnt.model.filter import MemoryFilter
from learnt.model.scope import Sight
from learnt.stores.postgres import pool
from learnt.stores.postgres.store import PostgresStore
from learnt.testing import samples
from learnt.testing.fakes import NOON, FixedClock
from tests.stores.processes import together
from tests.stores.roles import as_role, prepare

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from tests.server import Server

ONE, TWO, USER = samples.repository("one"), samples.repository("two"), samples.user("u")
BOTH = Sight((ONE, USER))


@pytest.fixture
def url(server: Server) -> Iterator[str]:
    """A store as the manual makes it, the URL a superuser's."""
    with server.database(prepare) as url:
        yield url


def _open(url: str, wait_s: float = 5.0) -> PostgresStore:
    return PostgresStore.open(as_role(url), now=FixedClock(), wait_s=wait_s)


def _put(store: PostgresStore, scope: object, text: str = "This repo uses bun.") -> None:
    with store.transaction():
        store.memories.put(samples.memory(scope, text))  # type: ignore[arg-type]


def _beside(work: Callable[[], object]) -> LearntError | None:
    """What another thread's work raises."""
    errors: list[LearntError] = []

    def run() -> None:
        try:
            work()
        except LearntError as error:
            errors.append(error)

    thread = threading.Thread(target=run)
    thread.start()
    thread.join()
    return errors[0] if errors else None


def _raised(work: Callable[[], object]) -> LearntError:
    with pytest.raises(LearntError) as caught:
        work()
    return caught.value


def _cut(url: str) -> None:
    """End every connection of the plain role, as a restart would."""
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute("SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE usename = 'learnt'")


def test_different_repositories_do_not_wait(url: str) -> None:
    """A writer in the middle of a transaction that read its sight stops neither another repository nor its person."""
    with closing(_open(url, 0.3)) as store, store.transaction():
        store.memories.get(BOTH, "mem_x")
        store.memories.put(samples.memory(ONE))
        store.events.append(samples.event(1))
        assert _beside(lambda: _put(store, TWO)) is None
        assert _beside(lambda: _put(store, USER)) is None


def test_one_repository_takes_turns(url: str) -> None:
    """A second writer, or a reader that will write, is told after the wait; a plain reader never waits."""
    with closing(_open(url, 0.3)) as store, store.transaction():
        store.memories.put(samples.memory(ONE))
        error = _beside(lambda: _put(store, ONE))
        assert isinstance(error, StoreBusyError)
        assert (error.error_code, error.may_retry) == ("store_busy", True)
        assert _beside(lambda: store.memories.page(BOTH, MemoryFilter(), NOON)) is None


def test_what_was_read_is_what_is_replaced(url: str) -> None:
    """A person's own memory that changed since it was read in this transaction is not overwritten."""
    memory = samples.memory(USER)
    with closing(_open(url)) as store:

        def write() -> None:
            with store.transaction():
                assert store.memories.get(BOTH, memory.id) is None
                assert _beside(lambda: _put(store, USER)) is None
                store.memories.put(replace(memory, confidence=0.1))

        assert isinstance(_raised(write), StoreBusyError)
        assert store.memories.get(BOTH, memory.id) == memory
        with store.transaction():
            assert store.memories.get(BOTH, memory.id) == memory
            store.memories.put(replace(memory, confidence=0.1))
            store.memories.put(replace(memory, confidence=0.2))
        found = store.memories.get(BOTH, memory.id)
        assert found is not None
        assert found.confidence == 0.2


def test_a_deadlock_is_told_and_undone(url: str) -> None:
    """Two writers that each hold what the other wants: one is refused, with nothing written, and the other goes on."""
    barrier = threading.Barrier(2)

    def cross(store: PostgresStore, first: object, second: object) -> None:
        with store.transaction():
            store.memories.put(samples.memory(first))  # type: ignore[arg-type]
            store.memories.get(Sight((first,)), "mem_x")  # type: ignore[arg-type]
            barrier.wait(20)
            store.memories.put(samples.memory(second))  # type: ignore[arg-type]

    with closing(_open(url)) as store:
        errors: list[LearntError | None] = []
        threads = [
            threading.Thread(target=lambda pair=pair: errors.append(_beside(lambda: cross(store, *pair))))
            for pair in ((ONE, TWO), (TWO, ONE))
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        (error,) = [each for each in errors if each]
        assert isinstance(error, StoreBusyError)
        assert store.memories.count(Sight((ONE, TWO))) == {"active": 2}


def test_a_cut_connection_is_replaced(url: str) -> None:
    """Idle connections that the server ended are noticed before they are used."""
    with closing(_open(url)) as store:
        _put(store, ONE)
        _cut(url)
        assert store.memories.count(BOTH) == {"active": 1}
        _cut(url)
        _put(store, ONE, "Another.")
        assert store.memories.count(BOTH) == {"active": 2}


def test_a_connection_cut_inside_undoes_everything(url: str) -> None:
    """The transaction is refused as retryable, nothing of it remains, and the next one works."""
    with closing(_open(url)) as store:

        def write() -> None:
            with store.transaction():
                store.memories.put(samples.memory(ONE))
                _cut(url)
                store.memories.get(BOTH, "mem_x")

        error = _raised(write)
        assert error.may_retry
        assert error.error_code in {"store_stopping", "store_unavailable"}  # whether its last word is read is chance
        assert store.memories.count(BOTH) == {}
        _put(store, ONE)
        assert store.memories.count(BOTH) == {"active": 1}


class _Line:
    """A line to the server that can fall silent: what is said still arrives, and no answer comes back."""

    def __init__(self, url: str) -> None:
        self.silent = False
        self._far = urlsplit(url)
        self._ear = socket.create_server(("127.0.0.1", 0))
        threading.Thread(target=self._serve, daemon=True).start()

    def through(self, url: str) -> str:
        """The URL over this line."""
        parts = urlsplit(url)
        who = parts.netloc.rpartition("@")[0]
        return urlunsplit(parts._replace(netloc=f"{who}@127.0.0.1:{self._ear.getsockname()[1]}"))

    def close(self) -> None:
        """No more lines."""
        self._ear.close()

    def _serve(self) -> None:
        with suppress(OSError):
            while True:
                near, _ = self._ear.accept()
                far = socket.create_connection((str(self._far.hostname), self._far.port or 5432))
                threading.Thread(target=self._carry, args=(near, far), daemon=True).start()
                threading.Thread(target=self._carry, args=(far, near, True), daemon=True).start()

    def _carry(self, source: socket.socket, target: socket.socket, back: bool = False) -> None:
        with suppress(OSError), source, target:
            while said := source.recv(65_536):
                if back and self.silent:
                    target.shutdown(socket.SHUT_RDWR)
                    return
                target.sendall(said)


def test_silence_at_the_commit_is_not_known_to_be_failure(url: str) -> None:
    """The commit was sent and no answer came: the error says so, and is not to be retried blindly."""
    with closing(_Line(url)) as line, closing(_open(line.through(url))) as store:

        def write() -> None:
            with store.transaction():
                store.memories.put(samples.memory(ONE))
                line.silent = True

        error = _raised(write)
        assert (error.error_code, error.may_retry, error.exit_code) == ("store_outcome_unknown", False, 5)
        line.silent = False
        assert store.memories.count(BOTH) == {"active": 1}


def _count(store: PostgresStore) -> None:
    assert store.memories.count(BOTH) == {"active": 1}


def test_a_forked_process_connects_by_itself(url: str) -> None:
    """Two processes never speak on one connection, and one that ends takes nothing from its parent."""
    with closing(_open(url)) as store:
        _put(store, ONE)
        assert together(_count, [(store,), (store,)]) == [0, 0]
        _count(store)


def test_all_connections_in_use_is_told(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Who gets none within the wait is refused as retryable, and served afterwards."""
    monkeypatch.setattr("learnt.stores.postgres.opening.MOST", 1)
    with closing(_open(url, 0.2)) as store:
        with store.transaction():
            store.memories.put(samples.memory(ONE))
            error = _beside(lambda: store.memories.count(BOTH))
            assert error is not None
            assert (error.error_code, error.may_retry) == ("store_pool", True)
        assert _beside(lambda: store.memories.count(BOTH)) is None


def test_an_error_in_a_statement_leaves_the_connection_usable(url: str) -> None:
    """Refused by a constraint, in the pool as before."""
    with closing(_open(url)) as store:

        def twice() -> None:
            with store.transaction():
                store.events.append(samples.event(1))
                store.events.append(samples.event(1))

        for _ in range(pool.MOST + 1):
            assert _raised(twice).error_code == "constraint"
        assert store.events.head() is None


def test_who_goes_on_after_a_failure_is_stopped(url: str) -> None:
    """What a caller swallows undoes the transaction all the same, whether it reads on or commits."""
    with closing(_open(url)) as store:

        def go_on(read: bool) -> None:
            with store.transaction():
                store.memories.put(samples.memory(ONE))
                with suppress(LearntError):
                    store.connection.rows("SELECT nonsense")
                if read:
                    store.memories.get(BOTH, "mem_x")

        assert _raised(lambda: go_on(read=True)).error_code == "store_undone"
        assert _raised(lambda: go_on(read=False)).error_code == "store_undone"
        assert store.memories.count(BOTH) == {}


def _write(url: str, nth: int) -> None:
    scope = samples.repository(f"r{nth % 3}")
    with closing(_open(url)) as store:
        for number in range(20):
            with store.transaction():
                memory = samples.memory(scope, f"Process {nth} number {number}.")
                store.memories.put(memory)
                store.proposals.put(samples.proposal(USER, f"Asked {nth} {number}."))
                store.events.append(samples.event(nth * 1000 + number, memory.id))
                store.usage.put(samples.bundle(scope, memory.id, context=f"c{nth}n{number}"))


def test_many_processes_lose_nothing(url: str) -> None:
    """Eight writers over three repositories and one person: every write is there, counted, and in one chain."""
    assert together(_write, [(url, nth) for nth in range(8)]) == [0] * 8
    with closing(_open(url)) as store:
        scopes = Sight(tuple(samples.repository(f"r{nth}") for nth in range(3)))
        assert store.memories.count(scopes) == {"active": 160}
        assert store.proposals.count(BOTH) == {"pending": 160}
        head, rows = store.events.sealed()
        report = verify(rows, head)
        assert (report.verified, report.events) == (True, 160)
        assert store.meta.gaps() == {}


def _meet_damage(url: str) -> None:
    with closing(_open(url)) as store:
        store.memories.page(BOTH, MemoryFilter(), NOON)
        for number in range(3):
            _put(store, samples.repository(f"own-{os.getpid()}"), f"Text {number}.")


def test_many_processes_tell_of_damage_once(url: str) -> None:
    """All that met a damaged row write as before, and one event tells of it."""
    with closing(_open(url)) as store:
        _put(store, ONE)
        with psycopg.connect(url, autocommit=True, options="-c learnt.tenant=main") as other:
            other.execute("UPDATE memory_items SET record_json = '{'")
        assert together(_meet_damage, [(url,)] * 4) == [0] * 4
        (event,) = store.events.about(samples.memory(ONE).id)
        assert event.operation == "invalid_load"
