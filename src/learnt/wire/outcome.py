"""One outcome as JSON. Source of the keys: swarm-memory seed, outcome feedback."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from learnt.model.outcome import Outcome

Json = dict[str, Any]


def outcome(value: Outcome) -> Json:
    """One outcome."""
    return {
        "id": value.id,
        "memory_id": value.memory_id,
        "outcome": value.result,
        "at": value.at,
        "by": value.by,
        "task_id": value.task or None,
        "correction": value.correction or None,
        "anchors": [{"file": spot.file, "symbol": spot.symbol or None} for spot in value.spots],
    }
