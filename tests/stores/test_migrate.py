"""Schema steps: each whole or not at all, once, and a fresh schema equals a migrated one."""

from __future__ import annotations

import os
import signal
import sqlite3
import stat
from contextlib import closing
from typing import TYPE_CHECKING

import pytest

from learnt.errors import StoreError, StoreReadOnlyError
from learnt.stores.sqlite import migrate
from learnt.stores.sqlite.migrate import Step, split, steps
from learnt.stores.sqlite.store import SqliteStore
from learnt.testing.fakes import NOON, FixedClock
from tests.stores.processes import started, together

if TYPE_CHECKING:
    from pathlib import Path

FIRST = Step(1, "first", steps()[0].text)
SECOND = Step(2, "second", "ALTER TABLE _meta ADD COLUMN note TEXT;\nCREATE TABLE more (x);\nPRAGMA user_version = 2;")


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Where a store may be made."""
    return tmp_path / "memory.db"


def _with(monkeypatch: pytest.MonkeyPatch, *wanted: Step) -> None:
    monkeypatch.setattr(migrate, "steps", lambda: wanted)


def _open(path: Path) -> SqliteStore:
    return SqliteStore.open(path, now=FixedClock())


def _schema(path: Path) -> list[object]:
    with closing(sqlite3.connect(path)) as connection:
        found = connection.execute("SELECT type, name, tbl_name, sql FROM sqlite_schema ORDER BY type, name").fetchall()
        return [*found, connection.execute("PRAGMA user_version").fetchall()]


def _steps_done(path: Path) -> list[tuple[object, ...]]:
    with closing(sqlite3.connect(path)) as connection:
        return connection.execute("SELECT version, name, applied_at FROM schema_migrations ORDER BY version").fetchall()


def test_every_step_is_recorded(path: Path) -> None:
    """Version, name and moment of each file, and the header repeats the last."""
    _open(path).close()
    assert _steps_done(path) == [(step.version, step.name, NOON) for step in steps()]


def test_a_migrated_schema_equals_a_fresh_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """From every earlier version the schema itself, not only its number, comes out the same."""
    every = (*steps(), Step(len(steps()) + 1, "next", SECOND.text.replace("= 2", f"= {len(steps()) + 1}")))
    _with(monkeypatch, *every)
    _open(tmp_path / "fresh.db").close()
    for held in range(1, len(every)):
        old = tmp_path / f"old-{held}.db"
        _with(monkeypatch, *every[:held])
        _open(old).close()
        _with(monkeypatch, *every)
        _open(old).close()
        assert _schema(old) == _schema(tmp_path / "fresh.db")


def test_a_copy_is_made_before_an_old_store_changes(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The copy holds everything, uncheckpointed rows too, for this user alone; a fresh store needs none."""
    _with(monkeypatch, FIRST)
    store = _open(path)
    with store.transaction():
        store.meta.put("k", "v")
    _with(monkeypatch, FIRST, SECOND)
    _open(path).close()
    store.close()
    copy = path.with_name("memory.db.v1.backup")
    assert stat.S_IMODE(copy.stat().st_mode) == 0o600
    with closing(sqlite3.connect(copy)) as connection:
        assert connection.execute("SELECT value FROM _meta WHERE key = 'k'").fetchall() == [("v",)]
        assert connection.execute("PRAGMA user_version").fetchall() == [(1,)]
    _open(path.with_name("fresh.db")).close()
    assert not list(path.parent.glob("fresh.db*backup"))


def test_a_step_already_half_there_fails_loudly(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A column that is there although its step is not recorded: an error, and the store is as it was."""
    _with(monkeypatch, FIRST)
    _open(path).close()
    with closing(sqlite3.connect(path)) as other:
        other.execute("ALTER TABLE _meta ADD COLUMN note TEXT")
    before = _schema(path)
    _with(monkeypatch, FIRST, SECOND)
    with pytest.raises(StoreError) as caught:
        _open(path)
    assert caught.value.error_code == "store_migration"
    assert _schema(path) == before
    assert len(_steps_done(path)) == 1


def test_a_step_that_does_not_say_its_version_is_refused(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The header would go on naming the version before."""
    _with(monkeypatch, FIRST, Step(2, "mute", "CREATE TABLE more (x);"))
    with pytest.raises(StoreError):
        _open(path)
    _with(monkeypatch, FIRST)
    _open(path).close()


def test_reading_does_not_migrate(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without the right to write an older schema is an error, not a guess."""
    _with(monkeypatch, FIRST)
    _open(path).close()
    _with(monkeypatch, FIRST, SECOND)
    with pytest.raises(StoreReadOnlyError):
        SqliteStore.open(path, now=FixedClock(), read_only=True)
    assert len(_steps_done(path)) == 1


def _open_and_write(path: Path, name: str) -> None:
    with closing(_open(path)) as store, store.transaction():
        store.meta.put(name, name)


def test_eight_processes_make_one_schema(path: Path) -> None:
    """All open a fresh file at once; each step is applied by one, and all go on."""
    assert together(_open_and_write, [(path, f"k{number}") for number in range(8)]) == [0] * 8
    assert len(_steps_done(path)) == len(steps())
    with closing(_open(path)) as store:
        assert all(store.meta.get(f"k{number}") for number in range(8))


def test_eight_processes_migrate_an_old_store_once(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """All open an older file at once."""
    _with(monkeypatch, FIRST)
    _open(path).close()
    _with(monkeypatch, FIRST, SECOND)
    assert together(_open_and_write, [(path, f"k{number}") for number in range(8)]) == [0] * 8
    assert [row[0] for row in _steps_done(path)] == [1, 2]


def _die_in(path: Path) -> None:
    def fatal() -> str:
        os.kill(os.getpid(), signal.SIGKILL)
        return ""

    SqliteStore.open(path, now=fatal)


@pytest.mark.parametrize("held", [0, 1])
def test_killed_in_a_step_the_step_is_absent(path: Path, monkeypatch: pytest.MonkeyPatch, held: int) -> None:
    """A process that dies inside a step leaves the version before; the next one finishes it."""
    _with(monkeypatch, FIRST, SECOND)
    if held:
        _with(monkeypatch, FIRST)
        _open(path).close()
        _with(monkeypatch, FIRST, SECOND)
    process = started(_die_in, path)
    process.join(60)
    assert process.exitcode == -signal.SIGKILL
    _open(path).close()
    assert [row[0] for row in _steps_done(path)] == [1, 2]


def test_files_are_numbered_without_a_gap(tmp_path: Path) -> None:
    """A missing number is noticed when the steps are read."""
    (tmp_path / "0001_a.sql").touch()
    (tmp_path / "0003_c.sql").touch()
    with pytest.raises(ValueError, match="gap"):
        steps(tmp_path)


def test_a_script_is_split_at_its_statements() -> None:
    """Semicolons in literals, comments, names and triggers end nothing; a final comment is no statement."""
    script = """
    -- first; comment
    CREATE TABLE a (x TEXT DEFAULT 'a;b', "c;d" INT); /* more; */
    CREATE TRIGGER t AFTER INSERT ON a BEGIN UPDATE a SET x = ';'; DELETE FROM a; END;
    -- the end;
    """
    found = split(script)
    assert len(found) == 2
    assert found[0].endswith('"c;d" INT);')
    assert found[1].endswith("END;")
