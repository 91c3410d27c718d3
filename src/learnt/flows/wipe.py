"""`memory clear`: everything learnt of one repository goes; that it went is remembered, its text is not barred.

Sessions stay on the registry, with whether they may be learnt from, and count as read: only what is new in them, or a
person who gives one to be read again, brings anything back.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from learnt.errors import StoreError
from learnt.flows.artifacts import binder_of
from learnt.flows.asked import asked
from learnt.flows.decide import person_required
from learnt.flows.outlets import withdraw
from learnt.flows.reflect import purge
from learnt.model.filter import MOST_PAST
from learnt.model.scope import Sight

if TYPE_CHECKING:
    from collections.abc import Mapping

    from learnt.flows.means import Means
    from learnt.model.answer import Refusal


@dataclass(frozen=True, slots=True, kw_only=True)
class Wiped:
    """What went: counts by name, files among them.

    Attributes:
        sessions: How many count as read from now on.
        faults: Why a region or a copied skill is still in a file of somebody else's.
    """

    removed: Mapping[str, int]
    sessions: int
    event: str
    faults: tuple[str, ...] = ()


def wipe(means: Means) -> Wiped | Refusal:
    """Remove memories, proposals, what sessions taught, its jobs and its files, of this repository alone.

    Raises:
        ArtifactError: The folder of its files is a symbolic link; nothing was removed.
    """
    if refused := person_required(means, "memory clear"):  # also where memory is off: nothing comes in, this leaves
        return refused
    binder, given = binder_of(means), asked(means)
    files = binder.clear() if binder else 0  # first: a link is refused before anything else goes
    faults = withdraw(means, given)
    scopes = tuple(each for each in means.store.leavers.scopes(means.identity.repository_id) if each.repo_id)
    sight = Sight(scopes or (means.context.sight.one("repository"),))
    now = means.clock.now()
    with means.store.transaction():
        gone = {**means.store.leavers.clear(sight), "files": files}
        sessions = _read(means, sight)
        means.name_place()
        event = means.event("memory_cleared", means.identity.repository_id, now, {**gone, "sessions": sessions})
        means.store.events.append(event)
    if binder:
        binder.clear()  # what a worker was about to write
    purge(means)
    with suppress(StoreError):  # it is gone all the same; its free space is cleared with the next compaction
        means.store.upkeep.shrink(whole=False)
    return Wiped(removed=gone, sessions=sessions, event=event.id, faults=faults)


def _read(means: Means, sight: Sight) -> int:
    """Every session counts as read to its present end, by both phases."""
    held = means.store.archive.sessions(sight, MOST_PAST)
    for session in held:
        means.store.archive.put_session(replace(session, cleared=session.number))
    for thread in means.store.threads.latest(sight, MOST_PAST):
        means.store.threads.worked(sight, thread.id, thread.updated_at)
    return len(held)
