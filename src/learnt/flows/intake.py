"""An agent's output taken in: what it proposes is queued, what a curator decided is applied, the rest is told of.

Each member stands for itself: a broken one spoils no other, and the same output read again changes nothing. The words
are an agent's whoever hands them over, so a person who does lends them no trust. Source: swarm-memory seed, proposals.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Final

from learnt.capture.output import members
from learnt.errors import LearntError, NotFoundError, StoreError, UsageError
from learnt.flows.decide import decide
from learnt.flows.propose import propose
from learnt.flows.rule import ruled_in
from learnt.govern import schema
from learnt.govern.reference import MAX_REFERENCES
from learnt.model.answer import Decided, Proposed, Refusal
from learnt.model.intake import MAX_CHARS, PROPOSALS, Invalid, Taken
from learnt.model.keys import memory_id
from learnt.model.kinds import CURATOR_ROLES
from learnt.model.memory import Reference
from learnt.model.problem import Problem
from learnt.model.proposal import Decision

if TYPE_CHECKING:
    from learnt.flows.means import Means
    from learnt.model.intake import Member, Output, Ruled
    from learnt.model.proposal import Proposal
    from learnt.model.request import ProposalRequest

_WORDS: Final = {
    "not_found": "There is no such proposal or memory here.",
    "conflict": "The state of the proposal or memory does not allow it.",
    "target": "The decision is about another memory than the proposal.",
    "scope": "The decision is about another scope than the proposal.",
    "identity": "The id is not that of this text, kind and scope.",
    "secret": "It holds what looks like a secret.",
}
_OTHER: Final = "It breaks a rule of writing."


def intake(means: Means, text: str, *, role: str = "") -> Taken | Refusal:
    """Take in what one agent wrote.

    Args:
        role: Of the agent that wrote it, where a person hands it over; an agent's own process has its own.

    Raises:
        UsageError: The output is too long, or an agent claims another role than its own.
    """
    if not means.settings.memory.enabled:
        return Refusal(code="disabled", message="learnt is off here; nothing was taken in.")
    if len(text) > MAX_CHARS:
        raise UsageError(f"An output has at most {MAX_CHARS:,} characters.", code="too_long")
    context = means.context
    if not context.person and role not in ("", context.agent_role):
        raise UsageError("An agent's role is the one it was started with.", code="role")
    return _taken(_written_by(means, role or context.agent_role), text, None)


def read_output(means: Means, output: Output) -> Taken:
    """Take in what an agent wrote in a session; `means` act for that session."""
    return _taken(_written_by(means, output.role), output.text, output.ref)


def told(taken: Taken) -> tuple[str, ...]:
    """What a person should know of it, in words; nothing when all was well."""
    dropped = ", ".join(f"{code} {number}" for code, number in sorted(taken.reasons.items()))
    return (
        *((f"an agent's output held members that could not be used ({dropped})",) if dropped else ()),
        *(
            (f"decisions of the role {taken.role}, which no person enabled here: {taken.ignored}",)
            if taken.ignored
            else ()
        ),
    )


def _written_by(means: Means, role: str) -> Means:
    """The means of the agent that wrote it: no person, and a curator only where a person said so."""
    enabled = role in CURATOR_ROLES and role in means.curators
    named = means.gate.redact(role) if role else "agent"
    context = replace(means.context, person=False, curator=enabled, agent_role=named)
    return replace(means, context=context)


@dataclass(slots=True)
class _Sheet:
    """What became of the members so far."""

    proposals: list[Proposed] = field(default_factory=list)
    accepted: list[str] = field(default_factory=list)
    decided: list[Decided] = field(default_factory=list)
    known: list[str] = field(default_factory=list)
    invalid: list[Invalid] = field(default_factory=list)
    ignored: int = 0


def _taken(means: Means, text: str, ref: str | None) -> Taken:
    found, unread = members(text)
    sheet = _Sheet(invalid=list(unread))
    for member in found:
        try:
            _member(means, member, ref, sheet)
        except StoreError:
            raise
        except LearntError as error:
            _drop(sheet, member, error.error_code)
    return Taken(
        proposals=tuple(sheet.proposals),
        accepted=tuple(sheet.accepted),
        decided=tuple(sheet.decided),
        known=tuple(sheet.known),
        invalid=tuple(sheet.invalid),
        ignored=sheet.ignored,
        role=means.context.agent_role,
    )


def _member(means: Means, member: Member, ref: str | None, sheet: _Sheet) -> None:
    if member.array == PROPOSALS:
        asked = schema.request(member.value)
        if isinstance(asked, Problem):
            _drop(sheet, member, asked.code, asked.message)
        else:
            _propose(means, member, asked, ref, sheet)
        return
    if not means.context.curator:
        sheet.ignored += 1
        return
    ruled = schema.ruling(member.value)
    if isinstance(ruled, Problem):
        _drop(sheet, member, ruled.code, ruled.message)
    else:
        _decide(means, member, ruled, sheet)


def _drop(sheet: _Sheet, member: Member, code: str, message: str = "") -> None:
    sheet.invalid.append(Invalid(member.array, member.index, code, message or _WORDS.get(code, _OTHER)))


def _propose(means: Means, member: Member, asked: ProposalRequest, ref: str | None, sheet: _Sheet) -> None:
    if known := _known(means, asked):
        sheet.known.append(known)
        return
    if ref and len(asked.evidence) < MAX_REFERENCES:
        said = Reference(type="transcript", ref=ref, trust="agent", writer=means.context.writer)
        asked = replace(asked, references=(said,))
    answer = propose(means, asked)
    if isinstance(answer, Refusal):
        _drop(sheet, member, answer.code)
        return
    sheet.proposals.append(answer)
    if memory := ruled_in(means, answer.proposal.id):
        sheet.accepted.append(memory.id)


def _known(means: Means, asked: ProposalRequest) -> str:
    """What says the same already and was answered, or is memory; "" for nothing. What waits is met by `propose`."""
    sight, text = means.context.sight, means.gate.redact(asked.text)
    for each in means.store.proposals.saying(sight, text):
        same = (each.operation, each.kind, each.target_id, each.related)
        if same == (asked.operation, asked.kind, asked.target_id, asked.related) and each.status in _ANSWERED:
            return each.id
    if asked.operation != "add" or asked.kind is None:
        return ""
    scope = sight.one("global_user" if asked.kind == "user_preference" else "repository")
    memory = means.store.memories.get(sight, memory_id(scope.key, asked.kind, asked.text))
    return memory.id if memory is not None and memory.status in {"active", "quarantined"} else ""


_ANSWERED: Final = frozenset({"applied", "rejected", "approved"})


def _decide(means: Means, member: Member, ruled: Ruled, sheet: _Sheet) -> None:
    proposal = means.store.proposals.get(means.context.sight, ruled.proposal_id)
    if proposal is None:
        raise NotFoundError
    if proposal.status != "pending" and _repeats(ruled, proposal):
        sheet.known.append(proposal.id)
        return
    if unfit := _unfit(ruled, proposal):
        _drop(sheet, member, unfit)
        return
    decision = Decision(
        proposal_id=ruled.proposal_id,
        action=ruled.action,
        reason=ruled.reason,
        text=ruled.text,
        kind=ruled.kind,
        confidence=ruled.confidence,
        tags=ruled.tags,
    )
    answer = decide(means, decision)
    if isinstance(answer, Refusal):
        _drop(sheet, member, answer.code)
    else:
        sheet.decided.append(answer)


def _repeats(ruled: Ruled, proposal: Proposal) -> bool:
    taken = proposal.metadata.get("curatorDecision")
    return isinstance(taken, dict) and (taken.get("action"), taken.get("reason")) == (ruled.action, ruled.reason)


def _unfit(ruled: Ruled, proposal: Proposal) -> str:
    """Why the decision is not about this proposal: its target, what it merges, its scope or its id differ."""
    if ruled.target_id and ruled.target_id != proposal.target_id:
        return "target"
    if ruled.related and set(ruled.related) != set(proposal.related):
        return "target"
    if ruled.scope_key not in ("", proposal.scope.key) or ruled.scope_type not in ("", proposal.scope.type):
        return "scope"
    if ruled.memory_id and ruled.text is not None and ruled.kind is not None:
        return "" if ruled.memory_id == memory_id(proposal.scope.key, ruled.kind, ruled.text) else "identity"
    return ""
