"""Evidence, sessions and recipes in dictionaries."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from learnt.model.keys import number64
from learnt.stores.ephemeral.vectors import drop_vectors

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from learnt.model.evidence import EvidenceUnit, Recipe, SessionRecord
    from learnt.model.scope import Scope, Sight
    from learnt.stores.ephemeral.tables import Guard, Tables


class EphemeralArchive:
    """See `learnt.ports.archive.Archive`."""

    def __init__(self, tables: Tables, guard: Guard) -> None:
        self._tables = tables
        self._guard = guard

    def put_units(self, units: Iterable[EvidenceUnit]) -> int:
        """Insert; what is there already stays as it was, but becomes cited when it is cited now."""
        new = 0
        with self._guard.writing():
            for unit in units:
                place = (unit.scope.key, unit.ref)
                old = self._tables.units.get(place)
                new += old is None
                self._tables.units[place] = unit if old is None else replace(old, cited=old.cited or unit.cited)
        return new

    def unit(self, sight: Sight, ref: str) -> EvidenceUnit | None:
        """The unit with this reference or id."""
        with self._guard.reading():
            mine = [unit for unit in self._tables.units.values() if unit.scope in sight]
        by_ref = (unit for unit in mine if unit.ref == ref)
        return next(by_ref, next((unit for unit in mine if unit.id == ref), None))

    def cite(self, sight: Sight, refs: Sequence[str]) -> None:
        """Mark units as cited."""
        with self._guard.writing():
            for place, unit in self._tables.units.items():
                if unit.scope in sight and unit.ref in refs:
                    self._tables.units[place] = replace(unit, cited=True)

    def prune(self, before: str, sight: Sight | None = None) -> int:
        """Remove uncited units observed before an instant; gives how many."""
        with self._guard.writing():
            gone = [
                place
                for place, unit in self._tables.units.items()
                if not unit.cited and unit.at < before and (sight is None or unit.scope in sight)
            ]
            for place in gone:
                drop_vectors(self._tables, "evidence", self._tables.units.pop(place).id)
        return len(gone)

    def put_session(self, session: SessionRecord) -> None:
        """Insert or replace by id."""
        with self._guard.writing():
            self._tables.sessions[session.id] = session

    def session(self, sight: Sight, name: str) -> SessionRecord | None:
        """By id, host session id or path; of several the one that ended last."""
        found = [each for each in self.sessions(sight, -1) if name in {each.id, each.session_id, each.path}]
        return next((each for each in found if each.id == name), next(iter(found), None))

    def sessions(self, sight: Sight, limit: int) -> tuple[SessionRecord, ...]:
        """Latest `ended_at` first; a negative limit is none."""
        with self._guard.reading():
            kept = [each for each in self._tables.sessions.values() if each.scope in sight]
        kept.sort(key=lambda session: session.id)
        kept.sort(key=lambda session: session.ended_at, reverse=True)
        return tuple(kept if limit < 0 else kept[:limit])

    def unseen(self, lineage: str, message_ids: Sequence[str]) -> tuple[str, ...]:
        """Those never passed for this lineage before, in order; they count as passed from now on."""
        found = []
        with self._guard.writing():
            for name in message_ids:
                place = (number64(lineage), number64(name))
                if place not in self._tables.seen:
                    self._tables.seen[place] = True
                    found.append(name)
        return tuple(found)


class EphemeralRecipes:
    """See `learnt.ports.archive.Recipes`."""

    def __init__(self, tables: Tables, guard: Guard) -> None:
        self._tables = tables
        self._guard = guard

    def add(self, scope: Scope, recipe: Recipe) -> None:
        """Record one sighting; the same key in the same session counts once."""
        with self._guard.writing():
            self._tables.recipes.setdefault((scope.key, recipe.key, recipe.session_id), recipe)

    def find(self, sight: Sight, key: str) -> tuple[Recipe, ...]:
        """All sightings of one command, oldest first."""
        with self._guard.reading():
            kept = [each for place, each in self._tables.recipes.items() if place[0] in sight.keys and each.key == key]
        return tuple(sorted(kept, key=lambda recipe: (recipe.at, recipe.session_id)))
