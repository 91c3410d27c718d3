"""The SQLite store passes the suite; what is peculiar to it stands in the files beside."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from typing import TYPE_CHECKING

import pytest

from learnt.stores.sqlite.store import SqliteStore
from learnt.testing.suite import StoreSuite

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from learnt.testing.fakes import FixedClock


class _Raw:
    def __init__(self, path: Path) -> None:
        self._path = path

    def _run(self, sql: str, *values: object) -> None:
        with closing(sqlite3.connect(self._path)) as connection, connection:
            connection.execute(sql, values)

    def spoil(self, memory_id: str) -> bool:
        self._run("UPDATE memory_items SET record_json = '{' WHERE id = ?", memory_id)
        return True

    def spoil_unit(self, unit_id: str) -> bool:
        self._run("UPDATE evidence_units SET text = 'X' || substr(text, 2) WHERE id = ?", unit_id)
        return True

    def change_event(self, event_id: str, column: str, value: str | None) -> None:
        self._run(f"UPDATE memory_events SET {column} = ? WHERE id = ?", value, event_id)  # noqa: S608 - the suite's own

    def drop_event(self, event_id: str) -> None:
        self._run("DELETE FROM memory_events WHERE id = ?", event_id)

    def set_head(self, head: str | None) -> None:
        self._run("DELETE FROM _meta WHERE key = 'memory_events_chain_head'")
        self._run("INSERT INTO _meta SELECT 'memory_events_chain_head', ? WHERE ?1 IS NOT NULL", head)


class TestSqlite(StoreSuite):
    @pytest.fixture
    def reopen(self, tmp_path: Path, clock: FixedClock) -> Callable[..., SqliteStore]:
        """A file of the test's own."""
        return lambda seals=None: SqliteStore.open(tmp_path / "store" / "memory.db", now=clock, seals=seals)

    @pytest.fixture
    def raw(self, tmp_path: Path) -> _Raw:
        """A connection of another program."""
        return _Raw(tmp_path / "store" / "memory.db")
