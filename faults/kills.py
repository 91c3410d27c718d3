"""C2: the process dies, at every call that writes and at any moment."""

from __future__ import annotations

import os
import random
import shutil
import signal
import sys
import tempfile
import time
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from faults.shim import KILL, NAMES, SYNCS, WRITES, answered, built, spoiled
from faults.verdict import Tally
from faults.world import database, engine, faults_of, home, lines, prepare, tidy, work
from learnt.model.answer import Refusal, Written
from learnt.stores.sqlite.store import SqliteStore
from learnt.testing.wrappers import Wrapper

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from faults.verdict import Scale, Verdict

_ACKS = "answered"
_JOBS = (
    ("remember, observe, propose, decide, outcome, flag, forget", "work"),
    ("import, export, checkpoint, compact, repair, rotate, backup, artifacts", "tidy"),
    ("the store of lines", "lines"),
)


class _Deadly(Wrapper):
    """A store whose process dies when its n-th call begins (or, at a commit, before it)."""

    calls = 0

    def __init__(self, inner: SqliteStore, deadly: int) -> None:
        super().__init__(inner)
        self._deadly = deadly

    def before(self, call: str) -> None:
        """Count, and die."""
        del call
        self.calls += 1
        if self.calls == self._deadly:
            os.kill(os.getpid(), signal.SIGKILL)


def verdicts(scale: Scale) -> Iterator[Verdict]:
    """At each call of each port; then at random moments, in one store after another."""
    yield _at_each_call(scale)
    library = built()
    for fault, job in _JOBS:
        yield _at_each_write(library, scale, fault, job)
    yield _at_random(scale)


def _at_each_call(scale: Scale) -> Verdict:
    tally = Tally("C2", "SIGKILL before each call of a port: remember, observe, propose, decide, outcome, flag, forget")
    at = 1
    while True:
        folder = Path(tempfile.mkdtemp(prefix="faults-"))
        died = _child(folder, partial(_once, folder, at))
        if not died:
            shutil.rmtree(folder)
            return tally.verdict(f"{at - 1:,} calls in all")
        tally.tried += 1
        _judge(tally, folder, f"call {at}")
        shutil.rmtree(folder)
        at += scale.every


def _at_each_write(library: Path | None, scale: Scale, fault: str, job: str) -> Verdict:
    tally = Tally("C2", f"SIGKILL before each write, sync, rename, removal: {fault}")
    if library is None:
        return tally.verdict("not tried: there is no C compiler, or this is not Linux")
    for report in spoiled(library, job, KILL, WRITES | SYNCS | NAMES, every=scale.every):
        when = f"call {report.at}"
        tally.tried += 1
        tally.expect(report.died, f"{when}: nobody died")
        url = lines(report.folder) if job == "lines" else ""
        for what in (*faults_of(report.folder, answered(report.folder), url=url), *_redone(report.folder, url)):
            tally.expect(False, f"{when}: {what}")
    return tally.verdict()


def _redone(folder: Path, url: str) -> Iterator[str]:
    """What is wrong with files after they were made once more: they are whole, and nothing temporary is left."""
    with engine(folder, url=url) as opened:
        memory = opened.remember("Redone.", kind="project_fact")
        if not isinstance(memory, Written):
            yield "writes do not go on"
            return
        opened.outcome(memory_id=memory.memory.id, outcome="useful")  # makes the artifacts
        opened.export(folder / "out")
        opened.compact(confirm=True)
        taken = opened.import_(folder / "out", dry_run=True)
        if isinstance(taken, Refusal):
            yield f"the export does not come in again: {taken.code}"
    for path in (*(folder / "data").rglob("*"), *(folder / "out").rglob("*"), *folder.glob(".*")):
        if path.suffix == ".fresh" or path.name.startswith((".", "tmp")):
            yield f"left over: {path}"


def _at_random(scale: Scale) -> Verdict:
    tally = Tally("C2", "SIGKILL at a random moment while a process writes, the same store again and again")
    chance = random.Random(7)
    folder = Path(tempfile.mkdtemp(prefix="faults-"))
    prepare(folder)
    for number in range(scale.kills):
        _child(folder, partial(_forever, folder, number), after_s=chance.uniform(0.01, 0.25))
        tally.tried += 1
        if number % 20 == 19 or number == scale.kills - 1:
            _judge(tally, folder, f"kill {number}")
    shutil.rmtree(folder)
    return tally.verdict()


def _judge(tally: Tally, folder: Path, when: str) -> None:
    told = answered(folder)
    if database(folder).exists():
        for what in faults_of(folder, told):
            tally.expect(False, f"{when}: {what}")
    else:
        tally.expect(not told, f"{when}: no store, and answers")


def _child(folder: Path, act: Callable[[], None], after_s: float | None = None) -> bool:
    """Do something in a process of its own; whether it was killed."""
    pid = os.fork()
    if pid == 0:
        code = 0
        try:
            act()
        except BaseException as error:  # noqa: BLE001 - the boundary of a process
            print(f"{type(error).__name__}: {error}", file=sys.stderr)
            code = 3
        os._exit(code)
    if after_s is not None:
        time.sleep(after_s)
        os.kill(pid, signal.SIGKILL)
    _, status = os.waitpid(pid, 0)
    if os.WIFEXITED(status) and os.WEXITSTATUS(status) and after_s is None:
        raise RuntimeError(f"the worker in {folder} failed by itself")
    return os.WIFSIGNALED(status)


def _once(folder: Path, deadly: int) -> None:
    home(folder)
    inner = SqliteStore.open(database(folder), now=_now)
    with engine(folder, _Deadly(inner, deadly)) as opened:
        work(opened, "once", _teller(folder))


def _forever(folder: Path, number: int) -> None:
    with engine(folder) as opened:
        for again in range(10_000):
            work(opened, f"{number}x{again}", _teller(folder))
            tidy(opened, folder, f"{number}x{again}", _teller(folder))


def _now() -> str:
    from learnt.bootstrap.machine import SystemClock

    return SystemClock().now()


def _teller(folder: Path) -> Callable[[str], None]:
    """Keeps what was answered where a kill does not reach it: in the system's own hands, whole lines only."""
    handle = os.open(folder / _ACKS, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)

    def tell(name: str) -> None:
        os.write(handle, f"{name}\n".encode())

    return tell
