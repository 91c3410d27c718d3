"""Rewards and the logs of what was recalled as JSON.

Source of the keys: contract, `reward`; swarm-memory seed, value log and maintenance report.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from learnt.model.brief import PREVIEW
from learnt.wire.answer import receipt
from learnt.wire.memory import scope

if TYPE_CHECKING:
    from learnt.flows.logs import RecallLog, Valued
    from learnt.model.reward import Learned, Past, Rewarded

Json = dict[str, Any]


def rewarded(value: Rewarded) -> Json:
    """What a verdict did."""
    return {
        "applied": len(value.learned),
        "memories": [_learned(each) for each in value.learned],
        "propagated": len(value.near),
        "reason": value.reason,
        "neighbours": [_learned(each) for each in value.near],
        "bundles": list(value.bundles),
        "unsigned": value.unsigned,
    }


def _learned(value: Learned) -> Json:
    return {"id": value.id, "q_before": value.q_before, "q_after": value.q_after}


def recall_log(value: RecallLog, limit: int) -> Json:
    """The newest recalls, and what all of them come to."""
    most = sorted(value.recalls.items(), key=lambda each: (-each[1].count, each[0]))
    return {
        "run": value.run or None,
        "entries": [receipt(each) for each in value.receipts],
        "total": value.total,
        "by_role": {role: count for role, (count, _) in value.by_role.items()},
        "by_memory": [{"id": name, "recalls": each.count} for name, each in most[:limit]],
        "recallEventCount": value.total,
        "mostRecalled": [
            {
                "memoryId": name,
                "count": each.count,
                "lastRecalledAt": each.last_at,
                "agentRoles": list(each.roles),
                "averageScore": round(each.score, 6),
            }
            for name, each in most[:limit]
        ],
        "neverRecalled": list(value.never),
        "recallByAgentRole": [
            {"agentRole": role, "count": count, "memoryIds": list(ids[:limit])}
            for role, (count, ids) in value.by_role.items()
        ],
    }


def value_log(value: tuple[Valued, ...]) -> Json:
    """What memories are worth."""
    return {"entries": [_valued(each) for each in value], "total": len(value)}


def _valued(value: Valued) -> Json:
    memory, last = value.memory, value.last
    return {
        "memoryId": memory.id,
        "kind": memory.kind,
        "scopeKey": scope(memory.scope),
        "textPreview": memory.text[:PREVIEW],
        "qValue": memory.q_value,
        "recallCount": value.recalls,
        "lastRecalledAt": value.last_at,
        "lastReward": last.signal if last else None,
        "taskOutcome": last.verdict if last else None,
        "promotionCandidate": value.promotable,
        "suppressionCandidate": value.suppressed,
        "confidence": memory.confidence,
        "belief": value.belief,
        "history": [_past(each) for each in value.past],
    }


def _past(value: Past) -> Json:
    return {
        "at": value.at,
        "verdict": value.verdict,
        "signal": value.signal,
        "q_before": value.q_before,
        "q_after": value.q_after,
        "propagated": value.shared,
    }
