"""Reads at any time, and transactions that lock what they use; our errors instead of the driver's.

Outside of a transaction every statement takes a connection of its own and commits by itself. Inside, one connection is
bound to the thread, and a write waits to be sent with the next read or with the end, in one round trip. What must come
last (`last`) goes in one piece with the commit.

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
from learnt.stores.postgres.text import outgoing
from learnt.stores.postgres.work import BEGIN, COMMIT, Work, answers, is_late, number_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from learnt.stores.postgres.pool import Pool
    from learnt.stores.postgres.text import Row, Values
    from learnt.stores.postgres.work import Statement

_SQL = load("connection")
_MOST_WAITING = 200
"""So many statements wait to be sent together; more would only take memory."""


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
        return self._asked((sql.encode(), outgoing(values)))[0]

    def row(self, sql: str, values: Values = ()) -> Row | None:
        """The first row of a query, or None."""
        found = self.rows(sql, values)
        return found[0] if found else None

    def together(self, *said: tuple[str, Values]) -> list[list[Row]]:
        """All rows of each of several queries: one transaction, and outside of another one round trip."""
        return self._asked(*((sql.encode(), outgoing(values)) for sql, values in said))

    def write(self, sql: str, values: Values = ()) -> None:
        """Change something; inside a transaction. What is wrong with it shows at the next read or at the end."""
        with self._translating():
            work = self._writing()
            work.waiting.append((sql.encode(), outgoing(values)))
            if len(work.waiting) > _MOST_WAITING:
                work.ask(())

    def write_many(self, sql: str, many: Iterable[Values]) -> None:
        """The same change with each of `many` values."""
        for values in many:
            self.write(sql, values)

    def returning(self, sql: str, values: Values = ()) -> Row | None:
        """Change something with a RETURNING clause; gives its first row, or None where nothing changed."""
        self._writing()
        return self.row(sql, values)

    def last(self, sql: str, values: Values) -> None:
        """Change something at the very end of the transaction, or as soon as `Work.settle` is called."""
        self._writing().later.append((sql.encode(), outgoing(values)))

    def lock(self, names: Iterable[str]) -> None:
        """Hold these until the end of the transaction; all of one call in the order everybody takes them in."""
        if (work := self.work) is None:
            return
        wanted = sorted((is_late(name), number_of(self.tenant, name)) for name in names)
        numbers = [number for _, number in dict.fromkeys(wanted) if number not in work.locked]
        if numbers:
            work.waiting.append((_SQL["lock"].encode(), [numbers]))
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
            with self._translating():
                work.finish(self._secret)
        except BaseException as error:
            work.undo(hard=not isinstance(error, Exception))
            self.generation += 1
            for forget in self.on_rollback:
                forget()
            raise
        finally:
            self._bound.work = None
            work.release()

    def close(self) -> None:
        """Give all connections back; safe to call twice."""
        self.aside.close()
        self._pool.close()

    def _writing(self) -> Work:
        work = self.work
        if work is None:
            raise StoreError("A write outside of a transaction.", code="no_transaction")
        return work

    def _asked(self, *asked: Statement) -> list[list[Row]]:
        """The answers: of this thread's transaction, or of any connection."""
        with self._translating():
            if (work := self.work) is not None:
                return work.ask(asked)
            raw = self._pool.take()
            try:
                return answers(raw, (), asked) if len(asked) == 1 else answers(raw, (BEGIN,), asked, (COMMIT,))
            except (KeyboardInterrupt, SystemExit):
                raw.close()  # in the middle of a word
                raise
            finally:
                self._pool.give(raw)

    @contextmanager
    def _translating(self) -> Iterator[None]:
        try:
            yield
        except UnicodeEncodeError as error:
            raise UsageError("The text holds a lone surrogate, which is no character.", code="invalid") from error
        except psycopg.Error as error:
            raise faults.translated(error, self._secret) from error
