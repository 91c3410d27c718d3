"""A repository whose sessions are to be learnt from, what a worker of it is, and what must hold of what it makes."""

from __future__ import annotations

import json
import os
import shutil
import signal
import sqlite3
import sys
import tempfile
import time
from collections import Counter
from contextlib import closing, contextmanager, suppress
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any

from faults.world import database, engine
from learnt.bootstrap import assembly, machine
from learnt.flows import work
from learnt.flows.threads import here
from learnt.interfaces.hook import process
from learnt.interfaces.hook.limits import ALL
from learnt.model.backlog import JobFilter
from learnt.model.job import later
from learnt.model.keys import sha256_hex
from learnt.model.thread import CONSOLIDATE, EXTRACT

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from learnt.engine import Engine

KINDS = (EXTRACT, CONSOLIDATE)
RULE = "Always use uv here, never pip"
SECRET = "zanzibar"  # noqa: S105 - a word to be looked for, and to be forgotten
LATER_S = 2 * 180
"""Two terms of the longer lease. Source: what a takeover may take."""

_STEPS = ("make db", "make test")


@contextmanager
def place() -> Iterator[Path]:
    """A folder of a user's, and nothing left of it."""
    folder = Path(tempfile.mkdtemp(prefix="faults-"))
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def transcript(folder: Path, name: str, said: str, *, minute: int = 0) -> Path:
    """A session of two days ago in which a person says a rule and some steps work."""
    path = folder / "claude" / "projects" / "-repo" / f"{name}.jsonl"
    path.parent.mkdir(parents=True, exist_ok=True)
    began = datetime.now(UTC) - timedelta(days=2) + timedelta(minutes=minute)
    rows = [_row("user", {"role": "user", "content": said}, promptSource="typed", origin={"kind": "human"})]
    for number, step in enumerate(_STEPS):
        call = {"type": "tool_use", "id": f"t{number}", "name": "Bash", "input": {"command": step}}
        result = {"type": "tool_result", "tool_use_id": f"t{number}", "content": "ok", "is_error": False}
        rows += [
            _row("assistant", {"id": f"m{number}", "role": "assistant", "content": [call]}),
            _row("user", {"role": "user", "content": [result]}),
        ]
    text = {"type": "text", "text": "The tests pass now."}
    rows.append(_row("assistant", {"id": "end", "role": "assistant", "content": [text]}))
    with path.open("w", encoding="utf-8") as file:
        for number, row in enumerate(rows):
            at = (began + timedelta(seconds=number)).isoformat(timespec="milliseconds").replace("+00:00", "Z")
            own = {"cwd": str(folder / "repo"), "sessionId": name, "uuid": f"{name}-{number}", "timestamp": at}
            file.write(json.dumps({**row, **own}) + "\n")
    return path


def _row(kind: str, message: dict[str, Any], **more: object) -> dict[str, Any]:
    fixed = {
        "parentUuid": None,
        "isSidechain": False,
        "userType": "external",
        "entrypoint": "cli",
        "version": "2.1.332",
    }
    return {**fixed, "type": kind, "message": message, **more}


def at_work(folder: Path, url: str = "") -> Engine:
    """The engine of that user, who has Claude Code's sessions in the same folder."""
    return engine(folder, url=url, CLAUDE_CONFIG_DIR=str(folder / "claude"))


def taken_in(folder: Path, *names: str, url: str = "", about: str = RULE) -> None:
    """Write sessions and read them in."""
    paths = [str(transcript(folder, name, f"{about}, as {name} said.", minute=len(name))) for name in names]
    with at_work(folder, url) as opened:
        with opened.assembly.means.store.transaction():
            opened.assembly.means.store.meta.put(ALL, "1")  # as `learnt init` does
        done = opened.ingest(paths)
    if done.failed:
        raise RuntimeError(f"not read: {done.failed}")


def worker(
    folder: Path, *, url: str = "", late_s: float = 0.0, ahead_s: float = 0.0, term_s: float = 0.0
) -> Counter[str]:
    """One pass of a worker, as a session start begins one; how many attempts of which result.

    Args:
        late_s: So much later than it is, by the count of the machine. `ahead_s`: so far the wall clock is set ahead.
        term_s: Of leases, shorter than theirs.
    """
    if ahead_s:
        _set_clock(ahead_s)
    if late_s:
        told = machine.since_start
        setattr(assembly, "since_start", lambda: (told()[0], told()[1] + round(late_s * 1000)))  # noqa: B010
    if term_s:
        work.TRADES = tuple(replace(each, term_s=term_s) for each in work.TRADES)
    with at_work(folder, url) as opened:
        return Counter(opened.work(once=True, kinds=KINDS).counts)


def hook(folder: Path, session: str) -> None:
    """What a host does when a session starts: run the hook, and wait for no more than that."""
    os.environ.clear()
    os.environ.update({"HOME": str(folder), "PATH": os.defpath, "CLAUDE_CONFIG_DIR": str(folder / "claude")})
    given = folder / f"{session}.json"
    given.write_text(json.dumps({"session_id": session, "cwd": str(folder / "repo"), "source": "startup"}))
    os.dup2(os.open(given, os.O_RDONLY), 0)
    os.dup2(os.open(folder / f"{session}.out", os.O_WRONLY | os.O_CREAT), 1)
    process.run(["session-start"], str(folder / "data"), str(database(folder)), str(folder / "config.toml"))


def rested(folder: Path, sessions: int, within_s: float = 120.0) -> list[str]:
    """What is unfinished when the worker that a hook began has done all of it, or the time is over."""
    until_s, broken = time.monotonic() + within_s, ["not begun"]
    while broken and time.monotonic() < until_s:
        time.sleep(0.5)
        broken = list(unfinished(folder, sessions))
    return broken


def apart(act: Callable[[], object]) -> int:
    """Begin something in a process of its own; gives its number."""
    pid = os.fork()
    if pid == 0:
        code = 0
        try:
            act()
        except BaseException as error:  # noqa: BLE001 - the boundary of a process
            print(f"{type(error).__name__}: {error}", file=sys.stderr, flush=True)
            code = 1
        os._exit(code)
    return pid


def ended(pid: int) -> int:
    """How a process ended: its code, or minus the signal."""
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])


def alone(act: Callable[[], object]) -> int:
    """Do something in a process of its own, to its end."""
    return ended(apart(act))


def files(folder: Path) -> dict[str, str]:
    """The repository's files that anybody reads, by name, as digests."""
    top = folder / "data" / "projects"
    found = (path for path in top.rglob("*") if path.is_file() and not path.is_symlink())
    plain = ((path.relative_to(top).as_posix(), path) for path in found)
    return {
        name: sha256_hex(path.read_text("utf-8", "replace"))
        for name, path in plain
        if not any(part.startswith(".") for part in name.split("/"))
    }


def rows(folder: Path) -> dict[str, list[tuple[object, ...]]]:
    """What the phases write, by table."""
    tables = ("extractions", "summaries", "threads", "memory_events", "jobs", "memory_proposals", "memory_items")
    with closing(sqlite3.connect(database(folder))) as raw:
        return {table: sorted(raw.execute(f"SELECT * FROM {table}"), key=repr) for table in tables}  # noqa: S608


def unfinished(folder: Path, sessions: int, *, url: str = "", runs: int = 1, most: int = 0) -> Iterator[str]:
    """What does not hold after all was worked off.

    Args:
        runs: How often the artifacts were to be made. `most`: how often they may have been.
    """
    with at_work(folder, url) as opened:
        means = opened.assembly.means
        jobs = means.store.queue.page(here(means), JobFilter(kinds=KINDS, limit=1_000)).values
        for job in jobs:
            if job.status != "done" or job.error:
                yield f"{job.kind} {job.key} is {job.status}: {job.error}"
        yield from _counted(opened, sessions, runs, most or runs)
        summary, shelf = means.store.summaries.current(here(means)), opened.assembly.means.artifacts
        told = shelf.read(f"projects/{means.identity.repository_id}/memory_summary.md", 1 << 20) if shelf else None
        if summary is None or told is None or summary.text != told.decode():
            yield "what a session is told is not what the file says"
        elif not summary.text.startswith("v1\n"):
            yield "the summary has no version"
        if "audit" not in means.store.lacks and not opened.verify().verified:
            yield "the trail does not hold"


def _counted(opened: Engine, sessions: int, runs: int, most: int) -> Iterator[str]:
    means = opened.assembly.means
    held = len(means.store.extractions.ranks(here(means)))
    if held != sessions:
        yield f"{held} of {sessions} sessions are kept"
    told = Counter(row.operation for row in means.store.events.chain())
    targets = Counter(row.target_id for row in means.store.events.chain() if row.operation == "extract")
    if doubled := [name for name, count in targets.items() if count > 1]:
        yield f"{len(doubled)} sessions were kept twice"
    if not runs <= told["session_memory"] <= most:
        yield f"the artifacts were made {told['session_memory']} times, not {runs} to {most}"


def bytes_of(folder: Path, word: str) -> Iterator[str]:
    """Files of the data directory and the repository that hold a word, whatever they are."""
    for top in (folder / "data", folder / "repo"):
        for path in sorted(top.rglob("*")):
            if word in path.name or (path.is_file() and not path.is_symlink() and word.encode() in path.read_bytes()):
                yield str(path.relative_to(folder))


def _set_clock(ahead_s: float) -> None:
    """Set the wall clock of this process; the count of the machine since its start goes on."""
    right = machine.SystemClock.now

    def now(self: machine.SystemClock) -> str:
        return later(right(self), ahead_s)

    machine.SystemClock.now = now  # type: ignore[method-assign]


def known_reads(folder: Path) -> None:
    """Read all artifacts until somebody says that it is over, and write down which states were seen."""
    seen: set[tuple[str, str]] = set()
    while not (folder / "over").exists():
        with suppress(FileNotFoundError):
            seen.update(files(folder).items())
    (folder / "seen").write_text("".join(f"{name} {digest}\n" for name, digest in sorted(seen)))


def pause() -> None:
    """Stop this process until somebody lets it go on."""
    os.kill(os.getpid(), signal.SIGSTOP)
