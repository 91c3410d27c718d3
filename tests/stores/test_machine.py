"""Random work on each store, beside a dictionary that says what is right."""

from __future__ import annotations

import tempfile
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING

from hypothesis import settings
from hypothesis.stateful import run_state_machine_as_test

from learnt.stores.ephemeral import EphemeralStore
from learnt.stores.jsonl.store import JsonlStore
from learnt.stores.postgres.store import PostgresStore
from learnt.stores.sqlite.store import SqliteStore
from learnt.testing.fakes import FixedClock
from learnt.testing.machine import StoreMachine
from tests.stores.roles import as_role, prepare

if TYPE_CHECKING:
    from tests.server import Server


class _Kept(EphemeralStore):
    def close(self) -> None:
        """Stay open: a machine that opens it again expects what was in it."""


class _EphemeralMachine(StoreMachine):
    def opener(self) -> EphemeralStore:
        self.kept = getattr(self, "kept", None) or _Kept()
        return self.kept


class _SqliteMachine(StoreMachine):
    def opener(self) -> SqliteStore:
        self.folder = getattr(self, "folder", None) or tempfile.TemporaryDirectory()
        return SqliteStore.open(Path(self.folder.name) / "memory.db", now=FixedClock())

    def teardown(self) -> None:
        super().teardown()
        self.folder.cleanup()


class _LinesMachine(StoreMachine):
    def opener(self) -> JsonlStore:
        self.folder = getattr(self, "folder", None) or tempfile.TemporaryDirectory()
        return JsonlStore(self.folder.name, now=FixedClock().now)

    def teardown(self) -> None:
        super().teardown()
        self.folder.cleanup()


TestEphemeral = _EphemeralMachine.TestCase
TestEphemeral.settings = settings(max_examples=30, stateful_step_count=20)
TestLines = _LinesMachine.TestCase
TestLines.settings = settings(max_examples=20, stateful_step_count=20)
TestSqlite = _SqliteMachine.TestCase
TestSqlite.settings = settings(max_examples=20, stateful_step_count=15)


def test_postgres(server: Server) -> None:
    """On a server each machine has a tenant of its own, beside those of the machines before it."""
    tenants = count(1)
    with server.database(prepare) as url:

        class Machine(StoreMachine):
            def opener(self) -> PostgresStore:
                self.tenant = getattr(self, "tenant", None) or f"machine-{next(tenants)}"
                return PostgresStore.open(as_role(url, tenant=self.tenant), now=FixedClock())

        run_state_machine_as_test(Machine, settings=settings(max_examples=15, stateful_step_count=15))
