"""What happened, in dictionaries: the audit chain, receipts, and facts about the store."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING

from learnt.errors import UsageError
from learnt.model.chain import row_hash
from learnt.model.event import GENESIS, ChainRow
from learnt.stores.ephemeral.feed import tell

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from learnt.model.event import Event
    from learnt.model.ranking import Bundle
    from learnt.model.scope import Sight
    from learnt.stores.ephemeral.tables import Guard, Tables

_HEAD = "memory_events_chain_head"


class EphemeralEvents:
    """See `learnt.ports.store.Events`."""

    def __init__(self, tables: Tables, guard: Guard) -> None:
        self._tables = tables
        self._guard = guard

    def append(self, event: Event) -> None:
        """Add one event at the end of the chain."""
        with self._guard.writing():
            if event.id in self._tables.events:
                raise UsageError("An event with this id was appended already.", code="constraint")
            row = ChainRow(
                position=next((each.position for each in reversed(self._tables.events.values())), 0) + 1,
                id=event.id,
                operation=event.operation,
                target_id=event.target_id,
                reason=event.reason,
                timestamp=event.timestamp,
                event_json=_canonical(dict(event.detail)) if event.detail else None,
                prev_hash=self._tables.facts.get(_HEAD, GENESIS),
            )
            self._tables.events[row.id] = row
            self._tables.targets[row.target_id] = (*self._tables.targets.get(row.target_id, ()), row.id)
            self._tables.facts[_HEAD] = row_hash(
                row.id, row.operation, row.target_id, row.reason, row.timestamp, row.event_json, row.prev_hash
            )

    def get(self, event_id: str) -> ChainRow | None:
        """The event as stored."""
        with self._guard.reading():
            return self._tables.events.get(event_id)

    def about(self, target_id: str) -> tuple[ChainRow, ...]:
        """All events of one target, oldest first."""
        with self._guard.reading():
            return tuple(self._tables.events[event_id] for event_id in self._tables.targets.get(target_id, ()))

    def chain(self) -> Iterator[ChainRow]:
        """Every event in order of the chain, as of the moment of the call."""
        return self.sealed()[1]

    def sealed(self) -> tuple[str | None, Iterator[ChainRow]]:
        """The head and the events up to it, both as of one moment."""
        with self._guard.reading():
            return self._tables.facts.get(_HEAD), iter(tuple(self._tables.events.values()))

    def head(self) -> str | None:
        """Hash of the last event; None before the first."""
        with self._guard.reading():
            return self._tables.facts.get(_HEAD)


def _canonical(detail: dict[str, object]) -> str:
    return json.dumps(detail, sort_keys=True, separators=(",", ":"), ensure_ascii=False)


class EphemeralUsage:
    """See `learnt.ports.store.Usage`."""

    def __init__(self, tables: Tables, guard: Guard) -> None:
        self._tables = tables
        self._guard = guard

    def put(self, bundle: Bundle) -> None:
        """Record one recall."""
        with self._guard.writing():
            self._tables.bundles[next(reversed(self._tables.bundles), -1) + 1] = bundle

    def page(self, sight: Sight, run_id: str, limit: int) -> tuple[Bundle, ...]:
        """Newest first; a receipt is seen by a scope other than the user's own, or when it has no other."""
        with self._guard.reading():
            kept = [each for each in self._tables.bundles.values() if _seen(each, sight)]
        kept = [bundle for bundle in reversed(kept) if run_id in {"", bundle.run_id}]
        return tuple(kept[:limit])

    def recalls(self, memory_id: str) -> int:
        """In how many bundles a memory was."""
        with self._guard.reading():
            return sum(memory_id in bundle.memory_ids for bundle in self._tables.bundles.values())

    def shown(self, context: str) -> Mapping[str, str]:
        """What a context was already given: memory id -> latest moment."""
        with self._guard.reading():
            bundles = [each for each in self._tables.bundles.values() if context and each.context == context]
        return {memory_id: bundle.moment for bundle in bundles for memory_id in bundle.memory_ids}

    def find(self, sight: Sight, bundle_id: str) -> tuple[Bundle, ...]:
        """The receipts with this id, newest first."""
        return tuple(each for each in self.page(sight, "", len(self._tables.bundles)) if each.id == bundle_id)

    def reward(self, sight: Sight, bundles: Sequence[Bundle], q_values: Mapping[str, float]) -> None:
        """Keep the receipts with their reward, and what their memories are worth now."""
        with self._guard.writing():
            given = {_named(each): each for each in bundles}
            for number, held in self._tables.bundles.items():
                if _named(held) in given and not held.reward_key and _seen(held, sight):
                    self._tables.bundles[number] = given[_named(held)]
            for name, q_value in q_values.items():
                memory = self._tables.memories.get(name)
                if memory is not None and memory.scope in sight:
                    self._tables.memories[name] = replace(memory, q_value=q_value)
                    tell(self._tables, memory.scope, name)

    def valued(self, sight: Sight, above: float, limit: int) -> tuple[str, ...]:
        """Active memories with a learned value above a bound, highest first."""
        with self._guard.reading():
            active = [m for m in self._tables.memories.values() if m.scope in sight and m.status == "active"]
        found = sorted((-each.q_value, each.id) for each in active if each.q_value > above and each.q_value != 0.5)
        return tuple(name for _, name in found[:limit])

    def unrecalled(self, sight: Sight, limit: int) -> tuple[str, ...]:
        """Active memories that are in no receipt, latest change first."""
        with self._guard.reading():
            recalled = {name for bundle in self._tables.bundles.values() for name in bundle.memory_ids}
            active = [m for m in self._tables.memories.values() if m.scope in sight and m.status == "active"]
        found = sorted((each for each in active if each.id not in recalled), key=lambda each: each.id)
        found.sort(key=lambda each: each.updated_at, reverse=True)
        return tuple(each.id for each in found[:limit])


def _named(bundle: Bundle) -> tuple[str, ...]:
    """What tells a receipt from others: two recalls of one millisecond share an id."""
    return bundle.id, bundle.timestamp, bundle.run_id, bundle.unit_id, bundle.context


def _seen(bundle: Bundle, sight: Sight) -> bool:
    mine = [key for key in bundle.scope_keys if key in sight.keys]
    shared = [key for key in mine if not key.startswith('{"type":"global_user"')]
    return bool(shared or (mine and len(set(bundle.scope_keys)) == 1))


class EphemeralMeta:
    """See `learnt.ports.meta.Meta`."""

    def __init__(self, tables: Tables, guard: Guard) -> None:
        self._tables = tables
        self._guard = guard

    def get(self, key: str) -> str | None:
        """The value, or None."""
        with self._guard.reading():
            return self._tables.facts.get(key)

    def put(self, key: str, value: str) -> None:
        """Insert or replace."""
        with self._guard.writing():
            self._tables.facts[key] = value

    def describe(self) -> Mapping[str, object]:
        """What there is to say of a store without a file."""
        return {"engine": "ephemeral", "path": "", "schema_version": 0, "journal_mode": "none", "size_bytes": 0}

    def gaps(self) -> Mapping[str, int]:
        """Nothing can be missing."""
        return {}

    def alias(self, value: str) -> str | None:
        """The repository id an identity value was adopted under, or None."""
        with self._guard.reading():
            return self._tables.aliases.get(value)

    def adopt(self, value: str, repository_id: str) -> None:
        """From now on this identity value means that repository."""
        with self._guard.writing():
            self._tables.aliases[value] = repository_id
