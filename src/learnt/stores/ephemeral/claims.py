"""Claims, conflicts and pasts over dictionaries."""

from __future__ import annotations

from typing import TYPE_CHECKING

from learnt.model.conflict import Former, conflicts_of
from learnt.model.filter import Page
from learnt.stores.rows import memory_claims

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from learnt.model.conflict import Conflict, Reason
    from learnt.model.memory import Memory
    from learnt.model.scope import Scope, Sight
    from learnt.stores.ephemeral.tables import Guard, Tables


class EphemeralClaims:
    """See `learnt.ports.claims.Claims`. Nothing is kept: every question looks through the memories."""

    def __init__(self, tables: Tables, guard: Guard) -> None:
        self._tables = tables
        self._guard = guard

    def sharing(self, scope: Scope, keys: Sequence[int], limit: int) -> tuple[str, ...]:
        """Active memories found by one of these numbers, latest written first."""
        wanted = frozenset(keys)
        with self._guard.reading():
            mine = [each for each in self._tables.memories.values() if each.scope.key == scope.key]
        found = [each.id for each in mine if each.status == "active" and wanted.intersection(memory_claims(each))]
        return tuple(reversed(found))[:limit]

    def standing(self, sight: Sight, memory_ids: Sequence[str]) -> tuple[Conflict, ...]:
        """Open conflicts of these memories."""
        wanted = frozenset(memory_ids)
        found = [each for each in self._held(sight) if each.memory_id in wanted or each.rival_id in wanted]
        return tuple(sorted(found, key=lambda each: (each.memory_id, each.rival_id)))

    def open(self, sight: Sight, reasons: Sequence[Reason], limit: int) -> Page[Conflict]:
        """Open conflicts of these reasons, latest noticed first."""
        found = [each for each in self._held(sight) if each.reason in reasons]
        found.sort(key=lambda each: (each.memory_id, each.rival_id))
        found.sort(key=lambda each: each.at, reverse=True)
        return Page(tuple(found[:limit]), len(found))

    def _held(self, sight: Sight) -> Iterator[Conflict]:
        with self._guard.reading():
            active = {each.id: each for each in self._tables.memories.values() if each.status == "active"}
        for memory in active.values():
            if memory.scope in sight:
                yield from (each for each in _once(conflicts_of(memory)) if each.rival_id in active)


def _once(conflicts: Iterable[Conflict]) -> Iterable[Conflict]:
    """Of several with the same rival the first, as a table keeps them."""
    found: dict[str, Conflict] = {}
    for each in conflicts:
        found.setdefault(each.rival_id, each)
    return found.values()


class EphemeralPasts:
    """See `learnt.ports.claims.Pasts`."""

    def __init__(self, tables: Tables, guard: Guard) -> None:
        self._tables = tables
        self._guard = guard

    def of(self, sight: Sight, memory_id: str) -> tuple[Former, ...]:
        """What one memory was, oldest first."""
        return tuple(each for each in self._ordered(sight) if each.memory.id == memory_id)

    def then(self, sight: Sight, at: str, limit: int) -> tuple[Memory, ...]:
        """Of what has changed since an instant, the state at that instant, by id."""
        found: dict[str, Memory] = {}
        for past in self._ordered(sight):
            if past.until > at and past.memory.created_at <= at:
                found.setdefault(past.memory.id, past.memory)
        return tuple(found[name] for name in sorted(found))[:limit]

    def put(self, scope: Scope, past: Former) -> None:
        """Keep one that another store gave."""
        del scope
        with self._guard.writing():
            keep(self._tables, past)

    def _ordered(self, sight: Sight) -> list[Former]:
        with self._guard.reading():
            held = [each for each in self._tables.pasts.values() if each.memory.scope in sight]
        return sorted(held, key=lambda each: each.until)


def keep(tables: Tables, past: Former) -> None:
    """Keep one; of several with one end the first."""
    tables.pasts.setdefault((past.memory.id, past.until), past)


def changed(tables: Tables, old: Memory | None, new: Memory) -> None:
    """Keep what a memory was, when what it says of the world is another thing now."""
    if old is not None and _differs(old, new):
        keep(tables, Former(memory=old, until=new.updated_at))


def at(tables: Tables, then: str) -> list[Memory]:
    """Every memory that was active at a moment, as it was recorded then.

    One that came here retired has no former: its last change is taken for its retirement.
    """
    formers: dict[str, list[Former]] = {}
    for former in tables.pasts.values():
        formers.setdefault(former.memory.id, []).append(former)
    found = []
    for memory in tables.memories.values():
        was = formers.get(memory.id, [])
        later = min((each for each in was if each.until > then), key=lambda each: each.until, default=None)
        state = later.memory if later is not None else memory
        late = later is None and not was and memory.updated_at > then
        if memory.created_at <= then and (state.status == "active" or late):
            found.append(state)
    return found


def dropped(tables: Tables, memory_id: str) -> None:
    """A memory was removed: what it was goes with it."""
    for place in [place for place in tables.pasts if place[0] == memory_id]:
        del tables.pasts[place]


def _differs(old: Memory, new: Memory) -> bool:
    names = ("status", "trust", "confidence", "valid_from", "expires_at", "superseded_by", "text")
    if any(getattr(old, name) != getattr(new, name) for name in names):
        return True
    return old.updated_at != new.updated_at and _record(old) != _record(new)


def _record(memory: Memory) -> str:
    from learnt.stores import records

    return records.memory_json(memory)
