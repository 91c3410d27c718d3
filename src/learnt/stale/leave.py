"""Which memories a compaction takes away: what was retired or ran out, never what may still be right.

Source: swarm-memory seed, maintenance: deleted, superseded, and expired scratch alone; a `todo` that expired stays.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Literal

if TYPE_CHECKING:
    from learnt.model.brief import Brief
    from learnt.model.memory import Memory

Why = Literal["deleted", "superseded", "expired_scratch"]
WHYS: Final[tuple[Why, ...]] = ("deleted", "superseded", "expired_scratch")


def why(memory: Memory | Brief, now: str, before: str = "") -> Why | None:
    """Why a memory leaves; None where it stays.

    Args:
        before: What was retired at this moment or later stays, because somebody may want it back; "" for nothing.
    """
    if memory.status in {"deleted", "superseded"}:
        kept = bool(before) and memory.updated_at >= before
        return None if kept else memory.status
    if memory.kind == "scratch" and memory.expires_at is not None and memory.expires_at <= now:
        return "expired_scratch"
    return None
