"""Stand-ins for time, identity and chance."""

from __future__ import annotations

from learnt.model.instant import from_epoch, to_epoch

NOON = "2026-05-24T12:00:00.000Z"
"""The present of most tests. Source: swarm-memory seed, the moment of its own examples."""


class FixedClock:
    """A clock that stands still until it is moved."""

    def __init__(self, at: str = NOON) -> None:
        self.at = at

    def now(self) -> str:
        """The moment it was set to."""
        return self.at

    def advance(self, seconds: float) -> None:
        """Move it."""
        self.at = from_epoch(to_epoch(self.at) + seconds)


class SequenceIds:
    """Ids that count: `evt_0000000000000001`, `evt_0000000000000002`, ...

    Args:
        name: Stands before the number, to tell one sequence from another.
    """

    def __init__(self, name: str = "") -> None:
        self._last = 0
        self._name = name

    def new(self, prefix: str) -> str:
        """The next id."""
        self._last += 1
        return f"{prefix}_{self._name}{self._last:016x}"

    def marker(self) -> str:
        """The next marker."""
        self._last += 1
        return f"{self._last:08x}"
