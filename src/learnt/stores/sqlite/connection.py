"""One connection to one file: waiting, transactions, and our errors instead of SQLite's.

A connection may be used by several threads: one lock serialises them, and a transaction holds it from its begin to
its end, so no thread sees or extends another's unfinished change.
"""

from __future__ import annotations

import os
import random
import sqlite3
import threading
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, TypeVar

from learnt.errors import StoreBusyError, StoreCorruptError, StoreError, StoreReadOnlyError, UsageError
from learnt.stores.sqlite import faults
from learnt.stores.sqlite.statements import load
from learnt.stores.sqlite.turn import Turn

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    Values = Sequence[object] | Mapping[str, object]
    Row = tuple[Any, ...]

T = TypeVar("T")
_SQL = load("connection")
_ABANDONED: list[sqlite3.Connection] = []
_FORKED = "Open the store again in the child; what the parent opened stays the parent's."

_FIRST_PAUSE_S, _LAST_PAUSE_S = 0.0005, 0.004
"""Bounds of the jittered pause between two attempts to get the write lock: with SQLite's own back-off the unluckiest
of 16 writers waited 1.2 s, with this 0.2 s. Source: own measurement, 16 processes, one file."""


class Connection:
    """Reads at any time, writes inside `transaction()`.

    Attributes:
        read_only: No right to write here, or none wanted.
        on_rollback: Called after a transaction was undone, to forget what was learned inside it.
        on_commit: Called after a transaction was committed, before another can begin; must not fail.
        generation: Rises with every memory or evidence this connection writes or takes back; what is remembered is
            dropped then.
        unreadable: Ids of rows that could not be decoded, with the reason; they are left out, not fatal.
    """

    def __init__(self, raw: sqlite3.Connection, *, wait_s: float, read_only: bool, folder: str) -> None:
        self._raw = raw
        self._process = os.getpid()
        self._turn = Turn(folder)
        self._lock = threading.RLock()
        self._wait_s = wait_s
        self._writing = False
        self.read_only = read_only
        self.on_rollback: list[Callable[[], None]] = []
        self.on_commit: list[Callable[[], None]] = []
        self.generation = 0
        self.unreadable: dict[str, str] = {}

    def rows(self, sql: str, values: Values = ()) -> list[tuple[Any, ...]]:
        """All rows of a query."""
        self._acquire()
        try:
            return self._patiently(lambda: self._raw.execute(sql, values).fetchall())
        finally:
            self._lock.release()

    def row(self, sql: str, values: Values = ()) -> tuple[Any, ...] | None:
        """The first row of a query, or None."""
        found = self.rows(sql, values)
        return found[0] if found else None

    def write(self, sql: str, values: Values = ()) -> int:
        """Change something; gives how many rows changed."""
        return self._change(lambda: self._raw.execute(sql, values).rowcount)

    def write_many(self, sql: str, many: Iterable[Values]) -> int:
        """The same change with each of `many` values; gives how many rows changed."""
        return self._change(lambda: self._raw.executemany(sql, many).rowcount)

    def returning(self, sql: str, values: Values = ()) -> tuple[Any, ...]:
        """Change something with a RETURNING clause; gives its one row."""
        row: tuple[Any, ...] = self._change(lambda: self._raw.execute(sql, values).fetchall()[0])
        return row

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """One `BEGIN IMMEDIATE` transaction, undone on any exception.

        Raises:
            StoreBusyError: Another thread or process held the store beyond the wait.
            StoreReadOnlyError: The store was opened for reading.
        """
        self._acquire()
        try:
            self._refuse_begin()
            self._turn.take(self._wait_s)
            yield from self._inside()
        finally:
            self._turn.give()
            self._lock.release()

    def _refuse_begin(self) -> None:
        if self._writing:
            raise StoreError("A transaction inside a transaction.", code="nested_transaction")
        if self.read_only:
            raise StoreReadOnlyError

    def _inside(self) -> Iterator[None]:
        try:  # an interrupted BEGIN may have begun
            self._patiently(lambda: self._raw.execute(_SQL["begin"]))
            self._writing = True
            yield
            self._patiently(lambda: self._raw.execute(_SQL["commit"]), retry=True)
        except BaseException:
            self._undo()
            raise
        else:
            for tell in self.on_commit:
                tell()
        finally:
            self._writing = False

    @contextmanager
    def snapshot(self) -> Iterator[None]:
        """Inside, reads see the file as it was at the first of them; nothing is written.

        With a rollback journal other processes cannot commit meanwhile; with WAL nobody waits.
        """
        self._acquire()
        try:
            self._patiently(lambda: self._raw.execute(_SQL["snapshot"]))
            try:
                yield
            finally:
                self._raw.execute(_SQL["rollback"])
        finally:
            self._lock.release()

    def forget(self) -> None:
        """Whatever was remembered of the file does not hold any more."""
        self.generation += 1
        for each in self.on_rollback:
            each()

    def release(self) -> None:
        """Give the pages back that were kept in case they are read again."""
        self.rows(_SQL["release"])

    def close(self) -> None:
        """Give the file back; safe to call twice."""
        if self._process != os.getpid():
            _ABANDONED.append(self._raw)  # the parent's; to close it here could take its log away
            return
        with self._lock:
            self._raw.close()
            self._turn.close()

    def _change(self, call: Callable[[], T]) -> T:
        self._acquire()
        try:
            if not self._writing:
                raise StoreError("A write outside of a transaction.", code="no_transaction")
            return self._patiently(call)
        finally:
            self._lock.release()

    def _acquire(self) -> None:
        """Take the lock that `finally` gives back; a function, because a context manager costs each statement 2 us.

        Raises:
            StoreError: `store_forked`: a child cannot use its parent's connection, whose locks it does not have.
        """
        if self._process != os.getpid():
            raise StoreError("This store was opened by the parent of this process.", code="store_forked", hint=_FORKED)
        if not self._lock.acquire(timeout=self._wait_s):
            raise StoreBusyError

    def _patiently(self, call: Callable[[], T], *, retry: bool = False) -> T:
        """The call's answer, repeated while another process holds a lock (inside a transaction only the commit)."""
        pause_s, deadline = _FIRST_PAUSE_S, 0.0
        while True:
            try:
                return call()
            except sqlite3.ProgrammingError as error:
                raise _misuse(error) from error
            except sqlite3.Error as error:
                now = time.monotonic()
                deadline = deadline or now + self._wait_s
                if faults.code(error) not in faults.BUSY or (self._writing and not retry) or now >= deadline:
                    raise faults.translated(error) from error
            except UnicodeDecodeError as error:  # a damaged text, or SQLite's own words about one
                raise StoreCorruptError from error
            except UnicodeEncodeError as error:
                raise UsageError("The text holds a lone surrogate, which is no character.", code="invalid") from error
            time.sleep(pause_s * (0.5 + random.random()))  # noqa: S311 - spreads writers out, guards nothing
            pause_s = min(pause_s * 1.3, _LAST_PAUSE_S)

    def _undo(self) -> None:
        try:
            if self._raw.in_transaction:  # SQLite has already rolled back after some errors (full, I/O)
                self._raw.execute(_SQL["rollback"])
        except sqlite3.Error as error:
            raise faults.translated(error) from error
        finally:
            self.forget()


def _misuse(error: sqlite3.ProgrammingError) -> Exception:
    """A closed connection is a store that does not answer; anything else is our own mistake and stays what it is."""
    if "closed" in str(error):
        return StoreError("The store was closed.", code="store_closed")
    return error
