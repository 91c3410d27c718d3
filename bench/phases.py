"""Learning from sessions without a model: cold, again, and phase 2 of a large repository by itself.

60 sessions of Claude Code, generated (see `bench.sessions`), and where real ones are at hand beside the project also 60
copies of those, each under a session id and record ids of its own. Every measurement is a process of its own, from a
store on disk; its peak is what the system says. CPU is that of the process and of what it started (git). Outside of the
clock: Python's start, the imports, and opening the store, which every command does.
"""

from __future__ import annotations

import json
import resource
import statistics
import subprocess
import sys
import tempfile
import time
import uuid
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, Any

from bench.figure import Figure
from bench.sessions import SEED, sessions, statement
from bench.write import Place, text
from learnt.flows.consolidate import consolidate
from learnt.gate.clearance import PATTERN_SET
from learnt.model.answer import Refusal
from learnt.model.instant import from_epoch
from learnt.testing import samples

if TYPE_CHECKING:
    from collections.abc import Iterator

    from learnt import Engine
    from learnt.flows.means import Means
    from learnt.model.extraction import Extraction

COUNT, LIMIT_S, PEAK_MB = 60, 20, 200
EXTRACTIONS, FACTS, MEMORIES = 200, 12, 1_000
ROUNDS = 3
_REAL = Path(__file__).parents[2] / "shared" / "data" / "entire-sessions" / "transcripts"
_BEGUN_S = 1_790_000_000


def figures() -> Iterator[Figure]:
    """Capture, rebuild, rebuild again, of generated and of real sessions; then phase 2 alone."""
    with tempfile.TemporaryDirectory() as folder:
        made = sessions(Path(folder) / "sessions", COUNT, _project(Path(folder)))
        yield from _whole(Path(folder), f"{COUNT} generated sessions", made)
    if _REAL.is_dir():
        with tempfile.TemporaryDirectory() as folder:
            made = _copies(Path(folder) / "sessions", _project(Path(folder)))
            yield from _whole(Path(folder), f"{COUNT} copies of real sessions", made)
    with tempfile.TemporaryDirectory() as folder:
        yield from _second(Path(folder))


def _project(folder: Path) -> Path:
    project = folder / "project"
    subprocess.run(["git", "init", "-q", str(project)], check=True)
    return project


def _copies(folder: Path, project: Path) -> list[Path]:
    """The real ones in turn, as sessions of our project."""
    folder.mkdir()
    real = sorted(_REAL.glob("*.jsonl"))
    return [_copy(real[number % len(real)], folder, number, project) for number in range(COUNT)]


def _copy(source: Path, folder: Path, number: int, project: Path) -> Path:
    content = source.read_text("utf-8")
    rows = [json.loads(row) for row in content.splitlines()]
    fresh = str(uuid.UUID(int=(SEED << 64) + number))
    for session in {row["sessionId"] for row in rows if "sessionId" in row}:
        content = content.replace(session, fresh)
    for cwd in sorted({row["cwd"] for row in rows if "cwd" in row}, key=len, reverse=True):
        content = content.replace(cwd, str(project))
    for key in ("uuid", "parentUuid"):
        content = content.replace(f'"{key}":"', f'"{key}":"{number:02x}')
    path = folder / f"{fresh}.jsonl"
    path.write_text(content, "utf-8")
    return path


def _whole(folder: Path, what: str, made: list[Path]) -> Iterator[Figure]:
    lengths = sorted(path.stat().st_size for path in made)
    kb, size_mb = statistics.median(lengths) / 1_000, sum(lengths) / 1_000_000
    given = f"{what}, {size_mb:.1f} MB, median {kb:.0f} KB, seed {SEED}, SQLite, no embedder, warm files"
    taken, cold, again = (_child(folder, verb) for verb in ("capture", "rebuild", "rebuild"))
    found = f"{cold['facts']:.0f} facts, {cold['entries']:.0f} entries, {cold['skills']:.0f} skills"
    yield Figure(f"capture, {what}", taken["cpu_s"], "s", None, "<=", "one run, CPU", given)
    yield Figure(f"capture, {what}, peak memory", taken["peak_mb"], "MB", PEAK_MB, "<=", "maximum", "whole process")
    yield Figure(f"cold rebuild, {what}", cold["cpu_s"], "s", LIMIT_S, "<=", "one run, CPU", f"{given}; {found}")
    yield Figure(f"cold rebuild, {what}, wall", cold["wall_s"], "s", LIMIT_S, "<=", "one run, wall", given)
    yield Figure(f"cold rebuild, {what}, peak memory", cold["peak_mb"], "MB", PEAK_MB, "<=", "maximum", "whole process")
    told = f"{again['sessions']:.0f} sessions read, {again['written']:.0f} files written"
    yield Figure(f"rebuild again, {what}", again["cpu_s"], "s", 1, "<=", "one run, CPU", told)
    redone = again["sessions"] + again["written"]
    yield Figure(f"rebuild again, {what}, done anew", redone, "things", 0, "<=", "count", told)


def _child(folder: Path, verb: str) -> dict[str, float]:
    command = [sys.executable, "-m", "bench.phases", verb, str(folder)]
    done = subprocess.run(command, capture_output=True, check=True, text=True)
    answer: dict[str, float] = json.loads(done.stdout)
    return answer


def child(verb: str, folder: Path) -> None:
    """What a measured process does."""
    with Place(folder).engine() as engine:
        started_s, cpu_s = time.perf_counter(), _cpu_s()
        counts = _captured(engine, folder) if verb == "capture" else _rebuilt(engine)
        wall_s, cpu_s = time.perf_counter() - started_s, _cpu_s() - cpu_s
    peak_mb = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024 / 1_000_000
    print(json.dumps({"wall_s": wall_s, "cpu_s": cpu_s, "peak_mb": peak_mb, **counts}))


def _cpu_s() -> float:
    return sum(sum(resource.getrusage(who)[:2]) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))


def _captured(engine: Engine, folder: Path) -> dict[str, float]:
    done = engine.ingest(sorted((folder / "sessions").iterdir()))
    return {"sessions": sum(reading.status == "read" for reading in done.readings)}


def _rebuilt(engine: Engine) -> dict[str, float]:
    done = engine.rebuild()
    if isinstance(done, Refusal) or done.consolidated is None or done.failed:
        raise RuntimeError(f"not rebuilt: {done}")
    return {
        "sessions": len(done.sessions),
        "facts": sum(each.facts for each in done.sessions),
        "entries": done.consolidated.entries,
        "skills": len(done.consolidated.skills),
        "written": len(done.consolidated.written),
    }


def _second(folder: Path) -> Iterator[Figure]:
    """Phase 2 alone: what it takes to compose, to pass the gate, and to write; then the same with nothing new."""
    with Place(folder).engine() as engine:
        means = engine.assembly.means
        _filled(means)
        cold_s, done = _timed(means)
        again_s = statistics.median(_timed(means)[0] for _ in range(ROUNDS))
    given = f"{EXTRACTIONS} extractions of {FACTS} facts, {MEMORIES:,} memories, SQLite; {done} entries"
    yield Figure("phase 2 alone, first", cold_s, "s", 5, "<=", "one run, CPU", f"{given}; the gate built inside")
    yield Figure("phase 2 alone, nothing new", again_s, "s", 3, "<=", f"median of {ROUNDS}, CPU", given)


def _timed(means: Means) -> tuple[float, int]:
    began_s = time.process_time()
    done = consolidate(means)
    return time.process_time() - began_s, done.entries


def _filled(means: Means) -> None:
    rng = Random(SEED)
    scope = means.context.sight.one("repository")
    with means.store.transaction():
        for number in range(MEMORIES):
            means.store.memories.put(samples.memory(scope, text(rng, f"m{number}"), clearance=PATTERN_SET))
        for number in range(EXTRACTIONS):
            at = from_epoch(_BEGUN_S + number * 3_600)
            means.store.threads.put(samples.thread(scope, f"s{number}", updated_at=at))
            means.store.extractions.put(_extraction(means, rng, number, at))


def _extraction(means: Means, rng: Random, number: int, at: str) -> Extraction:
    facts: tuple[Any, ...] = tuple(samples.fact(statement(rng), section="decision") for _ in range(FACTS))
    scope = means.context.sight.one("repository")
    return samples.extraction(scope, f"s{number}", source_updated_at=at, generated_at=at, facts=facts)


if __name__ == "__main__":
    child(sys.argv[1], Path(sys.argv[2]))
