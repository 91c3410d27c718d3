"""Time, identity and chance from outside, so that policy stays a function of its inputs."""

from __future__ import annotations

from typing import Protocol


class Clock(Protocol):
    """Gives the present."""

    def now(self) -> str:
        """The present as a canonical instant (see `learnt.model.instant`). Read once per operation."""
        ...


class Ids(Protocol):
    """Gives names nobody else has."""

    def new(self, prefix: str) -> str:
        """`prefix`, an underscore and 16 random hex digits."""
        ...

    def marker(self) -> str:
        """8 random hex digits that make one block's fence unforgeable."""
        ...
