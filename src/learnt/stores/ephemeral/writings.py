"""Memories and proposals in dictionaries."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import TYPE_CHECKING

from learnt.errors import UsageError
from learnt.model.filter import Page
from learnt.model.relation import gathered, tied
from learnt.stores.ephemeral import claims
from learnt.stores.ephemeral.feed import tell
from learnt.stores.ephemeral.outcomes import dropped
from learnt.stores.ephemeral.tables import storable
from learnt.stores.ephemeral.vectors import drop_vectors

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from learnt.model.filter import MemoryFilter, ProposalFilter
    from learnt.model.memory import Memory
    from learnt.model.proposal import Proposal
    from learnt.model.scope import Sight
    from learnt.stores.ephemeral.tables import Guard, Tables


class EphemeralMemories:
    """See `learnt.ports.store.Memories`."""

    def __init__(self, tables: Tables, guard: Guard) -> None:
        self._tables = tables
        self._guard = guard

    def get(self, sight: Sight, memory_id: str) -> Memory | None:
        """The memory whatever its status."""
        with self._guard.reading():
            found = self._tables.memories.get(memory_id)
            return found if found and found.scope in sight else None

    def many(self, sight: Sight, memory_ids: Sequence[str]) -> tuple[Memory, ...]:
        """Those that `sight` may see, in the order asked for."""
        found = (self.get(sight, memory_id) for memory_id in memory_ids)
        return tuple(memory for memory in found if memory)

    def ready(self, memory: Memory) -> None:
        """There is nothing to work out."""

    def page(self, sight: Sight, wanted: MemoryFilter, now: str) -> Page[Memory]:
        """A listing, `updated_at` descending then id."""
        at, mark, last_id = wanted.after.partition("|")
        if wanted.after and not (mark and at):
            raise UsageError("`after` is not the end of a page.", code="invalid_cursor")
        with self._guard.reading():
            held = claims.at(self._tables, wanted.as_of) if wanted.as_of else self._tables.memories.values()
            kept = [each for each in held if each.scope in sight and _wanted(each, wanted, wanted.as_of or now)]
        kept.sort(key=lambda memory: memory.id)
        kept.sort(key=lambda memory: memory.updated_at, reverse=True)
        rest = [
            each for each in kept if not at or each.updated_at < at or (each.updated_at == at and each.id > last_id)
        ]
        shown = rest[: wanted.limit]
        end = f"{shown[-1].updated_at}|{shown[-1].id}" if len(rest) > wanted.limit and shown else ""
        return Page(tuple(shown), len(kept), end)

    def put(self, memory: Memory) -> None:
        """Insert or replace by id."""
        storable(memory.id, memory.text)
        with self._guard.writing():
            old = self._tables.memories.get(memory.id)
            if old and old.scope.key != memory.scope.key:
                raise UsageError("This id belongs to another scope.", code="scope_foreign")
            if old:
                memory = replace(memory, created_at=old.created_at)
            flags, useful, against = (old.flags, old.useful, old.against) if old else (0, 0, 0)
            memory = replace(memory, flags=flags, useful=useful, against=against)
            self._tables.memories[memory.id] = memory
            claims.changed(self._tables, old, memory)
            tell(self._tables, memory.scope, memory.id)
            if memory.status == "deleted" or (old and old.text != memory.text):
                drop_vectors(self._tables, "memory", memory.id)

    def remove(self, sight: Sight, memory_ids: Sequence[str]) -> tuple[str, ...]:
        """Take memories away, with their vectors."""
        with self._guard.writing():
            gone = self.many(sight, tuple(dict.fromkeys(memory_ids)))
            for memory in gone:
                del self._tables.memories[memory.id]
                dropped(self._tables, memory.id)
                claims.dropped(self._tables, memory.id)
                drop_vectors(self._tables, "memory", memory.id)
                tell(self._tables, memory.scope, memory.id)
        return tuple(memory.id for memory in gone)

    def count(self, sight: Sight) -> Mapping[str, int]:
        """How many of each status."""
        with self._guard.reading():
            return dict(Counter(each.status for each in self._tables.memories.values() if each.scope in sight))

    def stale(self, sight: Sight, pattern_set: str, limit: int) -> tuple[Memory, ...]:
        """Active memories that this pattern set has not cleared, in any order."""
        with self._guard.reading():
            active = [m for m in self._tables.memories.values() if m.scope in sight and m.status == "active"]
        return tuple([memory for memory in active if memory.clearance != pattern_set][:limit])


def _wanted(memory: Memory, wanted: MemoryFilter, now: str) -> bool:
    expired = memory.status == "active" and memory.expires_at is not None and memory.expires_at <= now
    return (
        (not wanted.statuses or bool(wanted.as_of) or memory.status in wanted.statuses)
        and (not wanted.kinds or memory.kind in wanted.kinds)
        and (not wanted.tag or wanted.tag in memory.tags)
        and (not wanted.flagged or memory.flags > 0)
        and (wanted.include_expired or not expired)
        and (not wanted.as_of or _held(memory, wanted.as_of))
    )


def _held(memory: Memory, then: str) -> bool:
    """Whether it held then."""
    return memory.valid_from <= then and (memory.expires_at is None or memory.expires_at > then)


class EphemeralProposals:
    """See `learnt.ports.store.Proposals`."""

    def __init__(self, tables: Tables, guard: Guard) -> None:
        self._tables = tables
        self._guard = guard

    def get(self, sight: Sight, proposal_id: str) -> Proposal | None:
        """The proposal, or None when `sight` may not see it."""
        with self._guard.reading():
            found = self._tables.proposals.get(proposal_id)
            return found if found and found.scope in sight else None

    def page(self, sight: Sight, wanted: ProposalFilter) -> Page[Proposal]:
        """A listing: expected value descending, then newest, then id."""
        with self._guard.reading():
            kept = [each for each in self._tables.proposals.values() if each.scope in sight and _asked(each, wanted)]
        kept.sort(key=lambda proposal: proposal.id)
        kept.sort(key=lambda proposal: proposal.created_at, reverse=True)
        if not wanted.newest_first:
            kept.sort(key=lambda proposal: proposal.expected_value, reverse=True)
        return Page(tuple(kept[: wanted.limit]), len(kept))

    def saying(self, sight: Sight, text: str) -> tuple[Proposal, ...]:
        """Proposals of any status with exactly this text, by id."""
        with self._guard.reading():
            found = [p for p in self._tables.proposals.values() if p.scope in sight and p.text == text]
        return tuple(sorted(found, key=lambda proposal: proposal.id))

    def related(self, sight: Sight, memory_ids: Sequence[str]) -> Mapping[str, tuple[str, ...]]:
        """What applied merges tie to these memories."""
        with self._guard.reading():
            merges = [p for p in self._tables.proposals.values() if p.operation == "merge" and p.scope in sight]
        asked = frozenset(memory_ids)
        return gathered(pair for merge in merges for pair in tied(merge) if pair[0] in asked)

    def put(self, proposal: Proposal) -> None:
        """Insert or replace by id; when it was made stays."""
        storable(proposal.id, proposal.text)
        with self._guard.writing():
            old = self._tables.proposals.get(proposal.id)
            if old and old.scope.key != proposal.scope.key:
                raise UsageError("This id belongs to another scope.", code="scope_foreign")
            if old:
                proposal = replace(proposal, created_at=old.created_at)
            self._tables.proposals[proposal.id] = proposal
            for memory_id in dict.fromkeys(one for each in (old, proposal) if each for one, _ in tied(each)):
                tell(self._tables, proposal.scope, memory_id)
            if _is_shown(proposal) or (old and _is_shown(old)):
                tell(self._tables, proposal.scope, proposal.id)

    def count(self, sight: Sight) -> Mapping[str, int]:
        """How many of each status."""
        with self._guard.reading():
            return dict(Counter(each.status for each in self._tables.proposals.values() if each.scope in sight))


def _asked(proposal: Proposal, wanted: ProposalFilter) -> bool:
    shown = _is_shown(proposal)
    return (not wanted.statuses or proposal.status in wanted.statuses) and (shown or not wanted.observations_only)


def _is_shown(proposal: Proposal) -> bool:
    return proposal.observation and proposal.status == "pending"
