"""Jobs in a dictionary."""

from __future__ import annotations

import threading
import time
from collections import Counter
from typing import TYPE_CHECKING

from learnt.model.backlog import Backlog
from learnt.model.filter import Page
from learnt.model.instant import from_epoch
from learnt.model.job import Lease, created
from learnt.stores.ephemeral.tables import storable

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from learnt.model.backlog import JobFilter
    from learnt.model.job import Ending, Job, JobRequest
    from learnt.model.scope import Sight
    from learnt.stores.ephemeral.tables import Guard, Tables


def _steady() -> Callable[[], str]:
    """The wall clock as it was at first, going on however it is set."""
    ahead_s = time.time() - time.monotonic()
    return lambda: from_epoch(time.monotonic() + ahead_s)


class EphemeralQueue:
    """See `learnt.ports.queue.Queue`."""

    def __init__(self, tables: Tables, guard: Guard, now: Callable[[], str] | None = None) -> None:
        self._tables = tables
        self._guard = guard
        self._now = now or _steady()
        self._rung = threading.Event()

    def enqueue(self, request: JobRequest) -> Job:
        """The job of this kind and key, made or due again."""
        storable(request.id, request.kind, request.key, request.scope_key, request.payload)
        with self._guard.writing():
            now = self._now()
            held = self._of(request.kind, request.key)
            job = held.asked(request, now) if held else created(request, now)
            self._tables.jobs[job.id] = job
            self._rung.set()
            return job

    def lease(self, owner: str, kinds: Sequence[str], term_s: float, job_id: str = "") -> Lease | None:
        """The job that is due longest, now held by `owner`."""
        with self._guard.writing():
            now = self._now()
            wanted = [job for job in self._tables.jobs.values() if job.kind in kinds and job_id in {"", job.id}]
            free = [job for each in wanted if (job := self._settled(each, now)).is_free(now)]
            if not free:
                return None
            job = min(free, key=lambda each: (each.lease_until or each.due_at, each.id)).taken(owner, term_s, now)
            self._tables.jobs[job.id] = job
            return Lease(job=job, term_s=term_s)

    def hold(self, lease: Lease) -> bool:
        """Whether the lease is still the last one; if so it is renewed."""
        with self._guard.writing():
            if job := self._held(lease):
                self._tables.jobs[job.id] = job.renewed(lease.term_s, self._now())
            return job is not None

    def settle(self, lease: Lease, ending: Ending) -> bool:
        """End a lease; False when it ended before."""
        with self._guard.writing():
            if job := self._held(lease):
                self._tables.jobs[job.id] = job.ended(lease.job.watermark, ending, self._now())
            return job is not None

    def retry(self, sight: Sight, job_id: str) -> Job | None:
        """The job, due at once if it waited or had been given up."""
        with self._guard.writing():
            job = self._tables.jobs.get(job_id)
            if job is None or job.scope_key not in {"", *sight.keys}:
                return None
            self._tables.jobs[job_id] = job.retried(self._now())
            self._rung.set()
            return self._tables.jobs[job_id]

    def page(self, sight: Sight, wanted: JobFilter) -> Page[Job]:
        """Jobs of these scopes and of the whole store, latest change first."""
        with self._guard.reading():
            found = [
                job
                for job in sorted(self._tables.jobs.values(), key=lambda each: each.id)
                if job.scope_key in {"", *sight.keys} and wanted.takes(job)
            ]
            found.sort(key=lambda each: each.updated_at, reverse=True)
            return Page(tuple(found[: wanted.limit]), len(found))

    def backlog(self) -> Backlog:
        """How many there are."""
        with self._guard.reading():
            now, jobs = self._now(), tuple(self._tables.jobs.values())
            counts = Counter((job.kind, job.status) for job in jobs)
            free = [job for job in jobs if job.is_free(now)]
            return Backlog(
                now=now,
                counts=tuple((kind, status, number) for (kind, status), number in sorted(counts.items())),
                lost=sum(job.status == "running" for job in free),
                due_since=min((job.due_at for job in free if job.status == "pending"), default=""),
            )

    def wait(self, timeout_s: float) -> bool:
        """Wait until something was enqueued."""
        rung = self._rung.wait(timeout_s)
        self._rung.clear()
        return rung

    def _of(self, kind: str, key: str) -> Job | None:
        return next((job for job in self._tables.jobs.values() if (job.kind, job.key) == (kind, key)), None)

    def _held(self, lease: Lease) -> Job | None:
        job = self._tables.jobs.get(lease.job.id)
        right = (lease.owner, lease.fence)
        return job if job and job.status == "running" and (job.owner, job.fence) == right else None

    def _settled(self, job: Job, now: str) -> Job:
        """Counted from now where the clock was set back, given up where its last lease ran out."""
        if job.is_ahead(now):
            job = job.shifted(now)
        if job.is_spent() and job.is_free(now):
            job = job.buried(now)
        self._tables.jobs[job.id] = job
        return job
