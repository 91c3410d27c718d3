"""Upkeep of a store of dictionaries, in which nothing is derived and nothing outlives the process."""

from __future__ import annotations

from dataclasses import fields
from typing import TYPE_CHECKING

from learnt.errors import UsageError
from learnt.model.brief import PREVIEW, Brief

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from learnt.model.scope import Sight
    from learnt.stores.ephemeral.tables import Guard, Tables


class EphemeralUpkeep:
    """See `learnt.ports.upkeep.Upkeep`."""

    def __init__(self, tables: Tables, guard: Guard) -> None:
        self._tables = tables
        self._guard = guard

    def survey(self, sight: Sight) -> Iterator[Brief]:
        """Every memory in sight."""
        with self._guard.reading():
            held = tuple(self._tables.memories.values())
        for each in held:
            if each.scope in sight:
                own = {field.name: getattr(each, field.name) for field in fields(Brief)}
                yield Brief(**{**own, "text": each.text[:PREVIEW]})

    def uncleared(self, pattern_set: str, limit: int) -> tuple[str, ...]:
        """Keys of the scopes with active memories that this pattern set has not cleared."""
        with self._guard.reading():
            active = [m for m in self._tables.memories.values() if m.status == "active"]
        return tuple(dict.fromkeys(m.scope.key for m in active if m.clearance != pattern_set))[:limit]

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
