"""The stale report as JSON. Source of the keys of the report: swarm-memory seed, maintenance."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

from learnt.model.brief import PREVIEW
from learnt.model.pin import STATES
from learnt.stale.report import LISTS, Recalled, value_of

if TYPE_CHECKING:
    from learnt.flows.stale import Checked, Staleness
    from learnt.model.brief import Brief
    from learnt.model.pin import Freshness, Pin

Json = dict[str, Any]


def staleness(value: Staleness) -> Json:
    """The report, with `check` where pins were compared."""
    report = value.report
    lists = {name: [_entry(each, value) for each in report.lists[name]] for name in LISTS}
    chains = [{"rootId": each.ids[0], "chain": list(each.ids), "reason": each.reason} for each in value.chains]
    document: Json = {
        "totalMemories": report.total,
        "activeMemories": report.active,
        **lists,
        "supersededChains": chains,
        "mostRecalled": _most(value),
        "recallByAgentRole": [
            {"agentRole": role, "count": count, "memoryIds": list(ids[: report.limit])}
            for role, (count, ids) in report.by_role.items()
        ],
        "rejectedProposalReasons": [{"reason": reason, "count": count} for reason, count in report.rejections],
        "pendingProposals": report.pending,
        "recallEventCount": report.recall_events,
        "totals": {**{name: report.totals[name] for name in LISTS}, "supersededChains": value.chain_count},
    }
    return document if value.checked is None else {**document, "check": _check(value.checked)}


def _entry(memory: Brief, value: Staleness) -> Json:
    recalled = value.report.recalls.get(memory.id, Recalled())
    return {
        "id": memory.id,
        "kind": memory.kind,
        "status": memory.status,
        "text": memory.text,
        "q_value": memory.q_value,
        "importance": round(value_of(memory, recalled, value.now), 6),
        "recalls": recalled.count,
        "updated_at": memory.updated_at,
        "expires_at": memory.expires_at,
        "superseded_by": memory.superseded_by,
    }


def _most(value: Staleness) -> list[Json]:
    """The memories recalled most, most first, then by id."""
    found = sorted(value.report.recalls.items(), key=lambda each: (-each[1].count, each[0]))
    return [
        {
            "memoryId": name,
            "count": each.count,
            "lastRecalledAt": each.last_at,
            "agentRoles": list(each.roles),
            "averageScore": round(each.score, 6),
        }
        for name, each in found[: value.report.limit]
    ]


def _check(checked: tuple[Checked, ...]) -> Json:
    """How many pins and memories are in each state, and every memory with pins."""
    pins = Counter(fresh.state for each in checked for _, fresh in each.pins)
    memories = Counter(each.state for each in checked)
    return {
        "pins": {state: pins[state] for state in STATES},
        "counts": {state: memories[state] for state in STATES},
        "memories": [_checked(each) for each in checked],
    }


def _checked(value: Checked) -> Json:
    memory = value.memory
    return {
        "id": memory.id,
        "kind": memory.kind,
        "text": memory.text[:PREVIEW],
        "state": value.state,
        "pins": [_pin(pin, fresh) for pin, fresh in value.pins],
    }


def _pin(pin: Pin, fresh: Freshness) -> Json:
    return {
        "path": pin.path,
        "line": pin.line or None,
        "end": pin.end or None,
        "symbol": pin.symbol or None,
        "commit": pin.commit or None,
        "state": fresh.state,
        "line_now": fresh.line or None,
        "kept": fresh.kept,
    }
