"""`sessions scan` over two thousand sessions of seven hosts, by a person who uses them all.

Each file is a copy of one session of its host (60 KB, see `bench.formats` and `bench.hosts`) under an id of its own,
where the client keeps it; opencode's lie in one database. They ran in a folder that is there no more. A process of its
own: Python's start and the imports are in the clock. Nothing was read before, and nothing is read now. The same with a
tenth of them tells what a session adds.
"""

from __future__ import annotations

import json
import os
import resource
import sqlite3
import subprocess
import sys
import tempfile
import uuid
from pathlib import Path
from typing import TYPE_CHECKING, Final

from bench.figure import Figure
from bench.hosts import THREAD, written
from bench.sessions import SEED, session
from bench.write import Place

if TYPE_CHECKING:
    from collections.abc import Iterator

MANY, FEW = 2_000, 200
_BYTES = 60_000
_FILES: Final[dict[str, tuple[float, str, str]]] = {
    "claude-code": (0.3, str(uuid.UUID(int=SEED << 64)), ".claude/projects/-home-dev-project/{id}.jsonl"),
    "codex": (0.2, THREAD, ".codex/sessions/2026/11/20/rollout-2026-11-20T09-00-00-{id}.jsonl"),
    "gemini-cli": (0.15, THREAD, ".gemini/tmp/project/chats/session-2026-11-20T09-00-{id:.8}.jsonl"),
    "copilot-cli": (0.15, THREAD, ".copilot/session-state/{id}/events.jsonl"),
    "pi": (0.1, '"id":"p1"', ".pi/agent/sessions/--home-dev-project--/2026-11-20T09-00-00-000Z_{id}.jsonl"),
    "cline": (0.05, '"sessionId":"s1"', ".cline/data/sessions/{id}/{id}.messages.json"),
}
"""Host -> its share, what stands in its file for the session, and where the file lies in the person's home."""
_OPENCODE = 0.05
_COPY: Final = """
INSERT INTO session SELECT ?1, parent_id, directory, title, version, permission, revert, time_created, time_updated
FROM session WHERE id = 'ses_1';
INSERT INTO message SELECT id || ?1, ?1, time_created, time_updated, data FROM message WHERE session_id = 'ses_1';
INSERT INTO part SELECT id || ?1, message_id || ?1, ?1, time_created, time_updated, data FROM part
WHERE session_id = 'ses_1'
"""
"""opencode's session again under another id."""


def figures() -> Iterator[Figure]:
    """Processor time, what a session adds, and the peak."""
    with tempfile.TemporaryDirectory() as folder:
        few = _scanned(Path(folder), FEW)
    with tempfile.TemporaryDirectory() as folder:
        many = _scanned(Path(folder), MANY)
    given = f"{many['found']:.0f} sessions of 60 KB of seven hosts, seed {SEED}; {many['unread']:.0f} are new"
    yield Figure("sessions scan", many["cpu_s"], "s", 10, "<=", "one run, CPU, whole process", given)
    added = (many["cpu_s"] - few["cpu_s"]) / (many["found"] - few["found"]) * 1_000
    yield Figure("sessions scan, a session more", added, "ms", 5, "<=", "difference", f"against {few['found']:.0f}")
    yield Figure("sessions scan, peak memory", many["peak_mb"], "MB", 200, "<=", "maximum", "whole process")


def _scanned(folder: Path, count: int) -> dict[str, float]:
    home = folder / "person"
    for host, (share, mark, place) in _FILES.items():
        _copies(folder, home, host, mark, place, round(count * share))
    _base(folder, home, round(count * _OPENCODE))
    kept = {name: value for name, value in os.environ.items() if name in {"PATH", "LANG"}}
    command = [sys.executable, "-m", "bench.scan", str(folder)]
    done = subprocess.run(command, capture_output=True, check=True, text=True, env={**kept, "HOME": str(home)})
    answer: dict[str, float] = json.loads(done.stdout)
    return answer


def _copies(folder: Path, home: Path, host: str, mark: str, place: str, count: int) -> None:
    source = folder / host
    source.mkdir()
    if host == "claude-code":
        session(source / "one.jsonl", 0, _BYTES, Path("/home/dev/project"))
        content = (source / "one.jsonl").read_text("utf-8")
    else:
        content = Path(written(source, host, _BYTES)).read_text("utf-8")
    for number in range(count):
        name = f"{number:08x}-0000-4000-8000-000000000000"
        path = home / place.format(id=name)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content.replace(mark, mark.replace("p1", name).replace("s1", name) if '"' in mark else name))


def _base(folder: Path, home: Path, count: int) -> None:
    """One session of opencode, and copies of its row: what is looked at of each is the same."""
    (folder / "opencode").mkdir()
    made = Path(written(folder / "opencode", "opencode", _BYTES).partition("#")[0])
    path = home / ".local" / "share" / "opencode" / "opencode.db"
    path.parent.mkdir(parents=True)
    made.rename(path)
    with sqlite3.connect(path) as base:
        for name in (f"s{number}" for number in range(1, count)):
            for statement in _COPY.split(";"):
                base.execute(statement, (name,))
    base.close()


def child(folder: Path) -> None:
    """What the measured process does."""
    with Place(folder).engine() as engine:
        found = engine.scan(everywhere=True, reads="none").found
    spent = resource.getrusage(resource.RUSAGE_SELF)
    counts = {"found": len(found), "unread": sum(each.status == "new" for each in found)}
    peak_mb = spent.ru_maxrss * 1024 / 1_000_000
    print(json.dumps({"cpu_s": spent.ru_utime + spent.ru_stime, "peak_mb": peak_mb, **counts}))


if __name__ == "__main__":
    child(Path(sys.argv[1]))
