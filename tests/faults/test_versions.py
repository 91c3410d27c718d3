"""Two versions of learnt at once: a newer one changes the schema while an older one has it open."""

from __future__ import annotations

import threading
import time
from contextlib import closing
from typing import TYPE_CHECKING

import psycopg
import pytest

from learnt.errors import StoreError, StoreNewerError
from learnt.flows.recall import recall
from learnt.flows.remember import remember
from learnt.model.answer import Written
from learnt.model.ranking import Query
from learnt.model.request import WriteRequest
from learnt.stores.postgres import migrate
from learnt.stores.postgres.migrate import steps
from learnt.stores.sqlite.migrate import Step
from learnt.testing import samples
from tests.faults.world import chained, means_over, opened, raised
from tests.stores.roles import OWNER, as_role, prepare

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from learnt.flows.means import Means
    from learnt.stores.postgres.store import PostgresStore
    from tests.server import Server

CHANGES = {
    "a column more": "ALTER TABLE memory_items ADD COLUMN mood text;",
    "a column less": "DROP TRIGGER memory_items_past ON memory_items; "
    "ALTER TABLE memory_items DROP COLUMN record_json;",
    "another name": "ALTER TABLE memory_items RENAME TO memories;",
    "another type": "DROP TRIGGER memory_items_past ON memory_items; "
    "ALTER TABLE memory_items ALTER COLUMN record_json TYPE jsonb USING record_json::jsonb;",
}


@pytest.fixture
def admin(server: Server) -> Iterator[str]:
    """A store as the manual makes it, the URL a superuser's."""
    with server.database(prepare) as url:
        yield url


@pytest.fixture
def old(admin: str) -> Iterator[PostgresStore]:
    """The older learnt, with the store open."""
    with closing(opened(as_role(admin))) as store:
        yield store


def _write(means: Means, text: str) -> None:
    assert isinstance(remember(means, WriteRequest(text=text, kind="project_fact")), Written)


def _written(store: PostgresStore) -> int:
    """How many memories were written: a row that is no longer understood leaves an event of its own."""
    chained(store)
    return sum(row.operation == "upsert" for row in store.events.chain())


def _upgrade(admin: str, change: str) -> None:
    """What the newer one does when its owner runs `learnt migrate`."""
    every = (*steps(), Step(len(steps()) + 1, "next", change))
    with psycopg.connect(as_role(admin, OWNER), autocommit=True) as raw:
        migrate.migrate(raw, lambda: "now", every, held=len(steps()), may=True)


@pytest.mark.parametrize("change", CHANGES)
def test_the_older_goes_on_or_is_told(
    admin: str, old: PostgresStore, tmp_path: Path, change: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What the change leaves as it was still works; else the error is typed, and nothing is written by halves."""
    means = means_over(old, tmp_path)
    _write(means, "Before the upgrade.")
    recall(means, Query(text="before the upgrade"))
    _upgrade(admin, CHANGES[change])
    write = None
    for number in range(3):
        before = _written(old)
        write = raised(lambda at=number: _write(means, f"After the upgrade {at}."))  # type: ignore[misc]
        read = raised(lambda: recall(means, Query(text="before the upgrade")))
        for error in (write, read):
            assert error is None or error.error_code in {"store_schema", "store_read_only"}, error
            assert error is None or error.advice
        assert _written(old) == before + (write is None)
    assert (write is None) == (change == "a column more")
    monkeypatch.setattr("learnt.stores.postgres.pool.monotonic", lambda: time.monotonic() + 601)
    assert isinstance(raised(lambda: _write(means, "Much later.")), StoreNewerError)


def test_the_newer_waits_for_what_is_under_way(admin: str, old: PostgresStore, tmp_path: Path) -> None:
    """A transaction of the older that began before is whole, and comes before the change."""
    means = means_over(old, tmp_path)
    errors: list[StoreError | None] = []
    upgrade = threading.Thread(
        target=lambda: errors.append(raised(lambda: _upgrade(admin, CHANGES["a column less"])))  # type: ignore[arg-type]
    )
    waits = "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'"
    with psycopg.connect(admin, autocommit=True) as connection:
        with old.transaction():
            old.memories.put(samples.memory(means.context.sight.one("repository"), "Under way."))
            old.events.append(samples.event(1))
            assert old.memories.count(means.context.sight) == {"active": 1}
            upgrade.start()
            end_s = time.monotonic() + 30
            while connection.execute(waits).fetchone() == (0,) and time.monotonic() < end_s:
                time.sleep(0.01)
        upgrade.join()
        assert errors == [None]
        assert connection.execute("SELECT text FROM memory_items").fetchall() == [("Under way.",)]
    assert chained(old) == 1
