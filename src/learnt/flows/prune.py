"""Evidence nothing rests on leaves after its time."""

from __future__ import annotations

from typing import TYPE_CHECKING

from learnt.flows.trade import Trade, periodic
from learnt.jobs.schedule import period_s
from learnt.model.instant import plus_days
from learnt.model.job import Done

if TYPE_CHECKING:
    from learnt.flows.lease import Grip
    from learnt.flows.means import Means
    from learnt.model.job import Ending, JobRequest

_DAY_S = period_s("daily")


def horizon(means: Means) -> str:
    """The moment before which uncited evidence leaves.

    Of wall clock and queue's clock the one that is behind counts, so that a clock set forward removes nothing early.
    """
    now = min(means.clock.now(), means.store.queue.backlog().now)
    return plus_days(now, -means.settings.evidence.retention_days)


def _run(grip: Grip) -> Ending:
    before = horizon(grip.means)
    with grip.means.store.transaction():
        grip.hold()
        grip.means.store.archive.prune(before)
    return Done()


def _wanted(means: Means) -> tuple[JobRequest, ...]:
    """Once a day, so that evidence leaves in time where nothing is captured any more."""
    return periodic(means, "prune", "evidence", _DAY_S)


PRUNE = Trade(kind="prune", run=_run, wanted=_wanted)
