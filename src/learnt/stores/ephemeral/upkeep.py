"""Upkeep of a store of dictionaries, in which nothing is derived and nothing outlives the process."""

from __future__ import annotations

from typing import TYPE_CHECKING

from learnt.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Mapping


class EphemeralUpkeep:
    """See `learnt.ports.upkeep.Upkeep`."""

    @property
    def builds(self) -> bool:
        """Every search finds its way without."""
        return False

    def build(self) -> bool:
        """There is nothing to build."""
        return False

    def shrink(self, *, whole: bool = True) -> Mapping[str, int]:
        """Nothing is left behind."""
        del whole
        return {"freed_bytes": 0, "log_bytes": 0}

    def disagreements(self) -> Mapping[str, int]:
        """None."""
        return {}

    def rebuild(self) -> Mapping[str, int]:
        """Nothing."""
        return {}

    def backup(self, path: str) -> int:
        """Not of this one.

        Raises:
            UsageError: `no_backup`.
        """
        raise UsageError(f"A store in memory is not copied to {path}.", code="no_backup")
