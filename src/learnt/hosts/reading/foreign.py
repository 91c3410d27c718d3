"""A database that belongs to a client: read as it stands, left as it was.

SQLite leaves `-wal` and `-shm` files beside a database in WAL mode even when it is only read, unless it is told that
nobody writes. So: without a `-wal` the database is complete and is read as immutable; with `-wal` and `-shm` a client
has it open and it is read beside it; with a `-wal` alone, a journal to roll back, or a lock that is not given up, a
copy in a private folder is read. A client that begins to write while nobody was expected to is noticed at the end.
"""

from __future__ import annotations

import shutil
import sqlite3
import tempfile
import threading
from contextlib import ExitStack, contextmanager
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Final
from urllib.parse import quote

from learnt.errors import UsageError
from learnt.hosts.reading.lines import opened

if TYPE_CHECKING:
    from collections.abc import Iterator

MAGIC: Final = b"SQLite format 3\x00"
_HEADER_BYTES: Final = 100
_WAL_AT: Final = 18
_WAIT_S: Final = 2.0
_HELD: Final = threading.local()
_MOST_BYTES: Final = 128 << 20
"""Of one value: more is made up by its schema, or nothing that a session says."""
_STEPS: Final = 10_000_000
_MOST_TURNS: Final = 400
"""Turns of so many steps of SQLite's machine, a tenth of a second or more each."""
_BESIDE: Final = ("-wal", "-journal")


def is_database(path: Path) -> bool:
    """Whether a file begins as a SQLite database does."""
    if not path.is_file():
        return False
    with opened(path) as file:
        return file.read(len(MAGIC)) == MAGIC


@contextmanager
def connected(path: Path) -> Iterator[sqlite3.Connection]:
    """A read-only connection; rows come as tuples, text that is no UTF-8 with U+FFFD.

    Raises:
        NotFoundError: There is no such file.
        UsageError: It is no database, is damaged, or cannot be read now; also for what is asked inside the block.
    """
    if not is_database(path):
        opened(path).close()
        raise UsageError(f"{path} is no SQLite database.", code="unreadable")
    with ExitStack() as stack:
        connection, before = None, _state(path)
        try:
            connection, unlocked = _connection(path, stack)
            yield connection
            if unlocked and _state(path) != before:
                raise sqlite3.OperationalError("it was written meanwhile")
        except (sqlite3.Error, OSError, UnicodeDecodeError) as fault:  # a damaged schema is named in its own bytes
            raise UsageError(
                f"The database {path} cannot be read: {fault}.",
                code="unreadable",
                hint="Close the program it belongs to and try again.",
                retryable=True,
            ) from fault
        finally:
            if connection is not None:
                connection.close()


@contextmanager
def held() -> Iterator[None]:
    """While this lasts a database that has to be copied is copied once, for all that is read of it in this thread."""
    with ExitStack() as stack:
        _HELD.copies, _HELD.stack = {}, stack
        try:
            yield
        finally:
            _HELD.copies = _HELD.stack = None


def _connection(path: Path, stack: ExitStack) -> tuple[sqlite3.Connection, bool]:
    """A connection, and whether it reads without a lock, as nobody else had the database open."""
    wal, shm = path.with_name(path.name + "-wal"), path.with_name(path.name + "-shm")
    alone = _is_wal(path) and not shm.exists()
    if _copied(path) or (_filled(wal) and not shm.exists()):  # a lock that was waited for once is not waited for again
        return _begun(_copy(path, stack), "rw"), False
    try:
        return _begun(path, "ro", immutable=alone), alone
    except sqlite3.OperationalError:  # locked, to be rolled back, or the files beside it may not be opened
        return _begun(_copy(path, stack), "rw"), False


def _begun(path: Path, mode: str, *, immutable: bool = False) -> sqlite3.Connection:
    """A connection with a read transaction, so that all that is read is of one moment."""
    place = f"file:{quote(str(path.resolve()))}?mode={mode}{'&immutable=1' if immutable else ''}"
    connection = sqlite3.connect(place, uri=True, timeout=_WAIT_S, isolation_level=None, check_same_thread=False)
    connection.text_factory = lambda raw: raw.decode("utf-8", "replace")
    connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, _MOST_BYTES)
    connection.set_progress_handler(_Budget().spent, _STEPS)
    try:
        statements = loaded("foreign")
        connection.execute(statements["distrust"])
        connection.execute(statements["begin"])
        connection.execute(statements["touch"]).fetchone()
    except sqlite3.Error:
        connection.close()
        raise
    return connection


class _Budget:
    """How long a schema that somebody made may keep us counting."""

    def __init__(self) -> None:
        self._left = _MOST_TURNS

    def spent(self) -> bool:
        """Whether no turn is left; takes one."""
        self._left -= 1
        return self._left < 0


def stamps(path: Path) -> tuple[tuple[int, int], ...]:
    """Time and size of a database and of what lies beside it: another value once somebody wrote."""
    return tuple(_state(path.with_name(path.name + end)) for end in ("", *_BESIDE))


def _state(path: Path) -> tuple[int, int]:
    try:
        found = path.stat()
    except OSError:
        return 0, 0
    return found.st_mtime_ns, found.st_size


def _filled(path: Path) -> bool:
    try:
        return path.stat().st_size > 0
    except OSError:
        return False


def _is_wal(path: Path) -> bool:
    with opened(path) as file:
        return file.read(_HEADER_BYTES)[_WAL_AT : _WAL_AT + 1] == b"\x02"


def _copied(path: Path) -> Path | None:
    """The copy that was made before, of the database as it is now."""
    copies: dict[object, Path] | None = getattr(_HELD, "copies", None)
    return copies.get((path, *stamps(path))) if copies else None


def _copy(path: Path, stack: ExitStack) -> Path:
    """The database and what belongs to it, copied into a private folder that lasts as long as the stack, or longer."""
    if (known := _copied(path)) is not None:
        return known
    copies, keeps = getattr(_HELD, "copies", None), getattr(_HELD, "stack", None)
    sources = [path.with_name(path.name + end) for end in ("", *_BESIDE)]
    key = (path, *stamps(path))
    made = tempfile.TemporaryDirectory(prefix="learnt-", ignore_cleanup_errors=True)
    folder = Path((keeps or stack).enter_context(made))
    for source, end in zip(sources, ("", *_BESIDE), strict=True):
        if source.exists():
            shutil.copyfile(source, folder / ("copy" + end))
    if copies is not None:
        copies[key] = folder / "copy"
    return folder / "copy"


def tables(path: Path) -> frozenset[str]:
    """The names of its tables; none when it is no database that can be read."""
    if not is_database(path):
        return frozenset()
    try:
        with connected(path) as connection:
            return frozenset(str(name) for (name,) in connection.execute(loaded("foreign")["tables"]))
    except UsageError:
        return frozenset()


@cache
def loaded(name: str) -> dict[str, str]:
    """The named statements of one file."""
    text = (Path(__file__).parent / "sql" / f"{name}.sql").read_text("utf-8")
    return {name.strip(): body for name, _, body in (part.partition("\n") for part in text.split("-- name: ")[1:])}
