"""Reads at any time, and transactions that lock what they use; our errors instead of the driver's.

Outside of a transaction every statement takes a connection of its own and commits by itself. Inside, one connection is
bound to the thread and works as a pipeline: a write is sent and nobody waits for its answer, which comes with the next
read or the end. What a transaction says last (`last`) goes in one piece with its commit.

SQLite gives a transaction the whole file. Here it is given the scopes it uses, by locks that end with it: the scopes of
a reader all at once and in one order, a scope that is written when it is first written. Scopes that many repositories
read (a person's own, a team's) are not locked to read, or all of one person's work would take turns; instead what was
read of one by id must still be so when it is replaced (`expect`).
"""

from __future__ import annotations

import threading
from contextlib import contextmanager
from typing import TYPE_CHECKING

import psycopg

from learnt.errors import StoreError, StoreReadOnlyError, UsageError
from learnt.stores.postgres import faults
from learnt.stores.postgres.pool import Aside
from learnt.stores.postgres.statements import load
from learnt.stores.postgres.text import incoming, outgoing
from learnt.stores.postgres.work import Work, number_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from learnt.stores.postgres.pool import Pool, Raw
    from learnt.stores.postgres.text import Row, Values


_SQL = load("connection")


class Connection:
    """What the ports of one store share; may be used by several threads, each transaction by one.

    Attributes:
        tenant: Whose rows these are.
        read_only: No right to write here, or none wanted.
        generation: Rises with every memory this store writes or takes back.
        on_rollback: Called after a transaction was undone, to forget what was learned inside it.
        unreadable: Ids of rows that could not be decoded, with the reason; they are left out, not fatal.
        aside: Connections for callers alone.
    """

    def __init__(self, pool: Pool, *, tenant: str, secret: str = "", read_only: bool = False) -> None:
        self._pool = pool
        self._secret = secret
        self._bound = threading.local()
        self.aside = Aside(pool)
        self.tenant = tenant
        self.read_only = read_only
        self.generation = 0
        self.on_rollback: list[Callable[[], None]] = []
        self.unreadable: dict[str, str] = {}

    @property
    def work(self) -> Work | None:
        """The transaction of this thread."""
        return getattr(self._bound, "work", None)

    def rows(self, sql: str, values: Values = ()) -> list[Row]:
        """All rows of a query."""
        with self._speaking() as raw:
            return incoming(raw.execute(sql.encode(), outgoing(values), binary=True).fetchall())

    def row(self, sql: str, values: Values = ()) -> Row | None:
        """The first row of a query, or None."""
        found = self.rows(sql, values)
        return found[0] if found else None

    def together(self, *said: tuple[str, Values]) -> list[list[Row]]:
        """All rows of each of several queries: one transaction, and outside of another one round trip."""
        with self._speaking() as raw:
            if self.work is not None:
                cursors = [raw.execute(sql.encode(), outgoing(values), binary=True) for sql, values in said]
                return [incoming(cursor.fetchall()) for cursor in cursors]
            with raw.pipeline():
                raw.execute(_SQL["begin"].encode())
                cursors = [raw.execute(sql.encode(), outgoing(values), binary=True) for sql, values in said]
                raw.execute(_SQL["commit"].encode())
            return [incoming(cursor.fetchall()) for cursor in cursors]

    def write(self, sql: str, values: Values = ()) -> None:
        """Change something; inside a transaction. What is wrong with it shows at the next read or at the end."""
        self._writing()
        with self._speaking() as raw:
            raw.execute(sql.encode(), outgoing(values))

    def write_many(self, sql: str, many: Iterable[Values]) -> None:
        """The same change with each of `many` values."""
        for values in many:
            self.write(sql, values)

    def returning(self, sql: str, values: Values = ()) -> Row | None:
        """Change something with a RETURNING clause; gives its first row, or None where nothing changed."""
        self._writing()
        return self.row(sql, values)

    def last(self, sql: str, values: Values) -> None:
        """Change something at the very end of the transaction, or as soon as `settle` is called."""
        self._writing().later.append((sql, values))

    def settle(self) -> None:
        """Do now what was put off to the end; for a read that must see it."""
        work = self.work
        if work is not None and work.later:
            later, work.later = work.later, []
            for sql, values in later:
                self.write(sql, values)

    def lock(self, names: Iterable[str]) -> None:
        """Hold these until the end of the transaction; all of one call in the order everybody takes them in."""
        work = self.work
        numbers = sorted({number_of(self.tenant, name) for name in names} - work.locked) if work else []
        if work and numbers:
            with self._speaking() as raw:
                raw.execute(_SQL["lock"].encode(), (numbers,))
            work.locked.update(numbers)

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """Everything inside is committed together, or undone on any exception.

        Raises:
            StoreBusyError: Somebody held a lock, or all connections were in use, beyond the wait; or the same things
                were changed by somebody else meanwhile.
            StoreReadOnlyError: The store was opened for reading.
            StoreError: `store_outcome_unknown`: the connection broke in the middle of the commit.
        """
        if self.work is not None:
            raise StoreError("A transaction inside a transaction.", code="nested_transaction")
        if self.read_only:
            raise StoreReadOnlyError
        work = Work(self._pool)
        self._bound.work = work
        try:
            yield
            self._end(work)
        except BaseException as error:
            work.undo(hard=not isinstance(error, Exception))
            self.generation += 1
            for forget in self.on_rollback:
                forget()
            raise
        finally:
            self._bound.work = None
            work.release()

    def _end(self, work: Work) -> None:
        """The end of a transaction in one piece; nothing at all where nothing was said."""
        if work.raw is None and not work.later:
            return
        with self._translating():
            raw = work.begun()
            for sql, values in work.later:
                raw.execute(sql.encode(), outgoing(values))
            work.ending = True
            raw.execute(_SQL["commit"].encode())
            work.finish()

    def close(self) -> None:
        """Give all connections back; safe to call twice."""
        self.aside.close()
        self._pool.close()

    def _writing(self) -> Work:
        work = self.work
        if work is None:
            raise StoreError("A write outside of a transaction.", code="no_transaction")
        return work

    @contextmanager
    def _speaking(self) -> Iterator[Raw]:
        """The connection to say a statement on: this thread's transaction's, or any."""
        work = self.work
        with self._translating():
            if work is not None:
                yield work.begun()
                return
            raw = self._pool.take()
            try:
                yield raw
            except BaseException:
                self._pool.drop(raw)
                raise
            self._pool.give(raw)

    @contextmanager
    def _translating(self) -> Iterator[None]:
        try:
            yield
        except UnicodeEncodeError as error:
            raise UsageError("The text holds a lone surrogate, which is no character.", code="invalid") from error
        except psycopg.Error as error:
            work = self.work
            if work is not None and work.ending and work.broken and not error.sqlstate:
                raise faults.lost(self._secret, error) from error
            raise faults.translated(error, self._secret) from error
