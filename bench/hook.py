"""The prompt hook from the outside: the command line `learnt init` writes, run by a shell, against an empty Python.

Candidate and baseline run by turns; the ratio is the median of three series. CPU is user and system time of the process
and what it waited for (`wait4`); caches of files and of compiled modules are warm. The baseline's environment is fresh
and holds nothing, so it starts as fast as this Python can. Memories and prompts: see `bench.recall`; every run is a
session of its own, so that nothing is left out because it was shown before, and writes its receipt.
"""

from __future__ import annotations

import json
import os
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
from bench.recall import SEED, VOCABULARY, fill, prompts, texts_of
from learnt.gate.clearance import PATTERN_SET
from learnt.interfaces.hook.limits import ALL, COPY
from learnt.interfaces.hook.stub import command_line, source_folder, stub_text, write_stub
from learnt.model.instant import from_epoch
from learnt.model.keys import short_id
from learnt.model.pin import KEY, as_row
from learnt.model.place import place
from learnt.model.scope import Scope
from learnt.model.view import View
from learnt.stale import take
from learnt.stores.sqlite.store import SqliteStore

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

SERIES, RUNS = 3, 40
WARM_UP = 3
FOREIGN_SCOPES, FOREIGN_EACH = 50, 20_000
NOW = "2026-06-01T00:00:00.000Z"


@dataclass(frozen=True, slots=True)
class Sample:
    """One run: seconds of CPU and of waiting."""

    cpu_s: float
    wall_s: float


class Setup:
    """A data directory with a store."""

    def __init__(self, folder: Path, python: str, count: int, foreign: int) -> None:
        self.home, self.project = folder / "home", folder / "project"
        for made in (self.home, self.project, folder / "config" / "keys"):
            made.mkdir(parents=True)
        for name in ("receipts", "audit"):
            (folder / "config" / "keys" / f"{name}.key").write_bytes(b"k" * 32)
        (folder / "config" / "keys" / "audit").mkdir()
        self.database = database = self.home / "memory.db"
        for number in range(foreign):
            texts = texts_of(FOREIGN_EACH, SEED + 1 + number)
            fill(database, Scope(type="repository", repo_id=f"foreign-{number}"), texts)
        scope = Scope(type="repository", repo_id=place(str(self.project)).repository_id)
        fill(database, scope, texts_of(count, SEED))
        with closing(SqliteStore.open(database, now=lambda: NOW)) as store, store.transaction():
            store.connection.write("UPDATE memory_items SET clearance = ?", (PATTERN_SET,))
            store.meta.put(ALL, "1")
        self.config = str(folder / "config" / "config.toml")
        self._wire()
        self.command = command_line(python, str(self.home), "user-prompt-submit", "claude-code")

    def _wire(self) -> None:
        text = stub_text(source=source_folder(), home=str(self.home), database=str(self.database), config=self.config)
        write_stub(str(self.home), text)

    def copy(self) -> None:
        """The same as the copy of a store on a server that was brought up a moment ago."""
        self.database = self.database.rename(self.home / "copy.db")
        repository = Scope(type="repository", repo_id=place(str(self.project)).repository_id)
        with closing(SqliteStore.open(self.database, now=lambda: NOW)) as store, store.transaction():
            store.meta.put(COPY, "1")
            store.meta.put("copy.at." + short_id(repository.key), f"1 1 {from_epoch(time.time())}")
        self._wire()

    def age(self) -> None:
        """Of the memories the first 500 are superseded by the last, and every one is pinned to lines of 12 files.

        A third of the files were changed, a third moved. Full text is left as it is: what it finds of the superseded
        is dropped when the rows are read.
        """
        code = "".join(f"line {number} of the code\n" for number in range(300))
        pins = []
        for number, now in enumerate((code, "new\n" + code, code.replace("line 12 ", "other ")) * 4):
            (self.project / f"f{number}.py").write_text(now)
            pin = take.lines(f"f{number}.py", View(code.encode()), 11, 14, "")
            pins.append((json.dumps({"metadata": {KEY: [as_row(pin)]}}), number))
        with closing(SqliteStore.open(self.home / "memory.db", now=lambda: NOW)) as store, store.transaction():
            rows = [row for (row,) in store.connection.rows("SELECT row FROM memory_items ORDER BY row")]
            names = store.connection.rows("SELECT id FROM memory_items ORDER BY row DESC LIMIT 500")
            store.connection.write_many(
                "UPDATE memory_items SET status = 'superseded', superseded_by = ? WHERE row = ?",
                ((name, row) for row, (name,) in zip(rows, names, strict=False)),
            )
            store.connection.write_many("UPDATE memory_items SET record_json = ? WHERE row % 12 = ?", pins)

    def payload(self, session: str, prompt: str) -> bytes:
        """What the host writes to standard input."""
        return json.dumps(
            {
                "session_id": session,
                "transcript_path": "/home/dev/.claude/projects/x/s.jsonl",
                "cwd": str(self.project),
                "permission_mode": "default",
                "hook_event_name": "UserPromptSubmit",
                "prompt": prompt,
            }
        ).encode()

    def receipts(self) -> tuple[int, int]:
        """How many receipts were written, and how many of them tell of something that was shown."""
        counted = "SELECT (SELECT count(*) FROM memory_recall_usage), count(DISTINCT usage_seq) FROM usage_memories"
        with closing(SqliteStore.open(self.database, now=lambda: NOW)) as store:
            written, shown = store.connection.rows(counted)[0]
            return int(written), int(shown)


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
    """Ratios at three sizes, waiting times, and what the worst prompt costs."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(folder / "venv")], check=True)
        python = str(folder / "venv" / "bin" / "python")
        setups = {
            "10,000 in scope": (Setup(folder / "a", python, 10_000, 0), 3.0),
            "100,000 in scope": (Setup(folder / "b", python, 100_000, 0), 3.5),
            "100,000 in scope, 1,000,000 foreign": (Setup(folder / "c", python, 100_000, FOREIGN_SCOPES), 3.5),
        }
        asked, origin = prompts()
        for title, (setup, limit) in setups.items():
            yield from _measured(python, setup, title, limit, asked, origin)
        aged = Setup(folder / "d", python, 10_000, 0)
        aged.age()
        yield from _measured(python, aged, "10,000, 500 superseded, all pinned", None, asked, origin)
        copied = Setup(folder / "e", python, 10_000, 0)
        copied.copy()
        yield from _measured(python, copied, "10,000 in the copy of a store on a server", 3.0, asked, origin)
        worst = [" ".join(VOCABULARY[:40])]
        yield from _measured(python, setups["100,000 in scope"][0], "worst, 100,000", None, worst, "40 commonest words")


def _measured(
    python: str, setup: Setup, title: str, limit: float | None, asked: Sequence[str], origin: str
) -> Iterator[Figure]:
    """The ratio to the baseline and the spread of the waiting time, for one store and one set of prompts."""
    ratios, spreads, hooks, bases = [], [], [], []
    for series in range(SERIES):
        base, hook = [], []
        for number in range(RUNS + WARM_UP):
            prompt = asked[(series * RUNS + number) % len(asked)]
            empty = measured([python, "-I", "-c", "pass"], b"")
            full = measured(["/bin/sh", "-c", setup.command], setup.payload(f"{title}-{series}-{number}", prompt))
            if number >= WARM_UP:
                base.append(empty)
                hook.append(full)
        ratios.append(statistics.median(each.cpu_s for each in hook) / statistics.median(each.cpu_s for each in base))
        waits_s = sorted(each.wall_s for each in hook)
        spreads.append(waits_s[int(len(waits_s) * 0.95)] / statistics.median(waits_s))
        hooks.extend(hook)
        bases.extend(base)
    written, shown = setup.receipts()
    how = f"{SERIES} x {RUNS} runs by turns, {origin}, seed {SEED}, /bin/sh; {written} receipts, {shown} showed"
    cpu_s, base_s = (statistics.median(each.cpu_s for each in every) for every in (hooks, bases))
    seen = f"hook {cpu_s * 1000:.1f} ms, `-I -c pass` {base_s * 1000:.1f} ms"
    ratio, spread = statistics.median(ratios), statistics.median(spreads)
    yield Figure(f"prompt hook, {title}", ratio, "times", limit, "<=", "median ratio", f"CPU; {seen}; {how}")
    waits_s = sorted(each.wall_s for each in hooks)
    seen = f"p50 {statistics.median(waits_s) * 1000:.1f} ms, p95 {waits_s[int(len(waits_s) * 0.95)] * 1000:.1f} ms"
    bound = 2.0 if limit else None
    yield Figure(f"prompt hook, {title}, wall", spread, "times", bound, "<=", "p95 by p50", f"wall; {seen}; {how}")
