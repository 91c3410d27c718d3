"""What a server refuses while it runs: busy, stopped in the middle, out of something, not allowed."""

from __future__ import annotations

import threading
import time
from contextlib import ExitStack, closing, contextmanager
from typing import TYPE_CHECKING

import psycopg
import pytest

from learnt.errors import (
    LearntError,
    StoreBusyError,
    StoreCorruptError,
    StoreError,
    StoreFullError,
    StoreReadOnlyError,
)
from learnt.flows.capture import ingest
from learnt.flows.decide import decide
from learnt.flows.observe import observe
from learnt.flows.propose import propose
from learnt.flows.recall import recall
from learnt.flows.reembed import reembed
from learnt.flows.remember import remember
from learnt.flows.search import search
from learnt.flows.state import status
from learnt.flows.work import work
from learnt.model.answer import Proposed, Written
from learnt.model.evidence import Turn
from learnt.model.proposal import Decision
from learnt.model.ranking import Query
from learnt.model.request import ProposalRequest, WriteRequest
from learnt.model.search import SearchQuery
from learnt.testing import samples
from learnt.testing.embedders import HashEmbedder
from learnt.testing.fakes import FixedClock
from tests.faults.machine import machine, mounts
from tests.faults.world import chained, means_over, opened, raised
from tests.flows.conftest import context_of
from tests.flows.transcripts import learning
from tests.stores.roles import as_role, prepare

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from learnt.flows.means import Means
    from learnt.stores.postgres.store import PostgresStore
    from tests.server import Server


@pytest.fixture
def admin(server: Server) -> Iterator[str]:
    """A store as the manual makes it, the URL a superuser's."""
    with server.database(prepare) as url:
        yield url


@pytest.fixture
def store(admin: str) -> Iterator[PostgresStore]:
    """The same, open, as the plain role."""
    with closing(opened(as_role(admin))) as store:
        yield store


@pytest.fixture
def means(store: PostgresStore, tmp_path: Path) -> Means:
    """A person's."""
    return means_over(store, tmp_path)


def _write(means: Means, text: str = "This repo uses bun.") -> Written:
    answer = remember(means, WriteRequest(text=text, kind="project_fact"))
    assert isinstance(answer, Written)
    return answer


def _held(means: Means) -> int:
    """How many memories there are, with an event each, in a whole chain."""
    number = means.store.memories.count(means.context.sight).get("active", 0)
    assert chained(means.store) == number
    return number


def _run(url: str, *statements: str) -> None:
    with psycopg.connect(url, autocommit=True) as connection:
        for each in statements:
            connection.execute(each.encode())


_ANSWER = "CREATE FUNCTION fail() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE SQLSTATE '{}'; END $$"
_AT_ONCE = "CREATE TRIGGER fail BEFORE INSERT ON memory_items FOR EACH ROW EXECUTE FUNCTION fail()"
_AT_THE_END = (
    "CREATE CONSTRAINT TRIGGER fail AFTER INSERT ON memory_items DEFERRABLE INITIALLY DEFERRED "
    "FOR EACH ROW EXECUTE FUNCTION fail()"
)


@pytest.mark.parametrize("when", [_AT_ONCE, _AT_THE_END], ids=["at once", "at the commit"])
def test_what_the_server_answers_is_told(admin: str, means: Means, when: str) -> None:
    """A refusal at a statement or at the commit is never taken for an unknown outcome; nothing of it is there."""
    expected: dict[str, tuple[type[LearntError], str, bool]] = {
        "40001": (StoreBusyError, "store_busy", True),
        "40P01": (StoreBusyError, "store_busy", True),
        "55P03": (StoreBusyError, "store_busy", True),
        "57014": (StoreBusyError, "store_cancelled", True),
        "53100": (StoreFullError, "store_full", True),
        "53200": (StoreError, "store_exhausted", True),
        "53400": (StoreError, "store_unavailable", True),
        "58030": (StoreError, "store_unavailable", True),
        "42501": (StoreReadOnlyError, "store_read_only", False),
        "25006": (StoreReadOnlyError, "store_read_only", False),
        "XX001": (StoreCorruptError, "store_corrupt", False),
        "XX000": (StoreError, "store_unavailable", False),
    }
    found = {}
    for state in expected:
        _run(admin, _ANSWER.format(state), when)
        error = raised(lambda: _write(means))
        assert error is not None
        found[state] = (type(error), error.error_code, error.may_retry)
        assert error.advice
        assert error.exit_code == 5
        assert error.details["sqlstate"] == state
        assert _held(means) == 0
        _run(admin, "DROP FUNCTION fail() CASCADE")
    assert found == expected
    _write(means)
    assert _held(means) == 1


def test_a_cancelled_statement_is_told(admin: str, store: PostgresStore, means: Means) -> None:
    """Who waits for a lock when an administrator ends the statement is told so, and the lock's holder goes on."""
    found: list[LearntError | None] = []
    with store.transaction():
        store.memories.put(samples.memory(means.context.sight.one("repository"), "Held."))
        store.events.append(samples.event(1))
        assert store.memories.count(means.context.sight) == {"active": 1}
        thread = threading.Thread(target=lambda: found.append(raised(lambda: _write(means))))
        thread.start()
        cancel = "SELECT pg_cancel_backend(pid) FROM pg_stat_activity WHERE wait_event = 'advisory'"
        with psycopg.connect(admin, autocommit=True) as connection:
            end_s = time.monotonic() + 4
            while not connection.execute(cancel).fetchall() and time.monotonic() < end_s:
                time.sleep(0.01)
        thread.join()
    (error,) = found
    assert error is not None
    assert (error.error_code, error.may_retry) == ("store_cancelled", True)
    assert _held(means) == 1


def test_a_transaction_that_stands_still_is_ended(
    admin: str, means: Means, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its locks are free for others, and who comes back to it is told that nothing was written."""
    monkeypatch.setattr("learnt.stores.postgres.opening._IDLE_S", 0.2)
    with closing(opened(as_role(admin))) as sleepy:

        def slept() -> None:
            with sleepy.transaction():
                sleepy.memories.put(samples.memory(means.context.sight.one("repository"), "Slept."))
                sleepy.memories.count(means.context.sight)
                time.sleep(0.6)
                sleepy.events.append(samples.event(1))

        error = raised(slept)
        assert error is not None
        assert error.may_retry
        assert error.error_code in {"store_busy", "store_unavailable"}  # the server's reason may get lost with the line
        assert _held(means) == 0
        _write(means_over(sleepy, tmp_path, name="sleepy"))
        assert _held(means) == 1


@pytest.mark.parametrize(
    ("limit", "free"),
    [
        ("ALTER ROLE learnt CONNECTION LIMIT 1", "ALTER ROLE learnt CONNECTION LIMIT -1"),
        ("ALTER DATABASE {} CONNECTION LIMIT 1", "ALTER DATABASE {} CONNECTION LIMIT -1"),
    ],
)
def test_too_many_connections_are_told(admin: str, limit: str, free: str) -> None:
    """Of a role, of a database: retryable, and the next attempt works once there is room."""
    name = admin.rpartition("/")[2]
    with closing(opened(as_role(admin))) as store:
        _run(admin, limit.format(name))
        try:
            error = raised(lambda: opened(as_role(admin)))
        finally:
            _run(admin, free.format(name))
        assert error is not None
        assert (error.error_code, error.may_retry, error.exit_code) == ("store_connections", True, 5)
        assert store.memories.count(context_of().sight) == {}
    opened(as_role(admin)).close()


def test_one_connection_is_enough(admin: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """No operation waits for a second connection while it holds one: threads never stop each other for good."""
    monkeypatch.setattr("learnt.stores.postgres.opening.MOST", 1)
    clock, model = FixedClock(), HashEmbedder()
    with closing(opened(as_role(admin), clock, wait_s=20)) as store:
        errors: list[LearntError | None] = []

        def live(nth: int) -> None:
            means = means_over(store, tmp_path, clock, name=f"t{nth}", embedder=model)
            _write(means, f"Harbour {nth} opens at dawn.")
            asked = propose(
                means,
                ProposalRequest(operation="add", text=f"Ask {nth}.", kind="lesson", rationale="r", evidence=("c",)),
            )
            assert isinstance(asked, Proposed)
            decide(means, Decision(proposal_id=asked.proposal.id, action="accept", reason="so"))
            observe(means, [Turn(text=f"ships {nth}", session=f"s{nth}")])
            assert recall(means, Query(text="harbour dawn")).total
            assert search(means, SearchQuery(text="ships")).hits

        threads = [threading.Thread(target=lambda at=nth: errors.append(raised(lambda: live(at)))) for nth in range(3)]
        for each in threads:
            each.start()
        for each in threads:
            each.join()
        assert errors == [None] * 3
        means = means_over(store, tmp_path, clock, name="last", embedder=model)
        ingest(means, [str(learning(tmp_path / "t.jsonl", "t").path)])
        other = HashEmbedder(name="other")
        reembed(means_over(store, tmp_path, clock, name="r", embedder=other))
        work(means_over(store, tmp_path, clock, name="w", embedder=model), once=True)
        assert status(means).memories
        chained(store)


@contextmanager
def _without(admin: str, right: str) -> Iterator[None]:
    """The plain role lacks a right."""
    _run(admin, f"REVOKE {right} FROM learnt")
    try:
        yield
    finally:
        _run(admin, f"GRANT {right} TO learnt")


@pytest.mark.parametrize(
    "right",
    ["INSERT ON memory_events", "UPDATE ON memory_chain", "SELECT ON memory_items", "INSERT ON memory_items"],
)
def test_a_right_that_is_missing_is_told(admin: str, means: Means, right: str) -> None:
    """Nothing is half written, and the error says that it is about rights; with the right it goes on."""
    with _without(admin, right):
        error = raised(lambda: _write(means))
        assert isinstance(error, StoreReadOnlyError)
        assert "rights" in error.advice
        assert "memory_" in str(error.details["message"])
    assert _held(means) == 0
    _write(means)
    assert _held(means) == 1


@pytest.mark.slow
@pytest.mark.serial
def test_a_full_disk_loses_nothing_and_recovers(tmp_path: Path) -> None:
    """The write that does not fit is an error and leaves nothing, reads and recalls work, and room is enough."""
    disk = tmp_path / "disk"
    disk.mkdir()
    if not mounts(disk):
        pytest.skip("no small disk can be mounted here; the server's answer to a full one is tested above")
    with ExitStack() as stack:
        found = stack.enter_context(machine(disk=disk))
        store = stack.enter_context(closing(opened(found.url)))
        means = means_over(store, tmp_path)
        _write(means, "Before the disk was full.")
        with pytest.raises(psycopg.errors.DiskFull):
            _run(
                found.admin,
                "CREATE TABLE filler (t text)",
                "ALTER TABLE filler ALTER t SET STORAGE EXTERNAL",
                "INSERT INTO filler VALUES ('small')",
                *(["INSERT INTO filler SELECT repeat(md5(n::text), 30) FROM generate_series(1, 1000) n"] * 100),
            )
        with pytest.raises(psycopg.errors.DiskFull):
            _run(found.admin, *(["INSERT INTO filler SELECT repeat('x', 900) FROM generate_series(1, 5)"] * 10_000))
        written, error = 1, None
        while error is None and written < 3_000:
            text = f"Statement {written}. " + "word " * 300
            error = raised(lambda said=text: _write(means, said))  # type: ignore[misc]
            written += error is None
        assert isinstance(error, StoreFullError), error
        assert error.may_retry
        assert _held(means) == written
        ranking = recall(means, Query(text="full disk before"))
        assert ranking.total
        assert ranking.diagnostics["usage"] == "store_full"
        _run(found.admin, "DROP TABLE filler")
        _write(means, "After.")
        assert _held(means) == written + 1
