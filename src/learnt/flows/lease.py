"""A job in the hands of a worker: kept alive, given up in time, and never written to by two."""

from __future__ import annotations

import threading
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from learnt.errors import LeaseLostError, StoreError
from learnt.model.backlog import JobFilter

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from learnt.flows.means import Means
    from learnt.model.job import Ending, Job, JobRequest, Lease

TERM_S = 120.0
"""How long a worker that died keeps others out. Source: swarm-memory seed, session jobs: lease 120 s."""

_BEATS = 4
"""Signs of life in one term, at least."""
_BEAT_S = 30.0
"""Source: autonomous-memory seed, phase 2: heartbeat."""

_PATIENCE = 8
"""Terms without any progress after which a worker counts as hung and its lease is left to run out."""


def never() -> bool:
    """Nobody asks the worker to end."""
    return False


def silent(told: object) -> None:
    """Nobody listens."""
    del told


def quiet(done: int, of: int) -> None:
    """Nobody looks at progress."""
    del done, of


@dataclass(slots=True)
class Grip:
    """What a runner is given: its job, and the guard of its writes.

    Attributes:
        stopping: Whether somebody asked this worker to end.
        tell: Called with what is done and how much there is, for progress.
    """

    means: Means
    lease: Lease
    stopping: Callable[[], bool] = never
    tell: Callable[[int, int], None] = quiet
    lost: bool = False
    ended: Ending | None = None
    last_s: float = field(default=0.0)

    @property
    def job(self) -> Job:
        """The job as it was leased."""
        return self.lease.job

    @property
    def ends(self) -> bool:
        """Whether to stop at the next good place: asked to, or the lease is another's."""
        return self.lost or self.stopping()

    def hold(self) -> None:
        """Inside a transaction, before what it writes is committed: nothing is, unless the job is still ours.

        Raises:
            LeaseLostError: Another worker took over.
        """
        if not self.means.store.queue.hold(self.lease):
            self.lost = True
            raise LeaseLostError(details={"job": self.job.id, "kind": self.job.kind})
        self.last_s = self.means.monotonic_s()

    def end(self, ending: Ending) -> None:
        """Inside a transaction: end the lease with what is written beside it, so that both hold or neither.

        Raises:
            LeaseLostError: Another worker took over.
        """
        if not self.means.store.queue.settle(self.lease, ending):
            self.lost = True
            raise LeaseLostError(details={"job": self.job.id, "kind": self.job.kind})
        self.ended = ending

    def settle(self, ending: Ending) -> bool:
        """End the lease in a transaction of its own, if `end` did not; False when it is another's."""
        if ending == self.ended:
            return True
        with self.means.store.transaction():
            return self.means.store.queue.settle(self.lease, ending)

    @contextmanager
    def alive(self) -> Iterator[None]:
        """Inside, the lease is renewed beside the work, so that one long step does not lose it.

        A worker that makes no progress for eight terms is hung, and its lease is left to run out.
        """
        over = threading.Event()
        self.last_s = self.means.monotonic_s()
        beat = threading.Thread(target=self._beat, args=(over,), name="lease", daemon=True)
        beat.start()
        try:
            yield
        finally:
            over.set()
            beat.join()

    def _beat(self, over: threading.Event) -> None:
        while not self.lost and not over.wait(min(_BEAT_S, self.lease.term_s / _BEATS)):
            if self.means.monotonic_s() - self.last_s > _PATIENCE * self.lease.term_s:
                return
            try:
                with self.means.store.transaction():
                    self.lost = not self.means.store.queue.hold(self.lease)
            except StoreError:
                continue  # the next beat tries again; whether the lease counts is decided where results are written


def begin(means: Means, request: JobRequest, *, term_s: float = TERM_S) -> Grip | Job:
    """A job done at once for somebody who waits for it, whatever it waited for; or the job, where another works on it.

    Its watermark is one more than the job's.
    """
    queue, sight = means.store.queue, means.context.sight
    with means.store.transaction():
        held = next(iter(queue.page(sight, JobFilter(kinds=(request.kind,), key=request.key)).values), None)
        if held and held.status == "running" and not held.is_free(queue.backlog().now):
            return held
        job = queue.enqueue(replace(request, watermark=held.watermark + 1 if held else 1))
        lease = queue.lease(means.ids.new("worker"), (request.kind,), term_s, job.id)
    return Grip(means, lease) if lease else job
