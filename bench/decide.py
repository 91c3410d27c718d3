"""Deciding: what a person's answer to a proposal costs, the gate, supersession, full text and event included.

1,000 memories of 30 words drawn by Zipf 0.9 from 4,600, seed 11, in one scope on SQLite, and 400 proposals of the like,
each accepted in its turn; processor time of this process, warm, without an embedder. The clock holds the whole verb.
The first ones look for near-duplicates among the 1,000, until the quarter of a second that such looking may take is
spent (`learnt.flows.share`); from then on a twentieth of the time goes to it.
"""

from __future__ import annotations

import random
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING

from bench.figure import Figure
from bench.write import Place, fill, percentile, text
from learnt.model.answer import Decided, Proposed

if TYPE_CHECKING:
    from collections.abc import Iterator

    from learnt.engine import Engine

MEMORIES, PROPOSALS, FIRST, LOOKING = 1_000, 400, 100, 10
_SEED = 12


def figures() -> Iterator[Figure]:
    """Accepting a proposal, 95 of 100; and the middle of those that look for near-duplicates."""
    with tempfile.TemporaryDirectory() as folder, Place.made(Path(folder)).engine() as engine:
        fill(engine, MEMORIES)
        took = list(_took(engine))
    conditions = f"{MEMORIES:,} memories, {PROPOSALS} proposals to add, SQLite, processor time"
    yield Figure("decide", percentile(took[FIRST:], 0.95), "ms", 2.0, "<=", "p95", conditions)
    looking = took[:LOOKING]
    yield Figure("decide, looking for the like", percentile(looking, 0.5), "ms", None, "<=", "p50", conditions)


def _took(engine: Engine) -> Iterator[float]:
    """Milliseconds of each decision."""
    chance = random.Random(_SEED)
    said = [text(chance, f"p{number}") for number in range(PROPOSALS)]
    asked = [engine.propose("add", each, kind="project_fact", evidence=["src/a.py:3"]) for each in said]
    for each in asked:
        if not isinstance(each, Proposed):
            raise TypeError(str(each))
        began = time.process_time()
        done = engine.decide(each.proposal.id, "accept")
        took = time.process_time() - began
        if not isinstance(done, Decided) or done.memory is None:
            raise RuntimeError(str(done))
        yield 1000 * took
