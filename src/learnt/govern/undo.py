"""A decision taken back. Source: contract, `undo`; everything a decision did is on its proposal."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from learnt.govern.meeting import UNDONE
from learnt.model.problem import Problem

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from learnt.model.memory import Memory
    from learnt.model.proposal import Proposal


@dataclass(frozen=True, slots=True, kw_only=True)
class Reversal:
    """What to store to take a decision back."""

    proposal: Proposal
    puts: tuple[Memory, ...] = ()
    restored: tuple[str, ...] = ()
    hidden: tuple[str, ...] = ()


def reverse(proposal: Proposal, find: Callable[[str], Memory | None], now: str) -> Reversal | Problem:
    """The way back from the decision on `proposal`, or why there is none."""
    taken = proposal.metadata.get("curatorDecision")
    if proposal.status == "pending" or not isinstance(taken, dict):
        return Problem("conflict", "This decision was taken back already.")
    found = [find(memory_id) for memory_id in taken["ids"]]
    memories = [memory for memory in found if memory is not None]
    if len(memories) != len(found):
        return Problem("forgotten", "A memory of this decision was forgotten.")
    rest = {key: value for key, value in proposal.metadata.items() if key != "curatorDecision"}
    reopened = replace(proposal, status="pending", reviewer=None, reviewed_at=None, rejection_reason="", metadata=rest)
    return _memories(reopened, taken, memories, now)


def _memories(proposal: Proposal, taken: Mapping[str, Any], memories: list[Memory], now: str) -> Reversal | Problem:
    action, before = taken["action"], taken["before"]
    if action == "delete":
        return _revived(proposal, memories, now)
    if not memories or action not in {"add", "update", "supersede"}:
        return Reversal(proposal=proposal)
    made, *others = memories
    if before.get("existing"):
        return _revived(proposal, others, now)
    if made.status != "active":
        return Problem("conflict", f"Memory {made.id} is {made.status}; undo what came after it first.")
    if "text" in before:
        back = replace(made, confidence=before["confidence"], tags=tuple(before["tags"]), updated_at=now)
        return Reversal(proposal=proposal, puts=(back,), restored=(made.id,))
    revived = _revived(proposal, others, now)
    first = _unmade(made, before, now)
    return replace(revived, puts=(first, *revived.puts), hidden=(made.id,))


def _unmade(made: Memory, before: Mapping[str, Any], now: str) -> Memory:
    """The memory a decision made, hidden; or, if it had been there retired, retired again."""
    if before.get("status", "deleted") != "deleted":
        return replace(
            made,
            status=before["status"],
            superseded_by=before["superseded_by"],
            valid_from=before["valid_from"],
            expires_at=before["expires_at"],
            updated_at=now,
        )
    gone = {"deleted": True, "deleteReason": UNDONE}
    return replace(made, status="deleted", updated_at=now, metadata={**made.metadata, **gone})


def _revived(proposal: Proposal, memories: list[Memory], now: str) -> Reversal:
    """Retired or deleted memories, active again."""
    puts = []
    for memory in memories:
        dropped = {"deleted", "deleteReason", "updateReplacementId", "supersedeReason"}
        metadata = {key: value for key, value in memory.metadata.items() if key not in dropped}
        puts.append(
            replace(
                memory, status="active", superseded_by=None, supersedes_reason="", updated_at=now, metadata=metadata
            )
        )
    return Reversal(proposal=proposal, puts=tuple(puts), restored=tuple(memory.id for memory in memories))
