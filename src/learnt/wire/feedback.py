"""Outcomes and flags as JSON. Source of the keys: swarm-memory seed (outcomes), contract (flags)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from learnt.wire.memory import memory
from learnt.wire.outcome import outcome

if TYPE_CHECKING:
    from learnt.model.filter import Page
    from learnt.model.flag import Flag, Flagged, Objection
    from learnt.model.outcome import Recorded

Json = dict[str, Any]


def recorded(value: Recorded) -> Json:
    """An outcome that was kept, and whether the digest was made anew; `error` says why not."""
    return {
        "memory_id": value.memory.id,
        "outcome": outcome(value.outcome),
        "existing": value.existing,
        "question_recorded": value.asked,
        "event": value.event or None,
        "reflectionUpdated": value.reflected is True,
        "error": value.fault or None,
        "memory": memory(value.memory),
    }


def flagged(value: Flagged) -> Json:
    """A memory that was flagged, unflagged or cleared."""
    return {
        "memory_id": value.memory.id,
        "status": value.memory.status,
        "flags": value.flags,
        "replaced": value.replaced,
        "cleared": value.cleared,
        "restored": value.restored,
        "event": value.event,
    }


def objections(value: Page[Objection]) -> Json:
    """Flagged memories with the reasons."""
    return {"flags": [objection(each) for each in value.values], "total": value.total}


def objection(value: Objection) -> Json:
    """One flagged memory: its newest reasons, and those that were cleared."""
    return {
        "memory_id": value.memory.id,
        "kind": value.memory.kind,
        "status": value.memory.status,
        "text": value.memory.text,
        "flags": value.total,
        "reasons": [_reason(each) for each in value.flags],
        "history": [
            {**_reason(each), "cleared_at": each.cleared_at, "cleared_by": each.cleared_by} for each in value.past
        ],
    }


def _reason(value: Flag) -> Json:
    return {"reason": value.reason, "by": value.by, "person": value.person, "at": value.at}
