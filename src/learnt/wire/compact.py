"""A compaction as JSON. Source of the first five keys: swarm-memory seed, maintenance."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from learnt.flows.compact import Compacted


def compacted(value: Compacted) -> dict[str, Any]:
    """What left, or would."""
    return {
        "dryRun": value.dry_run,
        "removedDeleted": value.removed["deleted"],
        "removedSuperseded": value.removed["superseded"],
        "removedExpiredScratch": value.removed["expired_scratch"],
        "remaining": value.remaining,
        "inspected": value.inspected,
        "freed_bytes": value.freed_bytes,
        "log_bytes": value.log_bytes,
        "shrunk": value.shrunk,
        "events": list(value.events),
    }
