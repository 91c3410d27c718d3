"""An index for scopes that grew crowded, built while nobody waits."""

from __future__ import annotations

from typing import TYPE_CHECKING

from learnt.flows.trade import Trade, periodic
from learnt.model.job import Done, Released

if TYPE_CHECKING:
    from learnt.flows.lease import Grip
    from learnt.flows.means import Means
    from learnt.model.job import Ending, JobRequest

PERIOD_S = 600
"""How soon a scope that grew crowded gets its index: to find one, the store counts its vectors, a second for a million.
Until then its vectors are compared one by one, which is slower and no less right."""


def indexed(grip: Grip) -> bool:
    """Build until nothing is left to build; False where that was cut short.

    The store builds in transactions of its own; one that is done twice is done once.
    """
    while not grip.ends:
        if not grip.means.store.upkeep.build():
            return True
        with grip.means.store.transaction():
            grip.hold()
    return False


def _run(grip: Grip) -> Ending:
    return Done() if indexed(grip) else Released()


def _wanted(means: Means) -> tuple[JobRequest, ...]:
    return periodic(means, "index", "vectors", PERIOD_S)


def _able(means: Means) -> bool:
    return means.store.upkeep.builds


INDEX = Trade(kind="index", run=_run, wanted=_wanted, able=_able)
