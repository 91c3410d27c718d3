"""What a worker can do: one entry a kind of job."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from learnt.flows.lease import TERM_S
from learnt.jobs.backoff import FIRST_S
from learnt.jobs.schedule import period
from learnt.model.backlog import JobFilter
from learnt.model.job import MAX_ATTEMPTS, JobRequest

if TYPE_CHECKING:
    from collections.abc import Callable

    from learnt.flows.lease import Grip
    from learnt.flows.means import Means
    from learnt.model.job import Ending, Job
    from learnt.model.scope import Sight


@dataclass(frozen=True, slots=True, kw_only=True)
class Trade:
    """A kind of job.

    Attributes:
        run: Does one. It calls `Grip.hold` in each transaction that writes (or `Grip.end` in the last, and gives that
            ending), and stops at a good place when `Grip.ends`. What it raises ends the attempt with that reason.
        wanted: What there is to do, as far as this worker can see; asked now and then, it writes nothing.
        able: Whether this worker has what it takes; without, it leaves such jobs to others.
        retry_s: The first pause after an attempt that failed.
    """

    kind: str
    run: Callable[[Grip], Ending]
    wanted: Callable[[Means], tuple[JobRequest, ...]]
    able: Callable[[Means], bool] = lambda _: True
    term_s: float = TERM_S
    retry_s: float = FIRST_S


def fresh(
    means: Means,
    kind: str,
    key: str,
    *,
    scope_key: str = "",
    payload: str = "{}",
    max_attempts: int = MAX_ATTEMPTS,
    sight: Sight | None = None,
) -> JobRequest | None:
    """The request for work whose input has no watermark of its own, unless it is asked for already.

    A job that was given up stays so until a person retries it.

    Args:
        sight: Where the job lies, for one of a scope out of sight.
    """
    held = known(means, kind, key, sight)
    if held and held.status != "done":
        return None
    return JobRequest(
        id=means.ids.new("job"),
        kind=kind,
        key=key,
        scope_key=scope_key,
        payload=payload,
        watermark=held.watermark + 1 if held else 1,
        max_attempts=max_attempts,
    )


def periodic(means: Means, kind: str, key: str, length_s: int) -> tuple[JobRequest, ...]:
    """The request for work that comes again after so many seconds, unless this period's is asked for already."""
    number, job = period(length_s, means.store.queue.backlog().now), known(means, kind, key)
    if job and job.watermark >= number:
        return ()
    return (JobRequest(id=means.ids.new("job"), kind=kind, key=key, watermark=number),)


def known(means: Means, kind: str, key: str, sight: Sight | None = None) -> Job | None:
    """The job of this kind and key, if there is one."""
    page = means.store.queue.page(sight or means.context.sight, JobFilter(kinds=(kind,), key=key))
    return next(iter(page.values), None)


def spread(means: Means) -> float:
    """A number from 0 to 1 by chance."""
    return int(means.ids.marker(), 16) / 0xFFFFFFFF
