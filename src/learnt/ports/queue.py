"""Work that waits, and who may do it.

A queue has a clock of its own, the same for all its workers, which setting a machine's clock does not move where the
store can help it. Leases, pauses and moments of jobs are counted by it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Sequence

    from learnt.model.backlog import Backlog, JobFilter
    from learnt.model.filter import Page
    from learnt.model.job import Ending, Job, JobRequest, Lease
    from learnt.model.scope import Sight


class Queue(Protocol):
    """Jobs. What changes something stands inside the store's transaction, with what else must hold or fail with it.

    Time decides who may take a job, never whose write counts: that is the fence, which rises with every lease and is
    compared inside the statement that writes.
    """

    def enqueue(self, request: JobRequest) -> Job:
        """The job of this kind and key, made where there is none, due again where the watermark is higher than its own.

        A request that was seen before, or an older one, changes nothing.
        """
        ...

    def lease(self, owner: str, kinds: Sequence[str], term_s: float, job_id: str = "") -> Lease | None:
        """The job that is due longest, or whose lease ran out, now held by `owner`; None when there is none.

        Two workers never get one job. One whose last attempt ran out is given up on the way. What was written later
        than the clock's present is counted from now on: the clock was set back.

        Args:
            kinds: What this worker can do.
            job_id: Only this one.
        """
        ...

    def hold(self, lease: Lease) -> bool:
        """Whether the lease is still the last one; if so it is renewed, and nobody takes the job before the commit."""
        ...

    def settle(self, lease: Lease, ending: Ending) -> bool:
        """End a lease; False, and nothing is changed, when the job was leased again or ended since."""
        ...

    def retry(self, sight: Sight, job_id: str) -> Job | None:
        """The job, due at once with all its attempts if it waited or had been given up; None when `sight` lacks it."""
        ...

    def page(self, sight: Sight, wanted: JobFilter) -> Page[Job]:
        """Jobs of these scopes and of the whole store, `updated_at` descending, then id."""
        ...

    def backlog(self) -> Backlog:
        """How many there are, and the present of this queue's clock."""
        ...

    def wait(self, timeout_s: float) -> bool:
        """Wait outside of a transaction until something may have been enqueued, or the time is over; which of both."""
        ...
