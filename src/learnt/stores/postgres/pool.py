"""Connections kept open for one store: made when one is needed, used again, thrown away when broken."""

from __future__ import annotations

import logging
import os
import select
import threading
from time import monotonic
from typing import TYPE_CHECKING, Any, TypeAlias
from weakref import WeakKeyDictionary

import psycopg
from psycopg.pq import TransactionStatus

from learnt.errors import StoreBusyError, StoreError
from learnt.stores.postgres import faults
from learnt.stores.postgres.packed import Packed, PackedDumper

if TYPE_CHECKING:
    from collections.abc import Callable

logging.getLogger("psycopg").addHandler(logging.NullHandler())  # its warnings of lost lines are raised here as errors

Raw: TypeAlias = "psycopg.Connection[tuple[Any, ...]]"

MOST = 16
"""How many connections one process opens. More threads wait for one; source: own choice, PostgreSQL allows 100."""

LIFE_S = 600.0
"""How long a connection is used: with a new one a process that never ends hears of a newer schema, and finds a server
that moved. Source: own choice."""


class Pool:
    """At most `most` connections; who wants one more waits for `wait_s`.

    Args:
        connect: Makes one, ready for use.
    """

    def __init__(self, connect: Callable[[], Raw], *, wait_s: float, most: int = MOST) -> None:
        self._connect = connect
        self._wait_s = wait_s
        self._places = threading.BoundedSemaphore(most)
        self._idle: list[Raw] = []
        self._until_s: WeakKeyDictionary[Raw, float] = WeakKeyDictionary()
        self._closed = False
        self._process = os.getpid()
        self._parents: list[Raw] = []

    def keep(self, raw: Raw) -> None:
        """Take in a connection that somebody else made."""
        self._idle.append(self._new(raw))

    def take(self) -> Raw:
        """A connection for the caller alone, until `give` or `drop`.

        Raises:
            StoreBusyError: All were in use for the whole wait.
            StoreError: The pool is closed, or the server does not answer.
        """
        if self._closed:
            raise StoreError("The store was closed.", code="store_closed")
        if not self._places.acquire(timeout=self._wait_s):
            raise StoreBusyError(
                "All connections of this process were in use.",
                code="store_pool",
                hint="Try again; nothing was written.",
            )
        try:
            return self._kept() or self._new(self._connect())
        except BaseException:
            self._places.release()
            raise

    def give(self, raw: Raw) -> None:
        """Back again; one that broke or is in the middle of something is closed."""
        if self._closed or raw.closed or raw.info.transaction_status != TransactionStatus.IDLE:
            raw.close()
        else:
            self._idle.append(raw)
        self._places.release()

    def drop(self, raw: Raw) -> None:
        """Back again, not to be used any more."""
        raw.close()
        self._places.release()

    def close(self) -> None:
        """Close what is idle; what is in use is closed when it comes back. Safe to call twice."""
        self._closed = True
        while self._idle:
            self._idle.pop().close()

    def _new(self, raw: Raw) -> Raw:
        self._until_s[raw] = monotonic() + LIFE_S
        return raw

    def _kept(self) -> Raw | None:
        """The connection used last that still lives; in a forked process none of its parent's, which are not closed."""
        if self._process != os.getpid():
            self._process, self._parents, self._idle = os.getpid(), self._idle, []
        while self._idle:
            try:
                raw = self._idle.pop()
            except IndexError:  # another thread was quicker
                return None
            if _lives(raw) and monotonic() < self._until_s[raw]:
                return raw
            raw.close()
        return None


class Aside:
    """Connections of a pool that a caller keeps for as long as it likes, to listen on."""

    def __init__(self, pool: Pool) -> None:
        self._pool = pool
        self._taken: list[Raw] = []

    def take(self) -> Raw:
        """One of them; raises as `Pool.take` does."""
        raw = self._pool.take()
        self._taken.append(raw)
        return raw

    def drop(self, raw: Raw) -> None:
        """Have one back."""
        self._taken.remove(raw)
        self._pool.drop(raw)

    def close(self) -> None:
        """Have all back."""
        while self._taken:
            self._pool.drop(self._taken.pop())


def _lives(raw: Raw) -> bool:
    """Whether the server has said nothing since: what an idle connection has to say is that it ended."""
    if raw.closed:
        return False
    if not hasattr(select, "poll"):
        return not select.select([raw.pgconn.socket], [], [], 0)[0]
    waiting = select.poll()
    waiting.register(raw.pgconn.socket, select.POLLIN | select.POLLHUP | select.POLLERR)
    return not waiting.poll(0)


def opened(parameters: dict[str, Any], secret: str) -> Raw:
    """A new connection without any setting of ours.

    Raises:
        StoreError: Its code and hint say why there is none.
    """
    try:
        raw = psycopg.connect(**parameters, autocommit=True, prepare_threshold=0)
    except psycopg.Error as error:
        raise faults.refused(error, secret) from None
    raw.adapters.register_dumper(Packed, PackedDumper)
    return raw
