"""Reflection: what one outcome costs, digest and all, where 2,000 memories have outcomes already.

Synthetic memories of 30 words drawn by Zipf 0.9 from 4,600, seed 11, in one scope on SQLite; each has one to nine
outcomes, every second of them with one to four of 500 files, a tenth of which is gone; half of the corrections are 200
characters long. Processor time of this process, warm. The clock holds the whole verb: gate, row, event, commit, the
digest of all outcomes, both files on the disk.
"""

from __future__ import annotations

import random
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING

from bench.figure import Figure
from bench.write import Place, text
from learnt.flows.outcome import outcome
from learnt.flows.reflect import digest
from learnt.learn.reflection import MOST_MEMORIES
from learnt.model.instant import plus_days
from learnt.model.outcome import RESULTS, OutcomeRequest, Recorded, Spot
from learnt.testing import samples
from learnt.testing.fakes import NOON

if TYPE_CHECKING:
    from collections.abc import Iterator

    from learnt.flows.means import Means
    from learnt.model.memory import Memory

FILES, ROUNDS = 500, 20
_SEED = 11


def figures() -> Iterator[Figure]:
    """The whole verb, and the digest alone."""
    conditions = f"{MOST_MEMORIES:,} memories with outcomes, {FILES} files, SQLite, processor time"
    with tempfile.TemporaryDirectory() as folder:
        place = Place.made(Path(folder))
        with place.engine() as engine:
            means = engine.assembly.means
            ids = _written(means)
            verbs, digests = sorted(_verbs(means, ids)), sorted(_digests(means))
    yield Figure("outcome and reflection", verbs[int(0.95 * len(verbs))], "ms", 1_000.0, "<=", "p95", conditions)
    yield Figure("digest of all outcomes", digests[len(digests) // 2], "ms", None, "<=", "median", conditions)


def _verbs(means: Means, ids: list[str]) -> Iterator[float]:
    for number in range(ROUNDS):
        request = OutcomeRequest(result="useful", memory_id=ids[number], spots=(Spot("src/1.py"),))
        began = time.process_time()
        done = outcome(means, request)
        took = time.process_time() - began
        if not isinstance(done, Recorded) or not done.reflected:
            raise RuntimeError(str(done))
        yield 1_000 * took


def _digests(means: Means) -> Iterator[float]:
    for _ in range(ROUNDS):
        began = time.process_time()
        made, _ = digest(means, means.clock.now())
        took = time.process_time() - began
        if made.entries != MOST_MEMORIES:
            raise RuntimeError(str(made.entries))
        yield 1_000 * took


def _written(means: Means) -> list[str]:
    chance = random.Random(_SEED)
    root = Path(means.place.root)
    (root / "src").mkdir()
    for number in range(FILES):
        if number % 10:
            (root / f"src/{number}.py").write_text("x = 1\n")
    scope = means.context.sight.one("repository")
    made = [samples.memory(scope, text(chance, f"n{number}")) for number in range(MOST_MEMORIES)]
    with means.store.transaction():
        for number, memory in enumerate(made):
            means.store.memories.put(memory)
            _judged(means, memory, number, chance)
    return [memory.id for memory in made]


def _judged(means: Means, memory: Memory, first: int, chance: random.Random) -> None:
    for number in range(chance.randint(1, 9)):
        result = chance.choice(RESULTS)
        count = chance.randint(1, 4) if number % 2 else 0
        told = samples.outcome(
            memory,
            first * 10 + number,
            result=result,
            at=plus_days(NOON, -chance.uniform(0, 200)),
            correction="c" * chance.choice([40, 200]) if result == "corrected" else "",
            spots=tuple({Spot(f"src/{chance.randrange(FILES)}.py") for _ in range(count)}),
            repository_id=means.identity.repository_id,
        )
        means.store.outcomes.add(memory.scope, told)
