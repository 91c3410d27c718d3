"""A prompt asked of the warm process, beyond the embedding itself.

10,000 memories in one scope, vectors of 384 dimensions. The embedder is a hash of words (about 0.1 ms), so what is
measured is everything else: connecting, narrowing, the search by vectors, ranking, labels, the reply. Every prompt is
asked once; nothing is answered from the cache of queries. The hook's share is the same command a host runs, with and
without the warm process, by turns.
"""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import tempfile
import time
from contextlib import closing, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from bench.figure import Figure
from bench.hook import NOW, Setup, measured
from bench.recall import percentile, prompts
from learnt.bootstrap import Home, Models, assemble
from learnt.engine import Engine
from learnt.interfaces.hook import warm
from learnt.interfaces.hook.stub import source_folder
from learnt.interfaces.warm import frame
from learnt.model.place import place
from learnt.stores.sqlite.store import SqliteStore
from learnt.testing.embedders import HashEmbedder

if TYPE_CHECKING:
    from collections.abc import Iterator

    from learnt.ports.embedder import Embedder
    from learnt.ports.ledger import Meter
    from learnt.settings import Settings

COUNT, DIMENSION, ASKED, RUNS = 10_000, 384, 150, 40
WARM_UP = 5
PATIENCE_S = 5.0
"""Longer than a hook waits, so that a late reply is counted and not lost."""
STARTUP_S = 60
SERVE = """
import os, sys
sys.path.insert(0, {source!r})
import learnt.bootstrap.models as models
from learnt.testing.embedders import HashEmbedder
models.embedder_of = lambda settings, environment: HashEmbedder({dimension})
from learnt.bootstrap import Home
from learnt.interfaces.warm.serve import Bounds, serve
serve(Home({environment!r}), {project!r}, Bounds(user=os.geteuid()))
"""


class Hashes(Models):
    """One model for everything: the hash of words."""

    def embedders(self, settings: Settings, meter: Meter | None = None) -> tuple[Embedder, Embedder]:
        """The same for texts and queries."""
        del settings, meter
        made = HashEmbedder(DIMENSION)
        return made, made


def figures() -> Iterator[Figure]:
    """The wait and the processor time of one question, and of a whole firing."""
    with tempfile.TemporaryDirectory() as name:
        setup = Setup(Path(name) / "a", sys.executable, COUNT, 0)
        environment = _embedded(setup)
        with _serving(setup, environment) as process:
            yield from _questions(setup, process.pid)
            yield from _firings(setup)


def _embedded(setup: Setup) -> dict[str, str]:
    home = str(setup.home)
    environment = {"LEARNT_HOME": home, "LEARNT_CONFIG": f"{home}/config.toml", "HOME": home}
    with Engine(assemble(setup.project, home=Home(environment), models=Hashes(environment))) as engine:
        engine.reembed()
    return environment


@contextmanager
def _serving(setup: Setup, environment: dict[str, str]) -> Iterator[subprocess.Popen[bytes]]:
    code = SERVE.format(
        source=source_folder(), dimension=DIMENSION, environment=environment, project=str(setup.project)
    )
    process = subprocess.Popen([sys.executable, "-c", code])
    try:
        end_s = time.monotonic() + STARTUP_S
        while not Path(frame.socket_path(str(setup.home))).exists():
            if time.monotonic() > end_s or process.poll() is not None:
                raise RuntimeError("the warm process does not run")
            time.sleep(0.05)
        yield process
    finally:
        process.kill()
        process.wait()


def _questions(setup: Setup, pid: int) -> Iterator[Figure]:
    asked, origin = prompts()
    every = [f"{asked[number % len(asked)]} {number}" for number in range(ASKED + WARM_UP)]
    root = place(str(setup.project)).root
    waits_s, ran, cpu_s = [], 0, 0.0
    for number, text in enumerate(every):
        if number == WARM_UP:
            cpu_s = _cpu_s(pid)
        begun = time.perf_counter()
        reply = warm.asked(str(setup.home), ["recall", root, "", text], PATIENCE_S)
        if number >= WARM_UP:
            waits_s.append(time.perf_counter() - begun)
            ran += reply[:2] == ["ok", "ran"]
    cpu_ms = 1000 * (_cpu_s(pid) - cpu_s) / ASKED
    late = sum(each > warm.TOTAL_S for each in waits_s)
    came = f"{ran} by the dense arm, {late} later than a hook waits"
    how = f"{COUNT:,} memories, {DIMENSION} dimensions, {ASKED} prompts ({origin}), {came}"
    waits_ms = [1000 * each for each in waits_s]
    name = "warm process, one question beyond the embedding"
    yield Figure(f"{name}, CPU", cpu_ms, "ms", 25.0, "<=", "mean", f"processor time of the process; {how}")
    seen = f"p95 {percentile(waits_ms, 0.95):.1f} ms"
    yield Figure(f"{name}, wall", statistics.median(waits_ms), "ms", 25.0, "<=", "p50", f"wall; {seen}; {how}")


def _cpu_s(pid: int) -> float:
    """Processor seconds of a process so far."""
    fields = Path(f"/proc/{pid}/stat").read_text(encoding="ascii").rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def _firings(setup: Setup) -> Iterator[Figure]:
    """A whole firing by turns with the warm process and with words alone; the row decides."""
    asked, origin = prompts()
    found: dict[str, list[float]] = {"hash:384": [], "": []}
    with closing(SqliteStore.open(setup.home / "memory.db", now=lambda: NOW)) as store:
        for number in range(RUNS + WARM_UP):
            for row, spent in found.items():
                with store.transaction():
                    store.meta.put(frame.ROW, row)
                payload = setup.payload(f"{row}-{number}", asked[number % len(asked)])
                sample = measured(["/bin/sh", "-c", setup.command], payload)
                if number >= WARM_UP:
                    spent.append(1000 * sample.cpu_s)
        ran = _ran(store)
    with_it, without = (statistics.median(each) for each in found.values())
    how = f"CPU of the hook; {with_it:.1f} ms against {without:.1f} ms; {RUNS} runs by turns ({origin}), {ran} answered"
    yield Figure(
        "prompt hook that asks the warm process, more than by words", with_it - without, "ms", None, "<=", "median", how
    )


def _ran(store: SqliteStore) -> int:
    counted = "SELECT count(*) FROM memory_recall_usage WHERE usage_json ->> '$.dense' = 'ran'"
    return int(store.connection.rows(counted)[0][0])
