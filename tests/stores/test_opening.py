"""Whose file it is, who may read it, and what a damaged, foreign, newer, full or read-only one leads to."""

from __future__ import annotations

import os
import random
import shutil
import sqlite3
import stat
import subprocess
import sys
import tempfile
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from learnt.errors import (
    StoreBusyError,
    StoreCorruptError,
    StoreError,
    StoreForeignError,
    StoreFullError,
    StoreNewerError,
    StoreReadOnlyError,
)
from learnt.model.filter import MemoryFilter
from learnt.model.scope import Sight
from learnt.stores.sqlite import mounts
from learnt.stores.sqlite.store import SqliteStore
from learnt.testing import samples
from learnt.testing.fakes import NOON, FixedClock
from tests.stores.processes import as_nobody

if TYPE_CHECKING:
    from collections.abc import Iterator

SCOPE = samples.repository("opening")
SIGHT = Sight((SCOPE,))


def _open(path: Path, **named: float) -> SqliteStore:
    return SqliteStore.open(path, now=FixedClock(), **named)  # type: ignore[arg-type]


def _filled(path: Path, number: int = 20) -> Path:
    with closing(_open(path)) as store, store.transaction():
        for at in range(number):
            memory = samples.memory(SCOPE, f"Statement {at}.")
            store.memories.put(memory)
            store.events.append(samples.event(at, memory.id))
    return path


def _read(path: Path) -> int:
    with closing(_open(path)) as store:
        return store.memories.page(SIGHT, MemoryFilter(), NOON).total


def _bytes(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Where a store may be made."""
    return tmp_path / "data" / "memory.db"


@pytest.fixture
def shared_folder() -> Iterator[Path]:
    """A folder that another user may enter (pytest's own are private)."""
    folder = Path(tempfile.mkdtemp())
    folder.chmod(0o755)
    yield folder
    shutil.rmtree(folder)


def test_everything_is_for_this_user_alone(path: Path) -> None:
    """Folder 0700, database and the files beside it 0600, whatever the umask."""
    before = os.umask(0)
    try:
        with closing(_open(path)) as store, store.transaction():
            store.meta.put("k", "v")
            modes = {found.name: stat.S_IMODE(found.stat().st_mode) for found in path.parent.iterdir()}
    finally:
        os.umask(before)
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700
    assert set(modes.values()) == {0o600}
    assert {"memory.db", "memory.db-wal", "memory.db-shm"} <= set(modes)


def test_a_wider_file_is_tightened(path: Path) -> None:
    """A database others could read is taken from them when it is opened."""
    _filled(path).chmod(0o644)
    path.parent.chmod(0o755)
    _read(path)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700


def test_a_folder_of_other_things_keeps_its_rights(tmp_path: Path) -> None:
    """Only a folder that holds nothing but the store is tightened: the store may lie in somebody's project."""
    tmp_path.chmod(0o755)
    (tmp_path / "notes.txt").touch()
    _filled(tmp_path / "memory.db")
    assert stat.S_IMODE(tmp_path.stat().st_mode) == 0o755


def test_the_folder_may_be_a_link_as_a_whole(tmp_path: Path, path: Path) -> None:
    """The data directory may lie elsewhere."""
    _filled(path)
    (tmp_path / "link").symlink_to(path.parent)
    assert _read(tmp_path / "link" / "memory.db") == 20


@pytest.mark.parametrize("name", ["memory.db", "memory.db-wal", "memory.db-journal"])
def test_a_file_of_the_store_may_not_be_a_link(tmp_path: Path, path: Path, name: str) -> None:
    """Another's file is neither written to nor replaced through a link."""
    victim = tmp_path / "victim"
    victim.write_text("mine")
    path.parent.mkdir()
    (path.parent / name).symlink_to(victim)
    with pytest.raises(StoreError) as caught:
        _open(path)
    assert caught.value.error_code == "store_symlink"
    assert victim.read_text() == "mine"


@pytest.mark.parametrize("wal", [True, False])
def test_another_programs_database_stays_untouched(path: Path, wal: bool) -> None:
    """It is recognised before anything is created beside it."""
    path.parent.mkdir()
    with closing(sqlite3.connect(path)) as other, other:
        other.execute(f"PRAGMA journal_mode = {'WAL' if wal else 'DELETE'}")
        other.execute("CREATE TABLE theirs (x)")
    before = _bytes(path.parent)
    with pytest.raises(StoreForeignError):
        _open(path)
    assert _bytes(path.parent) == before


@pytest.mark.parametrize("content", [b"some text\n" * 50, b"x", b"SQLite format 3\0"])
def test_what_is_no_database_stays_untouched(path: Path, content: bytes) -> None:
    """A text file, a single byte and a cut header are damage, not an empty store."""
    path.parent.mkdir()
    path.write_bytes(content)
    with pytest.raises(StoreCorruptError):
        _open(path)
    assert _bytes(path.parent) == {"memory.db": content}


def test_an_empty_file_becomes_a_store(path: Path) -> None:
    """A process that died between creating and filling the file left nothing to lose."""
    path.parent.mkdir()
    path.touch()
    assert _read(path) == 0


def test_a_newer_schema_stays_untouched(path: Path) -> None:
    """What a later learnt wrote is not read by guesswork."""
    _filled(path)
    with closing(sqlite3.connect(path)) as other:
        other.execute("PRAGMA user_version = 99")
    before = _bytes(path.parent)
    with pytest.raises(StoreNewerError):
        _open(path)
    assert _bytes(path.parent) == before


def test_a_zeroed_header_is_no_empty_store(path: Path) -> None:
    """The first 100 bytes gone: an error, never `no results`, and the file stays for a repair."""
    _filled(path)
    content = bytes(100) + path.read_bytes()[100:]
    path.write_bytes(content)
    with pytest.raises(StoreCorruptError):
        _open(path)
    assert path.read_bytes() == content


@pytest.mark.parametrize("seed", range(12))
def test_a_damaged_page_never_answers_less(path: Path, seed: int) -> None:
    """Random bytes over one page: the right answer, or an error that says so; never fewer rows without a word."""
    _filled(path, 300)
    pages = path.stat().st_size // 4096
    at = random.Random(seed).randrange(1, pages)
    with path.open("r+b") as file:
        file.seek(at * 4096)
        file.write(random.Random(seed).randbytes(4096))
    try:
        with closing(_open(path)) as store:
            page = store.memories.page(SIGHT, MemoryFilter(limit=1000), NOON)
            missing = len(store.meta.describe()["unreadable"])  # type: ignore[arg-type]
            assert len(page.values) + missing == page.total == 300
    except StoreCorruptError:
        pass


def test_read_only_means_read_only(path: Path) -> None:
    """Asked for reading, a store is read while another writes, and refuses writes."""
    _filled(path)
    with closing(_open(path)) as writer, closing(SqliteStore.open(path, now=FixedClock(), read_only=True)) as reader:
        with writer.transaction():
            writer.memories.put(samples.memory(SCOPE, "New."))
        assert reader.memories.page(SIGHT, MemoryFilter(), NOON).total == 21
        with pytest.raises(StoreReadOnlyError), reader.transaction():
            pass


def test_reading_needs_a_store(path: Path) -> None:
    """Asked for reading only, nothing is made."""
    with pytest.raises(StoreReadOnlyError):
        SqliteStore.open(path, now=FixedClock(), read_only=True)
    assert not path.parent.exists()


def _try(path: Path) -> str:
    with closing(_open(path)) as store:
        total = store.memories.page(SIGHT, MemoryFilter(), NOON).total
        try:
            with store.transaction():
                store.meta.put("k", "v")
        except StoreReadOnlyError:
            return f"{total} read, write refused"
        return f"{total} read, written"


def test_a_read_only_folder_reads(shared_folder: Path) -> None:
    """Reads work where nothing may be written, nothing is created, and a write is one clear error."""
    path = _filled(shared_folder / "memory.db")
    shared_folder.chmod(0o555)
    path.chmod(0o444)
    assert as_nobody(lambda: _try(path)) == "20 read, write refused"
    assert [found.name for found in shared_folder.iterdir()] == ["memory.db"]


def test_a_log_that_cannot_be_read_is_not_ignored(shared_folder: Path) -> None:
    """Rows that are only in the log are not left out without a word; with the right to write they are there."""
    path = _filled(shared_folder / "memory.db")
    with closing(_open(path)) as store:
        with store.transaction():
            store.memories.put(samples.memory(SCOPE, "Only in the log."))
        copy = shared_folder / "copy"
        copy.mkdir()
        for name in ("memory.db", "memory.db-wal"):
            shutil.copy(shared_folder / name, copy / name)
            (copy / name).chmod(0o444)
    copy.chmod(0o555)
    assert "StoreReadOnlyError" in as_nobody(lambda: _try(copy / "memory.db"))
    copy.chmod(0o755)
    for name in ("memory.db", "memory.db-wal"):
        (copy / name).chmod(0o644)
    assert _read(copy / "memory.db") == 21


def test_a_folder_without_rights_says_so(shared_folder: Path) -> None:
    """A store that cannot be made is an error with its reason."""
    shared_folder.chmod(0o555)
    assert "StoreReadOnlyError" in as_nobody(lambda: _try(shared_folder / "sub" / "memory.db"))


def _long(store: SqliteStore, number: int) -> None:
    with store.transaction():
        memory = samples.memory(SCOPE, f"Statement {number}. " + "word " * 300)
        store.memories.put(memory)
        store.events.append(samples.event(number, memory.id))


def test_a_full_disk_loses_nothing_and_recovers(path: Path) -> None:
    """The write that does not fit is an error and leaves nothing; the ones before are whole; room helps."""
    with closing(_open(path)) as store:
        store.connection.rows("PRAGMA max_page_count = 80")
        stored = 0
        try:
            while stored < 10_000:
                _long(store, stored)
                stored += 1
        except StoreFullError:
            pass
        assert 0 < stored < 10_000
        assert store.memories.count(SIGHT) == {"active": stored}
        assert len(tuple(store.events.chain())) == stored
        store.connection.rows("PRAGMA max_page_count = 10000")
        with store.transaction():
            store.memories.put(samples.memory(SCOPE, "Fits."))
        assert store.memories.count(SIGHT) == {"active": stored + 1}


@pytest.mark.parametrize("kind", ["nfs4", "cifs", "9p", "virtiofs", "fuse.sshfs"])
def test_a_shared_file_system_gets_a_rollback_journal(path: Path, monkeypatch: pytest.MonkeyPatch, kind: str) -> None:
    """No WAL where its shared memory does not work, not even in a store that had it; two handles still write."""
    _filled(path)
    monkeypatch.setattr(mounts, "filesystem", lambda path: kind)
    with closing(_open(path)) as one, closing(_open(path)) as two:
        for store in (one, two, one):
            with store.transaction():
                store.memories.put(samples.memory(SCOPE, f"Written by {id(store)}."))
        assert two.memories.count(SIGHT) == {"active": 22}
        assert one.meta.describe()["journal_mode"] == "delete"
        assert not path.with_name("memory.db-wal").exists()


MOUNTS = """22 27 0:21 / /proc rw - proc proc rw
27 1 254:0 / / rw,relatime - ext4 /dev/vda rw
40 27 0:50 / /home rw shared:1 - nfs4 server:/home rw
41 40 0:51 / /home/me/my\\040disk rw - fuse.sshfs host: rw
"""


@pytest.mark.parametrize(
    ("path", "kind"),
    [("/var/x", "ext4"), ("/home", "nfs4"), ("/homestead", "ext4"), ("/home/me/my disk/a", "fuse.sshfs")],
)
def test_the_longest_mount_point_counts(path: str, kind: str) -> None:
    """A path belongs to the mount nearest above it; a name that only begins alike does not count."""
    assert mounts.longest(MOUNTS, path) == kind


def test_a_held_store_is_busy_not_broken(path: Path) -> None:
    """Beyond the wait a writer is told to try again, and readers go on."""
    _filled(path)
    with closing(_open(path)) as holder, closing(_open(path, wait_s=0.05)) as other, holder.transaction():
        holder.meta.put("k", "v")
        with pytest.raises(StoreBusyError) as caught, other.transaction():
            pass
        assert caught.value.may_retry
        assert other.memories.count(SIGHT) == {"active": 20}


def test_a_failed_opening_leaves_no_handle(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever goes wrong after the file was opened, it is closed again."""
    opened: list[sqlite3.Connection] = []
    connect = sqlite3.connect

    def tracked(*values: object, **named: object) -> sqlite3.Connection:
        opened.append(connect(*values, **named))  # type: ignore[call-overload]
        return opened[-1]

    def fail() -> str:
        raise KeyboardInterrupt

    monkeypatch.setattr(sqlite3, "connect", tracked)
    with pytest.raises(KeyboardInterrupt):
        SqliteStore.open(path, now=fail)
    with pytest.raises(sqlite3.ProgrammingError, match="closed"):
        opened[0].execute("SELECT 1")


@pytest.mark.parametrize("name", ["a b", "100%", "ümläut", "#hash?query"])
def test_odd_folder_names(tmp_path: Path, name: str) -> None:
    """A path is a path, whatever a URI would make of its characters."""
    _filled(tmp_path / name / "memory.db", 1)
    assert (tmp_path / name / "memory.db").exists()
    assert _read(tmp_path / name / "memory.db") == 1


def test_what_came_past_the_store_is_a_gap(path: Path) -> None:
    """A memory put in or taken out by another program, or without its full text, is counted."""
    _filled(path)
    with closing(_open(path)) as store:
        assert store.meta.gaps() == {}
        with closing(sqlite3.connect(path)) as other, other:
            other.execute("DELETE FROM memory_items WHERE row IN (SELECT max(row) FROM memory_items)")
            other.execute("UPDATE memory_items SET terms = '' WHERE row IN (SELECT min(row) FROM memory_items)")
        assert store.meta.gaps() == {"uncounted": 1, "unindexed": 1}


_ANOTHER = """
import sys
from learnt.model.scope import Sight
from learnt.stores.sqlite.store import SqliteStore
from learnt.testing import samples
from learnt.testing.fakes import FixedClock
store = SqliteStore.open(sys.argv[1], now=FixedClock())
print(store.memories.count(Sight((samples.repository("opening"),))).get("active", 0))
store.close()
"""


def _elsewhere(path: Path) -> int:
    """How many memories another process, which opens and closes the store, finds."""
    command = [sys.executable, "-c", _ANOTHER, str(path)]
    return int(subprocess.run(command, capture_output=True, check=True, text=True).stdout)


def test_a_second_handle_does_not_take_the_locks_of_the_first(path: Path) -> None:
    """Opening and closing one store twice in a process leaves the first handle's locks in place.

    Without them another process believes itself alone, removes the log on closing, and later writes are lost.
    """
    _filled(path)
    with closing(_open(path)) as first:
        with first.transaction():
            first.memories.put(samples.memory(SCOPE, "Before."))
        _open(path).close()
        assert _elsewhere(path) == 21
        with first.transaction():
            first.memories.put(samples.memory(SCOPE, "After."))
        assert _elsewhere(path) == 22


def test_a_forked_process_must_open_by_itself(path: Path) -> None:
    """What the parent opened is refused in the child, which takes nothing away and may open the store for itself."""
    _filled(path)
    with closing(_open(path)) as first:
        child = os.fork()
        if child == 0:
            os._exit(_child(path, first))
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
        with first.transaction():
            first.memories.put(samples.memory(SCOPE, "The parent goes on."))
    assert _elsewhere(path) == 22


def _child(path: Path, first: SqliteStore) -> int:
    """0 when all went as it should."""
    told = ""
    try:
        first.memories.count(SIGHT)
    except StoreError as error:
        told = error.error_code
    first.close()
    with closing(_open(path)) as own, own.transaction():
        own.memories.put(samples.memory(SCOPE, "The child opened it again."))
    return int(told != "store_forked")
