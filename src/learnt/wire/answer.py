"""What flows answer, as JSON. Source of the keys: contract, shapes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from learnt.wire.memory import memory, proposal

if TYPE_CHECKING:
    from learnt.errors import LearntError
    from learnt.model.answer import Decided, Proposed, Refusal, Undone, Written
    from learnt.model.ranking import Bundle, Hit, Ranking

Json = dict[str, Any]


def written(value: Written) -> Json:
    """A direct write."""
    return {
        "memory": memory(value.memory),
        "status": value.memory.status,
        "existing": value.existing,
        "superseded": list(value.superseded),
        "nominated": list(value.nominated),
        "event": value.event or None,
    }


def proposed(value: Proposed) -> Json:
    """A stored proposal."""
    return {
        "proposal_id": value.proposal.id,
        "status": value.proposal.status,
        "rejection_reason": value.proposal.rejection_reason or None,
        "event": value.event or None,
        "operation": value.proposal.operation,
        "existing": value.existing,
        "redirected": value.redirected,
    }


def decided(value: Decided) -> Json:
    """An applied decision."""
    return {
        "memory": memory(value.memory) if value.memory else None,
        "existing": value.existing,
        "superseded": list(value.superseded),
        "nominated": list(value.nominated),
        "event": value.event,
        "folded": list(value.folded),
        "proposal": proposal(value.proposal),
    }


def undone(value: Undone) -> Json:
    """What an undo brought back and hid."""
    return {
        "event": value.event,
        "restored": list(value.restored),
        "hidden": list(value.hidden),
        "proposal_id": value.proposal_id or None,
    }


def ranking(value: Ranking) -> Json:
    """A recall."""
    return {
        "bundle_id": value.bundle_id,
        "total": value.total,
        "token_estimate": value.token_estimate,
        "items": [hit(each) for each in value.hits],
        "prompt_block": value.prompt_block,
        "skip_reason": value.skip_reason,
        "diagnostics": dict(value.diagnostics),
    }


def hit(value: Hit) -> Json:
    """One memory of a ranking."""
    return {
        "id": value.memory.id,
        "kind": value.memory.kind,
        "scope": value.memory.scope.type,
        "text": value.memory.text,
        "score": round(value.score, 6),
        "confidence": value.memory.confidence,
        "belief": value.memory.confidence if value.belief is None else value.belief,
        "trust": value.memory.trust,
        "age_days": value.age_days,
        "signals": {name: round(each, 6) for name, each in value.signals.items()},
        "reason": value.reason,
        "related_to": value.related_to,
        "relation": value.relation,
        "labels": list(value.labels),
        "tags": list(value.memory.tags),
        "files": list(value.memory.files),
        "source": value.memory.source.place,
    }


def receipt(value: Bundle) -> Json:
    """A recall in the fields of the seed's run log."""
    return {
        "event": _log_event(value),
        "runId": value.run_id or "unknown",
        "agentRole": value.agent_role,
        "agentId": value.agent_id or None,
        "bundleId": value.id,
        "memoryIds": list(value.memory_ids),
        "scores": [round(score, 6) for score in value.scores],
        "tokenEstimate": value.token_estimate,
        "timestamp": value.timestamp,
        "metadata": {
            "moment": value.moment,
            "skipReason": value.skip_reason,
            "unitId": value.unit_id or None,
            "round": value.round or None,
            "sessionId": value.session_id or None,
            "taskOutcome": value.task_outcome or None,
            "lastReward": value.last_reward,
        },
    }


def _log_event(value: Bundle) -> str:
    """The seed's name of what happened."""
    if value.moment in {"manual", "curator"}:
        return "recall_returned"
    return "prompt_injected" if value.memory_ids else "prompt_injection_skipped"


def failure(code: str, message: str, hint: str, *, retryable: bool, details: dict[str, object]) -> Json:
    """An error document."""
    error = {"code": code, "message": message, "hint": hint, "retryable": retryable, "details": details}
    return {"error": error}


def refused(value: Refusal) -> Json:
    """A refusal as an error document; never the refused text."""
    return failure(value.code, value.message, value.hint, retryable=value.retryable, details=dict(value.details))


def raised(value: LearntError) -> Json:
    """An exception as an error document."""
    return failure(value.error_code, value.message, value.advice, retryable=value.may_retry, details=value.details)
