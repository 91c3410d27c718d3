"""What sessions came to, as JSON."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from learnt.wire.jobs import job

if TYPE_CHECKING:
    from learnt.flows.consolidate import Consolidated
    from learnt.flows.extract import Extracted
    from learnt.flows.guidance import Guidance
    from learnt.flows.pipeline import Phases, Rebuilt
    from learnt.flows.regions import Redrawn
    from learnt.flows.threads import Marked
    from learnt.flows.wipe import Wiped
    from learnt.model.thread import Thread

Json = dict[str, Any]


def rebuilt(value: Rebuilt) -> Json:
    """What both phases came to."""
    results = [each.result for each in value.sessions]
    return {
        "sessions": [extracted(each) for each in value.sessions],
        "failed": [{**_named(thread), "reason": reason} for thread, reason in value.failed],
        "skipped": [{**_named(each.thread), "why": each.why} for each in value.skipped],
        "totals": {
            "read": len(results),
            "extracted": results.count("extracted"),
            "nothing": results.count("nothing"),
            "failed": len(value.failed),
            "skipped": len(value.skipped),
        },
        "consolidated": consolidated(value.consolidated) if value.consolidated else None,
        "fault": value.fault or None,
    }


def extracted(value: Extracted) -> Json:
    """What became of one session."""
    return {
        **_named(value.thread),
        "result": value.result,
        "writer": value.writer,
        "facts": value.facts,
        "dropped": value.dropped,
        "proposals": list(value.proposals),
    }


def consolidated(value: Consolidated) -> Json:
    """What the artifacts came to."""
    return {
        "writer": value.writer,
        "sessions": len(value.taken),
        "entries": value.entries,
        "skills": list(value.skills),
        "summary_tokens": value.summary_tokens,
        "written": list(value.written),
        "removed": list(value.removed),
        "edited": list(value.kept),
        "proposals": list(value.proposals),
        "pruned": list(value.pruned),
        "dropped": dict(value.dropped),
        "faults": list(value.faults),
    }


def guidance(value: Guidance) -> Json:
    """What a starting session is told of earlier ones."""
    return {
        "payload": value.text,
        "token_estimate": value.tokens,
        "memories": list(value.memories),
        "digest": value.digest or None,
        "made_at": value.made_at or None,
        "reason": value.reason or None,
    }


def redrawn(value: Redrawn) -> Json:
    """What was done to files of somebody else's, or would be."""
    return {
        "files": [{"path": each.path, "differs": each.differs, "diff": each.diff} for each in value.drawn],
        "written": value.written,
        "memories": value.memories,
        "proposals": list(value.proposals),
        "faults": list(value.faults),
    }


def wiped(value: Wiped) -> Json:
    """What was cleared."""
    return {
        "removed": dict(value.removed),
        "sessions_read": value.sessions,
        "event": value.event,
        "faults": list(value.faults),
    }


def marked(value: Marked) -> Json:
    """What became of a session."""
    return {**_named(value.thread), "mode": value.mode, "consolidates": value.consolidates}


def phases(value: Phases) -> Json:
    """How both phases stand."""
    return {
        "jobs": value.counts,
        "waiting": value.waiting,
        "extracted": value.extracted,
        "too_old": value.too_old,
        "faults": [job(each) for each in value.faults],
    }


def _named(thread: Thread) -> Json:
    return {"id": thread.id, "session": thread.session_id, "host": thread.host, "updated_at": thread.updated_at}
