"""Whether a session may be read now, as far as its job's row tells; when artifacts are made again.

The queue gives a job to one worker at a time; here stands why it would or would not. A newer state of the input passes
over pauses and used-up attempts. Source: autonomous-memory seed and codex, results of a claim.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from learnt.model.instant import to_epoch

if TYPE_CHECKING:
    from learnt.model.job import Job


@dataclass(frozen=True, slots=True)
class Due:
    """It may be worked on, as far as this watermark."""

    watermark: int


@dataclass(frozen=True, slots=True)
class SkippedUpToDate:
    """It was worked off as far as its input goes."""


@dataclass(frozen=True, slots=True)
class SkippedRunning:
    """A worker holds it until then, at least."""

    until: str


@dataclass(frozen=True, slots=True)
class SkippedRetryBackoff:
    """An attempt failed; the next one is due then."""

    due_at: str


@dataclass(frozen=True, slots=True)
class SkippedRetryExhausted:
    """All attempts at this state of the input failed; a newer state, or a person, begins anew."""


Readiness = Due | SkippedUpToDate | SkippedRunning | SkippedRetryBackoff | SkippedRetryExhausted


def watermark_of(instant: str) -> int:
    """An instant as a watermark: milliseconds since 1970."""
    return max(1, round(to_epoch(instant) * 1000))


def readiness(job: Job | None, watermark: int, now: str) -> Readiness:
    """Whether a session that goes as far as `watermark` may be read; `job` is what is known of it."""
    if job is None:
        return Due(watermark)
    if job.done_watermark >= watermark:
        return SkippedUpToDate()
    if job.status == "running" and job.lease_until > now:
        return SkippedRunning(job.lease_until)
    if watermark > job.watermark:
        return Due(watermark)
    return _waiting(job, now)


def _waiting(job: Job, now: str) -> Readiness:
    if job.status == "dead":
        return SkippedRetryExhausted()
    if job.status == "pending" and job.due_at > now:
        return SkippedRetryBackoff(job.due_at)
    return Due(job.watermark)


def advanced(job: Job | None, watermark: int) -> int:
    """The watermark under which work is asked for again, also where the input's own does not advance.

    It is at least `watermark`, above what was worked off, and above what is asked for already, so that attempts begin
    anew. Source: autonomous-memory seed, enqueue with force.
    """
    return max(watermark, job.watermark + 1) if job else max(1, watermark)


def cooling_s(job: Job | None, cooldown_s: float, now: str) -> float:
    """How long artifacts that were just made rest before they are made again; 0 where they may be made now."""
    if job is None or cooldown_s <= 0:
        return 0.0
    if job.status == "done":
        return max(0.0, to_epoch(job.updated_at) + cooldown_s - to_epoch(now))
    if job.status == "pending" and not job.attempts and job.done_watermark:
        return max(0.0, to_epoch(job.due_at) - to_epoch(now))
    return 0.0
