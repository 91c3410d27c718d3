"""Memories and proposals made from requests: every default and every inferred field in one place."""

from __future__ import annotations

from typing import TYPE_CHECKING

from learnt.govern import infer
from learnt.govern.reference import MAX_REFERENCE, MAX_REFERENCES, source_of, trust_of
from learnt.govern.rules import MAX_TEXT, SCRATCH_DAYS, broken, concise
from learnt.model.instant import plus_days
from learnt.model.keys import memory_id, proposal_id
from learnt.model.kinds import KINDS, OPERATIONS, PROMOTABLE_KINDS
from learnt.model.memory import Memory, Provenance, Reference
from learnt.model.pin import KEY
from learnt.model.problem import Problem
from learnt.model.proposal import Proposal

if TYPE_CHECKING:
    from collections.abc import Sequence

    from learnt.model.context import Context
    from learnt.model.kinds import Kind, Stability
    from learnt.model.request import ProposalRequest, WriteRequest
    from learnt.model.scope import Scope

PERSON_CONFIDENCE, PROPOSAL_CONFIDENCE = 0.9, 0.5
"""Default grades (contract, writing)."""


def stability_of(kind: str) -> Stability:
    """Scratch is ephemeral, all else durable (seed, proposal intake)."""
    return "ephemeral" if kind == "scratch" else "durable"


def expiry_of(kind: str, given: str | None, now: str) -> str | None:
    """The given expiry; for scratch without one, a week from now."""
    return plus_days(now, SCRATCH_DAYS) if kind == "scratch" and given is None else given


def provenance_of(context: Context, *, proposal: str = "") -> Provenance:
    """Who is writing, in the course of what."""
    return Provenance(
        writer=context.writer,
        agent_role=context.agent_role or ("person" if context.person else "unknown"),
        agent_id=context.agent_id,
        run_id=context.run_id,
        unit_id=context.unit_id,
        round=context.round,
        session_id=context.session_id,
        host=context.host,
        proposal_id=proposal,
        commit=context.commit,
    )


def memory(
    request: WriteRequest, references: tuple[Reference, ...], scope: Scope, context: Context, now: str
) -> Memory:
    """The memory a person's direct write asks for; `references` already begin with the person."""
    return Memory(
        id=memory_id(scope.key, request.kind, request.text),
        scope=scope,
        kind=request.kind,
        text=request.text,
        created_at=now,
        updated_at=now,
        valid_from=now,
        rationale=request.rationale,
        tags=infer.tags(request.tags, request.text),
        files=infer.files(request.files, references, request.text),
        symbols=infer.symbols(request.symbols, request.text),
        confidence=PERSON_CONFIDENCE if request.confidence is None else request.confidence,
        stability=stability_of(request.kind),
        trust=trust_of(references, "person"),
        expires_at=expiry_of(request.kind, request.expires_at, now),
        source=source_of(references, context.writer),
        evidence=references,
        provenance=provenance_of(context),
    )


def subject(text: str, operation: str, target: str, related: Sequence[str]) -> str:
    """What a proposal is named by: its text, else "operation:target". Source: swarm-memory seed, ids."""
    return text or f"{operation}:{target or ','.join(related)}"


def proposal(
    request: ProposalRequest, references: tuple[Reference, ...], scope: Scope, context: Context, now: str
) -> Proposal:
    """The pending proposal a request asks for."""
    named = subject(request.text, request.operation, request.target_id, request.related)
    return Proposal(
        id=proposal_id(now, context.proposer, named),
        operation=request.operation,
        scope=scope,
        rationale=request.rationale or request.text[:200] or request.operation,
        created_at=now,
        kind=request.kind,
        text=request.text,
        tags=infer.tags(request.tags, request.text),
        files=infer.files(request.files, references, request.text),
        symbols=infer.symbols(request.symbols, request.text),
        confidence=PROPOSAL_CONFIDENCE if request.confidence is None else request.confidence,
        stability=stability_of(request.kind or ""),
        trust=trust_of(references, request.own_trust or ("person" if context.person else "agent")),
        expires_at=expiry_of(request.kind or "", None, now),
        target_id=request.target_id,
        related=request.related,
        source=source_of(references, context.writer),
        evidence=references,
        provenance=provenance_of(context),
        observation=request.observation,
        trigger=request.trigger,
        expected_value=request.expected_value,
        metadata={"origin": request.origin} if request.origin else {},
    )


def unusable(request: ProposalRequest, *, needs_reference: bool = True, person: bool = False) -> Problem | None:
    """Why a proposal cannot be stored, or None. Source: swarm-memory seed, proposals.

    Args:
        needs_reference: A durable kind needs a reference (contract, writing); what learnt itself read brings its own.
        person: A person asks: what they put in the place of a memory needs none.
    """
    if request.operation not in OPERATIONS:
        return Problem("operation", f"There is no operation {request.operation!r}. One of: {', '.join(OPERATIONS)}.")
    return _content(request) or _targets(request) or _support(request, _referenced(needs_reference, person))


def _content(request: ProposalRequest) -> Problem | None:
    if request.operation in {"add", "supersede"} and not (request.kind and request.text.strip()):
        return Problem("kind_and_text", f"{request.operation} needs a text and a --kind.")
    if request.operation == "update" and not _patches(request):
        return Problem("empty_patch", "update needs something to change: a text, --kind, --tag or --confidence.")
    if request.kind is not None and request.kind not in KINDS:
        return Problem("kind", f"There is no kind {request.kind!r}. Kinds: {', '.join(KINDS)}.")
    if max(len(request.text), len(request.rationale)) > MAX_TEXT:
        return Problem("text_too_long", f"Text and rationale are at most {MAX_TEXT} characters each.")
    if request.confidence is not None and not 0 <= request.confidence <= 1:
        return Problem("confidence", "confidence must be between 0 and 1.")
    return None


def _patches(request: ProposalRequest) -> bool:
    return bool(request.text.strip() or request.kind or request.tags or request.confidence is not None)


def _targets(request: ProposalRequest) -> Problem | None:
    if request.operation in {"update", "delete", "supersede"} and not request.target_id:
        return Problem("target", f"{request.operation} needs --target ID.")
    if request.operation == "merge" and not 2 <= len(set(request.related)) <= 8:
        return Problem("related", "merge needs 2 to 8 different --related ids.")
    return None


def _referenced(needed: bool, person: bool) -> frozenset[str]:  # noqa: FBT001 - two facts of one call
    """The operations whose durable kinds need a reference."""
    if not needed:
        return frozenset()
    return frozenset({"add"} if person else {"add", "supersede"})


def _support(request: ProposalRequest, referenced: frozenset[str]) -> Problem | None:
    given = (*request.evidence, *(reference.ref for reference in request.references))
    if len(given) > MAX_REFERENCES:
        return Problem("too_many_references", f"At most {MAX_REFERENCES} evidence references.")
    if any(not 1 <= len(ref.strip()) <= MAX_REFERENCE for ref in given):
        return Problem("reference", f"An evidence reference has 1 to {MAX_REFERENCE} characters.")
    if request.operation in referenced and request.kind in PROMOTABLE_KINDS and not given:
        return Problem("evidence_required", f"A proposed {request.kind} needs at least one --evidence reference.")
    return None


def promoted(asked: Proposal, text: str, kind: Kind, confidence: float, tags: tuple[str, ...], now: str) -> Memory:
    """The memory an accepted proposal becomes, with what the decision changed in it."""
    return Memory(
        id=memory_id(asked.scope.key, kind, text),
        scope=asked.scope,
        kind=kind,
        text=text,
        created_at=now,
        updated_at=now,
        valid_from=now,
        rationale=asked.rationale,
        tags=tags,
        files=asked.files,
        symbols=asked.symbols,
        confidence=confidence,
        stability=stability_of(kind),
        trust=asked.trust,
        expires_at=expiry_of(kind, asked.expires_at if kind == "scratch" or asked.kind != "scratch" else None, now),
        source=asked.source or source_of(asked.evidence, ""),
        evidence=asked.evidence,
        provenance=asked.provenance or Provenance(),
        clearance=asked.clearance,
        metadata=_carried(asked),
    )


def _carried(asked: Proposal) -> dict[str, object]:
    """What of a proposal stays with the memory besides its fields: what it warns of, and what it is pinned to."""
    trigger: dict[str, object] = {"trigger": [list(pair) for pair in asked.trigger]} if asked.trigger else {}
    return {**trigger, KEY: asked.metadata[KEY]} if KEY in asked.metadata else trigger


def unpromotable(made: Memory, text: str) -> Problem | None:
    """Why a decision may not write `made`: only concise facts of durable kinds are promoted (seed)."""
    if made.kind not in PROMOTABLE_KINDS:
        return Problem("not_promotable", f"{made.kind} records are evidence or notes; rephrase as a fact with --kind.")
    if too_long := concise(text):
        return too_long
    return broken(made)
