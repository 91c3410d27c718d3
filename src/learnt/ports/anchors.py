"""Places outside of the store where checkpoints are put."""

from __future__ import annotations

from typing import Protocol


class Place(Protocol):
    """One of them."""

    @property
    def name(self) -> str:
        """What it is called to people; without secrets."""
        ...

    def put(self, line: str) -> str:
        """Add a line. Gives "" or why it could not be added; never fails otherwise, and never waits for long."""
        ...

    def lines(self) -> tuple[tuple[str, ...], str]:
        """All lines that were added, and "" or why they cannot be read; a place that only takes says so."""
        ...
