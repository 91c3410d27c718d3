"""Work that waits, and how it goes on: every change of a job is a method here, so that all stores mean the same.

Moments are those of the queue's own clock (see `learnt.ports.queue`).
"""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from typing import Literal, assert_never

from learnt.errors import UsageError
from learnt.model.instant import from_epoch, to_epoch

JobStatus = Literal["pending", "running", "done", "dead"]
JOB_STATUSES: tuple[JobStatus, ...] = ("pending", "running", "done", "dead")

MAX_PAYLOAD_BYTES = 4_096
"""A payload names what to work on; what is worked on lies elsewhere."""
MAX_KEY_CHARS = 300
MAX_REASON_CHARS = 500

MAX_ATTEMPTS = 3
"""Source: swarm-memory seed, session jobs: three retries of one input."""

MOST = 2**53 - 1
"""The greatest number that every store and every reader of JSON holds."""
MOST_ATTEMPTS = 10_000
MAX_WAIT_S = 10 * 365 * 86_400.0

AHEAD_S = 1.0
"""A job that changed this much later than now tells that the clock was set back; less is two that read it in turn."""


@dataclass(frozen=True, slots=True, kw_only=True)
class JobRequest:
    """What somebody wants done.

    Attributes:
        id: Name of the job if it is a new one.
        key: Two requests of one kind and key are one job.
        scope_key: Whose work it is; "" for the whole store's.
        payload: A JSON object of ids, names and numbers; no text of a person.
        watermark: How far the input goes, at least 1; it rises with every change of the input. A request whose
            watermark is not higher than the job's changes nothing.
        wait_s: Not before so many seconds from now.

    Raises:
        UsageError: `too_long`, `control`, or `invalid`.
    """

    id: str
    kind: str
    key: str
    scope_key: str = ""
    payload: str = "{}"
    watermark: int = 1
    wait_s: float = 0.0
    max_attempts: int = MAX_ATTEMPTS

    def __post_init__(self) -> None:
        if len(self.key) > MAX_KEY_CHARS or len(self.payload.encode("utf-8", "replace")) > MAX_PAYLOAD_BYTES:
            raise UsageError("A job's key or payload is too long.", code="too_long")
        if not (self.id and self.kind and self.key) or self.watermark < 1 or self.max_attempts < 1:
            raise UsageError("A job has an id, a kind, a key, a watermark and at least one attempt.")
        if self.watermark > MOST or self.max_attempts > MOST_ATTEMPTS or not 0 <= self.wait_s <= MAX_WAIT_S:
            raise UsageError("A job's watermark, attempts or pause is out of range.")
        if "\0" in self.id + self.kind + self.key + self.scope_key + self.payload:
            raise UsageError("A job's fields hold no NUL.", code="control")
        if not _is_object(self.payload):
            raise UsageError("A job's payload is a JSON object.")


def _is_object(text: str) -> bool:
    try:
        return isinstance(json.loads(text), dict)
    except ValueError:
        return False


@dataclass(frozen=True, slots=True)
class Done:
    """The work is done, as far as the lease's watermark."""


@dataclass(frozen=True, slots=True)
class Failed:
    """An attempt failed. `wait_s` is the pause before the next; None gives the job up."""

    reason: str
    wait_s: float | None = None


@dataclass(frozen=True, slots=True)
class Released:
    """The worker gives the job back unfinished; the attempt does not count. `wait_s`: nobody takes it before."""

    wait_s: float = 0.0


Ending = Done | Failed | Released


@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    """One piece of work, with all that happened to it.

    Attributes:
        attempts: Those begun under the present watermark.
        due_at: Not leased before.
        owner: The worker that holds it, "" when nobody does.
        fence: How often it was leased; a lease is valid only with the highest.
        lease_until: From then on another worker may take it; "" when nobody holds it.
        watermark: How far the input goes. `done_watermark`: how far it was worked off; 0 for not at all.
        takeovers: How often a lease ran out and another worker went on.
        error: Why the last attempt failed, redacted; "" after a success.
    """

    id: str
    kind: str
    key: str
    scope_key: str = ""
    payload: str = "{}"
    status: JobStatus = "pending"
    attempts: int = 0
    max_attempts: int = MAX_ATTEMPTS
    due_at: str
    owner: str = ""
    fence: int = 0
    lease_until: str = ""
    watermark: int
    done_watermark: int = 0
    takeovers: int = 0
    error: str = ""
    created_at: str
    updated_at: str

    def asked(self, request: JobRequest, now: str) -> Job:
        """After one more request: the same, or due again because the input goes further.

        A job that is running stays so; when its lease ends it becomes due once more.
        """
        if request.watermark <= self.watermark:
            return self
        anew = replace(
            self.shifted(now) if self.is_ahead(now) else self,
            payload=request.payload,
            watermark=request.watermark,
            max_attempts=request.max_attempts,
            attempts=0,
            updated_at=now,
        )
        return anew if self.status == "running" else _due(anew, now, request.wait_s)

    def is_ahead(self, now: str) -> bool:
        """Whether it waits and last changed later than it is: the clock was set back."""
        return self.status in {"pending", "running"} and self.updated_at > later(now, AHEAD_S)

    def is_free(self, now: str) -> bool:
        """Whether a worker may take it: due, or held under a lease that ran out."""
        if self.status == "running":
            return self.lease_until <= now
        return self.status == "pending" and self.due_at <= now

    def is_spent(self) -> bool:
        """Whether it was held at its last attempt: whoever finds the lease run out gives it up."""
        return self.status == "running" and self.attempts >= self.max_attempts

    def taken(self, owner: str, term_s: float, now: str) -> Job:
        """Held by a worker, under the next fence."""
        return replace(
            self,
            status="running",
            owner=owner,
            fence=self.fence + 1,
            attempts=self.attempts + 1,
            lease_until=later(now, term_s),
            takeovers=self.takeovers + (self.status == "running"),
            updated_at=now,
        )

    def renewed(self, term_s: float, now: str) -> Job:
        """Held for a whole term from now on."""
        return replace(self, lease_until=later(now, term_s), updated_at=now)

    def ended(self, watermark: int, ending: Ending, now: str) -> Job:
        """After a lease that was taken at a watermark; a higher one that came meanwhile is due at once."""
        freed = replace(self, owner="", lease_until="", updated_at=now)
        if isinstance(ending, Done):
            freed = replace(freed, done_watermark=watermark, error="")
            return _due(freed, now) if self.watermark > watermark else replace(freed, status="done")
        if isinstance(ending, Failed):
            freed = replace(freed, error=ending.reason[:MAX_REASON_CHARS])
            if self.watermark > watermark:
                return _due(freed, now)
            return replace(freed, status="dead") if ending.wait_s is None else _due(freed, now, ending.wait_s)
        if isinstance(ending, Released):
            return _due(replace(freed, attempts=max(0, self.attempts - 1)), now, ending.wait_s)
        assert_never(ending)

    def buried(self, now: str) -> Job:
        """Given up, because no worker that began it lived to its end."""
        reason = f"lease_expired: no answer from the worker in the last of {self.attempts} attempts"
        return replace(self, status="dead", owner="", lease_until="", error=reason, updated_at=now)

    def retried(self, now: str) -> Job:
        """Due now with all its attempts, if it waits or was given up; else the same."""
        return _due(replace(self, attempts=0, updated_at=now), now) if self.status in {"pending", "dead"} else self

    def shifted(self, now: str) -> Job:
        """The same as if it had last changed now: what it waits for takes no longer because the clock was set back."""
        ahead_s = to_epoch(self.updated_at) - to_epoch(now)
        until = later(self.lease_until, -ahead_s) if self.lease_until else ""
        return replace(self, due_at=later(self.due_at, -ahead_s), lease_until=until, updated_at=now)


def created(request: JobRequest, now: str) -> Job:
    """The job that a first request makes."""
    return Job(
        id=request.id,
        kind=request.kind,
        key=request.key,
        scope_key=request.scope_key,
        payload=request.payload,
        max_attempts=request.max_attempts,
        due_at=later(now, request.wait_s),
        watermark=request.watermark,
        created_at=now,
        updated_at=now,
    )


def _due(job: Job, now: str, wait_s: float = 0.0) -> Job:
    return replace(job, status="pending", due_at=later(now, wait_s))


def later(instant: str, seconds: float) -> str:
    """`instant` moved, to the millisecond."""
    return from_epoch(round((to_epoch(instant) + seconds) * 1000) / 1000 + 0.0002) if seconds else instant


@dataclass(frozen=True, slots=True, kw_only=True)
class Lease:
    """The right to work on a job, and to write what comes of it: as long as nobody else leased the job.

    Attributes:
        job: As it was when it was leased.
        term_s: For how long, counted again from each sign of life.
    """

    job: Job
    term_s: float

    @property
    def owner(self) -> str:
        """The worker that holds it."""
        return self.job.owner

    @property
    def fence(self) -> int:
        """Rises with every lease of the job."""
        return self.job.fence
