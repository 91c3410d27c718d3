"""Hooks at the start of a session, and of other hosts: what a summary costs, what a start with nothing to do costs.

The command lines that `learnt init` writes, run by a shell, all of them in turn with an empty Python (as `bench.hook`):
CPU of the process, user and system. Each is of a new session, in a store of 1,000 memories or of one. The transcript
lies among 200 of the last days that were read before, where the host says where it lies. The summary is 5,000 tokens
long, each of its lines names one memory, 60 in all; the host takes 9,000 characters, so that not all of it is shown.
Nothing waits for a worker, which is what has to be found out.
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
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from bench.figure import Figure
from bench.hook import NOW, WARM_UP, Setup, measured
from bench.recall import SEED, prompts
from learnt.gate.clearance import PATTERN_SET
from learnt.interfaces.hook.stub import STUB, command_line
from learnt.model.keys import sha256_hex
from learnt.model.place import place
from learnt.model.scope import Scope
from learnt.model.thread import Summary
from learnt.stores.sqlite.store import SqliteStore
from learnt.testing import samples

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

RUNS = 80
MEMORIES, NAMED, SUMMARY_TOKENS, READ = 1_000, 60, 5_000, 200
LIMIT: Final = 3.0
"""Times an empty Python. Source: issue of the spine, the prompt hook among 10,000 memories."""
_DAY_S = 86_400
_EVENTS: Final[dict[str, tuple[str, str]]] = {
    "claude-code": ("session-start", "user-prompt-submit"),
    "codex": ("session-start", "user-prompt-submit"),
    "gemini-cli": ("session-start", "before-agent"),
    "copilot-cli": ("session-start", "user-prompt-submitted"),
    "opencode": ("session-created", "chat-message"),
    "pi": ("session-start", "before-agent-start"),
}
"""A host's words for a start and for a prompt."""


class Machine:
    """A person's store, and the transcripts a client keeps beside each other."""

    def __init__(self, folder: Path, python: str, memories: int) -> None:
        self._setup = Setup(folder, python, memories, 0)
        self._python = python
        self._sessions = folder / "sessions"
        self._sessions.mkdir()
        repository = place(str(self._setup.project)).repository_id
        self._scope = Scope(type="repository", repo_id=repository)
        late_s = time.time() - 5 * _DAY_S
        os.utime(self._setup.home / STUB, (late_s, late_s))  # what was written before the hooks were there is not asked
        with self._store() as store, store.transaction():
            for number in range(READ):
                self._read(store, number)

    def _store(self) -> closing[SqliteStore]:
        return closing(SqliteStore.open(self._setup.database, now=lambda: NOW))

    def _read(self, store: SqliteStore, number: int) -> None:
        path = self._sessions / f"read-{number}.jsonl"
        path.write_text("{}\n", "utf-8")
        late_s = time.time() - _DAY_S
        os.utime(path, (late_s, late_s))
        store.archive.put_session(samples.session(self._scope, f"read-{number}", path=str(path), offset=3))

    def summarise(self) -> None:
        """Put a summary of the full length into the store."""
        with self._store() as store, store.transaction():
            known = store.connection.rows("SELECT id, text FROM memory_items ORDER BY row LIMIT ?", (NAMED,))
            text = _summary([(str(name), str(told)) for name, told in known])
            digest = sha256_hex(text)
            made = Summary(scope_key=self._scope.key, digest=digest, text=text, clearance=PATTERN_SET, made_at=NOW)
            store.summaries.put(made)

    def cpu_s(self, host: str, event: str, session: str, prompt: str = "") -> float:
        """One hook."""
        project = str(self._setup.project)
        given = {"session_id": session, "transcript_path": str(self._sessions / "now.jsonl"), "cwd": project}
        payload = _payload(host, given, prompt)
        line = command_line(self._python, str(self._setup.home), event, host)
        return measured(["/bin/sh", "-c", line], json.dumps(payload).encode()).cpu_s


def _payload(host: str, given: Mapping[str, str], prompt: str) -> dict[str, Any]:
    """What the host writes to standard input, at a start or with a prompt."""
    asked = {"prompt": prompt} if prompt else {"source": "startup"}
    match host:
        case "copilot-cli":
            return {"sessionId": given["session_id"], "timestamp": 1, "cwd": given["cwd"], **asked}
        case "opencode":
            parts = {"output": {"parts": [{"type": "text", "text": prompt}]}} if prompt else {"source": "startup"}
            return {"cwd": given["cwd"], "input": {"sessionID": given["session_id"]}, **parts}
        case "pi":
            return {"session_id": given["session_id"], "cwd": given["cwd"], **asked}
        case _:
            return {**given, **asked}


def _summary(known: Sequence[tuple[str, str]]) -> str:
    """One line a memory, as long as it takes."""
    each_chars = SUMMARY_TOKENS * 4 // len(known)
    rows = ["v1", "", "## Known here", ""]
    for memory, text in known:
        tail = f" [{memory}] (trust person)"
        rows.append("- " + (text * 9)[: each_chars - len(tail) - 3] + tail)
    return "\n".join(rows) + "\n"


def figures() -> Iterator[Figure]:
    """Starts of Claude Code in three stores, then starts and prompts of every host."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(folder / "venv")], check=True)
        python = str(folder / "venv" / "bin" / "python")
        empty, plain, told = (
            Machine(folder / each, python, count) for each, count in (("a", 1), ("b", MEMORIES), ("c", MEMORIES))
        )
        told.summarise()
        machines = {"nothing to do": empty, f"{MEMORIES:,} memories": plain, "and a summary": told}
        yield from _starts(python, machines)
        yield from _hosts(python, plain)


def _starts(python: str, machines: Mapping[str, Machine]) -> Iterator[Figure]:
    base: list[float] = []
    spent: dict[str, list[float]] = {name: [] for name in machines}
    for number in range(RUNS + WARM_UP):
        base.append(measured([python, "-I", "-c", "pass"], b"").cpu_s)
        for name, machine in machines.items():
            spent[name].append(machine.cpu_s("claude-code", "session-start", f"s-{number}"))
    for name, each in spent.items():
        yield _figure(f"start hook, {name}", each, base, LIMIT)


def _hosts(python: str, machine: Machine) -> Iterator[Figure]:
    asked, _ = prompts()
    base: list[float] = []
    spent: dict[str, list[float]] = {f"{what} hook, {host}": [] for what in ("start", "prompt") for host in _EVENTS}
    for number in range(RUNS // 2 + WARM_UP):
        base.append(measured([python, "-I", "-c", "pass"], b"").cpu_s)
        for host, (start, prompt) in _EVENTS.items():
            session = f"h-{number}"
            spent[f"start hook, {host}"].append(machine.cpu_s(host, start, session))
            spent[f"prompt hook, {host}"].append(machine.cpu_s(host, prompt, session, asked[number % len(asked)]))
    for name, each in spent.items():
        yield _figure(f"{name}, {MEMORIES:,} memories", each, base, LIMIT)


def _figure(name: str, spent: list[float], base: list[float], limit: float) -> Figure:
    hook_s, base_s = (statistics.median(each[WARM_UP:]) for each in (spent, base))
    seen = f"CPU; hook {hook_s * 1000:.1f} ms, `-I -c pass` {base_s * 1000:.1f} ms; {READ} transcripts read before"
    how = f"{len(spent) - WARM_UP} runs by turns, seed {SEED}"
    return Figure(name, hook_s / base_s, "times", limit, "<=", "ratio of medians", f"{seen}; {how}")
