"""Both phases at once for a person who asks, and how they stand."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final, TypeVar

from learnt.errors import LearntError, LeaseLostError, ProviderError, StoreError
from learnt.flows.artifacts import binder_of
from learnt.flows.lease import Grip, begin
from learnt.flows.phases import CONSOLIDATE_TERM_S, EXTRACT_TERM_S, ask, put_off, session_request
from learnt.flows.switch import off
from learnt.flows.threads import here, register, verdicts
from learnt.flows.trade import known
from learnt.jobs.backoff import failed
from learnt.model.backlog import JobFilter
from learnt.model.filter import MOST_PAST
from learnt.model.job import JOB_STATUSES, Done, JobRequest, Released
from learnt.model.thread import CONSOLIDATE, JOBS

if TYPE_CHECKING:
    from collections.abc import Callable

    from learnt.flows.consolidate import Consolidated
    from learnt.flows.extract import Extracted
    from learnt.flows.means import Means
    from learnt.jobs.eligible import Verdict
    from learnt.model.answer import Refusal
    from learnt.model.job import Ending, Job
    from learnt.model.thread import Thread

T = TypeVar("T")

_MOST: Final = 1_000
_DAY_S: Final = 86_400.0
_TURNS: Final = 40
_TURN_S: Final = 0.25
"""A person waits ten seconds for a worker that is at it: without a model it is done by then."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Rebuilt:
    """What both phases came to.

    Attributes:
        sessions: What became of each session that was read. `skipped`: the others, and why, newest first.
        failed: Sessions that could not be read, with the reason.
        consolidated: None where the artifacts are another worker's at the moment, or could not be made: `fault`.
    """

    sessions: tuple[Extracted, ...] = ()
    skipped: tuple[Verdict, ...] = ()
    failed: tuple[tuple[Thread, str], ...] = ()
    consolidated: Consolidated | None = None
    fault: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Phases:
    """How both phases stand here: jobs by kind and status, and the last fault of those that were given up.

    Attributes:
        waiting: Sessions that would be read now. `extracted`: those that taught something.
        too_old: Sessions that no worker reads for their age; a person's rebuild does.
    """

    counts: dict[str, dict[str, int]] = field(default_factory=dict)
    faults: tuple[Job, ...] = ()
    waiting: int = 0
    extracted: int = 0
    too_old: int = 0


def rebuild(means: Means, *, tell: Callable[[str, int, int], None] | None = None) -> Rebuilt | Refusal:
    """Read every session that waits, however old or fresh, then make the artifacts; now, in this process.

    Args:
        tell: Called with what is done, how much of it, and how much there is.
    """
    if disabled := off(means):
        return disabled
    _registered(means)
    found = verdicts(means, hurried=True)
    wanted = [each.thread for each in found if not each.why]
    done, faults = [], []
    for number, thread in enumerate(wanted, 1):
        try:
            extracted = _now(means, thread)
        except LearntError as error:
            faults.append((thread, f"{error.error_code}: {error.message}"))
        else:
            done += [extracted] if extracted else []
        if tell:
            tell("sessions", number, len(wanted))
    consolidated, fault = _consolidated(means)
    if tell:
        tell("artifacts", 1, 1)
    return Rebuilt(
        sessions=tuple(done),
        skipped=tuple(each for each in found if each.why),
        failed=tuple(faults),
        consolidated=consolidated,
        fault=fault,
    )


def enqueue(means: Means) -> bool | Refusal:
    """Ask for the artifacts, to be made by the next worker; whether this store has jobs."""
    if disabled := off(means):
        return disabled
    with means.store.transaction():
        asked = ask(means, means.context.sight.one("repository"), means.clock.now(), now=True)
        means.name_place()
    return asked


def phases(means: Means) -> Phases:
    """How both phases stand here."""
    if "queue" in means.store.lacks:
        return Phases(extracted=len(means.store.extractions.ranks(here(means))))
    queue, sight = means.store.queue, here(means)
    totals = {
        kind: {
            status: queue.page(sight, JobFilter(kinds=(kind,), statuses=(status,), limit=1)).total
            for status in JOB_STATUSES
        }
        for kind in JOBS
    }
    whys = [each.why for each in verdicts(means)]
    open_ones = queue.page(sight, JobFilter(kinds=JOBS, statuses=("dead", "pending"), limit=_MOST)).values
    return Phases(
        counts={kind: {status: many for status, many in each.items() if many} for kind, each in totals.items()},
        faults=tuple(job for job in open_ones if job.error)[:5],
        waiting=whys.count(""),
        too_old=whys.count("too_old"),
        extracted=len(means.store.extractions.ranks(here(means))),
    )


def _registered(means: Means) -> None:
    """Sessions that were read before there was a registry are put on it."""
    sight = here(means)
    held = means.store.archive.sessions(sight, MOST_PAST)
    kept = [each for each in held if not each.cleared or each.cleared < each.number]  # a dropped one stays out
    fresh = [each for each in kept if means.store.threads.get(sight, each.id) is None]
    if fresh:
        with means.store.transaction():
            for each in fresh:
                register(means, each)


def _now(means: Means, thread: Thread) -> Extracted | None:
    """A session read at once, under its lease where the store has jobs; None where another worker reads it."""
    from learnt.flows.extract import extract  # with all that both phases need: `status` asks for numbers only

    if "queue" in means.store.lacks:
        return extract(means, thread)
    grip = _begun(means, session_request(means, thread), EXTRACT_TERM_S)
    if not isinstance(grip, Grip):
        return None
    if _is_read(means, thread):  # by the worker that was waited for
        grip.settle(Done())
        return None
    return _held(grip, lambda: extract(means, thread, grip=grip), EXTRACT_TERM_S)


def _is_read(means: Means, thread: Thread) -> bool:
    held = means.store.threads.get(here(means), thread.id)
    return held is None or held.extracted >= thread.updated_at


def _begun(means: Means, request: JobRequest, term_s: float) -> Grip | Job:
    """A job in our hands, after a wait where a worker has it; the job where that goes on."""
    for _ in range(_TURNS):
        if isinstance(grip := begin(means, request, term_s=term_s), Grip):
            return grip
        means.store.queue.wait(_TURN_S)
    return begin(means, request, term_s=term_s)


def _held(grip: Grip, run: Callable[[], T], first_s: float) -> T:
    """Do a job that somebody waits for; it ends as a worker would have it end."""
    try:
        with grip.alive():
            done = run()
    except LearntError as error:
        grip.settle(_ending(grip, error, first_s))
        raise
    except BaseException:
        grip.settle(Released())
        raise
    grip.settle(Done())
    return done


def _ending(grip: Grip, error: LearntError, first_s: float) -> Ending:
    if isinstance(error, ProviderError):
        with suppress(ProviderError):
            return put_off(error)
    reason = grip.means.gate.redact(f"{error.error_code}: {error.message}")
    may_retry = error.may_retry or isinstance(error, ProviderError | StoreError)
    return failed(grip.job, reason, 0.0, may_retry=may_retry, first_s=first_s)


def artifacts(means: Means, grip: Grip, *, offline: bool = False) -> Consolidated:
    """The artifacts, made under a lease; `offline` as `learnt.flows.consolidate.consolidate` has it.

    Raises:
        LeaseLostError: Another worker makes them, or a person cleared everything: then what was written goes, too.
    """
    from learnt.flows.consolidate import consolidate

    try:
        return consolidate(means, hold=grip.hold, going=lambda: not grip.lost, offline=offline)
    except LeaseLostError:
        binder = binder_of(means)
        if binder is not None and known(means, CONSOLIDATE, grip.job.key) is None:
            binder.clear()
        raise
    except StoreError:
        _looked_after(means, grip)
        raise


def _looked_after(means: Means, grip: Grip) -> None:
    """Ask for the artifacts anew where the transaction was ended in which they took their places, and the lease lost.

    A server ends one that stood still for a minute; it may then have put old files over those of whoever took over.
    """
    with suppress(StoreError), means.store.transaction():
        if not means.store.queue.hold(grip.lease):
            ask(means, means.context.sight.one("repository"), means.clock.now(), now=True)


def _consolidated(means: Means) -> tuple[Consolidated | None, str]:
    """The artifacts made at once."""
    from learnt.flows.consolidate import consolidate

    scope = means.context.sight.one("repository")
    if "queue" in means.store.lacks:
        return consolidate(means), ""
    wanted = JobRequest(id=means.ids.new("job"), kind=CONSOLIDATE, key=scope.repo_id, scope_key=scope.key)
    grip = _begun(means, wanted, CONSOLIDATE_TERM_S)
    if not isinstance(grip, Grip):
        return None, "running"
    try:
        return _held(grip, lambda: artifacts(means, grip), CONSOLIDATE_TERM_S), ""
    except LearntError as error:
        return None, means.gate.redact(f"{error.error_code}: {error.message}")
