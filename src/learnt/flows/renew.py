"""Vectors of the present model, as a job."""

from __future__ import annotations

from typing import TYPE_CHECKING

from learnt.errors import EmbedderError
from learnt.flows.reembed import ATTEMPTS, built, is_complete
from learnt.flows.trade import Trade, fresh
from learnt.model.job import Done
from learnt.ports.embedder import Absent

if TYPE_CHECKING:
    from learnt.flows.lease import Grip
    from learnt.flows.means import Means
    from learnt.flows.reembed import Progress
    from learnt.model.job import Ending, JobRequest


def _run(grip: Grip) -> Ending:
    """A model that is no longer the present one needs no vectors."""
    embedder = grip.means.embedder
    if isinstance(embedder, Absent) or embedder.version != grip.job.key:
        return Done()

    def tell(progress: Progress) -> None:
        grip.tell(progress.done + progress.failed, progress.wanted)

    return built(grip, embedder, tell)[1]


def _wanted(means: Means) -> tuple[JobRequest, ...]:
    """One job a model, where something lacks its vector. A model that does not say its name now is asked later."""
    if isinstance(means.embedder, Absent):
        return ()
    try:
        version = means.embedder.version
    except EmbedderError:
        return ()
    request = fresh(means, "reembed", version, max_attempts=ATTEMPTS)
    return () if request is None or is_complete(means, version) else (request,)


def _able(means: Means) -> bool:
    return not isinstance(means.embedder, Absent)


REEMBED = Trade(kind="reembed", run=_run, wanted=_wanted, able=_able)
