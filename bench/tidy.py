"""Tidying: the maintenance report, decay and compaction of a large store, and a store of JSON lines.

Synthetic memories of 30 words drawn by Zipf 0.9 from 4,600, seed 7, in one scope on SQLite: a tenth superseded, a
fiftieth deleted, a fortieth scratch that expired, a tenth todos; 5,000 receipts of six memories. The lines hold a
thousand memories. Processor time of this process; one run each, files and indexes warm.
"""

from __future__ import annotations

import random
import tempfile
import time
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from bench.figure import Figure
from bench.write import Place, text
from learnt.flows.compact import Compacted, compact
from learnt.flows.decay import decay
from learnt.flows.stale import stale
from learnt.model.cargo import Receipt
from learnt.model.instant import plus_days
from learnt.model.scope import Sight
from learnt.stores.jsonl.store import JsonlStore
from learnt.testing import samples
from learnt.testing.fakes import NOON

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from learnt.flows.means import Means
    from learnt.model.memory import Memory
    from learnt.model.scope import Scope

T = TypeVar("T")
MEMORIES, RECEIPTS, LINES = 100_000, 5_000, 1_000
_SEED, _STRETCH = 7, 500


def figures() -> Iterator[Figure]:
    """The report, what grows old, what leaves; then the lines."""
    with tempfile.TemporaryDirectory() as folder:
        place = Place(Path(folder))
        with place.engine() as engine:
            yield from _kept(engine.assembly.means)
    with tempfile.TemporaryDirectory() as folder:
        yield from _lines(Path(folder))


def _kept(means: Means) -> Iterator[Figure]:
    filled(means)
    held = f"{MEMORIES:,} memories, {RECEIPTS:,} receipts, SQLite, processor time"
    yield Figure("maintenance report", took(lambda: stale(means)), "s", 4.0, "<=", "one run", held)
    yield Figure("dry run of a compaction", took(lambda: compact(means)), "s", 2.0, "<=", "one run", held)
    spent, aged = timed(lambda: decay(means).changed)
    yield Figure("decay", aged / spent, "memories/s", 1_000.0, ">=", "one run", f"{aged:,} of {held}")
    spent, gone = timed(lambda: _gone(means))
    held = f"{gone:,} of {held}, vacuum included"
    yield Figure("compaction", gone / spent, "memories/s", 1_000.0, ">=", "one run", held)


def _gone(means: Means) -> int:
    answer = compact(means, confirm=True)
    if not isinstance(answer, Compacted):
        raise TypeError(answer.message)
    return sum(answer.removed.values())


def filled(means: Means) -> None:
    """Memories of every status, and receipts."""
    scope, chance = means.context.sight.one("repository"), random.Random(_SEED)
    now = means.clock.now()
    memories = [_memory(scope, chance, number, now) for number in range(MEMORIES)]
    active = [memory.id for memory in memories if memory.status == "active"]
    receipts = [
        Receipt(number + 1, replace(samples.bundle(scope, *chance.sample(active, 6)), timestamp=_moment(chance, now)))
        for number in range(RECEIPTS)
    ]
    for begin in range(0, MEMORIES, _STRETCH):
        with means.store.transaction():
            means.store.cargo.accept("memories", memories[begin : begin + _STRETCH])
    for begin in range(0, RECEIPTS, _STRETCH):
        with means.store.transaction():
            means.store.cargo.accept("receipts", receipts[begin : begin + _STRETCH])


def _moment(chance: random.Random, now: str) -> str:
    return plus_days(now, -28 * chance.random())


def _memory(scope: Scope, chance: random.Random, number: int, now: str = NOON) -> Memory:
    at = _moment(chance, now)
    scratch = number % 40 == 1
    return samples.memory(
        scope,
        text(chance, f"memory {number}"),
        at=at,
        kind="scratch" if scratch else "todo" if number % 10 == 5 else "project_fact",
        status="superseded" if number % 10 == 3 else "deleted" if number % 50 == 7 else "active",
        superseded_by="mem_0000000000000000" if number % 10 == 3 else None,
        expires_at=plus_days(at, 7) if scratch else None,
        confidence=chance.random(),
    )


def _lines(folder: Path) -> Iterator[Figure]:
    scope, chance = samples.repository("bench"), random.Random(_SEED)
    store = JsonlStore(folder, now=lambda: NOON)
    with store.transaction():
        for number in range(LINES):
            store.memories.put(_memory(scope, chance, number))
    held = f"{LINES:,} memories in a file of JSON lines, processor time"
    spent = took(lambda: JsonlStore(folder, now=lambda: NOON))
    yield Figure("lines: open", 1_000 * spent, "ms", 150.0, "<=", "one run", held)
    sight = Sight((scope,))
    spent = took(lambda: [store.lexicon.candidates(sight, ("memory", "of"), 100) for _ in range(10)])
    yield Figure("lines: candidates by words", 100 * spent, "ms", 100.0, "<=", "mean of 10", held)
    spent = took(lambda: _grown(store, [_memory(scope, chance, LINES + number) for number in range(100)]))
    yield Figure("lines: a change", 10 * spent, "ms", 5.0, "<=", "mean of 100", f"{held}, without the disk's answer")


def _grown(store: JsonlStore, memories: list[Memory]) -> None:
    """A transaction each."""
    for memory in memories:
        with store.transaction():
            store.memories.put(memory)


def took(call: Callable[[], object]) -> float:
    """Seconds of processor time of one call."""
    return timed(call)[0]


def timed(call: Callable[[], T]) -> tuple[float, T]:
    """The same, with its answer."""
    began = time.process_time()
    answer = call()
    return time.process_time() - began, answer
