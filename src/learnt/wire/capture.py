"""Sessions as JSON. Source of the keys: contract, shapes."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from learnt.model.evidence import SessionRecord
    from learnt.model.reading import Ingested, Reading
    from learnt.model.sighting import Found, Scan

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


def scan(value: Scan) -> Json:
    """What lies on this machine, and what of it was read at once."""
    return {
        "sessions": [found(each) for each in value.found],
        "total": len(value.found),
        "totals": dict(Counter(each.status for each in value.found)),
        "elsewhere": value.elsewhere,
        "captured": [reading(each) for each in value.captured],
    }


def found(value: Found) -> Json:
    """A session on this machine."""
    return {
        "path": value.path,
        "host": value.host,
        "session": value.session or None,
        "status": value.status,
        "why": value.why or None,
        "size_bytes": value.size_bytes,
        "cwd": value.cwd or None,
        "ended_at": value.ended_at or None,
        "written_at": value.written_at or None,
        "kept_until": value.kept_until or None,
    }
