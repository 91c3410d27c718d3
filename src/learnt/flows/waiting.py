"""A write whose scan did not finish waits as a proposal: kept, shown to a person, scanned again when decided."""

from __future__ import annotations

from typing import TYPE_CHECKING

from learnt.model.keys import proposal_id
from learnt.model.proposal import Proposal

if TYPE_CHECKING:
    from learnt.flows.means import Means
    from learnt.model.memory import Memory

WAITING = "scan_incomplete"


def keep(means: Means, memory: Memory, now: str) -> Proposal:
    """Queue `memory` as a proposal that is neither shown to an agent nor lost."""
    waiting = Proposal(
        id=proposal_id(now, memory.provenance.writer, memory.text),
        operation="add",
        scope=memory.scope,
        rationale=memory.rationale or "waits for a complete scan",
        created_at=now,
        kind=memory.kind,
        text=memory.text,
        tags=memory.tags,
        files=memory.files,
        symbols=memory.symbols,
        confidence=memory.confidence,
        stability=memory.stability,
        trust=memory.trust,
        expires_at=memory.expires_at,
        source=memory.source,
        evidence=memory.evidence,
        provenance=memory.provenance,
        metadata={"waiting": WAITING},
    )
    with means.store.transaction():
        means.store.proposals.put(waiting)
        means.store.events.append(means.event("proposal", waiting.id, now, {"operation": "add", "waiting": WAITING}))
    return waiting
