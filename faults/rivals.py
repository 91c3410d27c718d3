"""C1: two who want the same at the same time: one memory, one lock, two memories in either order, one connection."""

from __future__ import annotations

import os
import shutil
import sqlite3
import tempfile
import time
from contextlib import closing, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from faults.contention import together
from faults.verdict import Tally
from faults.world import database, engine, faults_of
from learnt.errors import LearntError, StoreBusyError
from learnt.model.answer import Decided, Proposed, Refusal, Written

if TYPE_CHECKING:
    from collections.abc import Iterator

    from faults.verdict import Scale, Verdict
    from learnt.engine import Engine

_WAIT_S = 5.0
"""How long a write waits for others. Source: contract, `store busy`."""


def verdicts(scale: Scale) -> Iterator[Verdict]:
    """Each sort of rivalry."""
    rounds = max(2, scale.histories // 10)
    yield _same_item(rounds)
    yield _either_order(rounds)
    yield _forked(rounds)
    yield _held(max(1, rounds // 10))


@contextmanager
def _place() -> Iterator[Path]:
    folder = Path(tempfile.mkdtemp(prefix="faults-"))
    try:
        yield folder
    finally:
        shutil.rmtree(folder)


def _kept(opened: Engine, text: str) -> str:
    answer = opened.remember(text, kind="project_fact")
    assert isinstance(answer, Written), answer
    return answer.memory.id


def _supersede(opened: Engine, targets: list[str], text: str, operation: str = "supersede") -> Decided | Refusal:
    asked = opened.propose(
        operation,  # type: ignore[arg-type]
        text,
        kind="project_fact",
        target=targets[0] if operation == "supersede" else "",
        related=targets if operation == "merge" else (),
        rationale="r",
        evidence=["Makefile"],
    )
    assert isinstance(asked, Proposed), asked
    return opened.decide(asked.proposal.id, "accept")


def _same_item(rounds: int) -> Verdict:
    """Both supersede one memory: one of them wins, and what replaced it is one chain."""
    tally = Tally("C1", "two processes supersede the same memory at once")
    for again in range(rounds):
        with _place() as folder:
            with engine(folder) as opened:
                target = _kept(opened, "The harbour is deep.")

            def act(number: int, folder: Path = folder, target: str = target, again: int = again) -> None:
                with engine(folder) as opened:
                    done = _supersede(opened, [target], f"The harbour is {again}{number} m deep.")
                    (folder / f"won-{number}").write_text(str(int(isinstance(done, Decided))))

            tally.tried += 1
            for number, code in enumerate(together(2, act)):
                tally.expect(code == 0, f"round {again}: process {number} ended with {code}")
            won = [path.read_text() for path in folder.glob("won-*")]
            tally.expect(won.count("1") == 1, f"round {again}: {won.count('1')} of two won")
            for what in (*_chains(folder), *faults_of(folder, [])):
                tally.expect(False, f"round {again}: {what}")
    return tally.verdict()


def _chains(folder: Path) -> Iterator[str]:
    """Memories that were replaced by nothing there is, by two, or by themselves."""
    with engine(folder) as opened:
        held = {memory.id: memory.superseded_by for memory in opened.list(statuses=(), limit=1_000).values}
    for name, replaced_by in held.items():
        seen, following = {name}, replaced_by
        while following is not None:
            if following not in held or following in seen:
                yield f"{name} was replaced by {following}, which is not there, or in a circle"
                break
            seen.add(following)
            following = held[following]


def _either_order(rounds: int) -> Verdict:
    """One merges A with B, the other B with A: neither waits for the other for good."""
    tally = Tally("C1", "two processes merge A with B, and B with A, at once")
    for again in range(rounds):
        with _place() as folder:
            with engine(folder) as opened:
                pair = [_kept(opened, "The harbour is deep."), _kept(opened, "The harbour is a deep one.")]

            def act(number: int, folder: Path = folder, pair: list[str] = pair, again: int = again) -> None:
                with engine(folder) as opened:
                    targets = pair if number else pair[::-1]
                    _supersede(opened, targets, f"A deep harbour, said {again}{number}.", "merge")

            began_s = time.monotonic()
            tally.tried += 1
            for number, code in enumerate(together(2, act)):
                tally.expect(code == 0, f"round {again}: process {number} ended with {code}")
            tally.expect(time.monotonic() - began_s < 4 * _WAIT_S, f"round {again}: they waited for each other")
            for what in (*_chains(folder), *faults_of(folder, [])):
                tally.expect(False, f"round {again}: {what}")
    return tally.verdict()


def _forked(rounds: int) -> Verdict:
    """The child is refused the parent's connection and opens its own; then both write."""
    tally = Tally("C1", "a process forks after it opened the store, and both sides write")
    for again in range(rounds):
        with _place() as folder, engine(folder) as opened:
            _kept(opened, "Before the fork.")
            child = os.fork()
            if child == 0:
                os._exit(_child(folder, opened))
            for number in range(10):
                _kept(opened, f"The parent wrote sentence {number} here.")
            code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
            tally.tried += 1
            tally.expect(code == 0, f"round {again}: the child ended with {code}")
            active = opened.status().memories.get("active", 0)
            tally.expect(active == 21, f"round {again}: {21 - active} writes are lost")
            for what in faults_of(folder, []):
                tally.expect(False, f"round {again}: {what}")
    return tally.verdict()


def _child(folder: Path, parents: Engine) -> int:
    """0 when the parent's engine was refused with a typed error, and an own one could write."""
    try:
        parents.remember("Through the parent's connection.", kind="project_fact")
    except LearntError as error:
        refused = error.error_code == "store_forked"
    else:
        refused = False
    try:
        with engine(folder) as opened:
            for number in range(10):
                _kept(opened, f"The child wrote sentence {number} here.")
        parents.close()
    except LearntError:
        return 2
    return int(not refused)


def _held(rounds: int) -> Verdict:
    """Another program holds the file for itself: busy within the wait and a tenth, then everything goes on."""
    tally = Tally("C1", "another process holds an exclusive lock past the wait")
    longest_s = 0.0
    for again in range(rounds):
        with _place() as folder, engine(folder) as opened:
            _kept(opened, "Before.")
            with closing(sqlite3.connect(database(folder), isolation_level=None)) as other:
                other.execute("BEGIN IMMEDIATE")
                began_s = time.monotonic()
                try:
                    opened.remember("While it is held.", kind="project_fact")
                    tally.expect(False, f"round {again}: written past a lock")
                except StoreBusyError as error:
                    tally.expect(error.may_retry, f"round {again}: busy, and said not to be retried")
                longest_s = max(longest_s, time.monotonic() - began_s)
                tally.expect([hit.text for hit in opened.list().values] == ["Before."], "reads do not go on")
                other.execute("ROLLBACK")
            tally.tried += 1
            _kept(opened, "While it is held.")
            for what in faults_of(folder, []):
                tally.expect(False, f"round {again}: {what}")
    return tally.verdict(f"answered after {longest_s:.2f} s at most; the wait is {_WAIT_S:.0f} s")
