"""The two kinds of job that learn from sessions: how they are asked for, and with what they are done.

Source: autonomous-memory seed, job table: leases of 120 and 180 s, the same pauses, 3 attempts.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from learnt.errors import ProviderError
from learnt.flows.trade import known
from learnt.jobs.due import advanced, cooling_s, watermark_of
from learnt.jobs.select import is_changed, selected
from learnt.model.backlog import JobFilter
from learnt.model.instant import plus_days
from learnt.model.job import Done, JobRequest, Released
from learnt.model.scope import Sight
from learnt.model.thread import CONSOLIDATE, EXTRACT
from learnt.ports.writer import Unwritten

if TYPE_CHECKING:
    from collections.abc import Callable

    from learnt.flows.lease import Grip
    from learnt.flows.means import Means
    from learnt.model.job import Ending, Job
    from learnt.model.scope import Scope
    from learnt.model.thread import Thread
    from learnt.ports.writer import Purpose, Writer

EXTRACT_TERM_S: Final = 120.0
CONSOLIDATE_TERM_S: Final = 180.0
LATER_S: Final = 3_600.0
"""How long work is put off for which a model is enabled that may not be asked now: its limit or its cap was met."""
WAIT_DAYS: Final = 7.0
"""How long it is put off in all; then it is done without. Source: our choice; a month's cap may be used up in two days,
and a client that lends its model may never come."""
_HOUR_S = 3_600.0
_MOST: Final = 1_000
_PASSING = ("rate limit", "cap", "client")
_LIMITS = ("cap", "rate_limited")


def ask(means: Means, scope: Scope, at: str, *, now: bool = False) -> bool:
    """Ask for a repository's artifacts, inside the caller's transaction; whether this store has jobs.

    After what it rests on was written: on a server the scope is then held, so that no two ask under one watermark.

    Args:
        at: How far the session goes that changed. `now`: pass over the pause that a model's artifacts take.
    """
    if "queue" in means.store.lacks or not scope.repo_id:
        return False
    means.store.queue.enqueue(request(means, scope, at, now=now))
    return True


def request(means: Means, scope: Scope, at: str, *, now: bool = False) -> JobRequest:
    """The request for a repository's artifacts; see `ask`."""
    job = known(means, CONSOLIDATE, scope.repo_id, Sight((scope,)))
    models = not now and writer(means, "consolidation") is not None
    cooldown_s = means.settings.sessions.cooldown_hours * _HOUR_S if models else 0.0
    return JobRequest(
        id=means.ids.new("job"),
        kind=CONSOLIDATE,
        key=scope.repo_id,
        scope_key=scope.key,
        watermark=advanced(job, watermark_of(at)),
        wait_s=cooling_s(job, cooldown_s, means.store.queue.backlog().now),
    )


def session_request(means: Means, thread: Thread) -> JobRequest:
    """The request to read a session as far as it goes now."""
    return JobRequest(
        id=means.ids.new("job"),
        kind=EXTRACT,
        key=thread.id,
        scope_key=thread.scope_key,
        watermark=watermark_of(thread.updated_at),
    )


def due(means: Means, scope: Scope) -> int:
    """How many sessions of a repository are being read, or wait to be read now."""
    if "queue" in means.store.lacks:
        return 0
    queue = means.store.queue
    now = queue.backlog().now
    wanted = JobFilter(kinds=(EXTRACT,), statuses=("pending", "running"), limit=_MOST)
    found = (job for job in queue.page(Sight((scope,)), wanted).values if job.scope_key == scope.key)
    return sum(job.due_at <= now if job.status == "pending" else job.lease_until > now for job in found)


def is_stale(means: Means, scope: Scope) -> bool:
    """Whether the sessions that would be taken now are not those that the last consolidation took."""
    wanted, ranks = means.settings.sessions, means.store.extractions.ranks(Sight((scope,)))
    now = means.clock.now()
    names = selected(ranks, most=wanted.max_raw_memories, max_unused_days=wanted.max_unused_days, now=now)
    return is_changed(ranks, names)


def writer(means: Means, purpose: Purpose) -> Writer | None:
    """The model that writes here; None for the offline writer."""
    found = means.writers.of(purpose)
    return None if isinstance(found, Unwritten) else found


def is_put_off(means: Means, purpose: Purpose, job: Job) -> bool:
    """Whether a model is to write that may not be asked now, and the work still waits for it."""
    found = means.writers.of(purpose)
    return isinstance(found, Unwritten) and found.reason.startswith(_PASSING) and not _has_waited(means, job)


def _has_waited(means: Means, job: Job) -> bool:
    """Whether a job waits for no cap, limit or client any more.

    The session it was asked for is too old by then, and was asked for long ago: what it taught has waited with it.
    """
    since = plus_days(means.clock.now(), -WAIT_DAYS)
    return job.watermark < watermark_of(since) and (job.kind != EXTRACT or job.created_at < since)


def by_model_or_without(grip: Grip, work: Callable[..., object]) -> Ending:
    """How a job ends whose model may fail: the last of its attempts is done without one, so that nothing stays undone.

    Args:
        work: Called with `offline`.

    Raises:
        ProviderError: The model failed, and there are attempts left.
    """
    try:
        work(offline=False)
    except ProviderError as error:
        limited, job = error.error_code in _LIMITS, grip.job
        if not (_has_waited(grip.means, job) if limited else job.attempts >= job.max_attempts):
            return put_off(error)
        work(offline=True)
    return Done()


def put_off(error: ProviderError) -> Released:
    """How a job ends whose model met a cap or a limit on the way: no fault of the session, the attempt does not count.

    Raises:
        ProviderError: Any other.
    """
    if error.error_code not in _LIMITS:
        raise error
    return Released(LATER_S)
