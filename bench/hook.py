"""The prompt hook from the outside: the command line `learnt init` writes, run by a shell, against an empty Python.

Candidate and baseline run by turns in one series. CPU is user and system time of the process and what it waited for
(`wait4`); caches of files and of compiled modules are warm. The baseline's environment is fresh and holds nothing, so
it starts as fast as this Python can. Memories: synthetic, see `bench.recall`. Prompts: 5 words of a memory among 10
others, each in a session of its own, so that every run finds, renders and writes a receipt.
"""

from __future__ import annotations

import json
import os
import random
import statistics
import subprocess
import sys
import tempfile
import time
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from bench.figure import Figure
from bench.recall import VOCABULARY, drawn, fill
from learnt.gate.clearance import PATTERN_SET
from learnt.interfaces.hook.limits import ALL
from learnt.interfaces.hook.stub import command_line, source_folder, stub_text, write_stub
from learnt.model.place import place
from learnt.model.scope import Scope
from learnt.stores.sqlite.store import SqliteStore

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

RUNS = 60
SEED = 7
FOREIGN_SCOPES, FOREIGN_EACH = 50, 20_000
NOW = "2026-06-01T00:00:00.000Z"


@dataclass(frozen=True, slots=True)
class Sample:
    """One run: seconds of CPU and of waiting."""

    cpu_s: float
    wall_s: float


class Setup:
    """A data directory with a store, and prompts that match what is in it."""

    def __init__(self, folder: Path, python: str, count: int, foreign: int) -> None:
        self.home, self.project = folder / "home", folder / "project"
        for made in (self.home, self.project, folder / "config" / "keys"):
            made.mkdir(parents=True)
        (folder / "config" / "keys" / "receipts.key").write_bytes(b"k" * 32)
        database = self.home / "memory.db"
        for number in range(foreign):
            fill(database, Scope(type="repository", repo_id=f"foreign-{number}"), FOREIGN_EACH, SEED + 1 + number)
        scope = Scope(type="repository", repo_id=place(str(self.project)).repository_id)
        self.texts = fill(database, scope, count, SEED)
        with closing(SqliteStore.open(database, now=lambda: NOW)) as store, store.transaction():
            store.connection.write("UPDATE memory_items SET clearance = ?", (PATTERN_SET,))
            store.meta.put(ALL, "1")
        config = str(folder / "config" / "config.toml")
        text = stub_text(source=source_folder(), home=str(self.home), database=str(database), config=config)
        write_stub(str(self.home), text)
        self.command = command_line(python, str(self.home), "user-prompt-submit", "claude-code")

    def payload(self, number: int) -> bytes:
        """What the host writes to standard input."""
        pick = random.Random(number)
        words = pick.sample(self.texts[pick.randrange(len(self.texts))].split(), 5)
        words += [VOCABULARY[each] for each in drawn(1, number + 1_000)[0][:10].tolist()]
        pick.shuffle(words)
        return json.dumps(
            {
                "session_id": f"session-{number}",
                "transcript_path": "/home/dev/.claude/projects/x/s.jsonl",
                "cwd": str(self.project),
                "permission_mode": "default",
                "hook_event_name": "UserPromptSubmit",
                "prompt": " ".join(words),
            }
        ).encode()

    def receipts(self) -> int:
        """How many receipts with memories were written."""
        with closing(SqliteStore.open(self.home / "memory.db", now=lambda: NOW)) as store:
            return int(store.connection.rows("SELECT count(DISTINCT usage_seq) FROM usage_memories")[0][0])


def measured(command: Sequence[str], payload: bytes) -> Sample:
    """One run of a command with this input."""
    with tempfile.TemporaryFile() as given, tempfile.TemporaryFile() as out:
        given.write(payload)
        given.seek(0)
        begun = time.perf_counter()
        process = subprocess.Popen(command, stdin=given, stdout=out, stderr=subprocess.STDOUT)
        _, status, usage = os.wait4(process.pid, 0)
        wall = time.perf_counter() - begun
        process.returncode = status
        if status:
            raise RuntimeError(f"{command} ended with {status}")
    return Sample(usage.ru_utime + usage.ru_stime, wall)


def figures() -> Iterator[Figure]:
    """Ratios at three sizes, then waiting times."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(folder / "venv")], check=True)
        python = str(folder / "venv" / "bin" / "python")
        setups = {
            "10,000 in scope": (Setup(folder / "a", python, 10_000, 0), 3.0),
            "100,000 in scope": (Setup(folder / "b", python, 100_000, 0), 3.5),
            "100,000 in scope, 1,000,000 foreign": (Setup(folder / "c", python, 100_000, FOREIGN_SCOPES), 3.5),
        }
        yield from _series(python, setups)


def _series(python: str, setups: dict[str, tuple[Setup, float]]) -> Iterator[Figure]:
    base: list[Sample] = []
    found: dict[str, list[Sample]] = {name: [] for name in setups}
    for number in range(-3, RUNS):  # three rounds to warm the caches
        samples = [("", measured([python, "-I", "-c", "pass"], b""))]
        samples += [
            (name, measured(["/bin/sh", "-c", setup.command], setup.payload(number)))
            for name, (setup, _) in setups.items()
        ]
        if number >= 0:
            base.append(samples[0][1])
            for name, sample in samples[1:]:
                found[name].append(sample)
    pass_s = statistics.median(each.cpu_s for each in base)
    how = f"{RUNS} runs by turns, seed {SEED}, through /bin/sh, receipt written"
    for name, (setup, limit) in setups.items():
        cpu_s = statistics.median(each.cpu_s for each in found[name])
        walls = sorted(each.wall_s for each in found[name])
        p95_s, median_s = walls[int(len(walls) * 0.95)], statistics.median(walls)
        shown = setup.receipts()
        conditions = f"{how}; CPU; baseline `-I -c pass` {pass_s * 1000:.1f} ms, hook {cpu_s * 1000:.1f} ms"
        yield Figure(f"prompt hook, {name}", cpu_s / pass_s, "times", limit, "<=", "ratio of medians", conditions)
        conditions = (
            f"{how}; wall; p50 {median_s * 1000:.1f} ms, p95 {p95_s * 1000:.1f} ms; {shown} of {RUNS + 3} showed"
        )
        yield Figure(f"prompt hook p95, {name}", p95_s / median_s, "times", 2.0, "<=", "p95 by median", conditions)
