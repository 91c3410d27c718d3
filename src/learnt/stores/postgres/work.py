"""One transaction under way: its connection, its locks, what it read and what it has put off to its end."""

from __future__ import annotations

from contextlib import suppress
from functools import lru_cache
from typing import TYPE_CHECKING

import psycopg

from learnt.errors import LearntError, StoreBusyError, StoreError
from learnt.model.keys import number64
from learnt.stores.postgres import faults
from learnt.stores.postgres.statements import load
from learnt.stores.postgres.text import incoming

if TYPE_CHECKING:
    from collections.abc import Sequence

    from learnt.stores.postgres.pool import Pool, Raw
    from learnt.stores.postgres.text import Row, Values

    Statement = tuple[bytes, Values | None]

_SQL = load("connection")
BEGIN, COMMIT, _ROLLBACK = ((_SQL[name].encode(), None) for name in ("begin", "commit", "rollback"))


WIDE = frozenset({"global_user", "workspace", "team", "organization", "channel"})
"""Scopes that are read from many repositories: nobody locks them to read (see `connection`)."""
_WIDE = tuple(f'{{"type":"{kind}"' for kind in sorted(WIDE))


class Work:
    """One transaction: its connection, taken at its first statement, and what it has promised.

    Attributes:
        waiting: Statements whose answers nobody asked for yet; they are sent with the next question, or the end.
        later: Statements for the end.
        locked: Numbers of the locks it holds.
        numbers: Scopes it created, which are nobody else's before it is committed.
        read: What it read by id, as it was: id -> revision, 0 for nothing.
    """

    def __init__(self, pool: Pool) -> None:
        self._pool = pool
        self._raw: Raw | None = None
        self.waiting: list[Statement] = [BEGIN]
        self.later: list[Statement] = []
        self.locked: set[int] = set()
        self.numbers: dict[str, int] = {}
        self.read: dict[str, int] = {}

    def ask(self, asked: Sequence[Statement]) -> list[list[Row]]:
        """All rows of each of these, after what was waiting."""
        raw = self._begun()
        waiting, self.waiting = self.waiting, []
        return answers(raw, waiting, asked)

    def settle(self) -> None:
        """Do what was put off with the next question: a read that must see it is about to come."""
        self.waiting += self.later
        self.later = []

    def finish(self, secret: str) -> None:
        """What was waiting, what was put off, and the commit, in one piece; nothing where nothing was said.

        Raises:
            StoreError: `store_outcome_unknown`.
            psycopg.Error: The server refused something, and so all of it.
        """
        said = [*self.waiting, *self.later]
        if said == [BEGIN]:
            return
        raw = self._begun()
        done: list[psycopg.Cursor[Row]] = []
        try:
            with raw.pipeline():
                done.extend(raw.execute(sql, values) for sql, values in said)
                done.append(raw.execute(*COMMIT))
        except psycopg.Error as error:
            if not raw.closed or len(done) <= len(said):
                raise
            if done[-1].statusmessage != "COMMIT":
                raise _untold(error, done, secret) from error
        if done[-1].statusmessage != "COMMIT":
            raise StoreError("A statement of the transaction had failed; nothing was written.", code="store_undone")

    def undo(self, *, hard: bool) -> None:
        """Roll back; a connection that will not, or was interrupted in the middle of a word, is closed."""
        if self._raw is None:
            return
        if not hard:
            with suppress(psycopg.Error):
                self._raw.execute(*_ROLLBACK)
                return
        self._raw.close()

    def release(self) -> None:
        """Give the connection back."""
        if self._raw is not None:
            self._pool.give(self._raw)
            self._raw = None

    def _begun(self) -> Raw:
        if self._raw is None:
            self._raw = self._pool.take()
        return self._raw

    def expect(self, key: str, revision: int) -> None:
        """What is about to be replaced must be what was read.

        Raises:
            StoreBusyError: Somebody else replaced it in between.
        """
        if self.read.get(key, revision) != revision:
            raise StoreBusyError("Somebody else changed the same thing meanwhile; nothing was written.")


def answers(
    raw: Raw, before: Sequence[Statement], asked: Sequence[Statement], after: Sequence[Statement] = ()
) -> list[list[Row]]:
    """All rows of each of `asked`, in one round trip with what is to be done before and after."""
    if not before and not after and len(asked) == 1:
        return [incoming(raw.execute(*asked[0], binary=True).fetchall())]
    with raw.pipeline():
        for statement in before:
            raw.execute(*statement)
        cursors = [raw.execute(*statement, binary=True) for statement in asked]
        for statement in after:
            raw.execute(*statement)
    return [incoming(cursor.fetchall()) for cursor in cursors]


def _untold(error: psycopg.Error, done: Sequence[psycopg.Cursor[Row]], secret: str) -> LearntError:
    """The server fell silent after the commit was sent.

    Only where its last word was a refusal of something before the commit is it known that nothing was kept.
    """
    if error.sqlstate and len(done) > 1 and done[-2].statusmessage is None:
        return faults.translated(error, secret)
    return faults.lost(secret, error)


def is_late(name: str) -> bool:
    """Whether a lock is taken after those of repositories: who writes to a wide scope has read its own before."""
    return name.startswith(_WIDE) or not name.startswith("{")


@lru_cache(maxsize=4_096)
def number_of(tenant: str, name: str) -> int:
    """The number of an advisory lock. Two names that share one only wait for each other."""
    return number64(f"learnt\n{tenant}\n{name}")
