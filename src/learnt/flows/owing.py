"""Both phases as jobs of the queue: who asks for them, and what a worker does with one."""

from __future__ import annotations

from dataclasses import replace
from itertools import chain, islice
from typing import TYPE_CHECKING, Final

from learnt.flows.phases import (
    CONSOLIDATE_TERM_S,
    EXTRACT_TERM_S,
    LATER_S,
    by_model_or_without,
    due,
    is_put_off,
    is_stale,
    request,
    session_request,
)
from learnt.flows.pipeline import artifacts
from learnt.flows.threads import here, verdicts
from learnt.flows.trade import Trade, known
from learnt.gate.clearance import PATTERN_SET
from learnt.jobs.due import Due, readiness
from learnt.model.filter import MemoryFilter
from learnt.model.instant import plus_days
from learnt.model.job import Done, JobRequest, Released, later
from learnt.model.scope import Sight, scope_of
from learnt.model.thread import CONSOLIDATE, EXTRACT

if TYPE_CHECKING:
    from collections.abc import Iterator

    from learnt.flows.lease import Grip
    from learnt.flows.means import Means
    from learnt.model.job import Ending, Job
    from learnt.model.thread import Thread

_DAY_S: Final = 86_400.0
_LOOKED_AT: Final = 50
"""The memories that changed last, some of them perhaps under a clock that was ahead."""


def _run_extraction(grip: Grip) -> Ending:
    from learnt.flows.extract import extract, is_here

    thread = grip.means.store.threads.get(Sight((scope_of(grip.job.scope_key),)), grip.job.key)
    if thread is None or thread.mode != "enabled" or thread.extracted >= thread.updated_at:
        return Done()
    means = _of(grip)
    if means is None or (means.served and not is_here(means, thread)):
        return _left(grip.means, thread)
    if not means.settings.memory.enabled:
        return Done()
    present = thread.session_id in {grip.means.context.session_id} - {""}  # resumed: it goes on
    if present or is_put_off(means, "extraction", grip.job) or means.transcripts.live(thread.session_id):
        return Released(LATER_S)
    return by_model_or_without(
        grip, lambda *, offline: extract(means, thread, grip=grip, attempt=grip.job.attempts, offline=offline)
    )


def _left(means: Means, thread: Thread) -> Ending:
    """A session that lies elsewhere is left to the worker there, until nobody would read it any more."""
    since = plus_days(means.clock.now(), -means.settings.sessions.max_age_days)
    return Released(LATER_S) if thread.updated_at >= since else Done()


def _run_consolidation(grip: Grip) -> Ending:
    means = _of(grip)
    if means is None or not means.settings.memory.enabled:
        return Done()
    if is_put_off(means, "consolidation", grip.job):
        return Released(LATER_S)
    return by_model_or_without(grip, lambda *, offline: artifacts(means, grip, offline=offline))


def _of(grip: Grip) -> Means | None:
    """The means of the repository a job belongs to; None where it lies nowhere on this machine."""
    means, key = grip.means, grip.job.scope_key
    if key in means.context.sight.keys:
        return means
    sight = Sight((scope_of(key),))
    for thread in means.store.threads.latest(sight, 20):
        there = means.at(thread.cwd)
        if key in there.context.sight.keys:
            return there
    return None


def _wanted_extractions(means: Means) -> tuple[JobRequest, ...]:
    """A job for each session that may be read now, of all together as many as one start may read.

    First of this repository, then of others that lie on this machine.
    """
    wanted = (request for there in chain((means,), _others(means)) for request in _wanted_here(there))
    return tuple(islice(wanted, means.own.sessions.max_per_start))


def _wanted_here(means: Means) -> Iterator[JobRequest]:
    """Those of one repository, as many as one start may read."""
    from learnt.flows.extract import is_here

    if not means.settings.memory.enabled:
        return
    now = means.store.queue.backlog().now
    wanted: dict[str, JobRequest] = {}

    def waits(thread: Thread) -> bool:
        """Whether it is not its turn: only what could be read takes room from others."""
        request = _turn(means, thread, now)
        if request is None or (means.served and not is_here(means, thread)):
            return True
        wanted[thread.id] = request
        return False

    for each in verdicts(means, waits=waits, running=due(means, means.context.sight.one("repository"))):
        if not each.why:
            yield wanted[each.thread.id]


def _turn(means: Means, thread: Thread, now: str) -> JobRequest | None:
    """The request to read a session, where it is its turn by what is known of its job, which is looked at once."""
    request, job = session_request(means, thread), known(means, EXTRACT, thread.id)
    if job is None:
        return request
    if job.status == "done" and job.watermark >= request.watermark:  # it was set aside then, or is read this moment
        held = means.store.threads.get(here(means), thread.id)
        unread = held is not None and held.extracted < held.updated_at
        return replace(request, watermark=job.watermark + 1) if unread else None
    fresh = job.watermark < request.watermark
    return request if fresh and isinstance(readiness(job, request.watermark, now), Due) else None


def _others(means: Means) -> Iterator[Means]:
    """Other repositories on this machine whose sessions may wait: nobody may start one there for weeks."""
    mine = means.context.sight.one("repository").key
    scopes = tuple(each for each in means.store.leavers.scopes("") if each.type == "repository" and each.key != mine)
    if not scopes:
        return
    sight, since = Sight(scopes), plus_days(means.clock.now(), -means.own.sessions.max_age_days)
    folders = {
        each.scope_key: each.cwd
        for each in means.store.threads.latest(sight, means.own.sessions.scan_limit)
        if each.extracted < each.updated_at and each.updated_at >= since and each.mode == "enabled" and each.cwd
    }
    for key, folder in sorted(folders.items()):
        there = means.at(folder)
        if key in there.context.sight.keys:
            yield there


def _wanted_consolidation(means: Means) -> tuple[JobRequest, ...]:
    """A job where the choice of sessions is not what was taken last, or memories changed since; none is asked twice.

    One that was given up is asked for again after a day: used-up attempts block nothing for ever (codex #19809).
    """
    if not means.settings.memory.enabled:
        return ()
    scope, now = means.context.sight.one("repository"), means.store.queue.backlog().now
    job = known(means, CONSOLIDATE, scope.repo_id)
    rests = job is not None and job.status == "dead" and job.updated_at > later(now, -_DAY_S)
    if rests or (job and job.status in {"pending", "running"}) or not _is_changed(means, job):
        return ()
    if due(means, scope) or any(_wanted_here(means)):  # whoever reads the last of them asks
        return ()
    return (request(means, scope, now),)


def _is_changed(means: Means, job: Job | None) -> bool:
    sight = here(means)
    told = means.store.summaries.current(sight)
    if told is None and not means.store.extractions.ranks(sight):
        return False
    if is_stale(means, means.context.sight.one("repository")) or (told and told.clearance != PATTERN_SET):
        return True
    if job is None:
        return False
    # by the wall clock alone: the queue's own may differ from it, and it may have been set back since
    made, now = told.made_at if told else job.updated_at, means.clock.now()
    wanted = MemoryFilter(statuses=(), include_expired=True, limit=_LOOKED_AT)
    return any(made < each.updated_at <= now for each in means.store.memories.page(sight, wanted, now).values)


EXTRACTION = Trade(
    kind=EXTRACT,
    run=_run_extraction,
    wanted=_wanted_extractions,
    able=lambda means: "queue" not in means.store.lacks,
    term_s=EXTRACT_TERM_S,
)
CONSOLIDATION = Trade(
    kind=CONSOLIDATE,
    run=_run_consolidation,
    wanted=_wanted_consolidation,
    able=lambda means: means.artifacts is not None,
    term_s=CONSOLIDATE_TERM_S,
    retry_s=CONSOLIDATE_TERM_S,
)
