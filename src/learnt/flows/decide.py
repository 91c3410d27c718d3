"""A curator's answer, applied in one transaction, and the way back."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from learnt.errors import NotFoundError, UsageError
from learnt.flows import learned, personal
from learnt.flows.bar import refused as forgotten
from learnt.flows.embed import keep as keep_vector
from learnt.flows.embed import prepared
from learnt.flows.evidence import dated_by
from learnt.flows.near import Nearest, nearest
from learnt.flows.remember import cleared
from learnt.flows.screen import judged, passages, refusal, unusable
from learnt.flows.switch import off
from learnt.flows.truth import Settled, offer, placed, tell, told, was_given
from learnt.gate.hygiene import fit
from learnt.govern import decide as policy
from learnt.govern.truth import dated
from learnt.model.answer import Decided, Refusal
from learnt.model.problem import Problem
from learnt.model.proposal import Decision
from learnt.model.scope import Sight
from learnt.model.verdict import Passage

if TYPE_CHECKING:
    from learnt.flows.means import Means
    from learnt.govern.decide import Change
    from learnt.model.kinds import Reviewer
    from learnt.model.memory import Memory
    from learnt.model.proposal import Proposal

_STATE = {"conflict", "forgotten"}


def person_required(means: Means, verb: str) -> Refusal | None:
    """The refusal an agent gets for what only a person may do."""
    if means.context.person:
        return None
    what = f"`learnt {verb}` is for a person" if " " in verb else f"Only a person may {verb}"
    return Refusal(
        code="person_required",
        message=f"{what}; this process was started by an agent.",
        hint=f"Run `learnt {verb}` in a terminal of your own.",
    )


def decide(means: Means, decision: Decision) -> Decided | Refusal:
    """Apply a decision to a pending proposal.

    Raises:
        NotFoundError: No such proposal here.
        UsageError: The decision does not fit the proposal; nothing was changed.
    """
    if not means.context.curator and (refused := person_required(means, "decide")):
        return refused
    if refused := off(means) or _unsaid(means, decision.reason.strip()):
        return refused
    answer = _decided(means, decision, "user" if means.context.person else "curator_agent")
    learned.save(means, answer.memory if isinstance(answer, Decided) and means.context.person else None)
    return answer


def _unsaid(means: Means, reason: str) -> Refusal | None:
    """Why a reason cannot be kept: it stays with the proposal and with what it retires, so it passes the gate too.

    A person may quote what reads like an order to agents; an agent may not.
    """
    if not reason:
        return None
    if (problem := fit(reason)) and problem.code not in {"empty", "too_long"}:
        raise UsageError(f"reason: {problem.message}", code=problem.code)
    verdict = judged(means, (Passage(field="reason", text=reason),), "decide")
    if verdict.outcome == "quarantine" and not means.context.person:
        verdict = replace(verdict, outcome="refuse")
    return refusal(verdict, means) or personal.refused_text(means, reason, "decide")


def accept_by_rule(means: Means, proposal_id: str, reason: str) -> Memory | None:
    """Accept a proposal without a person, because a stated rule allows it; None when it was refused after all."""
    try:
        answer = _decided(means, Decision(proposal_id=proposal_id, action="accept", reason=reason), "auto_policy")
    except UsageError:  # the statement breaks a rule of promotion; it waits for a person, who can change it
        return None
    return None if isinstance(answer, Refusal) else answer.memory


def _decided(means: Means, decision: Decision, reviewer: Reviewer) -> Decided | Refusal:
    now = means.clock.now()
    seen = _change(means, decision, reviewer, now)
    if isinstance(seen, Refusal):
        return seen
    gated = _gated(means, seen, decision)
    if isinstance(gated, Refusal):
        return gated
    ready = prepared(means, gated) if gated is not None else None
    near = nearest(means, gated, ready, now) if gated is not None else Nearest()
    with means.store.transaction():
        change = _change(means, decision, reviewer, now)
        if isinstance(change, Refusal):
            return change
        if gated is not None and (gone := forgotten(means, gated.text)):
            return gone
        decided, settled = _stored(means, change, gated, near, now)
        keep_vector(means, ready, now)
        if decided.memory is None:
            _untold(means, now)
    offer(means, settled)
    return decided


def _untold(means: Means, now: str) -> None:
    """Have the artifacts made anew where sessions are told something: what a person said no to may stand in it."""
    from learnt.flows.phases import ask  # with all that jobs need: most decisions make a memory

    scope = means.context.sight.one("repository")
    if means.store.summaries.current(Sight((scope,))) is not None:
        ask(means, scope, now)


def _change(means: Means, decision: Decision, reviewer: Reviewer, now: str) -> Change | Refusal:
    proposal = _proposal(means, decision.proposal_id)
    change = policy.apply(proposal, decision, _find(means), reviewer, now, _ties(means))
    return _raised(change) if isinstance(change, Problem) else _unechoed(means, change)


def _unechoed(means: Means, change: Change) -> Change:
    """The change without the trust that a repeated statement would gain from somebody whom we told it."""
    made, told_by = change.memory, change.proposal.provenance
    if made is None or told_by is None or not change.existing or made.status != "active":
        return change
    old = means.store.memories.get(means.context.sight, made.id)
    if old is None or old.trust == made.trust or not was_given(means, told_by, old):
        return change
    kept = replace(made, trust=old.trust)
    return replace(change, memory=kept, puts=tuple(kept if each.id == kept.id else each for each in change.puts))


def _raised(problem: Problem) -> Refusal:
    """A state that forbids is an answer; an input that does not fit is an error."""
    if problem.code in _STATE:
        return Refusal(code=problem.code, message=problem.message)
    if problem.code == "not_found":
        raise NotFoundError(problem.message)
    raise UsageError(problem.message, code=problem.code)


def _find(means: Means) -> policy.Finder:
    sight = means.context.sight
    return lambda memory_id: means.store.memories.get(sight, memory_id)


def _ties(means: Means) -> policy.Ties:
    sight = means.context.sight
    return lambda memory_ids: means.store.proposals.related(sight, memory_ids)


def _proposal(means: Means, proposal_id: str) -> Proposal:
    found = means.store.proposals.get(means.context.sight, proposal_id)
    if found is None:
        raise NotFoundError(f"There is no proposal {proposal_id} here.", hint="`learnt pending` shows the open ones.")
    return found


def _gated(means: Means, change: Change, decision: Decision) -> Memory | Refusal | None:
    """The memory a decision makes, screened: a person may have typed a new text."""
    if change.memory is None or change.existing:
        return None
    if problem := unusable(change.memory):
        raise UsageError(problem.message, code=problem.code)
    verdict = judged(means, passages(change.memory, decision.tags or ()), "decide")
    refused = refusal(verdict, means) or personal.refused(means, change.memory, "decide", decision.tags or ())
    return refused or cleared(change.memory, verdict)


def _stored(
    means: Means, change: Change, gated: Memory | None, near: Nearest, now: str
) -> tuple[Decided, Settled | None]:
    settled = _settled(means, change, gated, near, now)
    change = _repeated(change, settled) if settled is not None and settled.repeats else change
    made = settled.memory if settled is not None else None
    others = [each for each in change.puts if made is None or gated is None or each.id != gated.id]
    puts = {each.id: each for each in (*(settled.puts if settled is not None else ()), *others)}
    for memory in puts.values():
        means.store.memories.put(memory)
    means.store.proposals.put(change.proposal)
    target = made.id if made is not None else change.memory.id if change.memory is not None else change.proposal.id
    event = means.event("curator_decision", target, now, {**change.detail, **(told(settled) if settled else {})})
    means.store.events.append(event)
    if settled is not None:
        tell(means, settled, now)
    decided = Decided(
        proposal=change.proposal,
        event=event.id,
        memory=made if made is not None else change.memory,
        existing=change.existing,
        superseded=(*change.superseded, *(settled.superseded if settled is not None else ())),
        nominated=settled.nominated if settled is not None else change.nominated,
    )
    return decided, settled


def _settled(means: Means, change: Change, gated: Memory | None, near: Nearest, now: str) -> Settled | None:
    """The memory a decision makes among those that are there; None where it makes none."""
    if gated is None:
        return None
    aside = frozenset(memory.id for memory in change.puts)
    alone = len(aside) > 1 or change.proposal.operation != "add"
    memory = dated(gated, dated_by(means, gated.evidence))
    return placed(means, memory, near, now, before=change.nominated, alone=alone, aside=aside)


def _repeated(change: Change, settled: Settled) -> Change:
    """The change where the statement only repeats one that is there: that one got its evidence."""
    taken = change.proposal.metadata["curatorDecision"]
    told_of = {**taken, "ids": [settled.memory.id], "before": {"existing": True}}  # type: ignore[dict-item]
    proposal = replace(change.proposal, metadata={**change.proposal.metadata, "curatorDecision": told_of})
    detail = {**change.detail, "memories": [settled.memory.id], "existing": True}
    return replace(change, proposal=proposal, memory=settled.memory, existing=True, detail=detail)
