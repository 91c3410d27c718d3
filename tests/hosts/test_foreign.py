"""A client's database is read as it stands and left as it was."""

from __future__ import annotations

import shutil
import sqlite3

import pytest

from learnt.errors import LearntError
from learnt.hosts.reading import foreign
from learnt.hosts.reading.foreign import connected, held, is_database, tables


def made(path, *, wal=True):
    """A database with one row, and the connection that wrote it."""
    base = sqlite3.connect(path, isolation_level=None)
    base.execute(f"PRAGMA journal_mode={'wal' if wal else 'delete'}")
    base.execute("CREATE TABLE song (line)")
    base.execute("INSERT INTO song VALUES ('one')")
    return base


def lines(path):
    """What a reader sees."""
    with connected(path) as base:
        return [line for (line,) in base.execute("SELECT line FROM song")]


def beside(path):
    """The names of the files there are."""
    return sorted(each.name for each in path.parent.iterdir())


@pytest.mark.parametrize("wal", [True, False])
def test_a_closed_database_is_read_without_a_trace(tmp_path, wal):
    """Nothing is created beside it, nothing in it changes."""
    path = tmp_path / "a b#c.db"
    made(path, wal=wal).close()
    before = (beside(path), path.read_bytes(), path.stat().st_mtime_ns)
    assert lines(path) == ["one"]
    assert tables(path) == {"song"}
    assert (beside(path), path.read_bytes(), path.stat().st_mtime_ns) == before


def test_a_database_in_use_is_read_with_what_is_not_yet_in_it(tmp_path):
    """What the client wrote last stands in the log beside the database."""
    path = tmp_path / "base.db"
    client = made(path)
    client.execute("INSERT INTO song VALUES ('two')")
    before = beside(path)
    assert lines(path) == ["one", "two"]
    assert beside(path) == before
    client.execute("INSERT INTO song VALUES ('three')")
    assert lines(path) == ["one", "two", "three"]
    client.close()


def test_a_log_without_its_index_is_read_from_a_copy(tmp_path):
    """A database that was copied, or whose client died."""
    path, copied = tmp_path / "base.db", tmp_path / "elsewhere" / "base.db"
    copied.parent.mkdir()
    client = made(path)
    for end in ("", "-wal"):
        shutil.copyfile(f"{path}{end}", f"{copied}{end}")
    client.close()
    assert lines(copied) == ["one"]
    assert beside(copied) == ["base.db", "base.db-wal"]


def test_a_locked_database_is_read_from_a_copy(tmp_path, monkeypatch):
    """A client that holds it exclusively is not waited for long."""
    monkeypatch.setattr("learnt.hosts.reading.foreign._WAIT_S", 0.05)
    path = tmp_path / "base.db"
    client = made(path, wal=False)
    client.execute("BEGIN EXCLUSIVE")
    assert lines(path) == ["one"]
    client.execute("ROLLBACK")
    client.close()


def test_a_lock_is_waited_for_once(tmp_path, monkeypatch):
    """However many sessions are looked at while somebody holds the database."""
    monkeypatch.setattr("learnt.hosts.reading.foreign._WAIT_S", 0.05)
    opened, connect = [], sqlite3.connect

    def noted(place, **options):
        opened.append(place)
        return connect(place, **options)

    monkeypatch.setattr("sqlite3.connect", noted)
    path = tmp_path / "base.db"
    client = made(path, wal=False)
    client.execute("BEGIN EXCLUSIVE")
    with held():
        assert [lines(path) for _ in range(3)] == [["one"]] * 3
    client.close()
    assert sum("base.db" in str(place) and "mode=ro" in str(place) for place in opened) == 1


def test_a_client_that_begins_to_write_meanwhile_is_noticed(tmp_path):
    """Nobody had the database open, so it was read without a lock; what was read may be of two moments."""
    path = tmp_path / "base.db"
    made(path).close()

    def reading():
        with connected(path) as base:
            base.execute("SELECT line FROM song").fetchall()
            client = sqlite3.connect(path)
            client.execute("INSERT INTO song VALUES ('two')")
            client.commit()
            client.close()

    with pytest.raises(LearntError, match="meanwhile"):
        reading()
    assert lines(path) == ["one", "two"]


def test_a_journal_to_roll_back_is_rolled_back_in_a_copy(tmp_path):
    """A client that died in the middle of a change: the change is not seen, its files stay."""
    path, died = tmp_path / "base.db", tmp_path / "died" / "base.db"
    died.parent.mkdir()
    client = made(path, wal=False)
    client.execute("PRAGMA cache_size=1")
    client.execute("BEGIN")
    client.executemany("INSERT INTO song VALUES (?)", [("x" * 4_000,)] * 50)
    for end in ("", "-journal"):
        shutil.copyfile(f"{path}{end}", f"{died}{end}")
    client.execute("ROLLBACK")
    client.close()
    assert lines(died) == ["one"]
    assert beside(died) == ["base.db", "base.db-journal"]


@pytest.mark.parametrize("body", [b"", b"no database", b"SQLite format 3\x00" + bytes(84), b"SQLite format 3\x00" * 90])
def test_what_is_no_database_says_so(tmp_path, body):
    """A clear message, not an exception of SQLite's."""
    path = tmp_path / "base.db"
    path.write_bytes(body)
    with pytest.raises(LearntError, match=r"no SQLite database|cannot be read"):
        lines(path)
    assert tables(path) == frozenset()
    assert is_database(path) is body.startswith(b"SQLite")


def test_a_database_without_the_table_asked_for(tmp_path):
    """What is asked inside the block is told the same way."""
    path = tmp_path / "base.db"
    made(path).close()
    with pytest.raises(LearntError, match="no such table"), connected(path) as base:
        base.execute("SELECT * FROM hymn")
    with pytest.raises(LearntError, match="no file"), connected(tmp_path / "none.db"):
        pass


def test_nothing_can_be_written(tmp_path):
    """The connection is read-only."""
    path = tmp_path / "base.db"
    made(path).close()
    with pytest.raises(LearntError, match="readonly"), connected(path) as base:
        base.execute("INSERT INTO song VALUES ('mine')")


def test_a_copy_is_made_once_for_all_that_is_read(tmp_path, monkeypatch):
    """While a look at many sessions lasts; afterwards it is gone, and another reading makes its own."""
    copies, copyfile = [], shutil.copyfile

    def noted(source, target):
        copies.append(target)
        return copyfile(source, target)

    monkeypatch.setattr("shutil.copyfile", noted)
    monkeypatch.setattr("learnt.hosts.reading.foreign._filled", lambda _: True)
    path = tmp_path / "a.db"
    made(path, wal=False).close()
    with held():
        assert [lines(path) for _ in range(3)] == [["one"]] * 3
        assert len(copies) == 1
        assert copies[0].exists()
    assert lines(path) == ["one"]
    assert len(copies) == 2
    assert not any(copy.exists() for copy in copies)


def test_a_view_is_no_table_of_a_client(tmp_path):
    """One that counts without end is not recognised, and given up on where it is asked all the same."""
    path = tmp_path / "a.db"
    base = made(path)
    base.execute(
        "CREATE VIEW endless AS WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) SELECT x FROM c"
    )
    base.close()
    assert tables(path) == {"song"}


def test_a_schema_without_end_is_given_up_on(tmp_path, monkeypatch):
    """It says so instead of counting on."""
    monkeypatch.setattr(foreign, "_STEPS", 1_000)
    monkeypatch.setattr(foreign, "_MOST_TURNS", 100)
    path = tmp_path / "a.db"
    base = made(path)
    base.execute(
        "CREATE VIEW endless AS WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) SELECT x FROM c"
    )
    base.close()
    with pytest.raises(LearntError, match="cannot be read"), connected(path) as found:
        found.execute("SELECT count(*) FROM endless").fetchone()


def test_a_giant_that_a_schema_makes_up_is_refused(tmp_path):
    """A generated column may say it holds a gigabyte."""
    path = tmp_path / "a.db"
    base = made(path)
    base.execute("CREATE TABLE giant (n INT, value AS (zeroblob(n)) VIRTUAL)")
    base.execute("INSERT INTO giant (n) VALUES (500000000)")
    base.close()
    with pytest.raises(LearntError, match="cannot be read"), connected(path) as found:
        found.execute("SELECT value FROM giant").fetchone()
