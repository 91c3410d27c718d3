"""What happened, in dictionaries: the audit chain, receipts, and facts about the store."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING

from learnt.errors import UsageError
from learnt.model.chain import hash_of
from learnt.model.checkpoint import End
from learnt.model.event import GENESIS, ChainRow
from learnt.model.seal import LOG, SEAL, marks
from learnt.stores.ephemeral.feed import tell
from learnt.stores.notary import Notary

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from learnt.model.checkpoint import Checkpoint, Node
    from learnt.model.event import Event
    from learnt.model.ranking import Bundle
    from learnt.model.scope import Sight
    from learnt.stores.ephemeral.tables import Guard, Tables

_HEAD = "memory_events_chain_head"


class EphemeralEvents:
    """See `learnt.ports.store.Events`."""

    def __init__(self, tables: Tables, guard: Guard, notary: Notary | None = None) -> None:
        self._tables = tables
        self._guard = guard
        self._notary = notary or Notary()

    def append(self, *events: Event) -> None:
        """Add events at the end of the chain."""
        for event in events:
            self._append(event)

    def _append(self, event: Event) -> None:
        with self._guard.writing():
            if event.id in self._tables.events:
                raise UsageError("An event with this id was appended already.", code="constraint")
            end = self.end()
            detail = _canonical(dict(event.detail)) if event.detail else None
            columns = (event.id, event.operation, event.target_id, event.reason, event.timestamp, detail)
            row = ChainRow(end.position + 1, *columns, end.head or GENESIS)
            hashed = hash_of(row)
            key = self._notary.begin(end, self._hash_at)
            if key is not None:
                mark, seal = marks(*key[1:], event.id, row.position, hashed)
                row = replace(row, mac=mark)
                self._tables.facts.update({SEAL: seal, LOG: key[0]})
                self._notary.moved(key[0], row.position, hashed)
            self._tables.events[row.id] = row
            self._tables.targets[row.target_id] = (*self._tables.targets.get(row.target_id, ()), row.id)
            self._tables.facts[_HEAD] = hashed

    def end(self) -> End:
        """See `learnt.ports.trail.Trail.end`."""
        with self._guard.reading():
            facts = self._tables.facts
            last = next((each.position for each in reversed(self._tables.events.values())), 0)
            return End(position=last, head=facts.get(_HEAD), seal=facts.get(SEAL), log=facts.get(LOG, ""))

    def get(self, event_id: str) -> ChainRow | None:
        """The event as stored."""
        with self._guard.reading():
            return self._tables.events.get(event_id)

    def about(self, *target_ids: str) -> tuple[ChainRow, ...]:
        """All events of these targets, oldest first."""
        with self._guard.reading():
            names = [name for target in dict.fromkeys(target_ids) for name in self._tables.targets.get(target, ())]
            return tuple(sorted((self._tables.events[name] for name in names), key=lambda each: each.position))

    def chain(self) -> Iterator[ChainRow]:
        """Every event in order of the chain, as of the moment of the call."""
        return self.sealed()[1]

    def sealed(self) -> tuple[str | None, Iterator[ChainRow]]:
        """The head and the events up to it, both as of one moment."""
        with self._guard.reading():
            return self._tables.facts.get(_HEAD), iter(tuple(self._tables.events.values()))

    def head(self) -> str | None:
        """Hash of the last event; None before the first."""
        return self.end().head

    def _hash_at(self, position: int) -> str | None:
        rows = self._tables.events.values()
        return next((each.prev_hash for each in rows if each.position == position + 1), None)


class EphemeralTrail:
    """See `learnt.ports.trail.Trail`."""

    def __init__(self, tables: Tables, guard: Guard, events: EphemeralEvents) -> None:
        self._tables = tables
        self._guard = guard
        self._events = events

    def end(self) -> End:
        """Where the trail ends now."""
        return self._events.end()

    def rows(self, after: int, until: int) -> Iterator[ChainRow]:
        """The events between two positions."""
        with self._guard.reading():
            return iter([each for each in self._tables.events.values() if after < each.position <= until])

    def checkpoints(self) -> tuple[Checkpoint, ...]:
        """All of them."""
        with self._guard.reading():
            held = self._tables.checkpoints.values()
            return tuple(sorted(held, key=lambda each: (each.size, each.installation, each.epoch)))

    def keep(self, checkpoint: Checkpoint, nodes: Iterable[Node] = ()) -> None:
        """Add a checkpoint."""
        with self._guard.writing():
            place = (checkpoint.installation, checkpoint.epoch)
            if place in self._tables.checkpoints:
                raise UsageError("There is a checkpoint by this key already.", code="constraint")
            self._tables.checkpoints[place] = checkpoint
            self._tables.nodes.update({(each.level, each.number): each.hash for each in nodes})

    def nodes(self, wanted: Sequence[tuple[int, int]]) -> Mapping[tuple[int, int], str]:
        """The hashes of those of these subtrees that were kept."""
        with self._guard.reading():
            return {place: self._tables.nodes[place] for place in wanted if place in self._tables.nodes}

    def cut(self, until: int) -> int:
        """Remove the events up to a position."""
        with self._guard.writing():
            gone = [each for each in self._tables.events.values() if each.position <= until]
            for each in gone:
                self._drop(each)
            return len(gone)

    def erase(self, event_ids: Sequence[str]) -> tuple[tuple[int, str], ...]:
        """Take target, reason and detail out of events."""
        with self._guard.writing():
            rows = [row for name in event_ids if (row := self._tables.events.get(name)) and row.erased is None]
            found = tuple((row.position, hash_of(row)) for row in rows)
            for row, (_, hashed) in zip(rows, found, strict=True):
                self._tables.events[row.id] = replace(row, target_id="", reason=None, event_json=None, erased=hashed)
                self._untie(row)
            return tuple(sorted(found))

    def _drop(self, row: ChainRow) -> None:
        del self._tables.events[row.id]
        self._untie(row)

    def _untie(self, row: ChainRow) -> None:
        named = self._tables.targets.get(row.target_id, ())
        self._tables.targets[row.target_id] = tuple(each for each in named if each != row.id)


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
