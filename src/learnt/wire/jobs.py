"""Jobs, and what a worker did, as JSON."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from learnt.flows.work import Jobs, Outcome, Worked
    from learnt.model.job import Job

Json = dict[str, Any]


def job(value: Job) -> Json:
    """One job."""
    return {
        "id": value.id,
        "kind": value.kind,
        "key": value.key,
        "status": value.status,
        "attempts": value.attempts,
        "max_attempts": value.max_attempts,
        "due_at": value.due_at if value.status == "pending" else None,
        "worker": value.owner or None,
        "lease_until": value.lease_until or None,
        "takeovers": value.takeovers,
        "watermark": value.watermark,
        "done_watermark": value.done_watermark,
        "error": value.error or None,
        "created_at": value.created_at,
        "updated_at": value.updated_at,
    }


def jobs(value: Jobs) -> Json:
    """The table."""
    return {
        "jobs": [job(each) for each in value.page.values],
        "total": value.page.total,
        "counts": value.backlog.statuses(),
        "retried": list(value.retried),
        "refused": [{"id": name, "reason": why} for name, why in value.refused],
        "now": value.backlog.now,
    }


def worked(value: Worked) -> Json:
    """What a worker did."""
    totals = {name: value.counts.get(name, 0) for name in ("done", "failed", "dead", "released", "lost")}
    return {"totals": totals, "outcomes": [outcome(each) for each in value.outcomes]}


def outcome(value: Outcome) -> Json:
    """What became of one attempt."""
    return {
        "id": value.job.id,
        "kind": value.job.kind,
        "key": value.job.key,
        "attempt": value.job.attempts,
        "result": value.result,
        "reason": value.reason or None,
    }
