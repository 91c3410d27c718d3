"""Full text over dictionaries: plain BM25 over the memories a reader may see."""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from learnt.model.anchor import anchors_of
from learnt.model.candidate import candidate
from learnt.model.tokens import index_terms

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from learnt.model.candidate import Candidate
    from learnt.model.memory import Memory
    from learnt.model.scope import Sight
    from learnt.stores.ephemeral.tables import Guard, Tables

_K1, _B = 1.2, 0.75
"""Constants of BM25. Source: SQLite FTS5, `bm25()`."""


@dataclass(frozen=True, slots=True)
class Narrowing:
    """See `learnt.ports.lexicon.Narrowed`."""

    candidates: tuple[Candidate, ...]
    matched: bool
    whole: bool


class EphemeralLexicon:
    """See `learnt.ports.lexicon.Lexicon`. Reads everything in sight each time."""

    def __init__(self, tables: Tables, guard: Guard) -> None:
        self._tables = tables
        self._guard = guard

    def candidates(
        self, sight: Sight, terms: Sequence[str], limit: int, *, kinds: Sequence[str] = (), now: str = ""
    ) -> Narrowing:
        """The memories to score: a small scope set whole, of a larger one the `limit` best by BM25."""
        with self._guard.reading():
            active = [
                each for each in self._tables.memories.values() if each.scope in sight and each.status == "active"
            ]
        active.sort(key=lambda memory: memory.id)
        if len(active) <= limit:
            return Narrowing(tuple(candidate(memory, -1) for memory in active), matched=True, whole=True)
        best = [memory for memory in _ranked(active, terms) if _allowed(memory, kinds, now)][:limit]
        if not best:
            return Narrowing(_newest(active, kinds, now), matched=False, whole=False)
        found = tuple(candidate(memory, position) for position, memory in enumerate(best))
        return Narrowing(found, matched=True, whole=False)

    def named(self, sight: Sight, memory_ids: Sequence[str], *, words: bool = True) -> tuple[Candidate, ...]:
        """The active ones of these memories, not ranked, in the order given."""
        del words  # no quicker without
        with self._guard.reading():
            found = (self._tables.memories.get(memory_id) for memory_id in memory_ids)
            return tuple(
                candidate(each, -1) for each in found if each and each.scope in sight and each.status == "active"
            )

    def retired(self, sight: Sight, limit: int) -> tuple[Candidate, ...]:
        """The superseded memories retired last, as if they were active."""
        with self._guard.reading():
            old = [m for m in self._tables.memories.values() if m.scope in sight and m.status == "superseded"]
        old.sort(key=lambda memory: memory.id)
        old.sort(key=lambda memory: memory.updated_at, reverse=True)
        return tuple(candidate(replace(memory, status="active"), -1) for memory in old[:limit])

    def anchored(self, sight: Sight, anchors: Sequence[tuple[str, str]]) -> tuple[str, ...]:
        """Ids of active memories and pending observations tied to one of the anchors, in order of these, then id."""
        tied: dict[tuple[str, str], list[str]] = {}
        with self._guard.reading():
            for target_id, anchor in self._ties(sight):
                tied.setdefault(anchor, []).append(target_id)
        return tuple(dict.fromkeys(each for anchor in anchors for each in sorted(tied.get(anchor, ()))))

    def _ties(self, sight: Sight) -> Iterable[tuple[str, tuple[str, str]]]:
        for memory in self._tables.memories.values():
            if memory.scope in sight and memory.status == "active":
                given = memory.metadata.get("trigger", ())
                trigger = [(str(kind), str(key)) for kind, key in given] if isinstance(given, list | tuple) else []
                for anchor in anchors_of(memory.kind, memory.text, memory.files, memory.symbols, trigger):
                    yield memory.id, anchor
        for each in self._tables.proposals.values():
            if each.scope in sight and each.observation and each.status == "pending":
                for anchor in anchors_of(each.kind or "lesson", each.text, each.files, each.symbols, each.trigger):
                    yield each.id, anchor


def _allowed(memory: Memory, kinds: Sequence[str], now: str) -> bool:
    expired = bool(now) and memory.expires_at is not None and memory.expires_at <= now
    return not expired and (not kinds or memory.kind in kinds)


def _newest(memories: Sequence[Memory], kinds: Sequence[str], now: str) -> tuple[Candidate, ...]:
    """What manual recall ranks when nothing matched. Source: swarm-memory seed, limit 1,000."""
    kept = [memory for memory in memories if _allowed(memory, kinds, now)]
    newest = sorted(kept, key=lambda memory: memory.updated_at, reverse=True)
    return tuple(candidate(memory, -1) for memory in newest[:1000])


def _ranked(memories: Sequence[Memory], terms: Sequence[str]) -> list[Memory]:
    """Those that hold one of the terms, best BM25 first, ties by id. Source: SQLite FTS5, `bm25()`."""
    counts = [Counter(_terms(memory)) for memory in memories]
    lengths = [count.total() for count in counts]
    mean = sum(lengths) / len(lengths) if lengths else 1.0
    scores = [0.0] * len(memories)
    for term in dict.fromkeys(terms):
        holders = [at for at, count in enumerate(counts) if term in count]
        rarity = max(math.log((len(memories) - len(holders) + 0.5) / (len(holders) + 0.5)), 1e-6)
        for at in holders:
            often = counts[at][term]
            scores[at] += rarity * often * (_K1 + 1) / (often + _K1 * (1 - _B + _B * lengths[at] / mean))
    ranked = sorted((-score, memory.id, at) for at, (score, memory) in enumerate(zip(scores, memories, strict=True)))
    return [memories[at] for score, _, at in ranked if score < 0]


def _terms(memory: Memory) -> tuple[str, ...]:
    source = memory.source
    return index_terms(
        memory.text, memory.tags, memory.kind, source.file_path, source.ref, memory.symbols, memory.files
    )
