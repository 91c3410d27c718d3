"""C4: leases stolen, holders paused and killed, clocks set forward and back; nobody writes under an old one."""

from __future__ import annotations

import random
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from faults.verdict import Tally
from learnt.model.job import Done, JobRequest, Released
from learnt.stores.ephemeral.store import EphemeralStore
from learnt.testing.fakes import FixedClock

if TYPE_CHECKING:
    from collections.abc import Iterator

    from faults.verdict import Scale, Verdict
    from learnt.model.job import Lease

_TERM_S = 60.0
_STEPS = 40
_WORKERS = 4
_JUMPS_S = (-315_360_000.0, -86_400.0, -_TERM_S, 3_600.0, 315_360_000.0)
"""Ten years, a day, a term back; an hour, ten years forward."""
_ACTS = ("lease", "lease", "write", "write", "write", "settle", "give back", "die", "wait", "jump")


@dataclass(slots=True)
class _Run:
    """One schedule: four workers, what each believes to hold, and which lease is really the last."""

    where: str
    tally: Tally
    chance: random.Random
    clock: FixedClock = field(default_factory=FixedClock)
    store: EphemeralStore = field(init=False)
    held: dict[int, Lease] = field(default_factory=dict)
    last: int = 0
    open: bool = False
    asked: int = 0

    def __post_init__(self) -> None:
        self.store = EphemeralStore(self.clock.now)
        self.ask()

    def ask(self) -> None:
        """There is something to do."""
        self.asked += 1
        with self.store.transaction():
            request = JobRequest(id="job_1", kind="rescan", key="all", watermark=self.asked, max_attempts=10_000)
            self.store.queue.enqueue(request)

    def lease(self, worker: int) -> bool:
        """A worker looks for work; whether it got some."""
        with self.store.transaction():
            lease = self.store.queue.lease(f"worker {worker}", ["rescan"], _TERM_S)
        if lease is None:
            return False
        self.tally.expect(lease.job.fence > self.last, f"{self.where}: a lease without a higher fence")
        self.last, self.open, self.held[worker] = lease.job.fence, True, lease
        return True

    def is_mine(self, worker: int) -> bool:
        """Whether this worker's lease is the last one, and goes on."""
        return self.open and self.held[worker].job.fence == self.last

    def write(self, worker: int) -> None:
        """What a runner does: it holds first, and writes only then; a paused one wakes up here."""
        with self.store.transaction():
            if self.store.queue.hold(self.held[worker]):
                self.tally.expect(self.is_mine(worker), f"{self.where}: a write under an old lease")
            else:
                self.tally.expect(not self.is_mine(worker), f"{self.where}: the last lease was refused")

    def settle(self, worker: int, ending: Done | Released) -> None:
        """A worker ends its lease, or thinks so."""
        with self.store.transaction():
            kept = self.store.queue.settle(self.held[worker], ending)
        self.tally.expect(kept == self.is_mine(worker), f"{self.where}: the wrong lease ended the job")
        del self.held[worker]
        if kept:
            self.open = False
            self.ask()

    def step(self) -> None:
        """One thing one worker does, or one thing that happens to it."""
        worker, act = self.chance.randrange(_WORKERS), self.chance.choice(_ACTS)
        if act == "lease":
            self.lease(worker)
        elif act == "wait":
            self.clock.advance(self.chance.uniform(0, _TERM_S))
        elif act == "jump":
            self.clock.advance(self.chance.choice(_JUMPS_S))
        elif worker in self.held:
            if act == "write":
                self.write(worker)
            elif act == "die":
                del self.held[worker]
            else:
                self.settle(worker, Done() if act == "settle" else Released())

    def takeover_s(self) -> float:
        """All holders are dead: how long until another worker has the job."""
        waited_s = 0.0
        while not self.lease(0):
            if waited_s > 2 * _TERM_S:
                self.tally.expect(False, f"{self.where}: nobody took over within two terms")
                break
            self.clock.advance(_TERM_S / 8)
            waited_s += _TERM_S / 8
        return waited_s


def verdicts(scale: Scale) -> Iterator[Verdict]:
    """So many random schedules, each of forty steps of four workers."""
    tally = Tally("C4", "schedules of stolen leases, paused and killed holders, clocks set by up to ten years")
    longest_s = 0.0
    for seed in range(scale.runs):
        tally.tried += 1
        run = _Run(f"schedule {seed}", tally, random.Random(seed))
        for _ in range(_STEPS):
            run.step()
        run.held.clear()
        longest_s = max(longest_s, run.takeover_s())
    yield tally.verdict(f"the longest takeover took {longest_s / _TERM_S:.2f} terms")
