"""What forgetting needs of dictionaries."""

from __future__ import annotations

from typing import TYPE_CHECKING

from learnt.model.forget import kin_of
from learnt.stores import records
from learnt.stores.ephemeral.feed import tell
from learnt.stores.ephemeral.vectors import drop_vectors
from learnt.stores.rows import blanked, is_shown

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from learnt.model.forget import Kin, Trace
    from learnt.model.proposal import Proposal
    from learnt.model.ranking import Bundle
    from learnt.model.scope import Scope, Sight
    from learnt.stores.ephemeral.tables import Guard, Tables


class EphemeralErasure:
    """See `learnt.ports.erasure.Erasure`."""

    def __init__(self, tables: Tables, guard: Guard) -> None:
        self._tables = tables
        self._guard = guard

    def linked(self, sight: Sight) -> tuple[Kin, ...]:
        """Every memory that is linked to another, by id."""
        with self._guard.reading():
            mine = [kin_of(memory) for memory in self._tables.memories.values() if memory.scope in sight]
        links = [kin for kin in mine if kin.sources or kin.successor or kin.edited or kin.status == "consolidated"]
        return tuple(sorted(links, key=lambda kin: kin.id))

    def speaking(self, sight: Sight, names: Sequence[str]) -> tuple[Proposal, ...]:
        """Proposals that hold one of these ids anywhere, by id."""
        found = [
            each
            for each in self._mine(sight)
            if (held := records.proposal_json(each) + each.text) and any(name in held for name in names)
        ]
        return tuple(found)

    def wordings(self, sight: Sight) -> tuple[tuple[str, str], ...]:
        """Id and text of every proposal in sight that has a text."""
        return tuple((each.id, each.text) for each in self._mine(sight) if each.text)

    def withdraw(self, sight: Sight, proposal_ids: Sequence[str]) -> tuple[str, ...]:
        """Remove proposals."""
        wanted = frozenset(proposal_ids)
        with self._guard.writing():
            gone = [each for each in self._mine(sight) if each.id in wanted]
            for each in gone:
                del self._tables.proposals[each.id]
                if is_shown(each):
                    tell(self._tables, each.scope, each.id)
        return tuple(each.id for each in gone)

    def citing(self, sight: Sight, refs: Sequence[str]) -> tuple[str, ...]:
        """Ids of memories that cite one of these references."""
        wanted = frozenset(refs)
        with self._guard.reading():
            found = [
                memory.id
                for memory in self._tables.memories.values()
                if memory.scope in sight and any(reference.ref in wanted for reference in memory.evidence)
            ]
        return tuple(sorted(found))

    def blank(self, sight: Sight, names: Sequence[str]) -> tuple[str, ...]:
        """Take the text of units away; they stand last then, as in a database."""
        wanted, done = frozenset(names), []
        with self._guard.writing():
            for place, unit in list(self._tables.units.items()):
                if unit.scope in sight and (unit.ref in wanted or unit.id in wanted):
                    del self._tables.units[place]
                    drop_vectors(self._tables, "evidence", unit.id)
                    self._tables.units[place] = blanked(unit)
                    done.append(unit.ref)
            for seen, recipe in list(self._tables.recipes.items()):
                if seen[0] in sight.keys and recipe.ref in wanted:
                    del self._tables.recipes[seen]
        return tuple(done)

    def relist(self, memory_ids: Sequence[str], rewrite: Callable[[Bundle], Bundle]) -> int:
        """Take memories off the receipts that list them."""
        wanted, changed = frozenset(memory_ids), 0
        with self._guard.writing():
            for number, bundle in self._tables.bundles.items():
                if wanted & set(bundle.memory_ids):
                    self._tables.bundles[number] = rewrite(bundle)
                    changed += 1
        return changed

    def _mine(self, sight: Sight) -> list[Proposal]:
        with self._guard.reading():
            mine = [each for each in self._tables.proposals.values() if each.scope in sight]
        return sorted(mine, key=lambda each: each.id)


class EphemeralDigests:
    """See `learnt.ports.erasure.Digests`."""

    def __init__(self, tables: Tables, guard: Guard) -> None:
        self._tables = tables
        self._guard = guard

    def hold(self, scope: Scope, digests: Mapping[str, Trace], now: str) -> None:
        """Keep these."""
        with self._guard.writing():
            for name, trace in digests.items():
                self._tables.forgotten.setdefault((scope.key, name), (trace, now))

    def among(self, sight: Sight, digests: Sequence[str]) -> frozenset[str]:
        """Those that are held."""
        with self._guard.reading():
            held = self._tables.forgotten
            return frozenset(name for name in digests if any((key, name) in held for key in sight.keys))

    def lift(self, sight: Sight, digests: Sequence[str]) -> int:
        """Let go of these."""
        held = self.among(sight, digests)
        with self._guard.writing():
            for name in held:
                for key in sight.keys:
                    self._tables.forgotten.pop((key, name), None)
        return len(held)

    def count(self, sight: Sight) -> int:
        """How many are held."""
        with self._guard.reading():
            return sum(key in sight.keys for key, _ in self._tables.forgotten)
