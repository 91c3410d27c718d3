"""The queue, its answers and what was taken in, as JSON. Source of the first keys: contract, shapes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from learnt.wire.answer import decided, proposed
from learnt.wire.memory import memory, proposal, support

if TYPE_CHECKING:
    from learnt.flows.queue import Card, Queue, Swept
    from learnt.model.intake import Taken

Json = dict[str, Any]


def queue(value: Queue) -> Json:
    """What waits for a person."""
    return {
        "proposals": [card(each) for each in value.cards],
        "total": value.proposals.total,
        "entries": value.entries,
        "expired": value.expired,
        "rejected": [proposal(each) for each in value.rejected],
        "promotion_candidates": [memory(each) for each in value.promotion_candidates],
        "flags": {"open": value.flags.flags, "memories": value.flags.memories},
    }


def card(value: Card) -> Json:
    """One entry: the proposal shown, how many ask for the same, what it changes and what it rests on."""
    shown, target = value.entry.proposal, value.target
    return {
        **proposal(shown),
        "value": value.entry.value,
        "count": len(value.entry.all),
        "alike": [{"id": each.id, "text": each.text} for each in value.entry.alike],
        "target": None if target is None else _short(target),
        "merges": [_short(each) for each in value.related],
        "diff": [{"type": each.type, "text": each.text} for each in value.changes],
        "support": [support(each) for each in value.support],
    }


def _short(value: Any) -> Json:
    return {"id": value.id, "kind": value.kind, "status": value.status, "text": value.text}


def swept(value: Swept) -> Json:
    """What became of a batch."""
    folded = sum(len(each.folded) for each in value.done)
    return {
        "decided": [decided(each) for each in value.done],
        "failed": [
            {"proposal_id": each.proposal_id, "code": each.code, "message": each.message} for each in value.failed
        ],
        "totals": {"decided": len(value.done), "folded": folded, "failed": len(value.failed)},
    }


def taken(value: Taken) -> Json:
    """What became of an agent's output; never a member's own words."""
    return {
        "role": value.role,
        "proposals": [proposed(each) for each in value.proposals],
        "accepted": list(value.accepted),
        "decisions": [decided(each) for each in value.decided],
        "known": list(value.known),
        "invalid": [
            {"array": each.array, "index": each.index, "code": each.code, "message": each.message}
            for each in value.invalid
        ],
        "totals": {
            "proposals": len(value.proposals),
            "accepted": len(value.accepted),
            "decisions": len(value.decided),
            "known": len(value.known),
            "invalid": len(value.invalid),
            "ignored": value.ignored,
        },
    }
