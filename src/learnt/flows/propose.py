"""A request for a change: checked, screened, redacted and refused where it holds a secret, queued otherwise."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from learnt.errors import UsageError
from learnt.flows.pin import pinned
from learnt.flows.screen import passages, redacted, refusal, unusable
from learnt.govern import draft
from learnt.govern.reference import parse
from learnt.model.answer import Proposed, Refusal

if TYPE_CHECKING:
    from learnt.flows.means import Means
    from learnt.model.proposal import Proposal
    from learnt.model.request import ProposalRequest
    from learnt.model.verdict import Verdict


def propose(means: Means, request: ProposalRequest, *, needs_reference: bool = True) -> Proposed | Refusal:
    """Queue a proposal; nothing it says is memory until a decision applies it.

    Raises:
        UsageError: The input breaks a rule; nothing was stored.
    """
    now = means.clock.now()
    if problem := draft.unusable(request, needs_reference=needs_reference and not means.context.person):
        raise UsageError(problem.message, code=problem.code)
    asked = drafted(means, request, now)
    if problem := unusable(asked):
        raise UsageError(problem.message, code=problem.code)
    verdict = means.gate.scan(passages(asked, request.tags))
    refused = refusal(verdict, means)
    if refused and refused.code != "secret":
        return refused
    return _queued(means, _screened(asked, verdict, now, rejected=refused is not None), now)


def drafted(means: Means, request: ProposalRequest, now: str) -> Proposal:
    """The proposal a request of this context asks for, not yet screened."""
    context = means.context
    own = () if not context.person else (parse(context.writer, writer=context.writer, is_file=means.workplace.is_file),)
    parsed = (parse(ref, writer=context.writer, is_file=means.workplace.is_file) for ref in request.evidence)
    derived = "global_user" if request.kind == "user_preference" else "repository"
    scope = context.sight.one(derived)  # type: ignore[arg-type]
    asked = draft.proposal(request, (*request.references, *parsed, *own), scope, context, now)
    return pinned(means, asked, request.files, request.symbols)


def _screened(asked: Proposal, verdict: Verdict, now: str, *, rejected: bool) -> Proposal:
    """The proposal as stored: redacted and rejected for a secret, held back from injection for a suspicion."""
    if rejected:
        reason = "likely secret in " + ", ".join(verdict.fields)
        clean = redacted(asked, verdict)
        return replace(
            clean,
            status="rejected",
            reviewer="auto_policy",
            reviewed_at=now,
            rejection_reason=reason,
            observation=False,
        )
    if verdict.outcome == "quarantine":
        held = {**asked.metadata, "quarantine": list(verdict.classes)}
        return replace(asked, observation=False, metadata=held)
    return replace(asked, clearance=verdict.pattern_set)


def _queued(means: Means, asked: Proposal, now: str) -> Proposed:
    with means.store.transaction():
        if asked.status == "pending" and (twin := _twin(means, asked)):
            return Proposed(proposal=twin, event="", existing=True)
        detail = {"operation": asked.operation, "status": asked.status, "kind": asked.kind}
        event = means.event("proposal", asked.id, now, detail)
        means.name_place()
        means.store.proposals.put(asked)
        means.store.events.append(event)
    return Proposed(proposal=asked, event=event.id)


def _twin(means: Means, asked: Proposal) -> Proposal | None:
    """A pending proposal that asks for the same already."""
    found = means.store.proposals.saying(means.context.sight, asked.text)
    return next((other for other in found if other.status == "pending" and _same(other, asked)), None)


def _same(one: Proposal, other: Proposal) -> bool:
    return (one.operation, one.kind, one.text, one.target_id, one.related, one.scope.key) == (
        other.operation,
        other.kind,
        other.text,
        other.target_id,
        other.related,
        other.scope.key,
    )
