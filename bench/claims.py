"""Claims: what a supersession check costs beside a hundred thousand memories, and a decision that goes through it.

Synthetic statements of a service, an attribute and a number, each of its own, in one scope; no embedder; CPU time of
the process, warm. The check is everything a write does because others are there: the statement read, the index asked,
the memories it may touch read and judged.
"""

from __future__ import annotations

import itertools
import random
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING

from bench.figure import Figure
from bench.write import Place, percentile, word
from learnt.flows.near import Nearest
from learnt.flows.truth import placed
from learnt.govern.claim import bearing
from learnt.model.answer import Proposed
from learnt.model.stated import stated
from learnt.testing import samples
from learnt.testing.fakes import NOON

if TYPE_CHECKING:
    from collections.abc import Iterator

    from learnt import Engine

EXISTING, CHECKS, DECISIONS, READ = 100_000, 1_000, 500, 2_000
_ATTRIBUTES = ("listens on port", "keeps logs for days:", "retries uploads with workers:", "has a timeout of")


def statement(number: int, value: int) -> str:
    """A statement about one of many services."""
    service = f"{word(number % 4_600)} {word((number * 7 + number // 4_600) % 4_600)}"
    return f"Service {service} {_ATTRIBUTES[number % 4]} {value}"


def _fill(engine: Engine) -> None:
    means = engine.assembly.means
    scope = means.context.sight.one("repository")
    for first in range(0, EXISTING, 5_000):
        with means.store.transaction():
            for number in range(first, first + 5_000):
                means.store.memories.put(samples.memory(scope, statement(number, number % 900), kind="project_fact"))


def checks(engine: Engine) -> Iterator[Figure]:
    """The check alone: half of the statements meet one they retire."""
    means, chance, spent, met = engine.assembly.means, random.Random(3), [], 0
    scope = means.context.sight.one("repository")
    for _ in range(CHECKS):
        number = chance.randrange(2 * EXISTING)
        memory = samples.memory(scope, statement(number, 901 + number % 90), kind="project_fact", at=NOON)
        started_s = time.process_time()
        settled = placed(means, memory, Nearest(), NOON)
        spent.append(time.process_time() - started_s)
        met += bool(settled.superseded)
    where = f"{CHECKS} statements beside {EXISTING:,}, {met} of which retire one; CPU"
    yield Figure("supersession check", percentile(spent, 0.5) * 1e3, "ms", None, "<=", "p50", where)
    yield Figure("supersession check", percentile(spent, 0.95) * 1e3, "ms", 15, "<=", "p95", where)


def decisions(engine: Engine) -> Iterator[Figure]:
    """Accepting proposals, every fourth of which retires a statement."""
    chance, spent = random.Random(4), []
    for _ in range(DECISIONS):
        number = chance.randrange(4 * EXISTING)
        asked = engine.propose("add", statement(number, 950), kind="project_fact", evidence=["src/a.py:3"])
        if not isinstance(asked, Proposed):
            continue
        started_s = time.process_time()
        engine.decide(asked.proposal.id, "accept")
        spent.append(time.process_time() - started_s)
    where = f"{len(spent)} decisions beside {EXISTING:,}, gate, full text, claims and event included; CPU"
    yield Figure("decide", percentile(spent, 0.5) * 1e3, "ms", None, "<=", "p50", where)
    yield Figure("decide", percentile(spent, 0.95) * 1e3, "ms", 2, "<=", "p95", where)


def reading() -> Iterator[Figure]:
    """A statement read for the first time, and two compared."""
    texts = [statement(number, number) for number in range(READ)]
    started_s = time.process_time()
    read = [stated(text) for text in texts]
    read_s = time.process_time() - started_s
    started_s = time.process_time()
    for one, two in itertools.pairwise(read):
        bearing(one, two)
    met_s = time.process_time() - started_s
    yield Figure("read a statement", read_s / READ * 1e3, "ms", None, "<=", "mean", f"{READ} statements; CPU")
    yield Figure("compare two", met_s / READ * 1e3, "ms", None, "<=", "mean", f"{READ} pairs; CPU")


def figures() -> Iterator[Figure]:
    """Every figure of claims."""
    yield from reading()
    with tempfile.TemporaryDirectory(prefix="learnt-bench-") as folder, Place.made(Path(folder)).engine() as engine:
        _fill(engine)
        yield from checks(engine)
        yield from decisions(engine)
