"""A worker that stands still at every step, while another takes over, or somebody forgets or clears; then it goes on.

Or it dies there. Where it stands still in the middle of a transaction of a file nobody else can write: then it goes on
first.
"""

from __future__ import annotations

import os
import shutil
import signal
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Any

from faults.sessions import (
    LATER_S,
    SECRET,
    alone,
    apart,
    at_work,
    bytes_of,
    ended,
    files,
    pause,
    rows,
    taken_in,
    unfinished,
    worker,
)
from learnt.bootstrap import outlets
from learnt.errors import StoreBusyError
from learnt.model.answer import Refusal
from learnt.stores.postgres.store import PostgresStore
from learnt.stores.sqlite.store import SqliteStore

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from contextlib import AbstractContextManager

    from learnt.ports.store import Store

_PARTS = ("data", "keys", "claude", "repo")
_BUSY = 7
_SAID = f"Always use the {SECRET} host for releases, never another"


@dataclass(frozen=True, slots=True)
class Case:
    """What somebody else does meanwhile, in a process of its own, and what does not hold in the end.

    Attributes:
        goes_on: Whether the worker that stood still goes on, or is killed.
    """

    meddle: Callable[[Path], None]
    wrong: Callable[[Path], Iterator[str]]
    goes_on: bool = True


def stalls(folder: Path, case: Case, every: int = 1) -> Iterator[tuple[int, list[str]]]:
    """For each step: which it was, and what did not hold."""
    if alone(lambda: _begun(folder)):
        raise RuntimeError("there is nothing to begin with")
    for part in _PARTS:
        shutil.copytree(folder / part, folder / "before" / part)
    for at in count(1, every):
        for part in _PARTS:
            shutil.rmtree(folder / part)
            shutil.copytree(folder / "before" / part, folder / part)
        pid = apart(partial(stalling, folder, at))
        if not os.WIFSTOPPED(os.waitpid(pid, os.WUNTRACED)[1]):
            return
        yield at, [*_met(folder, pid, case), *case.wrong(folder)]


def _begun(folder: Path) -> None:
    """Artifacts of one session, a region, copied skills, `learned.md`; and two sessions that wait."""
    taken_in(folder, "s1")
    taken_in(folder, "s0", about=_SAID)
    with at_work(folder) as opened:
        for kind in ("lesson", "project_fact"):
            opened.remember(f"{_SAID}.", kind=kind)
    worker(folder)
    (folder / "repo" / "CLAUDE.md").write_text("# Ours\n")
    with at_work(folder) as opened:
        opened.publish("CLAUDE.md")
        opened.give_skills("claude-code")
    taken_in(folder, "s2", about="The build needs node 22")
    taken_in(folder, "s3", about=_SAID)


def _met(folder: Path, pid: int, case: Case) -> Iterator[str]:
    """Let somebody meddle with a worker that stands still, then let it go on or die."""
    code = alone(lambda: _busily(folder, case))
    if code not in {0, _BUSY}:
        yield f"the other ended with {code}"
    held = (files(folder), rows(folder)) if case.goes_on and not code else None
    os.kill(pid, signal.SIGCONT if case.goes_on else signal.SIGKILL)
    if (left := ended(pid)) and case.goes_on:
        yield f"it ended with {left}"
    if code == _BUSY:  # it held the store: whoever waited comes after it
        if code := alone(lambda: _busily(folder, case)):
            yield f"the other ended with {code} after it"
    elif held and case.meddle is overtake:
        yield from _damaged(folder, *held)


def _busily(folder: Path, case: Case) -> None:
    try:
        case.meddle(folder)
    except StoreBusyError:
        os._exit(_BUSY)


def _damaged(folder: Path, held: dict[str, str], kept: dict[str, list[tuple[object, ...]]]) -> Iterator[str]:
    now, left = files(folder), rows(folder)
    if changed := sorted(name for name in {*held, *now} if held.get(name) != now.get(name)):
        yield f"files of the other are damaged: {changed}"
    if changed := sorted(name for name in kept if kept[name] != left[name]):
        yield f"rows of the other are changed: {changed}"


def overtake(folder: Path) -> None:
    """Another session comes, and a worker after two terms."""
    taken_in(folder, "s4", about="Deploys go through the blue gate")
    worker(folder, late_s=LATER_S)


def forget(folder: Path) -> None:
    """A person forgets what one session said, in all its words."""
    with at_work(folder) as opened:
        ids = [each.id for each in opened.list(limit=100).values if SECRET in each.text]
        if ids and isinstance(refused := opened.forget(ids, restatements=True), Refusal):
            raise TypeError(refused)


def clear(folder: Path) -> None:
    """A person clears everything."""
    with at_work(folder) as opened:
        if isinstance(refused := opened.wipe(), Refusal):
            raise TypeError(refused)


def not_finished(folder: Path) -> Iterator[str]:
    """What is missing where five sessions are worked off."""
    yield from unfinished(folder, 5, runs=2, most=3)


def remembered(folder: Path) -> Iterator[str]:
    """Where what was forgotten still stands; then, whether the work goes on."""
    yield from (f"it stands in {name}" for name in bytes_of(folder, SECRET))
    if code := alone(lambda: worker(folder, late_s=LATER_S)):
        yield f"the next worker ended with {code}"
    yield from unfinished(folder, 4, runs=2, most=9)
    yield from (f"it stands again in {name}" for name in bytes_of(folder, SECRET))


def not_cleared(folder: Path) -> Iterator[str]:
    """What is left where everything was cleared."""
    yield from (f"{name} is there" for name in files(folder))
    held = rows(folder)
    yield from (f"{len(held[name])} in {name}" for name in ("extractions", "summaries", "memory_items") if held[name])
    if "remembers" in (folder / "repo" / "CLAUDE.md").read_text():
        yield "the region is there"


def stalling(folder: Path, at: int, url: str = "", term_s: float = 0.0) -> None:
    """A worker that stands still at its so many-th step: around a transaction, a sync, a rename, a file of others."""
    steps = count(1)

    def step() -> None:
        if next(steps) == at:
            pause()

    def then(act: Callable[..., Any]) -> Callable[..., Any]:
        def slowly(*values: Any) -> Any:
            step()
            done = act(*values)
            step()
            return done

        return slowly

    def slow(transaction: Callable[[Store], AbstractContextManager[None]]) -> Any:
        @contextmanager
        def slowly(store: Store) -> Iterator[None]:
            step()
            with transaction(store):
                yield
            step()

        return slowly

    for kind in (SqliteStore, PostgresStore):
        kind.transaction = slow(kind.transaction)  # type: ignore[arg-type,method-assign]
    os.fsync = then(os.fsync)
    Path.replace = then(Path.replace)  # type: ignore[method-assign]
    outlets.FileOutlets.draw = then(outlets.FileOutlets.draw)  # type: ignore[method-assign]
    worker(folder, url=url, term_s=term_s)


CASES = {
    "another takes over and learns more": Case(overtake, not_finished),
    "somebody forgets": Case(forget, remembered),
    "somebody forgets, and it dies": Case(forget, remembered, goes_on=False),
    "somebody clears everything": Case(clear, not_cleared),
}
