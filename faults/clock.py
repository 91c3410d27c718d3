"""C4: the wall clock of a store that is in use is set back a day, ten years forward, and right again.

What must hold: every write is kept, events stand in the order in which they came and the chain holds; nothing that
left comes back, nothing is removed for good by one wrong reading; a lease is neither revived nor stolen.
"""

from __future__ import annotations

import random
import shutil
import tempfile
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from faults.verdict import Tally
from faults.world import database, engine, faults_of
from learnt.bootstrap.machine import since_start
from learnt.engine import Engine
from learnt.model.answer import Written
from learnt.model.forget import Forgotten
from learnt.model.instant import from_epoch
from learnt.model.job import JobRequest
from learnt.stores.sqlite.store import SqliteStore
from learnt.testing.fakes import FixedClock

if TYPE_CHECKING:
    from collections.abc import Iterator

    from faults.verdict import Scale, Verdict

_DAY_S = 86_400.0
_JUMPS_S = (-_DAY_S, 10 * 365 * _DAY_S, -10 * 365 * _DAY_S, 3_600.0, -1.0)
_NOW_S = 1_780_000_000.0


def verdicts(scale: Scale) -> Iterator[Verdict]:
    """Random histories with jumps, then what leases do through the same jumps in a file."""
    yield _histories(max(2, scale.histories // 4))
    yield _leases()


class _Jumping:
    """An engine whose clock goes on by a second with each operation, and jumps when told to."""

    def __init__(self, folder: Path) -> None:
        self.clock = FixedClock(from_epoch(_NOW_S))
        found = engine(folder).assembly
        self.engine = Engine(replace(found, means=replace(found.means, clock=self.clock)))

    def keep(self, text: str, kind: str = "project_fact") -> str:
        """Remember something; its id."""
        self.clock.advance(1)
        answer = self.engine.remember(text, kind=kind)  # type: ignore[arg-type]
        assert isinstance(answer, Written), answer
        return answer.memory.id

    def shown(self) -> set[str]:
        """Ids of what is active and shown now."""
        return {memory.id for memory in self.engine.list(limit=1_000).values}


def _histories(rounds: int) -> Verdict:
    tally = Tally("C4", "the wall clock set back a day, ten years on, and right again, between writes")
    for seed in range(rounds):
        folder = Path(tempfile.mkdtemp(prefix="faults-"))
        tally.tried += 1
        for wrong in (*_history(folder, random.Random(seed)), *faults_of(folder, [])):
            tally.expect(False, f"history {seed}: {wrong}")
        shutil.rmtree(folder)
    return tally.verdict("expiry hides and shows again by the clock; what was forgotten, deleted, replaced stays so")


def _history(folder: Path, chance: random.Random) -> Iterator[str]:
    user = _Jumping(folder)
    kept: list[str] = [user.keep("The harbour was always deep.")]
    gone: list[str] = []
    off_s = 0.0
    for number in range(12):
        if chance.random() < 0.5:
            jump_s = chance.choice(_JUMPS_S)
            off_s += jump_s
            user.clock.advance(jump_s)
        kinds = ("project_fact", "todo", "scratch") if off_s >= 0 else ("project_fact",)  # else its time is over by now
        kept.append(user.keep(f"Sentence {number} of the harbour.", chance.choice(kinds)))
        if number % 4 == 3:
            gone.append(kept.pop(chance.randrange(len(kept))))
            done = user.engine.forget([gone[-1]])
            if not isinstance(done, Forgotten):
                yield f"not forgotten: {done}"
        user.engine.decay()
        user.engine.work(once=True)
        user.engine.recall("the harbour")
        if back := user.shown() & set(gone):
            yield f"came back: {back}"
    user.clock.advance(-off_s)  # right again
    user.engine.compact(confirm=True)
    if lost := set(kept) - user.shown():
        yield f"lost by a wrong reading: {lost}"
    store = user.engine.assembly.means.store
    if len(rows := [row.id for row in store.events.chain()]) != len(set(rows)):
        yield "an id of an event was given twice"
    for hit in user.engine.recall("the harbour").hits:
        if not 0 <= hit.score <= 2:
            yield f"a score of {hit.score}"
    user.engine.close()


def _leases() -> Verdict:
    """A lease in a file, held by another process: judged by a clock that nobody sets."""
    tally = Tally("C4", "the wall clock jumps while a job is held, in a file")
    for jump_s in _JUMPS_S:
        folder = Path(tempfile.mkdtemp(prefix="faults-"))
        engine(folder).close()
        clocks = (FixedClock(from_epoch(_NOW_S)), FixedClock(from_epoch(_NOW_S + jump_s)))
        first, second = (SqliteStore.open(database(folder), now=each, since_start=since_start) for each in clocks)
        with first.transaction():
            first.queue.enqueue(JobRequest(id="job_1", kind="rescan", key="all", watermark=1, max_attempts=3))
            lease = first.queue.lease("first", ["rescan"], 60.0)
        tally.tried += 1
        with second.transaction():
            tally.expect(second.queue.lease("second", ["rescan"], 60.0) is None, f"{jump_s:+.0f} s: two hold it")
        clocks[0].advance(jump_s)
        with first.transaction():
            tally.expect(lease and first.queue.hold(lease), f"{jump_s:+.0f} s: the holder lost it")
        for store in (first, second):
            store.close()
        shutil.rmtree(folder)
    return tally.verdict()
