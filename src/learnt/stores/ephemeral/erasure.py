"""What forgetting needs of dictionaries."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, TypeVar

from learnt.model.forget import kin_of
from learnt.model.scope import scope_of
from learnt.model.thread import JOBS
from learnt.stores import records
from learnt.stores.ephemeral.feed import tell
from learnt.stores.ephemeral.outcomes import counted, dropped
from learnt.stores.ephemeral.vectors import drop_vectors
from learnt.stores.rows import is_shown, lowered
from learnt.stores.units import blanked

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from learnt.model.evidence import EvidenceUnit
    from learnt.model.forget import Kin, Trace
    from learnt.model.proposal import Proposal
    from learnt.model.ranking import Bundle
    from learnt.model.scope import Scope, Sight
    from learnt.stores.ephemeral.tables import Guard, Tables


K = TypeVar("K")
V = TypeVar("V")


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
            for number, past in list(self._tables.pasts.items()):
                if past.memory.scope in sight and any(each.ref in wanted for each in past.memory.evidence):
                    del self._tables.pasts[number]
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


class EphemeralLeavers:
    """See `learnt.ports.erasure.Leavers`."""

    def __init__(self, tables: Tables, guard: Guard) -> None:
        self._tables = tables
        self._guard = guard

    def said(self, sight: Sight, names: Sequence[str]) -> tuple[EvidenceUnit, ...]:
        """Evidence that one of these said, or that speaks of one."""
        wanted = [lowered(name) for name in names]
        with self._guard.reading():
            mine = [unit for unit in self._tables.units.values() if unit.scope in sight]
        return tuple(unit for unit in mine if _speaks(unit, wanted))

    def unsay(self, sight: Sight, writers: Sequence[str]) -> int:
        """Remove the outcomes and flags of these writers."""
        with self._guard.writing():
            said = [
                place for place, each in self._tables.outcomes.items() if place[0] in sight.keys and each.by in writers
            ]
            flagged = [place for place in self._tables.flags if place[0] in sight.keys and place[2] in writers]
            for outcome in said:
                counted(self._tables, self._tables.outcomes.pop(outcome).memory_id)
            for flag in flagged:
                counted(self._tables, self._tables.flags.pop(flag).memory_id)
        return len(said) + len(flagged)

    def scopes(self, repository_id: str) -> tuple[Scope, ...]:
        """Every scope of a repository."""
        with self._guard.reading():
            keys = [*self._tables.scopes, *(each.scope.key for each in self._tables.memories.values())]
            keys += [each.scope.key for each in self._tables.proposals.values()]
            keys += [place[0] for place in (*self._tables.units, *self._tables.recipes, *self._tables.forgotten)]
            keys += [each.scope.key for each in self._tables.sessions.values()]
            keys += [each.scope_key for each in self._tables.threads.values()]
        found = map(scope_of, dict.fromkeys(keys))
        return tuple(scope for scope in found if repository_id in {"", scope.repo_id})

    def clear(self, sight: Sight) -> Mapping[str, int]:
        """Remove what was learnt in these scopes."""
        tables, keys = self._tables, frozenset(sight.keys)
        with self._guard.writing():
            for memory in [each for each in tables.memories.values() if each.scope in sight]:
                drop_vectors(tables, "memory", memory.id)
                dropped(tables, memory.id)
                tell(tables, memory.scope, memory.id)
            for proposal in [each for each in tables.proposals.values() if each.scope in sight]:
                tell(tables, proposal.scope, proposal.id)
            gone = {
                "memories": _drop(tables.memories, lambda _, each: each.scope in sight),
                "proposals": _drop(tables.proposals, lambda _, each: each.scope in sight),
                "extractions": _drop(tables.extractions, lambda _, each: each.scope_key in keys),
                "recipes": _drop(tables.recipes, lambda place, _: place[0] in keys),
                "jobs": _drop(tables.jobs, lambda _, each: each.scope_key in keys and each.kind in JOBS),
            }
            _drop(tables.summaries, lambda place, _: place[0] in keys)
            _drop(tables.pasts, lambda _, each: each.memory.scope in sight)
        return gone

    def end(self, sight: Sight) -> Mapping[str, int]:
        """Remove everything of these scopes."""
        tables, keys = self._tables, frozenset(sight.keys)
        repositories = {scope.repo_id for scope in sight if scope.repo_id}
        with self._guard.writing():
            for memory in [each for each in tables.memories.values() if each.scope in sight]:
                drop_vectors(tables, "memory", memory.id)
                dropped(tables, memory.id)
                tell(tables, memory.scope, memory.id)
            for unit in [each for each in tables.units.values() if each.scope in sight]:
                drop_vectors(tables, "evidence", unit.id)
            gone = {
                "memories": _drop(tables.memories, lambda _, each: each.scope in sight),
                "evidence": _drop(tables.units, lambda place, _: place[0] in keys),
                "proposals": _drop(tables.proposals, lambda _, each: each.scope in sight),
                "receipts": _drop(tables.bundles, lambda _, each: bool(keys & set(each.scope_keys))),
                "sessions": _drop(tables.sessions, lambda _, each: each.scope in sight),
                "extractions": _drop(tables.extractions, lambda _, each: each.scope_key in keys),
                "recipes": _drop(tables.recipes, lambda place, _: place[0] in keys),
                "jobs": _drop(tables.jobs, lambda _, each: each.scope_key in keys),
            }
            _drop(tables.threads, lambda _, each: each.scope_key in keys)
            _drop(tables.summaries, lambda place, _: place[0] in keys)
            _drop(tables.pasts, lambda _, each: each.memory.scope in sight)
            _drop(tables.aliases, lambda _, each: each in repositories)
        return gone


def _speaks(unit: EvidenceUnit, names: Sequence[str]) -> bool:
    held = lowered(unit.text) + lowered(json.dumps(unit.detail, ensure_ascii=False))
    return lowered(unit.who) in names or any(name in held for name in names)


def _drop(held: dict[K, V], leaves: Callable[[K, V], bool]) -> int:
    """Remove what leaves; gives how many."""
    gone = [place for place, each in held.items() if leaves(place, each)]
    for place in gone:
        del held[place]
    return len(gone)


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
