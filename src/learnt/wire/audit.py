"""The audit trail as JSON."""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from learnt.flows.audit import Verification
    from learnt.flows.prove import Proof
    from learnt.model.event import ChainRow
    from learnt.model.signed import Divergence, Signed

    Json = dict[str, Any]


def event(value: ChainRow) -> Json:
    """One event: what happened to what, by type and ids."""
    return {
        "id": value.id,
        "type": value.operation,
        "target": value.target_id,
        "at": value.timestamp,
        "reason": value.reason,
        "detail": json.loads(value.event_json) if value.event_json else None,
    }


def verification(value: Verification) -> Json:
    """The trail's report."""
    if not value.supported:
        return {"verified": False, "supported": False, "events": 0, "checkpoints": 0, "divergence": None}
    report = value.report
    return {
        "verified": value.verified,
        "supported": True,
        "events": report.events,
        "checkpoints": report.checkpoints,
        "divergence": divergence(report.divergence),
        "log": report.log or None,
        "root": report.root,
        "marked": report.marked,
        "foreign": report.foreign,
        "erased": report.erased,
        "cut": report.cut,
        "vouched": report.vouched,
        "notices": [{"kind": each.kind, "detail": each.detail} for each in report.notices],
        "anchors": [
            {"name": each.name, "checkpoints": each.checkpoints, "size": each.size, "fault": each.fault or None}
            for each in report.anchors
        ],
        "chainedRows": report.chained,
        "legacyRows": report.legacy,
        "headMatch": report.head_match,
        "headExpected": report.head_expected,
        "headStored": report.head_stored,
    }


def divergence(value: Divergence | None) -> Json | None:
    """The first fault."""
    if value is None:
        return None
    place = {"position": value.position, "until": max(value.until, value.position), "id": value.id or None}
    return {"kind": value.kind, **place, "detail": value.detail}


def signed(value: Signed) -> Json:
    """A checkpoint, and what became of it outside of the store."""
    return {
        "checkpoint": json.loads(value.checkpoint.statement),
        "signature": value.checkpoint.signature,
        "consistency": list(value.proof),
        "removed": value.removed,
        "event": value.event or None,
        "anchors": [{"name": each.name, "fault": each.fault or None} for each in value.anchors],
    }


def proof(value: Proof) -> Json:
    """One event proven; everything that is needed to check it elsewhere."""
    return {
        "holds": value.holds,
        "event": asdict(value.event),
        "hash": value.row_hash,
        "index": value.event.position - 1,
        "path": list(value.path),
        "checkpoint": asdict(value.statement),
        "signature": value.checkpoint.signature,
    }
