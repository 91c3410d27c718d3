"""Jobs in SQLite. The write lock of `BEGIN IMMEDIATE` lets one worker choose at a time."""

from __future__ import annotations

import json
import time
from typing import TYPE_CHECKING, Any

from learnt.model.backlog import Backlog
from learnt.model.filter import Page
from learnt.model.job import AHEAD_S, Job, Lease, created, later
from learnt.stores.rows import job_of, job_values
from learnt.stores.sqlite.statements import load

if TYPE_CHECKING:
    from collections.abc import Sequence

    from learnt.model.backlog import JobFilter
    from learnt.model.job import Ending, JobRequest
    from learnt.model.scope import Sight
    from learnt.stores.sqlite.connection import Connection
    from learnt.stores.sqlite.steady import Steady

_LOOK_S = 0.2
_SQL = load("queue")


class SqliteQueue:
    """See `learnt.ports.queue.Queue`."""

    def __init__(self, connection: Connection, clock: Steady) -> None:
        self._connection = connection
        self._clock = clock
        self._seen = 0

    def enqueue(self, request: JobRequest) -> Job:
        """The job of this kind and key, made or due again."""
        now = self._clock.now()
        row = self._connection.row(_SQL["of"], {"kind": request.kind, "key": request.key})
        if row is None:
            job = created(request, now)
            self._connection.write(_SQL["create"], job_values(job))
            return job
        held = job_of(row)
        job = held.asked(request, now)
        self._change(held, job)
        return job

    def lease(self, owner: str, kinds: Sequence[str], term_s: float, job_id: str = "") -> Lease | None:
        """The job that is due longest, now held by `owner`."""
        now = self._clock.now()
        wanted = {"kinds": json.dumps(list(kinds)), "id": job_id, "now": now}
        for held in self._found("ahead", {**wanted, "limit": later(now, AHEAD_S)}):
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
        return held is not None and self._change(held, held.renewed(lease.term_s, self._clock.now()))

    def settle(self, lease: Lease, ending: Ending) -> bool:
        """End a lease; False when it ended before."""
        held = self._held(lease)
        return held is not None and self._change(held, held.ended(lease.job.watermark, ending, self._clock.now()))

    def retry(self, sight: Sight, job_id: str) -> Job | None:
        """The job, due at once if it waited or had been given up."""
        for held in self._found("get", {"id": job_id, "keys": json.dumps(sight.keys)}):
            job = held.retried(self._clock.now())
            self._change(held, job)
            return job
        return None

    def page(self, sight: Sight, wanted: JobFilter) -> Page[Job]:
        """Jobs of these scopes and of the whole store, latest change first."""
        values = {
            "keys": json.dumps(sight.keys),
            "statuses": json.dumps(wanted.statuses),
            "kinds": json.dumps(wanted.kinds),
            "key": wanted.key,
            "limit": wanted.limit,
        }
        if wanted.key and len(wanted.kinds) == 1:
            named = self._found("of", {"kind": wanted.kinds[0], "key": wanted.key})
            one = tuple(job for job in named if wanted.takes(job) and job.scope_key in {"", *sight.keys})
            return Page(one, len(one))
        found = tuple(self._found("page", values))
        return Page(found, int(self._connection.rows(_SQL["total"], values)[0][0]))

    def backlog(self) -> Backlog:
        """How many there are."""
        now = self._clock.now(note=False)
        counts = tuple((kind, status, number) for kind, status, number in self._connection.rows(_SQL["counts"]))
        lost = int(self._connection.rows(_SQL["lost"], {"now": now})[0][0])
        due = self._connection.rows(_SQL["due_since"], {"now": now})[0][0]
        return Backlog(now=now, counts=counts, lost=lost, due_since=due or "")

    def wait(self, timeout_s: float) -> bool:
        """Wait until another connection committed something."""
        deadline = time.monotonic() + timeout_s
        while (left_s := deadline - time.monotonic()) > 0:
            version = int(self._connection.rows(_SQL["data_version"])[0][0])
            if self._seen not in {0, version}:
                self._seen = version
                return True
            self._seen = version
            time.sleep(min(_LOOK_S, left_s))
        return False

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
        return self._connection.write(_SQL["change"], {**job_values(job), **was}) == 1
