"""Memories that an older pattern set cleared, scanned by the present one. Source: contract, clearance."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from learnt.flows.screen import passages
from learnt.flows.trade import Trade, fresh
from learnt.flows.waiting import retry
from learnt.gate.clearance import PATTERN_SET
from learnt.model.job import Done, Released
from learnt.model.keys import short_id
from learnt.model.scope import Sight, scope_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from learnt.flows.lease import Grip
    from learnt.flows.means import Means
    from learnt.model.job import Ending, JobRequest
    from learnt.model.memory import Memory

BATCH = 200
"""Memories a pass scans before it commits: about 30 ms, so that no writer waits long."""

SCOPES = 1_000
"""For so many scopes work is asked at once; the rest comes when these are done."""


def rescan(means: Means, most: int = 10_000) -> int:
    """Rescan what waits and up to `most` active memories of this context; gives how many were scanned.

    One that passes is cleared; one that holds a secret or a marker, or tries to instruct, is quarantined.
    """
    done = retry(means)
    while done < most and (scanned := _batch(means, means.context.sight, lambda: None)):
        done += scanned
    return done


def _batch(means: Means, sight: Sight, hold: Callable[[], None]) -> int:
    """Scan some; gives how many. `hold` stands inside the transaction that keeps what was found."""
    stale = means.store.memories.stale(sight, PATTERN_SET, BATCH)
    if not stale:
        return 0
    now = means.clock.now()
    judged = [_judged(means, memory, now) for memory in stale]
    with means.store.transaction():
        hold()
        for memory in judged:
            means.store.memories.put(memory)
            detail = {"clearance": memory.clearance, "status": memory.status}
            means.store.events.append(means.event("clearance", memory.id, now, detail))
    return len(stale)


def _judged(means: Means, memory: Memory, now: str) -> Memory:
    verdict = means.gate.scan(passages(memory))
    if verdict.outcome == "allow":
        return replace(memory, clearance=verdict.pattern_set)
    held = {**memory.metadata, "quarantine": list(verdict.classes)}
    return replace(memory, status="quarantined", clearance=verdict.pattern_set, updated_at=now, metadata=held)


def _run(grip: Grip) -> Ending:
    sight, done = Sight((scope_of(grip.job.scope_key),)), 0
    while not grip.ends:
        scanned = _batch(grip.means, sight, grip.hold)
        if not scanned:
            return Done()
        done += scanned
        grip.tell(done, 0)
    return Released()


def _wanted(means: Means) -> tuple[JobRequest, ...]:
    """One job for each scope of the store that holds memories the present pattern set has not cleared.

    Of this context or not: nobody may ever ask for work in a folder that hooks still serve.
    """
    found = []
    for scope_key in means.store.upkeep.uncleared(PATTERN_SET, SCOPES):
        sight = Sight((scope_of(scope_key),))
        if means.store.memories.stale(sight, PATTERN_SET, 1):  # a row that cannot be read is nothing to scan
            key = f"{PATTERN_SET}:{short_id(scope_key)}"
            found.append(fresh(means, "rescan", key, scope_key=scope_key, sight=sight))
    return tuple(request for request in found if request)


RESCAN = Trade(kind="rescan", run=_run, wanted=_wanted)
