"""A worker: asks what there is to do, takes one job after the other, and ends when it is told."""

from __future__ import annotations

from collections import Counter, deque
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

from learnt.errors import LearntError, LeaseLostError, ProviderError, StoreError, UnsupportedError
from learnt.flows.checkpoint import tend
from learnt.flows.copy import follow
from learnt.flows.decay import DECAY
from learnt.flows.lease import Grip, never, quiet, silent
from learnt.flows.owing import CONSOLIDATION, EXTRACTION
from learnt.flows.prune import PRUNE
from learnt.flows.renew import REEMBED
from learnt.flows.rescan import RESCAN
from learnt.flows.shelve import INDEX
from learnt.flows.trade import spread
from learnt.jobs.backoff import failed
from learnt.model.backlog import JobFilter
from learnt.model.job import Done, Failed, Released

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from learnt.flows.means import Means
    from learnt.flows.trade import Trade
    from learnt.model.backlog import Backlog
    from learnt.model.filter import Page
    from learnt.model.job import Ending, Job, Lease

TRADES: tuple[Trade, ...] = (REEMBED, RESCAN, PRUNE, DECAY, INDEX, EXTRACTION, CONSOLIDATION)
"""Every kind of job there is."""

PLAN_S = 60.0
"""How often a worker that waits asks what there is to do."""

_LOOK_S = 1.0
"""How soon a worker that waits hears that it is to end."""
_LOOKS = 5
"""So often it waits before it looks for a job whose pause is over; one that is new is heard of at once."""
_REMEMBERED = 100
_UNKNOWN = "store_outcome_unknown"
"""The connection broke in a commit. A worker need not know: under its token the job is settled, or it is not."""

Result = Literal["done", "failed", "dead", "released", "lost"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """What became of one attempt. `lost`: another worker had taken over."""

    job: Job
    result: Result
    reason: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Worked:
    """What a worker did: how many attempts with which result, and the last hundred of them."""

    counts: dict[str, int] = field(default_factory=dict)
    outcomes: tuple[Outcome, ...] = ()

    def after(self, before: Worked) -> Worked:
        """This and what it did before as one."""
        counts = dict(Counter(before.counts) + Counter(self.counts))
        return Worked(counts=counts, outcomes=(*before.outcomes, *self.outcomes)[-_REMEMBERED:])


@dataclass(frozen=True, slots=True)
class Watch:
    """Whom a worker listens and talks to.

    Attributes:
        stop: Whether it is to end.
        began: Told of each job that it takes up. `went`: of its progress. `ended`: of what became of it.
        waits: Told why the store does not answer.
    """

    stop: Callable[[], bool] = never
    began: Callable[[Job], None] = silent
    went: Callable[[int, int], None] = quiet
    ended: Callable[[Outcome], None] = silent
    waits: Callable[[StoreError], None] = silent


@dataclass(slots=True)
class _Shift:
    """One worker's time at work."""

    means: Means
    watch: Watch
    owner: str
    counts: Counter[str] = field(default_factory=Counter)
    outcomes: deque[Outcome] = field(default_factory=lambda: deque(maxlen=_REMEMBERED))


def work(means: Means, *, once: bool = False, watch: Watch | None = None, trades: Sequence[Trade] = TRADES) -> Worked:
    """Do what there is to do; any number of workers may.

    Args:
        once: End when nothing is due any more; else go on until `watch.stop`, also when the store is away for a while.
    """
    shift = _Shift(means, watch or Watch(), means.ids.new("worker"))
    able = {trade.kind: trade for trade in trades if trade.able(means)}
    while not shift.watch.stop():
        try:
            plan(means, tuple(able.values()))
            follow(means, everywhere=True, within_s=PLAN_S)  # no job: the copy is this machine's, the queue everybody's
            tend(means)  # nor is this: each machine signs with a key of its own
            _drain(shift, able)
            if once:
                break
            _idle(shift, able)
        except StoreError as error:
            if once or not (error.may_retry or error.error_code == _UNKNOWN):
                raise
            shift.watch.waits(error)
            _rest(shift)
    return Worked(counts=dict(shift.counts), outcomes=tuple(shift.outcomes))


def plan(means: Means, trades: Sequence[Trade] = TRADES) -> int:
    """Ask for what there is to do, each once; gives how many requests there were."""
    wanted = [request for trade in trades if trade.able(means) for request in trade.wanted(means)]
    if wanted:
        with means.store.transaction():
            for request in wanted:
                means.store.queue.enqueue(request)
    return len(wanted)


def _drain(shift: _Shift, able: dict[str, Trade]) -> None:
    """One job after the other, as long as one is due."""
    while not shift.watch.stop() and (lease := _taken(shift, able)):
        shift.watch.began(lease.job)
        outcome = _done(shift, able[lease.job.kind], lease)
        shift.counts[outcome.result] += 1
        shift.outcomes.append(outcome)
        shift.watch.ended(outcome)


def _idle(shift: _Shift, able: dict[str, Trade]) -> None:
    """Wait for work until it is time to plan again."""
    until_s = shift.means.monotonic_s() + PLAN_S
    while not shift.watch.stop() and shift.means.monotonic_s() < until_s:
        _rest(shift)
        _drain(shift, able)


def _rest(shift: _Shift) -> None:
    """Wait until something may have been enqueued, a few seconds at most."""
    for _ in range(_LOOKS):
        if shift.watch.stop() or shift.means.store.queue.wait(_LOOK_S):
            return


def _taken(shift: _Shift, able: dict[str, Trade]) -> Lease | None:
    """The next job, held for the term of its trade."""
    queue = shift.means.store.queue
    terms = sorted({trade.term_s for trade in able.values()})
    with shift.means.store.transaction():
        for term_s in terms:
            kinds = tuple(kind for kind, trade in able.items() if trade.term_s == term_s)
            if lease := queue.lease(shift.owner, kinds, term_s):
                return lease
    return None


def _done(shift: _Shift, trade: Trade, lease: Lease) -> Outcome:
    grip = Grip(shift.means, lease, shift.watch.stop, shift.watch.went)
    try:
        with grip.alive():
            ending = trade.run(grip)
    except LeaseLostError:
        return Outcome(job=lease.job, result="lost")
    except LearntError as error:
        ending = _failed(shift, trade, lease.job, error)
    except (KeyboardInterrupt, SystemExit):
        grip.settle(Released())
        raise
    except Exception as error:
        grip.settle(failed(lease.job, f"bug: {type(error).__name__}", spread(shift.means)))
        raise
    return _outcome(lease.job, ending) if grip.settle(ending) else Outcome(job=lease.job, result="lost")


def _failed(shift: _Shift, trade: Trade, job: Job, error: LearntError) -> Failed:
    """Waiting may help where a store or a model did not answer, and where the error says so."""
    may_retry = error.may_retry or isinstance(error, StoreError | ProviderError)
    reason = shift.means.gate.redact(f"{error.error_code}: {error.message}")
    return failed(job, reason, spread(shift.means), may_retry=may_retry, first_s=trade.retry_s)


def _outcome(job: Job, ending: Ending) -> Outcome:
    if isinstance(ending, Done):
        return Outcome(job=job, result="done")
    if isinstance(ending, Released):
        return Outcome(job=job, result="released")
    return Outcome(job=job, result="dead" if ending.wait_s is None else "failed", reason=ending.reason)


@dataclass(frozen=True, slots=True, kw_only=True)
class Jobs:
    """A listing of jobs, how many there are of each kind and status, and which were made due again."""

    page: Page[Job]
    backlog: Backlog
    retried: tuple[str, ...] = ()
    refused: tuple[tuple[str, str], ...] = ()


def jobs(means: Means, wanted: JobFilter, retry: Sequence[str] = (), *, retry_all: bool = False) -> Jobs:
    """The table of jobs, after those named were made due again.

    Args:
        retry: Ids. One that is running or done stays as it is; it and an unknown one are in `refused`, with why.
        retry_all: All that were given up.
    """
    if "queue" in means.store.lacks:
        raise UnsupportedError("This store has no jobs.")
    queue, sight = means.store.queue, means.context.sight
    retried, refused = [], []
    if retry_all:
        dead = queue.page(sight, JobFilter(statuses=("dead",), limit=1_000)).values
        retry = (*retry, *(job.id for job in dead if job.id not in retry))
    if retry:
        with means.store.transaction():
            for job_id in dict.fromkeys(retry):
                job = queue.retry(sight, job_id)
                if job and job.status == "pending":
                    retried.append(job_id)
                else:
                    refused.append((job_id, job.status if job else "not_found"))
    return Jobs(page=queue.page(sight, wanted), backlog=queue.backlog(), retried=tuple(retried), refused=tuple(refused))
