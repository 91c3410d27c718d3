"""A write whose scan did not finish waits as a proposal: kept, shown to a person, scanned again, never lost."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from learnt.flows.screen import passages, redacted, refusal
from learnt.gate.clearance import PATTERN_SET
from learnt.model.filter import ProposalFilter
from learnt.model.keys import proposal_id
from learnt.model.proposal import Proposal

if TYPE_CHECKING:
    from learnt.flows.means import Means
    from learnt.model.memory import Memory
    from learnt.model.verdict import Verdict

WAITING = "scan_incomplete"
_KEY = "waiting"
_MOST = 1_000


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
    )
    return hold(means, waiting, now)


def hold(means: Means, asked: Proposal, now: str) -> Proposal:
    """Queue a proposal that was not read to the end; nothing of it is injected, and a later scan looks at it again."""
    waiting = replace(asked, observation=False, clearance="", metadata={**asked.metadata, _KEY: WAITING})
    with means.store.transaction():
        means.store.proposals.put(waiting)
        detail = {"operation": waiting.operation, _KEY: WAITING}
        means.store.events.append(means.event("proposal", waiting.id, now, detail))
    return waiting


def retry(means: Means) -> int:
    """Scan again what waits, and observations that older patterns cleared; gives how many were read to the end.

    What waited and passes is an ordinary proposal from then on, what holds a secret is rejected and redacted.

    Raises:
        GateError: The pattern set cannot be loaded.
    """
    found = means.store.proposals.page(means.context.sight, ProposalFilter(limit=_MOST)).values
    read = 0
    for waiting in found:
        if waiting.metadata.get(_KEY) != WAITING and not _is_outdated(waiting):
            continue
        verdict = means.gate.scan(passages(waiting))
        if verdict.outcome != "incomplete":
            _settled(means, waiting, verdict)
            read += 1
    return read


def _is_outdated(proposal: Proposal) -> bool:
    """An observation that was cleared once and is shown no more, because the patterns are others now."""
    return proposal.observation and proposal.clearance not in {"", PATTERN_SET}


def _settled(means: Means, waiting: Proposal, verdict: Verdict) -> None:
    now = means.clock.now()
    known = replace(waiting, metadata={name: value for name, value in waiting.metadata.items() if name != _KEY})
    refused = refusal(verdict, means)
    if refused is not None:
        reason = f"{refused.code} in {', '.join(verdict.fields)}"
        known = replace(redacted(known, verdict), status="rejected", reviewer="auto_policy", reviewed_at=now)
        known = replace(known, rejection_reason=reason)
    elif verdict.outcome == "quarantine":
        known = replace(known, clearance="", metadata={**known.metadata, "quarantine": list(verdict.classes)})
    else:
        known = replace(known, clearance=verdict.pattern_set)
    with means.store.transaction():
        means.store.proposals.put(known)
        detail = {"operation": known.operation, "status": known.status, "scan": verdict.outcome}
        means.store.events.append(means.event("proposal", known.id, now, detail))
