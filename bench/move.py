"""Moving a store: memories with their reading back, vectors, and what going on after an interruption costs.

Synthetic memories of 30 words drawn by Zipf 0.9 from 4,600, seed 11; unit vectors of 384 numbers; from one SQLite file
into another. Processor time of everything: reading, writing with all indexes, reading back and comparing.
"""

from __future__ import annotations

import random
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from bench.figure import Figure
from bench.write import Place, text
from learnt.flows.migrate import migrate
from learnt.flows.moved import Moved, Step, Way
from learnt.model.vector import Embedded
from learnt.stores.sqlite.store import SqliteStore
from learnt.testing import samples
from learnt.testing.embedders import HashEmbedder
from learnt.testing.fakes import NOON, FixedClock

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from learnt.flows.means import Means
    from learnt.model.memory import Memory

MEMORIES, VECTORS = 20_000, 5_000
_SCOPE = samples.repository("moving")


class Broken(Exception):  # noqa: N818 - not an error: what a bench stops a move with
    """The move is interrupted here."""


@dataclass(frozen=True, slots=True)
class Course:
    """One move of a store, to be timed."""

    means: Means
    root: Path

    def __call__(self, name: str, tell: Callable[[Step], None] | None = None) -> float:
        """Seconds of processor time of a move into a file of this name."""
        path = self.root / f"{name}.db"
        way = Way("here", name, lambda: SqliteStore.open(path, now=FixedClock()))
        started_s = time.process_time()
        moved = migrate(self.means, way, tell)
        spent_s = time.process_time() - started_s
        assert isinstance(moved, Moved)
        assert moved.verified
        return spent_s


def figures() -> Iterator[Figure]:
    """The figures of moving."""
    with tempfile.TemporaryDirectory() as folder, Place.made(Path(folder)).engine() as engine:
        means, course = engine.assembly.means, Course(engine.assembly.means, Path(folder))
        memories = list(_memories(means))
        where = f"{MEMORIES:,} memories, SQLite to SQLite, verified; CPU, one run"
        whole_s = course("whole")
        yield Figure("move", MEMORIES / whole_s, "memories/s", 4_000, ">=", "mean", where)
        yield Figure("go on after nine tenths", _resumed(course) / whole_s, "times", 0.6, "<=", "one run", where)
        _embed(means, memories[:VECTORS])
        more_s = max(1e-9, course("vectors") - whole_s)
        with_them = f"{VECTORS:,} vectors more, above the same move without"
        yield Figure("move vectors", VECTORS / more_s, "vectors/s", None, ">=", "difference of two runs", with_them)


def _memories(means: Means) -> Iterator[Memory]:
    chance = random.Random(11)
    for first in range(0, MEMORIES, 5_000):
        some = [samples.memory(_SCOPE, text(chance, f"old{first + n}"), tags=("tooling",)) for n in range(5_000)]
        with means.store.transaction():
            means.store.cargo.accept("memories", some)
        yield from some


def _resumed(course: Course) -> float:
    """Seconds of the run that goes on."""

    def stop(step: Step) -> None:
        if step.chapter == "memories" and step.done >= MEMORIES * 0.9:
            raise Broken

    try:
        course("again", stop)
    except Broken:
        return course("again")
    raise AssertionError("nothing was interrupted")


def _embed(means: Means, memories: list[Memory]) -> None:
    model = HashEmbedder(384)
    with means.store.transaction():
        generation = means.store.vectors.begin("memory", model.version, "text-1", model.dimension, NOON)
        vectors = zip(memories, model.embed([each.text for each in memories]), strict=True)
        kept = [Embedded(id=memory.id, vectors=(vector,)) for memory, vector in vectors if vector]
        means.store.vectors.put(generation, kept, NOON)
