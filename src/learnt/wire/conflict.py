"""Statements that disagree, as JSON."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from learnt.govern.truth import evidence_at, worded
from learnt.wire.memory import memory

if TYPE_CHECKING:
    from learnt.flows.conflict import Chosen, Conflicts, Standoff

Json = dict[str, Any]


def conflicts(value: Conflicts) -> Json:
    """What a person should look at."""
    return {
        "conflicts": [standoff(each) for each in value.disputes],
        "nominations": [standoff(each) for each in value.nominations],
        "total": value.total,
        "nominated_total": value.nominated,
    }


def standoff(value: Standoff) -> Json:
    """Two memories in each other's way, the newer evidence first."""
    return {
        "reason": value.reason,
        "meaning": worded(value.reason),
        "score": round(value.score, 4),
        "at": value.at,
        "memories": [{**memory(each), "evidence_at": evidence_at(each)} for each in value.memories],
    }


def chosen(value: Chosen) -> Json:
    """What a person's choice did."""
    return {"kept": list(value.kept), "superseded": list(value.superseded), "events": list(value.events)}
