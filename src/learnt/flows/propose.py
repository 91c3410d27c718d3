"""A request for a change: checked, screened, redacted and refused where it holds a secret, queued otherwise."""

from __future__ import annotations

from dataclasses import replace
from itertools import count
from typing import TYPE_CHECKING

from learnt.errors import NotFoundError, UsageError
from learnt.flows import personal
from learnt.flows.bar import refused as forgotten
from learnt.flows.pin import pinned
from learnt.flows.screen import judged, passages, redacted, refusal, unusable
from learnt.flows.switch import off
from learnt.flows.waiting import hold
from learnt.govern import draft
from learnt.govern.reference import corroborated, parse, united
from learnt.model.answer import Proposed, Refusal
from learnt.model.keys import proposal_id

if TYPE_CHECKING:
    from learnt.flows.means import Means
    from learnt.model.proposal import Proposal
    from learnt.model.request import ProposalRequest
    from learnt.model.verdict import Verdict


_SAYING = {"add", "update", "merge", "supersede"}
"""Operations that bring a text in."""


def propose(means: Means, request: ProposalRequest, *, needs_reference: bool = True) -> Proposed | Refusal:
    """Queue a proposal; nothing it says is memory until a decision applies it.

    Raises:
        NotFoundError: A memory it is about is not here.
        UsageError: The input breaks a rule; nothing was stored.
    """
    if disabled := off(means):
        return disabled
    now = means.clock.now()
    if problem := draft.unusable(request, needs_reference=needs_reference, person=means.context.person):
        raise UsageError(problem.message, code=problem.code)
    asked = drafted(means, request, now)
    if problem := unusable(asked):
        raise UsageError(problem.message, code=problem.code)
    verdict = judged(means, passages(asked, request.tags), "propose")
    refused = refusal(verdict, means)
    if refused and refused.retryable:
        return replace(refused, details={"proposal_id": hold(means, asked, now).id})
    if refused and refused.code != "secret":
        return refused
    if asked.operation in _SAYING and (private := personal.refused(means, asked, "propose", request.tags)):
        return private
    if refused is None:
        asked = _placed(means, asked, request)
    screened = _screened(asked, verdict, now, rejected=refused is not None)
    return _queued(means, personal.noted(means, screened), now)


def _placed(means: Means, asked: Proposal, request: ProposalRequest) -> Proposal:
    """The proposal, once what it is about is known to be here.

    A merge belongs where its memories do; an update keeps what it does not name.

    Raises:
        NotFoundError: A memory it is about is not here.
        UsageError: What is to be merged is of several scopes.
    """
    names = tuple(dict.fromkeys((asked.target_id, *asked.related) if asked.target_id else asked.related))
    found = {memory.id: memory for memory in means.store.memories.many(means.context.sight, names)} if names else {}
    if missing := next((name for name in names if name not in found), ""):
        raise NotFoundError(f"There is no memory {missing} here.")
    if asked.operation == "update":
        target = found[asked.target_id]
        confidence = target.confidence if request.confidence is None else asked.confidence
        return replace(asked, confidence=confidence, tags=asked.tags if request.tags else (*target.tags,))
    if asked.operation != "merge":
        return asked
    scopes = {found[name].scope.key: found[name].scope for name in asked.related}
    if len(scopes) > 1:
        raise UsageError("Memories of different scopes are not merged.", code="scope")
    return replace(asked, scope=next(iter(scopes.values())))


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


def _queued(means: Means, asked: Proposal, now: str) -> Proposed | Refusal:
    with means.store.transaction():
        if asked.text and (gone := forgotten(means, asked.text)):
            return gone
        twin = _twin(means, asked) if asked.status == "pending" else None
        if twin is not None:
            return _joined(means, twin, asked, now)
        means.name_place()
        asked = _kept(means, asked)
        detail = {"operation": asked.operation, "status": asked.status, "kind": asked.kind}
        event = means.event("proposal", asked.id, now, detail)
        means.store.events.append(event)
    return Proposed(proposal=asked, event=event.id)


def _kept(means: Means, asked: Proposal) -> Proposal:
    """Store it under a name nobody else has.

    The name holds time, proposer and text, so the same words of the same moment for another kind, target or repository
    would share it; those that come later are numbered. An id of another scope is not seen here, only refused.
    """
    subject = draft.subject(asked.text, asked.operation, asked.target_id, asked.related)
    for again in count():
        name = proposal_id(asked.created_at, means.context.proposer, subject, again)
        if means.store.proposals.get(means.context.sight, name) is not None:
            continue
        named = replace(asked, id=name)
        try:
            _put(means, named)
        except UsageError as error:
            if error.error_code != "scope_foreign":
                raise
        else:
            return named
    raise AssertionError


def _put(means: Means, asked: Proposal) -> None:
    """Store it, and keep what it rests on for as long as it lives."""
    means.store.proposals.put(asked)
    if held := [each.ref for each in asked.evidence if each.type in {"transcript", "evidence"}]:
        means.store.archive.cite(means.context.sight, held)


def _joined(means: Means, twin: Proposal, asked: Proposal, now: str) -> Proposed:
    """The proposal that asks for the same already, with the evidence of whoever asks again."""
    evidence = united(twin.evidence, asked.evidence)
    if evidence == twin.evidence:
        return Proposed(proposal=twin, event="", existing=True)
    writers = {each.writer for each in twin.evidence} | {twin.provenance.writer if twin.provenance else ""}
    own = asked.provenance.writer if asked.provenance else ""
    trust = corroborated(twin.trust, asked.trust, independent=own not in writers)
    twin = replace(twin, evidence=evidence, trust=trust)
    detail = {"operation": twin.operation, "status": twin.status, "kind": twin.kind, "existing": True}
    event = means.event("proposal", twin.id, now, detail)
    means.name_place()
    _put(means, twin)
    means.store.events.append(event)
    return Proposed(proposal=twin, event=event.id, existing=True)


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
