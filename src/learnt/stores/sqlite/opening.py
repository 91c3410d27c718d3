"""From a path to a connection that may be trusted: whose file it is, who may read it, which journal is safe there.

Nothing is written before the file has shown that it is ours: it is first looked at as `immutable`, because merely
opening a foreign database in WAL mode would create files beside it. SQLite does the looking, never `open()`: closing a
file gives back every POSIX lock this process holds on it, those of other connections too, and writes are then lost.
"""

from __future__ import annotations

import os
import sqlite3
import stat
import time
from contextlib import closing, suppress
from typing import TYPE_CHECKING, TypeVar
from urllib.parse import quote

from learnt.errors import (
    StoreCorruptError,
    StoreError,
    StoreForeignError,
    StoreNewerError,
    StoreReadOnlyError,
)
from learnt.stores.sqlite import faults, mounts
from learnt.stores.sqlite.connection import Connection
from learnt.stores.sqlite.statements import load

if TYPE_CHECKING:
    from collections.abc import Callable, Collection
    from pathlib import Path

APPLICATION_ID = 0x6C726E74
_HEADER_BYTES = 100
_LOOK_S, _PAUSE_S = 0.25, 0.004
_LOOK_ERRORS = faults.BUSY | {sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB}
T = TypeVar("T")
_SQL = load("connection")


def connect(path: Path, *, latest: int, read_only: bool = False, wait_s: float = 5.0) -> Connection:
    """An open, checked connection; the schema may still be older than `latest`.

    The folder may be a symbolic link as a whole; the database and the files beside it may not.

    Raises:
        StoreError: The file cannot be opened; its subclasses say why.
    """
    _refuse_links(path)
    if path.is_dir():
        raise StoreError("There is a directory in the store's place.", details={"path": str(path)})
    read_only = read_only or not _writable(path)
    if read_only and not path.exists():
        raise StoreReadOnlyError("There is no store yet, and none can be made there.", details={"path": str(path)})
    version = _inspect(path, latest)
    if not read_only:
        _prepare(path)
    try:
        raw = sqlite3.connect(
            _uri(path, read_only=read_only), timeout=wait_s, isolation_level=None, check_same_thread=False, uri=True
        )
    except sqlite3.Error as error:
        raise faults.translated(error) from error
    try:
        _configure(raw, path, read_only=read_only, fresh=version is None, wait_s=wait_s)
        _refuse_newer(_number(raw, "user_version"), latest)
    except sqlite3.Error as error:
        raw.close()
        raise faults.translated(error) from error
    except UnicodeDecodeError as error:  # SQLite's own words about it hold damaged bytes
        raw.close()
        raise StoreCorruptError(details={"path": str(path)}) from error
    except BaseException:
        raw.close()
        raise
    return Connection(raw, wait_s=wait_s, read_only=read_only, folder=str(path.parent))


def found(path: Path, latest: int) -> int:
    """The schema version of the file at `path`; 0 where there is none. Nothing is written.

    Raises:
        StoreError: It is no store of ours, or of a newer learnt.
    """
    _refuse_links(path)
    return _inspect(path, latest) or 0


def sidecars(path: Path) -> tuple[Path, ...]:
    """The files SQLite may keep beside the database: log, shared memory, rollback journal."""
    return tuple(path.with_name(path.name + suffix) for suffix in ("-wal", "-shm", "-journal"))


def _refuse_links(path: Path) -> None:
    for name in (path, *sidecars(path)):
        if name.is_symlink():
            raise StoreError(
                "The database file is a symbolic link.",
                code="store_symlink",
                hint="Link the folder as a whole, or name the real file.",
                details={"path": str(name)},
            )


def _writable(path: Path) -> bool:
    """Whether this user may write the file and the folder (SQLite puts its journal beside the file)."""
    if path.exists() and not os.access(path, os.W_OK):
        return False
    return not path.parent.is_dir() or os.access(path.parent, os.W_OK)


def _inspect(path: Path, latest: int) -> int | None:
    """The schema version by the file's header; None for a file that is not there or empty.

    Raises:
        StoreCorruptError: Not a database, or its header is damaged.
        StoreForeignError: Another program's database.
        StoreNewerError: Written by a newer learnt.
    """
    size_bytes = path.stat().st_size if path.exists() else 0
    if size_bytes == 0:
        return None
    if size_bytes < _HEADER_BYTES:
        raise StoreCorruptError("The file at the store's place is not a database.", details={"path": str(path)})
    version, owner = _again(lambda: _looked_at(path), _LOOK_S)
    _refuse_foreign(owner, path)
    _refuse_newer(version, latest)
    return version


def _looked_at(path: Path) -> tuple[int, int]:
    """Version and owner, read past all locks: while another process writes this may fail, and is tried again."""
    with closing(sqlite3.connect(f"file:{quote(str(path))}?mode=ro&immutable=1", uri=True)) as raw:
        return _number(raw, "user_version"), _number(raw, "owner")


def _again(call: Callable[[], T], wait_s: float, *, passing: Collection[int] = _LOOK_ERRORS) -> T:
    """The call's answer, tried until the wait is over while it fails with a `passing` result code.

    Raises:
        StoreError: It failed to the end.
    """
    deadline = time.monotonic() + wait_s
    while True:
        try:
            return call()
        except sqlite3.Error as error:
            if faults.code(error) not in passing or time.monotonic() >= deadline:
                raise faults.translated(error) from error
        time.sleep(_PAUSE_S)


def _refuse_foreign(owner: int, path: Path) -> None:
    if owner != APPLICATION_ID:
        raise StoreForeignError(details={"path": str(path), "application_id": owner})


def _refuse_newer(version: int, latest: int) -> None:
    if version > latest:
        raise StoreNewerError(details={"version": version, "known": latest})


def _prepare(path: Path) -> None:
    """Folder and file for this user alone; an existing file that others could read is tightened."""
    folder = path.parent
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        if all(found.name.startswith(path.name) for found in folder.iterdir()):
            _tighten(folder, 0o700)
        _create(path)
        for name in (path, *sidecars(path)):
            _tighten(name, 0o600)
    except OSError as error:
        raise _unusable(error, path) from error


def _create(path: Path) -> None:
    """An empty file with the right mode, if there is none; one that is there is not opened (see above)."""
    with suppress(FileExistsError):
        os.close(os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600))


def _tighten(path: Path, mode: int) -> None:
    """Take rights of others away; a file of another owner stays as it is."""
    try:
        found = path.stat()
        if stat.S_IMODE(found.st_mode) & 0o077 and found.st_uid == os.geteuid():
            path.chmod(mode)
    except FileNotFoundError:  # a sidecar another process has just removed
        return


def _unusable(error: OSError, path: Path) -> StoreError:
    kind = StoreReadOnlyError if isinstance(error, PermissionError) else StoreError
    return kind(f"The store cannot be opened: {error.strerror}.", details={"path": str(path)})


def _uri(path: Path, *, read_only: bool) -> str:
    """The file as SQLite's URI.

    In a folder where nothing may be created a WAL database opens only as `immutable`, which ignores the log: so only
    when there is no log, that is, when every commit is in the file itself.

    Raises:
        StoreReadOnlyError: There is a log that cannot be read here.
    """
    uri = "file:" + quote(str(path))
    log, shared = (path.with_name(path.name + suffix) for suffix in ("-wal", "-shm"))
    if not read_only:
        return uri + "?mode=rw"
    pending = log.exists() and log.stat().st_size > 0
    if os.access(path.parent, os.W_OK) or (pending and shared.exists()):
        return uri + "?mode=ro"
    if pending:
        raise StoreReadOnlyError(
            "The store has changes in its log that cannot be read without write access.",
            hint="Copy memory.db and memory.db-wal together to a folder you may write to.",
            details={"path": str(path)},
        )
    return uri + "?mode=ro&immutable=1"


def _configure(raw: sqlite3.Connection, path: Path, *, read_only: bool, fresh: bool, wait_s: float) -> None:
    """The settings of every connection. The busy timeout is already set: it is an argument of `connect`."""
    if read_only:
        raw.execute(_SQL["query_only"])
    else:
        if fresh:
            _claim(raw, path)
        # SQLite gives up at once, without its busy handler, when two connections change the journal together.
        _again(lambda: _choose_journal(raw, path), wait_s, passing=faults.BUSY)
    raw.execute(_SQL["foreign_keys"])
    raw.execute(_SQL["cache"])
    raw.execute(_SQL["log"])
    raw.execute(_SQL["tables"]).fetchone()
    raw.execute(_SQL["no_busy_wait"])


def _claim(raw: sqlite3.Connection, path: Path) -> None:
    """Mark an empty file as ours before it becomes a WAL database: the mark is then in the file, not in its log.

    `vacuum` writes the first page; by itself it would leave, for a moment or after a kill for good, a file of nobody's.
    It can do so only as the first who writes: after `begin` the page is there without it.
    """
    raw.execute(_SQL["snapshot"])
    raw.execute(_SQL["vacuum"])
    if _number(raw, "tables") == 0 and _number(raw, "owner") != APPLICATION_ID:
        raw.execute(_SQL["claim"])
    owner = _number(raw, "owner")
    raw.execute(_SQL["commit"])
    _refuse_foreign(owner, path)


def _choose_journal(raw: sqlite3.Connection, path: Path) -> None:
    """WAL on a local disk, else a rollback journal with full synchronisation."""
    shared = mounts.is_shared(mounts.filesystem(path))
    mode = raw.execute(_SQL["rollback_journal" if shared else "wal"]).fetchone()[0]
    if shared and mode == "wal":
        raise StoreError("The store uses WAL on a shared file system.", code="store_wal", details={"path": str(path)})
    raw.execute(_SQL["synchronous_normal" if mode == "wal" else "synchronous_full"])


def _number(raw: sqlite3.Connection, name: str) -> int:
    return int(raw.execute(_SQL[name]).fetchone()[0])
