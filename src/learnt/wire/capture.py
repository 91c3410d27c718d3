"""Sessions as JSON. Source of the keys: contract, shapes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from learnt.flows.sessions import Found
    from learnt.model.evidence import SessionRecord
    from learnt.model.reading import Ingested, Reading

Json = dict[str, Any]


def ingested(value: Ingested) -> Json:
    """What became of each file, and together."""
    readings = value.readings
    return {
        "sessions": [reading(each) for each in readings],
        "totals": {
            "files": len(readings),
            "read": sum(each.status == "read" for each in readings),
            "unchanged": sum(each.status == "unchanged" for each in readings),
            "disabled": sum(each.status == "disabled" for each in readings),
            "failed": value.failed,
            "records": sum(each.records for each in readings),
            "messages": sum(each.messages for each in readings),
            "skipped": sum(each.skipped for each in readings),
            "evidence": sum(each.units for each in readings),
            "proposals": sum(len(each.proposals) for each in readings),
            "accepted": sum(len(each.accepted) for each in readings),
        },
    }


def reading(value: Reading) -> Json:
    """What became of one file."""
    return {
        "path": value.path,
        "host": value.host,
        "session": value.session,
        "status": value.status,
        "records": value.records,
        "messages": value.messages,
        "skipped": value.skipped,
        "evidence": value.units,
        "alarms": list(value.alarms),
        "proposals": len(value.proposals),
        "proposal_ids": list(value.proposals),
        "accepted": list(value.accepted),
        "error": value.error or None,
    }


def record(value: SessionRecord) -> Json:
    """A session that was read."""
    return {
        "id": value.id,
        "host": value.host,
        "session": value.session_id,
        "path": value.path,
        "status": value.status,
        "records": value.records,
        "messages": value.messages,
        "skipped": value.skipped,
        "alarms": list(value.alarms),
        "started_at": value.started_at or None,
        "ended_at": value.ended_at or None,
        "read_at": value.read_at,
        "commit": value.commit or None,
        "branch": value.branch or None,
        "cwd": value.cwd or None,
        "parent_session_id": value.parent_session_id or None,
        "interactive": value.interactive,
        "offset_bytes": value.offset,
    }


def found(value: Found) -> Json:
    """A transcript on this machine."""
    return {
        "path": value.path,
        "host": value.host,
        "session": value.session,
        "size_bytes": value.size_bytes,
        "ended_at": value.ended_at or None,
        "status": value.status,
    }
