"""Learning: what a verdict costs on a bundle of twenty memories, alone and with neighbours among 500 recalls.

Synthetic memories of 30 words drawn by Zipf 0.9 from 4,600, seed 11, 1,000 of them in one scope on SQLite; 500
receipts, those that are rewarded of twenty memories, the others of eight (the default of a recall); processor time of
this process, warm: what it has read before it need not read again. The clock holds the whole verb: receipts, seals,
steps, neighbours, events, commit.
"""

from __future__ import annotations

import random
import tempfile
import time
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from bench.figure import Figure
from bench.write import Place, text
from learnt.flows.receipt import signed
from learnt.flows.reward import Work, reward
from learnt.settings import LearningSettings, Settings
from learnt.testing import samples

if TYPE_CHECKING:
    from collections.abc import Iterator
    from random import Random

    from learnt.flows.means import Means

MEMORIES, RECEIPTS, GIVEN, USUAL, ROUNDS = 1_000, 500, 20, 8, 120
_SEED = 11


def figures() -> Iterator[Figure]:
    """Both verdicts, 95 of 100."""
    conditions = f"{MEMORIES:,} memories, {RECEIPTS} receipts, SQLite, processor time"
    for name, limit, fanout in (("reward of 20 memories", 4.0, 0), ("reward with 500 recalls of neighbours", 40.0, 20)):
        with tempfile.TemporaryDirectory() as folder, Place(Path(folder)).engine() as engine:
            settings = Settings(learning=LearningSettings(propagation_fanout=fanout))
            took = sorted(_took(replace(engine.assembly.means, settings=settings)))
        yield Figure(name, took[int(0.95 * len(took))], "ms", limit, "<=", "p95", conditions)


def _took(means: Means) -> Iterator[float]:
    """Milliseconds of each verdict after the first ten."""
    chance = random.Random(_SEED)
    scope = means.context.sight.one("repository")
    ids = _written(means, chance)
    with means.store.transaction():
        for number in range(RECEIPTS):
            given = tuple(chance.sample(ids, GIVEN if number < ROUNDS else USUAL))
            made = samples.bundle(scope, *given, run_id=f"run-{number}", timestamp=means.clock.now())
            means.store.usage.put(signed(means, made))
    for number in range(ROUNDS):
        began = time.process_time()
        done = reward(means, "APPROVE", Work(run=f"run-{number}"))
        took = time.process_time() - began
        if len(done.learned) != GIVEN:
            raise RuntimeError(str(done.reason))
        if number >= 10:
            yield 1000 * took


def _written(means: Means, chance: Random) -> list[str]:
    scope = means.context.sight.one("repository")
    made = [samples.memory(scope, text(chance, f"n{number}")) for number in range(MEMORIES)]
    with means.store.transaction():
        for memory in made:
            means.store.memories.put(memory)
    return [memory.id for memory in made]
