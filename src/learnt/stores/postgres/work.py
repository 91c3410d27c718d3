"""One transaction under way: its connection, its locks, what it read and what it has put off to its end."""

from __future__ import annotations

from contextlib import suppress
from functools import lru_cache
from typing import TYPE_CHECKING

import psycopg

from learnt.errors import StoreBusyError
from learnt.model.keys import number64
from learnt.stores.postgres.statements import load

if TYPE_CHECKING:
    from contextlib import AbstractContextManager

    from learnt.stores.postgres.pool import Pool, Raw
    from learnt.stores.postgres.text import Values

_SQL = load("connection")


class Work:
    """One transaction: its connection, taken at its first statement, and what it has promised.

    Attributes:
        later: Statements for the end.
        locked: Numbers of the locks it holds.
        numbers: Scopes it created, which are nobody else's before it is committed.
        read: What it read by id, as it was: id -> revision, 0 for nothing.
        ending: The commit is under way.
    """

    def __init__(self, pool: Pool) -> None:
        self._pool = pool
        self._pipeline: AbstractContextManager[psycopg.Pipeline] | None = None
        self.raw: Raw | None = None
        self.later: list[tuple[str, Values]] = []
        self.locked: set[int] = set()
        self.numbers: dict[str, int] = {}
        self.read: dict[str, int] = {}
        self.ending = False

    @property
    def broken(self) -> bool:
        """Whether the connection is gone."""
        return self.raw is not None and self.raw.closed

    def begun(self) -> Raw:
        """The connection, with the transaction begun on it."""
        if self.raw is None:
            self.raw = self._pool.take()
            pipeline = self.raw.pipeline()
            pipeline.__enter__()
            self._pipeline = pipeline
            self.raw.execute(_SQL["begin"].encode())
        return self.raw

    def finish(self) -> None:
        """Wait for every answer."""
        if self._pipeline is not None:
            pipeline, self._pipeline = self._pipeline, None
            pipeline.__exit__(None, None, None)

    def undo(self, *, hard: bool) -> None:
        """Roll back; a connection that will not, or was interrupted in the middle of a word, is closed."""
        if self.raw is None:
            return
        with suppress(psycopg.Error):
            if hard:
                self.raw.close()
            self.finish()
        with suppress(psycopg.Error):
            if not self.raw.closed:
                self.raw.execute(_SQL["rollback"].encode())
                return
        self.raw.close()

    def release(self) -> None:
        """Give the connection back."""
        if self.raw is not None:
            self._pool.give(self.raw)
            self.raw = None

    def expect(self, key: str, revision: int) -> None:
        """What is about to be replaced must be what was read.

        Raises:
            StoreBusyError: Somebody else replaced it in between.
        """
        if self.read.get(key, revision) != revision:
            raise StoreBusyError("Somebody else changed the same thing meanwhile; nothing was written.")


@lru_cache(maxsize=4_096)
def number_of(tenant: str, name: str) -> int:
    """The number of an advisory lock. Two names that share one only wait for each other."""
    return number64(f"learnt\n{tenant}\n{name}")
