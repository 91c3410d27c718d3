"""Memories that an older pattern set cleared, scanned by the present one. Source: contract, clearance."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from learnt.flows.screen import passages
from learnt.gate.clearance import PATTERN_SET

if TYPE_CHECKING:
    from learnt.flows.means import Means
    from learnt.model.memory import Memory

BATCH = 200
"""Memories a pass scans before it commits: about 30 ms, so that no writer waits long."""


def clear(means: Means, most: int = 10_000) -> int:
    """Rescan up to `most` active memories of this context; gives how many were scanned.

    One that passes is cleared; one that holds a secret or a marker, or tries to instruct, is quarantined.
    """
    done = 0
    while done < most:
        stale = means.store.memories.stale(means.context.sight, PATTERN_SET, BATCH)
        if not stale:
            break
        now = means.clock.now()
        judged = [_judged(means, memory, now) for memory in stale]
        with means.store.transaction():
            for memory in judged:
                means.store.memories.put(memory)
                detail = {"clearance": memory.clearance, "status": memory.status}
                means.store.events.append(means.event("clearance", memory.id, now, detail))
        done += len(stale)
    return done


def _judged(means: Means, memory: Memory, now: str) -> Memory:
    verdict = means.gate.scan(passages(memory))
    if verdict.outcome == "allow":
        return replace(memory, clearance=verdict.pattern_set)
    held = {**memory.metadata, "quarantine": list(verdict.classes)}
    return replace(memory, status="quarantined", clearance=verdict.pattern_set, updated_at=now, metadata=held)
