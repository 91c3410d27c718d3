"""What finds people, places and organisations by name, which no pattern can."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


class People(Protocol):
    """Made cheaply; what it needs is loaded on first use, once however many ask at the same time."""

    def counts(self, texts: Sequence[str]) -> Mapping[str, tuple[int, float]]:
        """How many names of each type (`person`, `location`, `organization`), and the surest score, 0 to 1.

        Raises:
            ConfigError: `ner_missing`: what it needs is not installed; nothing may be written.
        """
        ...
