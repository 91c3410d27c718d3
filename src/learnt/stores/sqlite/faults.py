"""What SQLite's errors mean to a caller: one table from its result codes to ours."""

from __future__ import annotations

import sqlite3

from learnt.errors import (
    LearntError,
    StoreBusyError,
    StoreCorruptError,
    StoreError,
    StoreFullError,
    StoreReadOnlyError,
    UsageError,
)

BUSY = frozenset({sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED, sqlite3.SQLITE_PROTOCOL})
"""Primary codes that another process's lock explains; waiting helps."""

_MEANINGS: dict[int, type[StoreError]] = {
    sqlite3.SQLITE_BUSY: StoreBusyError,
    sqlite3.SQLITE_LOCKED: StoreBusyError,
    sqlite3.SQLITE_PROTOCOL: StoreBusyError,
    sqlite3.SQLITE_CORRUPT: StoreCorruptError,
    sqlite3.SQLITE_NOTADB: StoreCorruptError,
    sqlite3.SQLITE_FULL: StoreFullError,
    sqlite3.SQLITE_READONLY: StoreReadOnlyError,
    sqlite3.SQLITE_PERM: StoreReadOnlyError,
}

_EXTENDED: dict[int, type[StoreError]] = {sqlite3.SQLITE_IOERR_SHMSIZE: StoreFullError}
"""Extended codes that say more than their primary one: no room for the journal's index is a full disk, also to read."""


def code(error: sqlite3.Error) -> int:
    """The primary result code (the low byte of the extended one), or -1 where the error did not come from SQLite."""
    extended: int = getattr(error, "sqlite_errorcode", -1)
    return extended & 0xFF if extended >= 0 else -1


def name(error: sqlite3.Error) -> str:
    """SQLite's own name of the extended code, for `details`."""
    return str(getattr(error, "sqlite_errorname", type(error).__name__))


def translated(error: sqlite3.Error) -> LearntError:
    """Our error for SQLite's. Its message carries SQLite's words, never a bound value."""
    if code(error) == sqlite3.SQLITE_CONSTRAINT:
        return UsageError("The change contradicts what is stored.", code="constraint", details={"message": str(error)})
    kind = _EXTENDED.get(getattr(error, "sqlite_errorcode", -1)) or _MEANINGS.get(code(error), StoreError)
    details = {"sqlite": name(error), "message": str(error)}
    if kind is StoreError:
        return StoreError(f"The store does not answer: {error}.", details=details)
    return kind(details=details)
