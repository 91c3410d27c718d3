"""The PostgreSQL store passes the suite, behind both walls; what is peculiar to it stands in the files beside."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import psycopg
import pytest

from learnt.stores.postgres.store import PostgresStore
from learnt.testing.suite import StoreSuite
from tests.stores.roles import as_role, prepare

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from learnt.testing.fakes import FixedClock
    from tests.server import Server


class _Raw:
    def __init__(self, url: str) -> None:
        self._url = url

    def _run(self, sql: str, *values: object) -> None:
        with psycopg.connect(self._url, autocommit=True, options="-c learnt.tenant=main") as connection:
            connection.execute(sql.encode(), values)

    def spoil(self, memory_id: str) -> bool:
        self._run("UPDATE memory_items SET record_json = '{' WHERE id = %s", memory_id)
        return True

    def spoil_unit(self, unit_id: str) -> bool:
        self._run("UPDATE evidence_units SET text = 'X' || substr(text, 2) WHERE id = %s", unit_id)
        return True

    def change_event(self, event_id: str, column: str, value: str | None) -> None:
        self._run(f"UPDATE memory_events SET {column} = %s WHERE id = %s", value, event_id)  # noqa: S608 - the suite's own

    def drop_event(self, event_id: str) -> None:
        self._run("DELETE FROM memory_events WHERE id = %s", event_id)

    def set_head(self, head: str | None) -> None:
        self._run("UPDATE memory_chain SET head = %s", head)


class TestPostgres(StoreSuite):
    @pytest.fixture
    def reopen(self, server: Server, clock: FixedClock) -> Iterator[Callable[..., PostgresStore]]:
        """A database of the test's own, and a role that row-level security holds for."""
        with server.database(prepare) as url:
            self.url = url
            yield partial(PostgresStore.open, as_role(url), now=clock, jobs_now=clock.now)

    @pytest.fixture
    def raw(self, reopen: Callable[[], PostgresStore]) -> _Raw:
        """A connection of another program."""
        return _Raw(self.url)
