"""A clock that all processes of a machine share and nobody sets.

The machine counts the time since it started, whatever its wall clock is set to. The first who asks after a start notes
beside the rows what the wall clock said then; from there on everybody adds the count. Another start, or another
machine, notes its own.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from learnt.model.job import later
from learnt.stores.sqlite.statements import load

if TYPE_CHECKING:
    from collections.abc import Callable

    from learnt.stores.sqlite.connection import Connection

    SinceStart = Callable[[], tuple[str, int]]

ROW = "queue_clock"
_KEPT = 4
"""Starts remembered: several machines may share a file (see the decision on file systems)."""
_SQL = load("meta")


class Steady:
    """Gives the present of a queue.

    Args:
        now: The wall clock.
        since_start: Which start of the machine this is, and the milliseconds since; "" where the system does not tell,
            and then the wall clock is all there is.
    """

    def __init__(self, connection: Connection, now: Callable[[], str], since_start: SinceStart) -> None:
        self._connection = connection
        self._now = now
        self._since_start = since_start
        self._zeros: dict[str, str] = {}
        connection.on_rollback.append(self._zeros.clear)

    def now(self, *, note: bool = True) -> str:
        """The present. `note` inside a transaction, where the start may be noted."""
        start, count_ms = self._since_start()
        if not start:
            return self._now()
        if start not in self._zeros:
            self._zeros.update(self._noted())
        if start not in self._zeros:
            zero = later(self._now(), -count_ms / 1000)
            if not note:
                return later(zero, count_ms / 1000)
            self._note(start, zero)
        return later(self._zeros[start], count_ms / 1000)

    def _noted(self) -> dict[str, str]:
        row = self._connection.row(_SQL["get"], (ROW,))
        return dict(json.loads(row[0])) if row else {}

    def _note(self, start: str, zero: str) -> None:
        self._zeros[start] = zero
        kept = dict(list(self._zeros.items())[-_KEPT:])
        self._connection.write(_SQL["put"], (ROW, json.dumps(kept)))
