"""Small facts about a store, and what it is."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Mapping


class Meta(Protocol):
    """Small facts about the store itself."""

    def get(self, key: str) -> str | None:
        """The value, or None."""
        ...

    def put(self, key: str, value: str) -> None:
        """Insert or replace."""
        ...

    def describe(self) -> Mapping[str, object]:
        """Engine, schema version, journal mode, file size in bytes, path; for `status` and `doctor`."""
        ...

    def gaps(self) -> Mapping[str, int]:
        """What is missing or damaged, by its name, counted over the whole store; empty when all is well.

        Reads every row.
        """
        ...

    def alias(self, value: str) -> str | None:
        """The repository id an identity value was adopted under, or None."""
        ...

    def adopt(self, value: str, repository_id: str) -> None:
        """From now on this identity value means that repository."""
        ...
