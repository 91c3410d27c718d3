"""Jobs in PostgreSQL. Who chooses a job locks its row; others pass over it, and nobody waits."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

import psycopg

from learnt.errors import StoreError
from learnt.model.backlog import Backlog
from learnt.model.filter import Page
from learnt.model.job import AHEAD_S, Job, Lease, created, later
from learnt.stores.postgres.statements import load
from learnt.stores.postgres.work import number_of
from learnt.stores.rows import job_of, job_values

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from learnt.model.backlog import JobFilter
    from learnt.model.job import Ending, JobRequest
    from learnt.model.scope import Sight
    from learnt.stores.postgres.connection import Connection
    from learnt.stores.postgres.pool import Raw

_SQL = load("queue")


class PostgresQueue:
    """See `learnt.ports.queue.Queue`.

    Args:
        now: The clock of a test; in its place stands the server's, one for all workers.
    """

    def __init__(self, connection: Connection, now: Callable[[], str] | None = None) -> None:
        self._connection = connection
        self._now = now
        self._ear: Raw | None = None
        self._name = str(number_of(connection.tenant, "jobs"))

    def enqueue(self, request: JobRequest) -> Job:
        """The job of this kind and key, made or due again."""
        now, named = self._present(), {"kind": request.kind, "key": request.key}
        row = self._connection.row(_SQL["of"], named)
        if row is None:
            job = created(request, now)
            if self._connection.returning(_SQL["create"], job_values(job)):
                return self._told(job)
            row = self._connection.rows(_SQL["of"], named)[0]
        held = job_of(row)
        job = held.asked(request, now)
        self._change(held, job)
        return self._told(job)

    def lease(self, owner: str, kinds: Sequence[str], term_s: float, job_id: str = "") -> Lease | None:
        """The job that is due longest, now held by `owner`."""
        now = self._present()
        wanted = {"kinds": list(kinds), "id": job_id, "now": now, "limit": later(now, AHEAD_S)}
        for held in self._found("ahead", wanted):
            self._change(held, held.shifted(now))
        for held in self._found("spent", wanted):
            self._change(held, held.buried(now))
        free = [*self._found("due", wanted), *self._found("lapsed", wanted)]
        if not free:
            return None
        held = min(free, key=lambda each: (each.lease_until or each.due_at, each.id))
        job = held.taken(owner, term_s, now)
        return Lease(job=job, term_s=term_s) if self._change(held, job) else None

    def hold(self, lease: Lease) -> bool:
        """Whether the lease is still the last one; if so it is renewed."""
        held = self._held(lease)
        return held is not None and self._change(held, held.renewed(lease.term_s, self._present()))

    def settle(self, lease: Lease, ending: Ending) -> bool:
        """End a lease; False when it ended before."""
        held = self._held(lease)
        return held is not None and self._change(held, held.ended(lease.job.watermark, ending, self._present()))

    def retry(self, sight: Sight, job_id: str) -> Job | None:
        """The job, due at once if it waited or had been given up."""
        for held in self._found("get", {"id": job_id, "keys": list(sight.keys)}):
            job = held.retried(self._present())
            self._change(held, job)
            return self._told(job)
        return None

    def page(self, sight: Sight, wanted: JobFilter) -> Page[Job]:
        """Jobs of these scopes and of the whole store, latest change first."""
        values = {
            "keys": list(sight.keys),
            "statuses": list(wanted.statuses),
            "kinds": list(wanted.kinds),
            "key": wanted.key,
            "limit": wanted.limit,
        }
        if wanted.key and len(wanted.kinds) == 1:
            named = self._found("named", {"kind": wanted.kinds[0], "key": wanted.key})
            one = tuple(job for job in named if wanted.takes(job) and job.scope_key in {"", *sight.keys})
            return Page(one, len(one))
        found = tuple(self._found("page", values))
        return Page(found, int(self._connection.rows(_SQL["total"], values)[0][0]))

    def backlog(self) -> Backlog:
        """How many there are."""
        now = self._present()
        counts = tuple((kind, status, number) for kind, status, number in self._connection.rows(_SQL["counts"]))
        lost, due = self._connection.rows(_SQL["waiting"], {"now": now})[0]
        return Backlog(now=now, counts=counts, lost=lost, due_since=due or "")

    def wait(self, timeout_s: float) -> bool:
        """Wait until somebody enqueued something, as the server tells; where it cannot, until the time is over."""
        deadline = time.monotonic() + timeout_s
        try:
            if self._ear is None:
                self._ear = self._connection.aside.take()
                self._ear.execute(_SQL["listen"].encode())
            while (left_s := deadline - time.monotonic()) > 0:
                if any(note.payload == self._name for note in self._ear.notifies(timeout=left_s, stop_after=1)):
                    return True
        except (psycopg.Error, StoreError):
            self._deaf()
            time.sleep(max(0.0, deadline - time.monotonic()))
        return False

    def _deaf(self) -> None:
        """Listen on another connection from now on."""
        if self._ear is not None:
            self._connection.aside.drop(self._ear)
            self._ear = None

    def _present(self) -> str:
        return self._now() if self._now else str(self._connection.rows(_SQL["clock"])[0][0])

    def _found(self, name: str, values: dict[str, Any]) -> list[Job]:
        return [job_of(row) for row in self._connection.rows(_SQL[name], values)]

    def _held(self, lease: Lease) -> Job | None:
        right = {"id": lease.job.id, "owner": lease.owner, "fence": lease.fence}
        return next(iter(self._found("held", right)), None)

    def _change(self, held: Job, job: Job) -> bool:
        """Whether the job was written; the statement compares fence, owner and status with what was read."""
        if job == held:
            return True
        was = {"held_fence": held.fence, "held_owner": held.owner, "held_status": held.status}
        return self._connection.returning(_SQL["change"], {**job_values(job), **was}) is not None

    def _told(self, job: Job) -> Job:
        if job.status == "pending":
            self._connection.write(_SQL["notify"], {"tenant": self._name})
        return job
