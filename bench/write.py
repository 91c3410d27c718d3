"""Writing: one writer onto a large store, sixteen processes on one file, and what an audit event costs.

Synthetic memories of 30 words drawn by Zipf 0.9 from 4,600, seed 11, each with a number of its own; wall time, warm
page cache; no embedder. The clock holds the whole verb: rules, gate, full text, anchors, event, commit.
"""

from __future__ import annotations

import multiprocessing
import random
import tempfile
import time
from contextlib import closing
from dataclasses import dataclass
from itertools import accumulate
from pathlib import Path
from typing import TYPE_CHECKING, Self

from bench.figure import Figure
from learnt import Engine
from learnt.audit.chain import verify
from learnt.bootstrap import Home
from learnt.errors import StoreBusyError
from learnt.model.filter import MemoryFilter
from learnt.stores.sqlite.store import SqliteStore
from learnt.testing import samples
from learnt.testing.fakes import NOON, FixedClock

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from multiprocessing.queues import Queue
    from multiprocessing.synchronize import Barrier

    from learnt.model.scope import Scope

EXISTING, SINGLE = 100_000, 3_000
PROCESSES, WRITES, RECALL_EVERY = 16, 500, 10
EVENTS = 4_000
_WORDS = 4_600
_EDGES = list(accumulate((at + 1) ** -0.9 for at in range(_WORDS)))


def word(rank: int) -> str:
    """The pronounceable word of one rank."""
    return "".join("bcdfghjklm"[rank // 10**at % 10] + "aeiou"[rank // 10**at % 5] for at in range(4))


_VOCABULARY = [word(rank) for rank in range(_WORDS)]


def text(chance: random.Random, name: str) -> str:
    """Thirty words and a name nobody else has."""
    return " ".join(chance.choices(_VOCABULARY, cum_weights=_EDGES, k=30)) + f" {name}."


@dataclass(frozen=True, slots=True)
class Place:
    """A throw-away home and project, without an embedder, whose cost is its own."""

    root: Path

    @classmethod
    def made(cls, root: Path) -> Self:
        """Both in an empty folder. Once: one of many processes that wrote it anew left an empty one to the others."""
        (root / "project").mkdir()
        (root / "config").mkdir()
        (root / "config" / "config.toml").write_text("[embeddings]\nenabled = false\n", "utf-8")
        return cls(root)

    def engine(self) -> Engine:
        """An engine of a person there, whatever started this process."""
        environment = {
            "LEARNT_HOME": str(self.root / "home"),
            "LEARNT_CONFIG": str(self.root / "config" / "config.toml"),
        }
        return Engine.open(self.root / "project", home=Home(environment))


def fill(engine: Engine, count: int) -> None:
    """Put memories into the repository's scope past the gate, 5,000 a transaction."""
    means, chance = engine.assembly.means, random.Random(11)
    scope: Scope = means.context.sight.one("repository")
    for first in range(0, count, 5_000):
        with means.store.transaction():
            for number in range(first, min(count, first + 5_000)):
                means.store.memories.put(samples.memory(scope, text(chance, f"old{number}"), tags=("tooling",)))


def percentile(values: Sequence[float], share: float) -> float:
    """The value that `share` of them do not exceed."""
    return sorted(values)[min(len(values) - 1, int(len(values) * share))]


def single(root: Path) -> Iterator[Figure]:
    """`remember` onto a large store."""
    with Place.made(root).engine() as engine:
        fill(engine, EXISTING)
        chance, spent = random.Random(12), []
        for number in range(SINGLE):
            words = text(chance, f"new{number}")
            started_s = time.perf_counter()
            engine.remember(words, kind="project_fact", tags=["bench"], evidence=["src/a.py:3"])
            spent.append(time.perf_counter() - started_s)
    where = f"{SINGLE} writes onto {EXISTING} memories, gate, full text and event included; wall"
    yield Figure("remember", SINGLE / sum(spent), "writes/s", 1_000, ">=", "mean", where)
    yield Figure("remember", percentile(spent, 0.5) * 1e3, "ms", None, "<=", "p50", where)
    yield Figure("remember", percentile(spent, 0.99) * 1e3, "ms", 20, "<=", "p99", where)
    yield Figure("remember", max(spent) * 1e3, "ms", 300, "<=", "max", where)


def _crowd(place: Place, nth: int, ready: Barrier, answers: Queue[tuple[list[float], int]]) -> None:
    chance, spent, errors = random.Random(100 + nth), [], 0
    with place.engine() as engine:
        engine.recall("what was there before the others came")
        ready.wait()
        for number in range(WRITES):
            words = text(chance, f"p{nth}n{number}")
            started_s = time.perf_counter()
            try:
                engine.remember(words, kind="project_fact", evidence=["src/a.py:3"])
            except StoreBusyError:
                errors += 1
            spent.append(time.perf_counter() - started_s)
            if number % RECALL_EVERY == 0:
                engine.recall(" ".join(words.split()[:6]))
    answers.put((spent, errors))


def contention(root: Path) -> Iterator[Figure]:
    """Sixteen processes write and recall on one file, without a daemon."""
    place = Place.made(root)
    with place.engine() as engine:
        engine.remember("Made before the others came.", kind="project_fact")
    context = multiprocessing.get_context("fork")
    answers: Queue[tuple[list[float], int]] = context.Queue()
    ready = context.Barrier(PROCESSES + 1)
    processes = [context.Process(target=_crowd, args=(place, nth, ready, answers)) for nth in range(PROCESSES)]
    for process in processes:
        process.start()
    ready.wait()
    started_s = time.perf_counter()
    found = [answers.get() for _ in processes]
    elapsed_s = time.perf_counter() - started_s
    for process in processes:
        process.join()
    spent = [value for values, _ in found for value in values]
    lost, verified = _lost(place)
    where = f"{PROCESSES} processes x {WRITES} remember, a recall in {RECALL_EVERY} writes, started before; wall"
    yield Figure("contention: lock errors", sum(errors for _, errors in found), "errors", 0, "<=", "total", where)
    yield Figure("contention: lost writes", lost, "writes", 0, "<=", "total", where)
    yield Figure("contention: chain broken", float(not verified), "chains", 0, "<=", "total", where)
    yield Figure("contention: together", len(spent) / elapsed_s, "writes/s", 800, ">=", "mean", where)
    yield Figure("contention: one write", percentile(spent, 0.99) * 1e3, "ms", 250, "<=", "p99", where)
    yield Figure("contention: one write", max(spent) * 1e3, "ms", 2_000, "<=", "max", where)


def _lost(place: Place) -> tuple[int, bool]:
    with place.engine() as engine:
        means = engine.assembly.means
        total = means.store.memories.page(means.context.sight, MemoryFilter(limit=1), NOON).total
        head, rows = means.store.events.sealed()
        return PROCESSES * WRITES + 1 - total, verify(rows, head).verified


def events(root: Path) -> Iterator[Figure]:
    """What an audit event adds to its change's transaction, and how fast a chain is verified."""
    with closing(SqliteStore.open(root / "memory.db", now=FixedClock())) as store:
        extra = _per_event(store, EVENTS)
        started_s = time.perf_counter()
        head, rows = store.events.sealed()
        verify(rows, head)
        verified = EVENTS / (time.perf_counter() - started_s)
    where = f"{EVENTS} events, 20 a transaction, head read and written each time; CPU, without begin and commit"
    yield Figure("event in its change's transaction", extra * 1e6, "us", 50, "<=", "mean", where)
    yield Figure("audit verify", verified, "events/s", 40_000, ">=", "mean", f"{EVENTS} events, read from the file")


def _per_event(store: SqliteStore, count: int) -> float:
    detail = {"by": "person:someone", "kind": "project_fact", "status": "active", "existing": False}
    made = [samples.event(number, f"mem_{number:016x}", detail=detail) for number in range(count)]
    spent = 0.0
    for first in range(0, count, 20):
        with store.transaction():
            started_s = time.process_time()
            for event in made[first : first + 20]:
                store.events.append(event)
            spent += time.process_time() - started_s
    return spent / count


def figures() -> Iterator[Figure]:
    """All of them, each in a folder of its own."""
    for part in (contention, single, events):
        with tempfile.TemporaryDirectory() as folder:
            yield from part(Path(folder))
