"""Random work on each store, beside a dictionary that says what is right."""

from __future__ import annotations

import tempfile
from pathlib import Path

from hypothesis import settings

from learnt.stores.ephemeral import EphemeralStore
from learnt.stores.sqlite.store import SqliteStore
from learnt.testing.fakes import FixedClock
from learnt.testing.machine import StoreMachine


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


TestEphemeral = _EphemeralMachine.TestCase
TestEphemeral.settings = settings(max_examples=30, stateful_step_count=20)
TestSqlite = _SqliteMachine.TestCase
TestSqlite.settings = settings(max_examples=20, stateful_step_count=15)
