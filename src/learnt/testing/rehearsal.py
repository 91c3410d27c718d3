"""Workers that pause, die, come back late and are told everything twice, under a clock that jumps.

A rehearsal is one random schedule, the same for the same seed. A referee beside the store notes who was given which
job last, and holds every write against that. What must hold, whatever the schedule:

- a write counts exactly when its fence is the last one of its job;
- no job is done twice under one watermark;
- no job is lost: at the end one honest worker works everything off to its highest watermark, or finds it given up with
  a reason.
"""

from __future__ import annotations

import random
from contextlib import suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from learnt.model.backlog import JobFilter
from learnt.model.job import Done, Failed, JobRequest, Released
from learnt.model.scope import Scope, Sight
from learnt.testing.base import OnPurposeError, undone

if TYPE_CHECKING:
    from collections.abc import Callable

    from learnt.model.job import Ending, Job, Lease
    from learnt.ports.store import Store
    from learnt.testing.fakes import FixedClock

_TERMS_S = (2.0, 30.0, 120.0)
_JUMPS_S = (-172_800.0, -3_600.0, -1.5, 0.5, 40.0, 500.0, 3_600.0, 172_800.0)
_SIGHT = Sight((Scope(type="repository", repo_id="rehearsal"),))


@dataclass(slots=True)
class _Worker:
    """One worker: the lease it believes to have, and old ones that it may remember at the wrong moment."""

    name: str
    lease: Lease | None = None
    old: list[Lease] = field(default_factory=list)


@dataclass(slots=True)
class Rehearsal:
    """One schedule on a store, whose queue goes by `clock`.

    Attributes:
        asked: The highest watermark asked for, of each key.
        last: The last fence given out, of each job.
        done: How often each job was done under each watermark.
        writes: Writes that counted. `refused`: those that did not.
    """

    store: Store
    clock: FixedClock
    seed: int
    kind: str = ""
    chance: random.Random = field(init=False)
    workers: list[_Worker] = field(init=False)
    asked: dict[str, int] = field(default_factory=dict)
    last: dict[str, int] = field(default_factory=dict)
    over: set[tuple[str, int]] = field(default_factory=set)
    done: dict[tuple[str, int], int] = field(default_factory=dict)
    writes: int = 0
    refused: int = 0

    def __post_init__(self) -> None:
        self.chance = random.Random(self.seed)  # noqa: S311 - a schedule, no secret
        self.kind = self.kind or f"rehearsal-{self.seed}"
        self.workers = [_Worker(f"w{number}") for number in range(self.chance.randint(2, 4))]

    def run(self, steps: int) -> None:
        """Play the schedule, then let one honest worker finish.

        Raises:
            AssertionError: Something happened that must not.
        """
        moves: tuple[Callable[[], None], ...] = (
            *(self._ask, self._time, self._pause),
            *(self._take, self._take, self._write, self._write, self._beat, self._end, self._end),
            *(self._die, self._late, self._abort),
        )
        self._ask()
        for _ in range(steps):
            self.chance.choice(moves)()
        self._finish()

    def _ask(self) -> None:
        """Ask for a job, further than before, again, or late with what was asked long ago."""
        key = self.chance.choice("ab")
        mark = max(1, self.asked.get(key, 0) + self.chance.choice((1, 1, 0, -1)))
        request = JobRequest(id=f"{self.kind}-{key}-{mark}", kind=self.kind, key=key, watermark=mark)
        with self.store.transaction():
            job = self.store.queue.enqueue(request)
        self.asked[key] = max(mark, self.asked.get(key, 0))
        assert job.watermark == self.asked[key]

    def _time(self) -> None:
        self.clock.advance(self.chance.random() * self.chance.choice((1.0, 60.0, 300.0)))

    def _pause(self) -> None:
        """Everybody sleeps, or somebody sets the clock."""
        self.clock.advance(self.chance.choice(_JUMPS_S))

    def _take(self) -> None:
        worker = self.chance.choice(self.workers)
        if worker.lease is None:
            worker.lease = self._leased(worker.name, self.chance.choice(_TERMS_S))

    def _leased(self, name: str, term_s: float) -> Lease | None:
        with self.store.transaction():
            lease = self.store.queue.lease(name, (self.kind,), term_s)
        dead = JobFilter(kinds=(self.kind,), statuses=("dead",))  # found spent by this very look
        self.over.update((job.id, job.fence) for job in self.store.queue.page(_SIGHT, dead).values)
        if lease:
            assert lease.fence > self.last.get(lease.job.id, 0), "a fence was given out twice"
            assert lease.job.watermark > lease.job.done_watermark, "work that was done is done again"
            self.last[lease.job.id] = lease.fence
        return lease

    def _write(self) -> None:
        """A worker stores a result under its lease, or finds that it lost it."""
        worker = self.chance.choice(self.workers)
        if worker.lease and not self._stored(worker.lease):
            worker.lease = None

    def _stored(self, lease: Lease) -> bool:
        mark, valid = f"{self.kind}-written", self._is_valid(lease)
        with self.store.transaction():
            if right := self.store.queue.hold(lease):
                self.store.meta.put(mark, f"{lease.job.id}:{lease.fence}")
        self._judge(lease, right=right, valid=valid)
        if right:
            assert self.store.meta.get(mark) == f"{lease.job.id}:{lease.fence}"
        return right

    def _beat(self) -> None:
        worker = self.chance.choice(self.workers)
        if worker.lease:
            valid = self._is_valid(worker.lease)
            with self.store.transaction():
                right = self.store.queue.hold(worker.lease)
            self._judge(worker.lease, right=right, valid=valid)

    def _end(self) -> None:
        """A worker ends its lease, sometimes twice, because the answer to the first got lost."""
        worker = self.chance.choice(self.workers)
        if worker.lease:
            for _ in range(self.chance.choice((1, 1, 2))):
                self._settled(worker.lease, self._ending())
            worker.old.append(worker.lease)
            worker.lease = None

    def _ending(self) -> Ending:
        return self.chance.choice((Done(), Done(), Released(), Failed("on purpose", 20.0), Failed("for good")))

    def _settled(self, lease: Lease, ending: Ending) -> None:
        valid = self._is_valid(lease)
        with self.store.transaction():
            right = self.store.queue.settle(lease, ending)
        self._judge(lease, right=right, valid=valid)
        self.over.add((lease.job.id, lease.fence))
        if right and isinstance(ending, Done):
            place = (lease.job.id, lease.job.watermark)
            self.done[place] = self.done.get(place, 0) + 1
            assert self.done[place] == 1, "done twice under one watermark"

    def _die(self) -> None:
        """A worker is killed; another starts in its place, sometimes under its name."""
        at = self.chance.randrange(len(self.workers))
        dead = self.workers[at]
        name = dead.name if self.chance.random() < 0.3 else f"{dead.name}'"[-40:]
        self.workers[at] = _Worker(name, old=[*dead.old, *([dead.lease] if dead.lease else [])])

    def _late(self) -> None:
        """A worker that was given up for dead comes back with an old lease, to write and to end."""
        worker = self.chance.choice(self.workers)
        if worker.old:
            lease = self.chance.choice(worker.old)
            self._stored(lease)
            self._settled(lease, self._ending())

    def _abort(self) -> None:
        """A worker's transaction fails after it held the lease: nothing of it stays, and it has the lease still."""
        worker = self.chance.choice(self.workers)
        if lease := worker.lease:
            with suppress(OnPurposeError):
                undone(self.store, lambda: self.store.queue.settle(lease, Done()))

    def _is_valid(self, lease: Lease) -> bool:
        """The referee: nobody had the job since, the lease was not ended, and the job was not given up."""
        return self.last[lease.job.id] == lease.fence and (lease.job.id, lease.fence) not in self.over

    def _judge(self, lease: Lease, *, right: bool, valid: bool) -> None:
        assert right == valid, f"fence {lease.fence} of {lease.job.id}: the store said {right}"
        self.writes += right
        self.refused += not right

    def _finish(self) -> None:
        """Nobody else is left; whatever was asked for is done to the end, or was given up and says why."""
        for _ in range(20):
            self.clock.advance(400)
            while lease := self._leased("honest", 120.0):
                self._settled(lease, Done())
        jobs: dict[str, Job] = {
            job.key: job for job in self.store.queue.page(_SIGHT, JobFilter(kinds=(self.kind,))).values
        }
        assert jobs.keys() == self.asked.keys()
        for key, job in jobs.items():
            assert job.watermark == self.asked[key]
            if job.status == "dead":
                assert job.error
            else:
                assert (job.status, job.done_watermark) == ("done", self.asked[key])
                assert self.done.get((job.id, self.asked[key])) == 1, "counted as done, but nobody did it"
