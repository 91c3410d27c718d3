"""Statements that grow old by their kind: when they stop holding unless somebody says them again.

Source: swarm-memory seed, maintenance: half-lives by kind; scratch has its seven days from the beginning.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from learnt.model.instant import plus_days

if TYPE_CHECKING:
    from collections.abc import Mapping

    from learnt.model.brief import Brief
    from learnt.model.kinds import Kind
    from learnt.model.memory import Memory

HALF_LIFE_DAYS: Final[Mapping[Kind, int]] = {
    "todo": 30,
    "code_pattern": 90,
    "test_pattern": 90,
    "failure_pattern": 90,
    "api_finding": 180,
    "evidence": 180,
}
"""Every other kind holds until somebody says otherwise."""


def expiry(memory: Memory | Brief, now: str) -> str | None:
    """When an active memory is to expire by its kind; None where nothing changes.

    An earlier expiry stays, a later one is brought forward. What is older than that already is left alone: it would be
    gone at once, with nobody having been told.
    """
    days = HALF_LIFE_DAYS.get(memory.kind)
    if days is None or memory.status != "active":
        return None
    end = plus_days(memory.created_at, days)
    if end <= now or (memory.expires_at is not None and memory.expires_at <= end):
        return None
    return end
