"""A decision on a proposal: what it changes, or why it cannot be taken.

Source: swarm-memory seed, "applying a decision". Nothing is applied here; the flow stores what `apply` returns in one
transaction.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Literal, Protocol

from learnt.govern import infer
from learnt.govern.draft import promoted, unpromotable
from learnt.govern.meeting import Meeting, meet
from learnt.govern.rules import MAX_TEXT
from learnt.model.kinds import ACTIONS, OPEN
from learnt.model.pin import KEY, as_row, repinned
from learnt.model.problem import Problem
from learnt.model.relation import MAX_RELATIONS

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from learnt.model.kinds import Action, Operation, Reviewer
    from learnt.model.memory import Memory
    from learnt.model.proposal import Decision, Proposal


class Finder(Protocol):
    """The memory with an id, whatever its status, or None when the decider may not see it."""

    def __call__(self, memory_id: str, /) -> Memory | None:
        """The memory."""


class Ties(Protocol):
    """What applied merges tie to each of some memories; nothing for one without a tie."""

    def __call__(self, memory_ids: Sequence[str], /) -> Mapping[str, tuple[str, ...]]:
        """By memory id."""


Applied = Literal["add", "update", "delete", "merge", "supersede", "reject", "noop"]
_OWN: dict[Operation, Applied] = {
    "add": "add",
    "update": "update",
    "delete": "delete",
    "merge": "merge",
    "supersede": "supersede",
    "ignore": "noop",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """What a decision does.

    Attributes:
        puts: Memories to store, in this order.
        proposal: The proposal as it stands afterwards; its metadata holds what undo needs.
        memory: The memory the caller is told of.
        detail: For the audit event: ids and words of ours only.
    """

    proposal: Proposal
    puts: tuple[Memory, ...] = ()
    memory: Memory | None = None
    existing: bool = False
    superseded: tuple[str, ...] = ()
    nominated: tuple[str, ...] = ()
    detail: Mapping[str, object] = field(default_factory=dict)


def action_of(proposal: Proposal, decision: Decision) -> Applied | Problem:
    """The action a decision means for this proposal."""
    action: Action = decision.action
    if action not in ACTIONS:
        return Problem("action", f"There is no action {action!r}. One of: {', '.join(ACTIONS)}.")
    own = _OWN[proposal.operation]
    if action == "accept":
        return own
    if action in {"reject", "noop"} or action == own:
        return action
    return Problem("action", f"This proposal asks to {proposal.operation}; it cannot be decided with {action}.")


def _untied(memory_ids: Sequence[str], /) -> Mapping[str, tuple[str, ...]]:
    """Nothing was merged yet."""
    del memory_ids
    return {}


def apply(
    proposal: Proposal, decision: Decision, find: Finder, reviewer: Reviewer, now: str, ties: Ties = _untied
) -> Change | Problem:
    """The change, or the problem (code `conflict` when the state forbids it, anything else when the input does)."""
    if len(decision.reason) > MAX_TEXT:
        return Problem("reason_too_long", f"A reason is at most {MAX_TEXT} characters.")
    if proposal.status not in OPEN:
        return Problem("conflict", f"The proposal is {proposal.status} already.")
    action = action_of(proposal, decision)
    if isinstance(action, Problem):
        return action
    if action == "merge" and (full := _full(proposal, ties)):
        return full
    change = _WAYS[action](proposal, decision, find, now)
    return change if isinstance(change, Problem) else _signed(change, action, decision, reviewer, now)


def _signed(change: Change, action: Applied, decision: Decision, reviewer: Reviewer, now: str) -> Change:
    """`change` with the decision written on the proposal and on the memories it made."""
    ids = [memory.id for memory in change.puts]
    before = change.proposal.metadata.get("before", {})
    taken = {"action": action, "reason": decision.reason, "ids": ids, "appliedAt": now, "before": before}
    rest = {key: value for key, value in change.proposal.metadata.items() if key != "before"}
    proposal = replace(
        change.proposal,
        status="rejected" if action == "reject" else "applied",
        reviewer=reviewer,
        reviewed_at=now,
        rejection_reason=decision.reason if action == "reject" else "",
        observation=False,
        metadata={**rest, "curatorDecision": taken},
    )
    made = change.memory
    if made is not None and not change.existing:
        made = replace(made, reviewed_by=reviewer, provenance=replace(made.provenance, proposal_id=proposal.id))
    puts = tuple(made if made is not None and memory.id == made.id else memory for memory in change.puts)
    detail = {"action": action, "operation": proposal.operation, "proposal": proposal.id, "memories": ids}
    return replace(change, proposal=proposal, puts=puts, memory=made, detail={**detail, **change.detail})


def _made(proposal: Proposal, decision: Decision, now: str) -> Memory | Problem:
    """The memory that add and supersede write."""
    kind = decision.kind or proposal.kind
    if kind is None:
        return Problem("kind", "Say which kind with --kind.")
    text = proposal.text if decision.text is None else decision.text
    confidence = proposal.confidence if decision.confidence is None else decision.confidence
    tags = proposal.tags if decision.tags is None else infer.tags(decision.tags, "")
    made = promoted(proposal, text, kind, confidence, tags, now)
    return unpromotable(made, text) or made


def _add(proposal: Proposal, decision: Decision, find: Finder, now: str) -> Change | Problem:
    made = _made(proposal, decision, now)
    if isinstance(made, Problem):
        return made
    old = find(made.id)
    met = meet(made, old, now)
    if isinstance(met, Problem):
        return met
    kept = _kept(proposal, met)
    return replace(kept, puts=()) if met.memory == old else kept


def _kept(proposal: Proposal, met: Meeting, others: tuple[Memory, ...] = ()) -> Change:
    noted = replace(proposal, metadata={**proposal.metadata, "before": met.before})
    return Change(
        proposal=noted,
        puts=(met.memory, *others),
        memory=met.memory,
        existing=met.existing,
        nominated=met.nominated,
        detail={"existing": met.existing},
    )


def _update(proposal: Proposal, decision: Decision, find: Finder, now: str) -> Change | Problem:
    old = _target(proposal, find)
    if isinstance(old, Problem):
        return old
    text = decision.text if decision.text is not None else proposal.text or old.text
    kind = decision.kind or proposal.kind or old.kind
    confidence = decision.confidence if decision.confidence is not None else proposal.confidence
    tags = proposal.tags or old.tags if decision.tags is None else infer.tags(decision.tags, "")
    pins = repinned(old.metadata, proposal.metadata)
    base = replace(
        proposal,
        scope=old.scope,
        files=old.files or proposal.files,
        symbols=old.symbols or proposal.symbols,
        metadata={**proposal.metadata, KEY: [as_row(pin) for pin in pins]} if pins else proposal.metadata,
    )
    made = promoted(base, text, kind, confidence, tags, now)
    if problem := unpromotable(made, text):
        return problem
    if made.id == old.id:
        return _patched(proposal, old, confidence, tags, now)
    met = meet(made, find(made.id), now)
    if isinstance(met, Problem):
        return met
    gone = {"deleted": True, "deleteReason": "updated", "updateReplacementId": made.id}
    tombstone = replace(old, status="deleted", updated_at=now, metadata={**old.metadata, **gone})
    return _kept(proposal, met, (tombstone,))


def _patched(proposal: Proposal, old: Memory, confidence: float, tags: tuple[str, ...], now: str) -> Change:
    """An update that keeps the text: same id, changed in place."""
    before = {"confidence": old.confidence, "tags": list(old.tags), "text": old.text}
    made = replace(old, confidence=confidence, tags=tags, updated_at=now)
    noted = replace(proposal, metadata={**proposal.metadata, "before": before})
    return Change(proposal=noted, puts=(made,), memory=made)


def _supersede(proposal: Proposal, decision: Decision, find: Finder, now: str) -> Change | Problem:
    old, made = _target(proposal, find), _made(proposal, decision, now)
    if isinstance(old, Problem):
        return old
    if isinstance(made, Problem):
        return made
    if made.id == old.id or made.scope.key != old.scope.key:
        return Problem("target", "A memory is superseded by another statement of the same scope.")
    reason = decision.reason or proposal.rationale
    met = meet(replace(made, supersedes=(old.id,), supersedes_reason=reason), find(made.id), now)
    if isinstance(met, Problem):
        return met
    noted = {**old.metadata, "supersedeReason": reason}
    retired = replace(
        old, status="superseded", superseded_by=made.id, supersedes_reason=reason, updated_at=now, metadata=noted
    )
    return replace(_kept(proposal, met, (retired,)), superseded=(old.id,))


def _delete(proposal: Proposal, decision: Decision, find: Finder, now: str) -> Change | Problem:
    old = _target(proposal, find)
    if isinstance(old, Problem):
        return old
    gone = {"deleted": True, "deleteReason": decision.reason or proposal.rationale}
    made = replace(old, status="deleted", updated_at=now, metadata={**old.metadata, **gone})
    return Change(proposal=proposal, puts=(made,), memory=made, existing=True)


def _merge(proposal: Proposal, decision: Decision, find: Finder, now: str) -> Change | Problem:
    del decision, now
    found = [find(memory_id) for memory_id in proposal.related]
    if any(memory is None or memory.status != "active" for memory in found):
        return Problem("conflict", "Every memory to merge must be active and of this context.")
    if {memory.scope.key for memory in found if memory is not None} != {proposal.scope.key}:
        return Problem("conflict", "Memories of different scopes are not merged.")
    return Change(proposal=proposal, detail={"related": list(proposal.related)})


def _full(proposal: Proposal, ties: Ties) -> Problem | None:
    """Why a merge would tie a memory to too many others. Source: swarm-memory seed, merge."""
    tied = ties(proposal.related)
    for memory_id in proposal.related:
        others = {*tied.get(memory_id, ()), *proposal.related} - {memory_id}
        if len(others) > MAX_RELATIONS:
            return Problem("conflict", f"A memory is tied to at most {MAX_RELATIONS} others; {memory_id} is full.")
    return None


def _nothing(proposal: Proposal, decision: Decision, find: Finder, now: str) -> Change | Problem:
    del decision, find, now
    return Change(proposal=proposal)


def _target(proposal: Proposal, find: Finder) -> Memory | Problem:
    """The active memory a proposal is about."""
    old = find(proposal.target_id)
    if old is None:
        return Problem("not_found", f"There is no memory {proposal.target_id} here.")
    if old.status != "active":
        return Problem("conflict", f"The memory is {old.status}.")
    return old


_WAYS: dict[Applied, Callable[..., Change | Problem]] = {
    "add": _add,
    "update": _update,
    "supersede": _supersede,
    "delete": _delete,
    "merge": _merge,
    "reject": _nothing,
    "noop": _nothing,
}
