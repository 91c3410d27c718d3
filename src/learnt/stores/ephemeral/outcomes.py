"""Outcomes and flags in dictionaries."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from learnt.errors import UsageError
from learnt.model.flag import FlagCount
from learnt.stores.ephemeral.feed import tell
from learnt.stores.ephemeral.tables import storable

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from learnt.model.flag import Flag
    from learnt.model.outcome import Outcome
    from learnt.model.scope import Scope, Sight
    from learnt.stores.ephemeral.tables import Guard, Tables


class EphemeralOutcomes:
    """See `learnt.ports.outcomes.Outcomes`."""

    def __init__(self, tables: Tables, guard: Guard) -> None:
        self._tables = tables
        self._guard = guard

    def add(self, scope: Scope, outcome: Outcome) -> None:
        """Keep one."""
        storable(outcome.id, outcome.correction, *(text for spot in outcome.spots for text in (spot.file, spot.symbol)))
        with self._guard.writing():
            if (scope.key, outcome.id) in self._tables.outcomes:
                raise UsageError("The change contradicts what is stored.", code="constraint")
            self._tables.outcomes[scope.key, outcome.id] = outcome
            counted(self._tables, outcome.memory_id)

    def get(self, sight: Sight, outcome_id: str) -> Outcome | None:
        """The outcome with this id."""
        with self._guard.reading():
            found = (self._tables.outcomes.get((key, outcome_id)) for key in sight.keys)
            return next((each for each in found if each), None)

    def of(self, sight: Sight, memory_ids: Sequence[str]) -> tuple[Outcome, ...]:
        """All outcomes of these memories as they are now, by time then id."""
        with self._guard.reading():
            ages = {
                each.id: each.created_at
                for name in memory_ids
                if (each := self._tables.memories.get(name)) and each.scope in sight
            }
            found = [one for one in self._tables.outcomes.values() if ages.get(one.memory_id) == one.generation]
        return tuple(sorted(found, key=lambda each: (each.at, each.id)))

    def told(self, sight: Sight, now: str, limit: int) -> tuple[int, tuple[str, ...]]:
        """Of the newest active memories: how many there are, and which have outcomes."""
        with self._guard.reading():
            active = [
                each
                for each in self._tables.memories.values()
                if each.scope in sight
                and each.status == "active"
                and (each.expires_at is None or each.expires_at > now)
            ]
        active.sort(key=lambda each: each.id)
        active.sort(key=lambda each: each.updated_at, reverse=True)
        newest = active[:limit]
        return len(newest), tuple(each.id for each in newest if each.useful + each.against)

    def size_bytes(self, sight: Sight) -> int:
        """What the outcomes in sight take, about."""
        with self._guard.reading():
            held = [each for (key, _), each in self._tables.outcomes.items() if key in sight.keys]
        return sum(200 + len(each.correction) for each in held)


class EphemeralFlags:
    """See `learnt.ports.outcomes.Flags`."""

    def __init__(self, tables: Tables, guard: Guard) -> None:
        self._tables = tables
        self._guard = guard

    def put(self, scope: Scope, flag: Flag) -> None:
        """Keep a flag in the place of what this reader had."""
        storable(flag.reason, flag.by)
        with self._guard.writing():
            self._tables.flags[scope.key, flag.memory_id, flag.by, flag.cleared_at] = flag
            counted(self._tables, flag.memory_id)

    def withdraw(self, sight: Sight, memory_id: str, by: str) -> bool:
        """Remove a reader's open flag."""
        with self._guard.writing():
            gone = [self._tables.flags.pop((key, memory_id, by, ""), None) for key in sight.keys]
            counted(self._tables, memory_id)
        return any(gone)

    def clear(self, sight: Sight, memory_id: str, at: str, by: str) -> int:
        """Close the open flags of a memory."""
        with self._guard.writing():
            held = [place for place in self._tables.flags if place[0] in sight.keys and place[1::2] == (memory_id, "")]
            for place in held:
                closed = replace(self._tables.flags.pop(place), cleared_at=at, cleared_by=by)
                self._tables.flags[*place[:3], at] = closed
            counted(self._tables, memory_id)
        return len(held)

    def of(self, sight: Sight, memory_ids: Sequence[str]) -> tuple[Flag, ...]:
        """The open flags of these memories, newest first."""
        wanted = set(memory_ids)
        return _newest(each for each in self._seen(sight) if each.memory_id in wanted and not each.cleared_at)

    def past(self, sight: Sight, memory_id: str, limit: int) -> tuple[Flag, ...]:
        """The flags of a memory that were cleared, newest first."""
        found = [each for each in self._seen(sight) if each.memory_id == memory_id and each.cleared_at]
        found = sorted(_newest(found), key=lambda each: each.cleared_at, reverse=True)
        return tuple(found[:limit])

    def flagged(self, sight: Sight, limit: int) -> tuple[str, ...]:
        """Memories with open flags, the latest flag first."""
        found = _newest(each for each in self._seen(sight) if not each.cleared_at)
        return tuple(dict.fromkeys(each.memory_id for each in found))[:limit]

    def count(self, sight: Sight) -> FlagCount:
        """Open flags, and the memories they are about."""
        found = [each.memory_id for each in self._seen(sight) if not each.cleared_at]
        return FlagCount(len(found), len(set(found)))

    def _seen(self, sight: Sight) -> list[Flag]:
        with self._guard.reading():
            return [each for place, each in self._tables.flags.items() if place[0] in sight.keys]


def _newest(flags: Iterable[Flag]) -> tuple[Flag, ...]:
    found = sorted(flags, key=lambda each: (each.memory_id, each.by))
    return tuple(sorted(found, key=lambda each: each.at, reverse=True))


def counted(tables: Tables, memory_id: str) -> None:
    """Count on a memory what was said of it; the change is told."""
    memory = tables.memories.get(memory_id)
    if memory is None:
        return
    said = [
        each.result == "useful"
        for each in tables.outcomes.values()
        if (each.memory_id, each.generation) == (memory_id, memory.created_at)
    ]
    flags = sum(place[1] == memory_id and not place[3] for place in tables.flags)
    tables.memories[memory_id] = replace(memory, flags=flags, useful=sum(said), against=len(said) - sum(said))
    tell(tables, memory.scope, memory_id)


def dropped(tables: Tables, memory_id: str) -> None:
    """A memory was removed: what was said of it goes with it."""
    for place in [place for place, each in tables.outcomes.items() if each.memory_id == memory_id]:
        del tables.outcomes[place]
    for flag in [place for place in tables.flags if place[1] == memory_id]:
        del tables.flags[flag]
