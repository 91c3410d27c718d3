"""How fast evidence is found, and what it costs to keep it findable.

Units are generated: words drawn by Zipf's law from a vocabulary of 60,000, so that common and rare terms occur as in
text; lengths spread like those of turns and outputs in coding sessions; sessions of 80 units. Questions are five words
of one unit, so each has an answer. Reading transcripts is measured in CPU time, with and without taking the units into
the full text, and without an embedder.
"""

from __future__ import annotations

import os
import random
import resource
import statistics
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING

from bench.capture import transcript
from bench.figure import Figure
from learnt.bootstrap import Home
from learnt.engine import Engine
from learnt.flows.observe import settle
from learnt.model.evidence import EvidenceUnit
from learnt.model.scope import Scope, Sight
from learnt.model.search import EvidenceFilter
from learnt.model.wording import WORDS_FORM, question_terms
from learnt.stores.sqlite.sheets import SQL
from learnt.stores.sqlite.store import SqliteStore
from learnt.testing.fakes import FixedClock

if TYPE_CHECKING:
    from collections.abc import Iterator

    from learnt.flows.means import Means

_UNITS = int(os.environ.get("LEARNT_BENCH_UNITS", "100000"))
_TRANSCRIPT_MB = int(os.environ.get("LEARNT_BENCH_INGEST_MB", "40"))
_QUESTIONS = 300
_SEED = 7
_VOCABULARY = 60_000
_ALL = EvidenceFilter()


def _words(rng: random.Random) -> tuple[list[str], list[float]]:
    letters = "bcdfghjklmnprstvw"
    names = [
        "".join(rng.choice(letters) + rng.choice("aeiou") for _ in range(2 + at % 3))
        + (f"_{at}" if at % 9 == 0 else "")
        for at in range(_VOCABULARY)
    ]
    total, sums = 0.0, []
    for rank in range(_VOCABULARY):
        total += 1 / (rank + 3)
        sums.append(total)
    return names, sums


def units(scope: Scope, count: int) -> Iterator[EvidenceUnit]:
    """Generated turns."""
    rng = random.Random(_SEED)
    names, sums = _words(rng)
    for number in range(count):
        session = f"s{number // 80}"
        size = rng.choice((6, 12, 25, 40, 80, 160, 300))
        yield EvidenceUnit(
            id=f"evd_{number:08x}",
            scope=scope,
            type="reply" if number % 2 else "prompt",
            ref=f"session:{session}#{number}",
            session_id=session,
            who="agent" if number % 2 else "person",
            at=f"2026-{1 + number % 12:02d}-{1 + number % 28:02d}T10:00:00.000Z",
            text=" ".join(rng.choices(names, cum_weights=sums, k=size)),
        )


def figures() -> Iterator[Figure]:
    """Search among 100,000 units, and the speed of reading transcripts with the full text."""
    with tempfile.TemporaryDirectory() as folder:
        yield from _searching(Path(folder))
    with tempfile.TemporaryDirectory() as folder:
        yield from _reading(Path(folder))


def _searching(folder: Path) -> Iterator[Figure]:
    scope = Scope(type="repository", repo_id="bench")
    sight = Sight((scope,))
    store = SqliteStore.open(folder / "memory.db", now=FixedClock())
    questions, batch = [], []
    size_bytes = 0
    for number, unit in enumerate(units(scope, _UNITS)):
        batch.append(unit)
        size_bytes += len(unit.text)
        if number % (_UNITS // _QUESTIONS) == 0:
            questions.append(question_terms(" ".join(unit.text.split()[:5])))
        if len(batch) == 500 or number == _UNITS - 1:
            with store.transaction():
                store.archive.put_units(batch)
            batch.clear()
    began_s = time.process_time()
    more = True
    while more:
        with store.transaction():
            more = store.evidence.settle(sight)
    given = f"{_UNITS:,} units of one scope, {size_bytes / 1e6:.0f} MB of text, {_QUESTIONS} questions of five words"
    speed = size_bytes / 1e6 / (time.process_time() - began_s)
    yield Figure("evidence, taken into the full text", speed, "MB/s", None, ">=", "one run, CPU", given)
    store.close()
    store = SqliteStore.open(folder / "memory.db", now=FixedClock())
    took_ms = []
    for terms in questions:
        start_s = time.perf_counter()
        store.evidence.match(sight, terms, _ALL, 200)
        took_ms.append((time.perf_counter() - start_s) * 1000)
    yield Figure("evidence, first search after open", took_ms[0], "ms", 1000, "<=", "one run, wall", given)
    took_ms = sorted(took_ms[1:])
    yield Figure("evidence, search, p50", statistics.median(took_ms), "ms", None, "<=", "new words each time", given)
    yield Figure("evidence, search, p95", took_ms[int(len(took_ms) * 0.95)], "ms", None, "<=", "the same", given)
    peak_mb = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024 / 1e6
    yield Figure("evidence, peak memory", peak_mb, "MB", 400, "<=", "maximum", f"{given}; generator included")
    store.close()


def _reading(folder: Path) -> Iterator[Figure]:
    transcript(folder / "session.jsonl", _TRANSCRIPT_MB)
    size_mb = (folder / "session.jsonl").stat().st_size / 1e6
    (folder / "project").mkdir()
    (folder / "config").write_text("[embeddings]\nenabled = false\n", "utf-8")
    environment = {"LEARNT_HOME": str(folder / "home"), "LEARNT_CONFIG": str(folder / "config"), "HOME": str(folder)}
    given = f"generated transcript of {size_mb:.0f} MB, seed {_SEED}"
    with Engine.open(folder / "project", home=Home(environment)) as engine:
        means = engine.assembly.means
        means.gate.redact("builds the automaton")
        began_s = time.process_time()
        engine.ingest([folder / "session.jsonl"])
        whole_s = time.process_time() - began_s
        yield Figure("ingest with the full text", size_mb / whole_s, "MB/s", 8, ">=", "one run, CPU", given)
        began_s = time.process_time()
        _again(means)
        without_s = whole_s - (time.process_time() - began_s)
        yield Figure("ingest without it", size_mb / without_s, "MB/s", 15, ">=", "one run, CPU", given)


def _again(means: Means) -> None:
    """Take everything into the full text once more: the same work that was inside the ingest."""
    store = means.store
    assert isinstance(store, SqliteStore)
    with store.transaction():
        for number, _, _, _, _ in store.connection.rows(SQL["areas"], {"scopes": "[1,2,3]", "form": WORDS_FORM}):
            for sheet, _, _ in store.connection.rows(SQL["stretches"], (number,)):
                store.connection.write(SQL["drop_sheet"], (number, sheet))
                store.connection.write(SQL["drop_postings"], (number, sheet))
    settle(means)
