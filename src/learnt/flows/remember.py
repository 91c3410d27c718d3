"""A person's direct write: checked, screened, met with what is there, stored with its event."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from learnt.errors import UsageError
from learnt.flows import learned, personal
from learnt.flows.bar import refused as forgotten
from learnt.flows.embed import keep as keep_vector
from learnt.flows.embed import prepared
from learnt.flows.evidence import dated_by
from learnt.flows.near import Nearest, nearest
from learnt.flows.pin import pinned
from learnt.flows.propose import propose
from learnt.flows.screen import judged, passages, refusal, unusable
from learnt.flows.switch import off
from learnt.flows.truth import Settled, offer, placed, tell, told
from learnt.flows.waiting import keep
from learnt.govern import draft
from learnt.govern.meeting import Meeting, meet
from learnt.govern.reference import parse
from learnt.govern.rules import broken, ill_tagged
from learnt.govern.truth import dated
from learnt.model.answer import Proposed, Refusal, Written
from learnt.model.memory import Memory, Reference
from learnt.model.problem import Problem
from learnt.model.request import ProposalRequest, WriteRequest

if TYPE_CHECKING:
    from learnt.flows.means import Means
    from learnt.model.scope import Scope
    from learnt.model.verdict import Verdict


def remember(means: Means, request: WriteRequest) -> Written | Proposed | Refusal:
    """Write a memory, or, for an agent, propose it.

    Raises:
        UsageError: The input breaks a rule; nothing was stored.
        StoreError: The store does not answer.
    """
    if refused := off(means):
        return refused
    if not means.context.person:
        return _asked(means, request)
    now = means.clock.now()
    memory = draft.memory(request, references(means, request), scope_of(means, request), means.context, now)
    if problem := ill_tagged(request.tags) or unusable(memory) or broken(memory):
        raise UsageError(problem.message, code=problem.code)
    memory = dated(pinned(means, memory, request.files, request.symbols), dated_by(means, memory.evidence))
    verdict = judged(means, passages(memory, request.tags), "remember")
    if refused := refusal(verdict, means) or personal.refused(means, memory, "remember", request.tags):
        if refused.retryable:
            waiting = keep(means, memory, now)
            return replace(refused, details={"proposal_id": waiting.id})
        return refused
    answer = store(means, cleared(memory, verdict), now, again=request.again)
    learned.save(means, answer.memory if isinstance(answer, Written) else None)
    return answer


def references(means: Means, request: WriteRequest) -> tuple[Reference, ...]:
    """The person, then what they point at."""
    writer = means.context.writer
    person = Reference(type="person", ref=writer, trust="person", writer=writer)
    parsed = (parse(ref, writer=writer, is_file=means.workplace.is_file) for ref in request.evidence)
    return (person, *request.references, *parsed)


def scope_of(means: Means, request: WriteRequest) -> Scope:
    """The scope a write goes to: what the person said, else derived from the kind (contract, scopes)."""
    derived = "global_user" if request.kind == "user_preference" else "repository"
    return means.context.sight.one(request.scope or derived)  # type: ignore[arg-type]


def cleared(memory: Memory, verdict: Verdict) -> Memory:
    """`memory` with the gate's answer on it: cleared by this pattern set, or held for a person."""
    if verdict.outcome == "quarantine":
        held = {**memory.metadata, "quarantine": list(verdict.classes)}
        return replace(memory, status="quarantined", metadata=held)
    return replace(memory, clearance=verdict.pattern_set if verdict.outcome == "allow" else "")


def store(
    means: Means, memory: Memory, now: str, *, operation: str = "upsert", again: bool = False
) -> Written | Refusal:
    """Meet the row of the same identity and store the outcome, row and event in one transaction.

    Args:
        again: A person repeats what was forgotten.
    """
    ready = prepared(means, memory)
    near = nearest(means, memory, ready, now)
    means.store.memories.ready(memory)
    with means.store.transaction():
        if gone := forgotten(means, memory.text, again=again):
            return gone
        old = means.store.memories.get(means.context.sight, memory.id)
        met = meet(memory, old, now)
        if isinstance(met, Problem):
            return Refusal(code="conflict", message=met.message, hint=_way_back(means, memory.id))
        if met.memory == old:
            return Written(memory=met.memory, event="", existing=True)
        written, settled = _put(means, met, near, now, operation)
        keep_vector(means, ready, now)
    offer(means, settled)
    return written


def _put(means: Means, met: Meeting, near: Nearest, now: str, operation: str) -> tuple[Written, Settled]:
    if met.existing:
        settled = Settled(memory=met.memory, puts=(met.memory,))
    else:
        settled = placed(means, met.memory, near, now, before=met.nominated)
    memory, existing = settled.memory, met.existing or settled.repeats
    means.name_place()
    if settled.repeats and memory == means.store.memories.get(means.context.sight, memory.id):
        return Written(memory=memory, event="", existing=True), settled
    for each in settled.puts:
        means.store.memories.put(each)
    detail = {"kind": memory.kind, "status": memory.status, "existing": existing, **told(settled)}
    event = means.event(operation, memory.id, now, {**detail, **({"before": met.before} if met.before else {})})
    means.store.events.append(event)
    tell(means, settled, now)
    written = Written(
        memory=memory, event=event.id, existing=existing, superseded=settled.superseded, nominated=settled.nominated
    )
    return written, settled


def _way_back(means: Means, memory_id: str) -> str:
    """How to bring a deleted statement back: the event to undo."""
    last = next((row.id for row in reversed(means.store.events.about(memory_id))), "")
    return f"learnt undo {last}".strip() if last else "learnt undo EVENT"


def _asked(means: Means, request: WriteRequest) -> Proposed | Refusal:
    """An agent's `remember` is a proposal (contract, who is a person)."""
    asked = ProposalRequest(
        operation="add",
        text=request.text,
        kind=request.kind,
        rationale=request.rationale,
        evidence=request.evidence,
        references=request.references,
        tags=request.tags,
        files=request.files,
        symbols=request.symbols,
        confidence=request.confidence,
    )
    answer = propose(means, asked)
    return replace(answer, redirected=True) if isinstance(answer, Proposed) else answer
