"""A thing that is made when it is first used."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable


class Late:
    """Stands for a thing whose module most commands need not load.

    Args:
        make: Makes it.
    """

    def __init__(self, make: Callable[[], object]) -> None:
        self._make = make
        self._made: object | None = None

    def __getattr__(self, name: str) -> object:
        """What the thing has of that name."""
        if self._made is None:
            self._made = self._make()
        return getattr(self._made, name)
