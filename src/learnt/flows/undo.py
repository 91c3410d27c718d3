"""An event taken back, in one transaction."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from learnt.errors import NotFoundError, UsageError
from learnt.flows.bar import barred
from learnt.flows.bar import refused as forgotten
from learnt.flows.decide import person_required
from learnt.flows.embed import keep as keep_vector
from learnt.flows.embed import prepared
from learnt.flows.switch import off
from learnt.govern.undo import UNDOABLE, Reversal, Touched, parted, reopened, reversal, touched_by
from learnt.model.answer import Refusal, Undone
from learnt.model.problem import Problem

if TYPE_CHECKING:
    from learnt.flows.means import Means
    from learnt.model.event import ChainRow
    from learnt.model.memory import Memory
    from learnt.model.proposal import Proposal


def undo(means: Means, event_id: str) -> Undone | Refusal:
    """Take back a retirement, a merge, a consolidation, a soft deletion or a decision.

    Raises:
        NotFoundError: No such event, or what it is about is not of this context.
        UsageError: The event is not one that can be undone.
    """
    if refused := person_required(means, "undo") or off(means):
        return refused
    now = means.clock.now()
    row = _row(means, event_id)
    seen = _reversal(means, row, now)
    if isinstance(seen, Refusal):
        return seen
    ready = prepared(means, *seen.puts)
    with means.store.transaction():
        back = _reversal(means, row, now)
        if isinstance(back, Refusal):
            return back
        for memory in back.puts:
            if memory.status == "active" and (gone := forgotten(means, memory.text)):
                return gone
        undone = _reversed(means, back, event_id, now)
        keep_vector(means, ready, now)
        return undone


def _row(means: Means, event_id: str) -> ChainRow:
    row = means.store.events.get(event_id)
    if row is None:
        raise NotFoundError(f"There is no event {event_id} here.", hint="`learnt explain ID` lists events.")
    if row.operation not in UNDOABLE and not (row.operation == "upsert" and _detail(row).get("superseded")):
        raise UsageError(f"An event of type {row.operation} cannot be undone.", code="not_undoable")
    return row


def _detail(row: ChainRow) -> dict[str, Any]:
    found = json.loads(row.event_json or "{}")
    return found if isinstance(found, dict) else {}


def _reversal(means: Means, row: ChainRow, now: str) -> Reversal | Refusal:
    sight, detail = means.context.sight, _detail(row)
    proposal: Proposal | None = None
    if row.operation == "curator_decision":
        held = means.store.proposals.get(sight, str(detail.get("proposal", "")))
        if held is None and (gone := _forgotten(means, row, detail)):
            return gone
        if held is None:
            raise NotFoundError(f"There is no proposal {detail.get('proposal')} here.")
        open_again = reopened(held)
        if isinstance(open_again, Problem):
            return _refused(open_again)
        proposal = open_again
    names = touched_by(row.operation, row.target_id, detail)
    found = {memory.id: memory for memory in means.store.memories.many(sight, names)}
    if len(found) != len(names):
        return _gone(means, [name for name in names if name not in found], "A memory of this event")
    touched = [Touched(memory=found[name], pasts=means.store.pasts.of(sight, name)) for name in names]
    known = names[0] if names and detail.get("existing") else ""
    back = reversal(row.timestamp, touched, now, known)
    if isinstance(back, Problem):
        return _refused(back)
    alone = row.operation in {"supersede", "upsert"}
    return _with_successors(means, replace(back, proposal=proposal), found, now, disputed=alone)


def _with_successors(
    means: Means, back: Reversal, before: dict[str, Memory], now: str, *, disputed: bool
) -> Reversal | Refusal:
    """With the statements that had replaced what is active again, which then no longer did."""
    sight = means.context.sight
    active = [memory for memory in back.puts if memory.status == "active"]
    successors = {name: each.superseded_by for name, each in before.items() if each.superseded_by}
    own = {memory.id: memory for memory in back.puts}
    if gone := [name for name in successors.values() if means.store.memories.get(sight, name) is None]:
        return _gone(means, gone, "What replaced a memory of this event")
    others = {name: each for name, each in successors.items() if each not in own}  # those are as they were already
    changed = parted(active, lambda name: means.store.memories.get(sight, name), others, now, disputed=disputed)
    puts = {**own, **{memory.id: memory for memory in changed}}
    return replace(back, puts=tuple(puts.values()))


def _forgotten(means: Means, row: ChainRow, detail: dict[str, Any]) -> Refusal | None:
    """The refusal of a decision that went with a memory which was forgotten."""
    names = (row.target_id, *touched_by(row.operation, row.target_id, detail))
    return _gone(means, list(names), "A memory of this event") if barred(means, (), names) else None


def _gone(means: Means, names: list[str], what: str) -> Refusal:
    """Why what is no longer there cannot be taken back."""
    if barred(means, (), names):
        return Refusal(code="forgotten", message=f"{what} was forgotten.")
    return Refusal(
        code="conflict",
        message=f"{what} was taken away for good by `learnt compact`.",
        hint="Write it again where it is still right.",
        details={"gone": names},
    )


def _refused(problem: Problem) -> Refusal:
    return Refusal(code=problem.code, message=problem.message)


def _reversed(means: Means, back: Reversal, event_id: str, now: str) -> Undone:
    for memory in back.puts:
        means.store.memories.put(memory)
    proposal_id = ""
    if back.proposal is not None:
        means.store.proposals.put(back.proposal)
        proposal_id = back.proposal.id
    detail = {"undone": event_id, "restored": list(back.restored), "hidden": list(back.hidden), "proposal": proposal_id}
    target = next(iter((*back.hidden, *back.restored)), proposal_id or event_id)
    event = means.event("undo", target, now, detail)
    means.store.events.append(event)
    return Undone(event=event.id, restored=back.restored, hidden=back.hidden, proposal_id=proposal_id)
