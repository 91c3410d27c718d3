"""What waits in a queue: a listing of jobs, and their numbers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from learnt.model.filter import bounded
from learnt.model.job import JOB_STATUSES

if TYPE_CHECKING:
    from collections.abc import Iterator

    from learnt.model.job import Job, JobStatus


@dataclass(frozen=True, slots=True, kw_only=True)
class JobFilter:
    """A listing of jobs. `statuses` and `kinds` empty for all; `key` is one exactly; `limit` 1 to 1,000."""

    statuses: tuple[JobStatus, ...] = ()
    kinds: tuple[str, ...] = ()
    key: str = ""
    limit: int = 50

    def __post_init__(self) -> None:
        bounded(self.limit)

    def takes(self, job: Job) -> bool:
        """Whether the listing has this job, scopes apart."""
        right_status = not self.statuses or job.status in self.statuses
        return right_status and (not self.kinds or job.kind in self.kinds) and self.key in {"", job.key}


@dataclass(frozen=True, slots=True, kw_only=True)
class Backlog:
    """What a queue holds, over all scopes, as of one moment of its clock.

    Attributes:
        counts: Kind, status, how many.
        lost: How many are held under a lease that ran out.
        due_since: When the one that waits longest became due; "" when none is.
    """

    now: str
    counts: tuple[tuple[str, JobStatus, int], ...] = ()
    lost: int = 0
    due_since: str = ""

    def of(self, status: JobStatus) -> int:
        """How many have this status."""
        return sum(number for _, held, number in self.counts if held == status)

    def statuses(self) -> dict[str, int]:
        """How many of each status, and how many a worker holds that does not answer."""
        return {**{status: self.of(status) for status in JOB_STATUSES}, "lost": self.lost}

    def __iter__(self) -> Iterator[tuple[str, JobStatus, int]]:
        return iter(self.counts)
