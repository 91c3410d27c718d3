"""Reading transcripts: how fast, and in how much memory whatever the file.

The transcripts are generated: records of the size and mix of real Claude Code sessions (1.4 KB on average: replies,
thinking, shell calls with their output told twice, edits with the whole file beside them), every identity its own, a
compaction every 2,000 records. Each measurement is its own process; its peak is what the system says.
"""

from __future__ import annotations

import json
import os
import random
import resource
import statistics
import subprocess
import sys
import tempfile
import time
import uuid
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bench.figure import Figure

if TYPE_CHECKING:
    from collections.abc import Iterator

_MB = 1_000_000
_FILE_MB = int(os.environ.get("LEARNT_BENCH_TRANSCRIPT_MB", "200"))
_INGEST_MB = min(_FILE_MB, 60)
_SEED = 7
_ROUNDS = 3
_WORDS = [
    "the",
    "a",
    "cursor",
    "ledger",
    "total",
    "index",
    "retry",
    "parser",
    "shard",
    "queue",
    "route",
    "socket",
    "cache",
    "merge",
    "build",
    "lint",
    "failed",
    "passed",
    "test",
    "import",
    "error",
    "value",
    "line",
    "file",
    "path",
    "module",
    "function",
    "return",
    "config",
    "branch",
    "commit",
    "review",
    "token",
    "batch",
    "lease",
    "probe",
]


def _prose(rng: random.Random, words: int) -> str:
    return " ".join(rng.choices(_WORDS, k=words))


def _row(rng: random.Random, second: int, **fields: Any) -> dict[str, Any]:
    stamp = time.strftime("%Y-%m-%dT%H:%M:%S.000Z", time.gmtime(1_790_000_000 + second))
    return {
        "parentUuid": str(uuid.UUID(int=rng.getrandbits(128))),
        "isSidechain": False,
        "userType": "external",
        "cwd": "/home/dev/project",
        "sessionId": "11111111-2222-4333-8444-555555555555",
        "version": "2.1.332",
        "gitBranch": "main",
        "uuid": str(uuid.UUID(int=rng.getrandbits(128))),
        "timestamp": stamp,
        "entrypoint": "cli",
        **fields,
    }


def _assistant(rng: random.Random, second: int, block: dict[str, Any]) -> dict[str, Any]:
    usage = {"input_tokens": 12, "cache_creation_input_tokens": 900, "cache_read_input_tokens": 9000}
    message = {
        "id": f"msg_{rng.getrandbits(80):020x}",
        "type": "message",
        "role": "assistant",
        "model": "model-x",
        "content": [block],
        "stop_reason": None,
        "usage": {**usage, "output_tokens": 120, "service_tier": "standard"},
    }
    return _row(rng, second, type="assistant", message=message, requestId=f"req_{rng.getrandbits(64):016x}")


def _answer(rng: random.Random, second: int, call: str, output: str, details: Any, **marks: Any) -> dict[str, Any]:
    block = {"tool_use_id": call, "type": "tool_result", "content": output, **marks}
    return _row(rng, second, type="user", message={"role": "user", "content": [block]}, toolUseResult=details)


def _turn(rng: random.Random, second: int) -> Iterator[dict[str, Any]]:
    """A few records that belong together."""
    call = f"toolu_{rng.getrandbits(96):024x}"
    kind = rng.random()
    if kind < 0.04:
        prompt = {"role": "user", "content": _prose(rng, 30)}
        yield _row(rng, second, type="user", message=prompt, promptSource="typed", origin={"kind": "human"})
    if kind < 0.35:
        yield _assistant(rng, second, {"type": "thinking", "thinking": _prose(rng, 60), "signature": "c2ln" * 60})
        yield _assistant(rng, second, {"type": "text", "text": _prose(rng, 40)})
    if kind < 0.6:
        command = f"make {rng.choice(_WORDS)} && echo {_prose(rng, 6)} > out/{rng.choice(_WORDS)}.log"
        yield _assistant(rng, second, {"type": "tool_use", "id": call, "name": "Bash", "input": {"command": command}})
        output = "\n".join(_prose(rng, 12) for _ in range(rng.randrange(1, 30)))
        if kind < 0.42:
            output = f"Exit code {rng.randrange(1, 4)}\n{output}"
            yield _answer(rng, second + 1, call, output, f"Error: {output}", is_error=True)
        else:
            yield _answer(rng, second + 1, call, output, {"stdout": output, "stderr": "", "interrupted": False})
    else:
        path = f"/home/dev/project/src/{rng.choice(_WORDS)}_{rng.randrange(200)}.py"
        old, new = _prose(rng, 30), _prose(rng, 40)
        given = {"file_path": path, "old_string": old, "new_string": new}
        yield _assistant(rng, second, {"type": "tool_use", "id": call, "name": "Edit", "input": given})
        details = {"filePath": path, "oldString": old, "newString": new, "originalFile": _prose(rng, 250)}
        yield _answer(rng, second + 1, call, f"The file {path} has been updated.", details)


def transcript(path: Path, size_mb: int) -> None:
    """Write a transcript of about this size."""
    rng = random.Random(_SEED)
    size, second = 0, 0
    with path.open("w", encoding="utf-8") as file:
        while size < size_mb * _MB:
            second += 2
            for row in _turn(rng, second):
                size += file.write(json.dumps(row, separators=(",", ":")) + "\n")
            if second % 2_000 == 0:
                boundary = _row(rng, second, type="system", subtype="compact_boundary", parentUuid=None)
                size += file.write(json.dumps(boundary, separators=(",", ":")) + "\n")


def long_line(path: Path, size_mb: int, *, items: bool) -> None:
    """A transcript with one record of this size: an inline image, or a list of small items."""
    rng = random.Random(_SEED)
    image = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "@"}}
    shell = _answer(rng, 1, "toolu_1", "@" if items else [image], {"isImage": True})  # type: ignore[arg-type]
    before, _, after = json.dumps(shell, separators=(",", ":")).partition('"@"')
    unit, edges = ('{"a":1,"b":"x y"},', ("[", "{}]")) if items else ("iVBORw0KGgo" * 100, ('"', '"'))
    with path.open("w", encoding="utf-8") as file:
        file.writelines(json.dumps(row) + "\n" for second in range(100) for row in _turn(rng, second))
        file.write(before + edges[0])
        for _ in range(size_mb * _MB // len(unit)):
            file.write(unit)
        file.write(edges[1] + after + "\n")
        file.writelines(json.dumps(row) + "\n" for second in range(100, 200) for row in _turn(rng, second))


def child(path: str) -> None:
    """What the measured process does: one digest, screened by the gate as the command does it."""
    from learnt.capture.digest import digest
    from learnt.gate.scan import Gate
    from learnt.hosts.claude.reader import ClaudeReader

    gate = Gate()
    gate.redact("builds the automaton, which takes as long for a small file as for a large one")
    started_s, cpu_s = time.perf_counter(), time.process_time()
    found = digest(ClaudeReader(Path(path)), gate.redact)
    took_s, cpu_s = time.perf_counter() - started_s, time.process_time() - cpu_s
    peak_kb = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    print(json.dumps({"took_s": took_s, "cpu_s": cpu_s, "peak_kb": peak_kb, "records": found.stats.records}))


def ingesting(path: str) -> None:
    """What the process measured for `ingest` does: one file into a fresh store, no embedder, the gate built before."""
    from learnt import Engine

    with Engine.open(Path(path).parent) as engine:
        engine.assembly.means.gate.redact(
            "builds the automaton, which takes as long for a small file as for a large one"
        )
        started_s, cpu_s = time.perf_counter(), time.process_time()
        found = engine.ingest([path]).readings[0]
        took_s, cpu_s = time.perf_counter() - started_s, time.process_time() - cpu_s
    peak_kb = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    print(json.dumps({"took_s": took_s, "cpu_s": cpu_s, "peak_kb": peak_kb, "units": found.units}))


def _ingested(path: Path) -> dict[str, float]:
    with tempfile.TemporaryDirectory() as folder:
        config = Path(folder) / "config.toml"
        config.write_text("[embeddings]\nenabled = false\n", "utf-8")
        kept = {name: value for name, value in os.environ.items() if not name.startswith("LEARNT_")}
        command = [sys.executable, "-m", "bench.capture", "ingest", str(path)]
        own = {"LEARNT_HOME": str(Path(folder) / "home"), "LEARNT_CONFIG": str(config)}
        done = subprocess.run(command, capture_output=True, check=True, text=True, env=kept | own)
        answer: dict[str, float] = json.loads(done.stdout)
        return answer


def _measured(path: Path) -> dict[str, float]:
    command = [sys.executable, "-m", "bench.capture", "digest", str(path)]
    done = subprocess.run(command, capture_output=True, check=True, text=True)
    answer: dict[str, float] = json.loads(done.stdout)
    return answer


def figures() -> Iterator[Figure]:
    """Speed and peak memory of `learnt digest` and `learnt ingest`."""
    with tempfile.TemporaryDirectory() as folder:
        yield from _whole(Path(folder) / "session.jsonl")
        yield from _taken_in(Path(folder) / "session.jsonl")
        for name, items in (("one image", False), ("small items", True)):
            yield from _line(Path(folder) / "line.jsonl", name, items=items)


def _whole(path: Path) -> Iterator[Figure]:
    transcript(path, _FILE_MB)
    size_mb = path.stat().st_size / _MB
    runs = [_measured(path) for _ in range(_ROUNDS)]
    path.unlink()
    given = f"generated transcript of {size_mb:.0f} MB, {runs[0]['records']:.0f} records, seed {_SEED}, warm file"
    speed = statistics.median(size_mb / run["cpu_s"] for run in runs)
    inside = f"{given}; reading, folding, gate (automaton built before)"
    yield Figure("digest", speed, "MB/s", 40, ">=", f"median of {_ROUNDS}, CPU", inside)
    speed = statistics.median(size_mb / run["took_s"] for run in runs)
    yield Figure("digest, wall", speed, "MB/s", None, ">=", f"median of {_ROUNDS}, wall", inside)
    peak_mb = max(run["peak_kb"] for run in runs) * 1024 / _MB
    yield Figure("digest, peak memory", peak_mb, "MB", 64, "<=", "maximum", f"{given}; whole process")


def _taken_in(path: Path) -> Iterator[Figure]:
    transcript(path, _INGEST_MB)
    size_mb = path.stat().st_size / _MB
    runs = [_ingested(path) for _ in range(_ROUNDS)]
    path.unlink()
    given = (
        f"generated transcript of {size_mb:.0f} MB, {runs[0]['units']:.0f} units of evidence, seed {_SEED}, warm file"
    )
    inside = (
        f"{given}; redaction, evidence and its full text, lessons; fresh store, no embedder (automaton built before)"
    )
    speed = statistics.median(size_mb / run["cpu_s"] for run in runs)
    yield Figure("ingest", speed, "MB/s", 15, ">=", f"median of {_ROUNDS}, CPU", inside)
    speed = statistics.median(size_mb / run["took_s"] for run in runs)
    yield Figure("ingest, wall", speed, "MB/s", None, ">=", f"median of {_ROUNDS}, wall", inside)
    peak_mb = max(run["peak_kb"] for run in runs) * 1024 / _MB
    yield Figure("ingest, peak memory", peak_mb, "MB", 64, "<=", "maximum", f"{given}; whole process")


def _line(path: Path, name: str, *, items: bool) -> Iterator[Figure]:
    long_line(path, 50, items=items)
    run = _measured(path)
    given = f"200 turns and one line of 50 MB ({name})"
    yield Figure(f"digest, 50 MB line, {name}", 50 / run["took_s"], "MB/s", None, ">=", "one run, wall", given)
    peak_mb = run["peak_kb"] * 1024 / _MB
    yield Figure(f"digest, 50 MB line, {name}, peak memory", peak_mb, "MB", 64, "<=", "one run", given)


if __name__ == "__main__":
    {"digest": child, "ingest": ingesting}[sys.argv[1]](sys.argv[2])
