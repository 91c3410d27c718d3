"""Evidence nothing rests on leaves after its time."""

from __future__ import annotations

from typing import TYPE_CHECKING

from learnt.flows.queue import expire
from learnt.flows.trade import Trade, periodic
from learnt.jobs.schedule import period_s
from learnt.model.instant import plus_days
from learnt.model.job import Done
from learnt.model.scope import Sight

if TYPE_CHECKING:
    from collections.abc import Callable

    from learnt.flows.lease import Grip
    from learnt.flows.means import Means
    from learnt.model.job import Ending, JobRequest

_DAY_S = period_s("daily")


def prune(means: Means, hold: Callable[[], None] = lambda: None) -> int:
    """Remove uncited evidence past its time, and the oldest documents beyond the bounds; gives how many pieces.

    What a repository narrowed holds for its own evidence; everything else stays as long as the person said.

    Args:
        hold: Stands inside the transaction.
    """
    now = min(means.clock.now(), means.store.queue.backlog().now)  # a clock set forward removes nothing early
    mine, here = means.own.evidence.retention_days, means.settings.evidence.retention_days
    scopes = tuple(scope for scope in means.context.sight if scope.repo_id)
    with means.store.transaction():
        hold()
        gone = means.store.archive.prune(plus_days(now, -mine))
        if here < mine and scopes:
            gone += means.store.archive.prune(plus_days(now, -here), Sight(scopes))
        bounds = means.own.evidence
        if bounds.cache_max_bytes or bounds.cache_max_records:
            scope = means.context.sight.one("repository")
            gone += means.store.evidence.trim(scope, bounds.cache_max_bytes, bounds.cache_max_records)
    return gone


def _run(grip: Grip) -> Ending:
    prune(grip.means, grip.hold)
    expire(grip.means, grip.hold)
    return Done()


def _wanted(means: Means) -> tuple[JobRequest, ...]:
    """Once a day, so that evidence and unanswered proposals leave in time where nothing is captured any more."""
    return periodic(means, "prune", "evidence", _DAY_S)


PRUNE = Trade(kind="prune", run=_run, wanted=_wanted)
