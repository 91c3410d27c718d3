"""An event taken back: what it changed is as it was before. Source: contract, `undo`.

What a memory was before an event, the store keeps (`learnt.model.conflict.Former`): the state that ended with the
moment of the event. An event is only taken back while nothing that came later stands in the way.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal

from learnt.govern.meeting import UNDONE
from learnt.govern.truth import opposed
from learnt.model.conflict import Conflict
from learnt.model.problem import Problem

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from learnt.model.conflict import Former
    from learnt.model.memory import Memory
    from learnt.model.proposal import Proposal

UNDOABLE = frozenset({"curator_decision", "supersede", "merge", "consolidate", "delete", "reconcile"})
"""Operations that can be taken back; an `upsert` too, where it retired something."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Touched:
    """A memory that an event changed: as it is now, and what it was, oldest first."""

    memory: Memory
    pasts: tuple[Former, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Reversal:
    """What to store to take an event back."""

    proposal: Proposal | None = None
    puts: tuple[Memory, ...] = ()
    restored: tuple[str, ...] = ()
    hidden: tuple[str, ...] = ()


def touched_by(operation: str, target: str, detail: Mapping[str, Any]) -> tuple[str, ...]:
    """Ids of the memories whose change an event tells of; nothing where it changed none, or cannot be taken back."""
    superseded = _ids(detail.get("superseded"))
    match operation:
        case "curator_decision":
            return tuple(dict.fromkeys((*_ids(detail.get("memories")), *superseded)))
        case "supersede":
            return (target,)
        case "upsert":
            return superseded
        case "merge" | "consolidate" | "delete" | "reconcile":
            return tuple(dict.fromkeys((*_ids(detail.get("memories")), *superseded))) or (target,)
        case _:
            return ()


def _ids(value: object) -> tuple[str, ...]:
    return tuple(each for each in value if isinstance(each, str)) if isinstance(value, list | tuple) else ()


def reversal(at: str, touched: Sequence[Touched], now: str, known: str = "") -> Reversal | Problem:
    """The way back to what these memories were before an instant, or why there is none.

    Args:
        known: The memory that was there before, whatever its age says.
    """
    puts, restored, hidden = [], [], []
    for each in touched:
        before = _before(each, at)
        if isinstance(before, Problem):
            return before
        if before == "untouched" or (before is None and each.memory.id == known):
            continue
        if before is None:
            puts.append(_unmade(each.memory, now))
            hidden.append(each.memory.id)
            continue
        puts.append(_again(each.memory, before, now))
        if before.status == "active" and each.memory.status != "active":
            restored.append(each.memory.id)
        elif before.status != "active" and each.memory.status == "active":
            hidden.append(each.memory.id)
        else:
            restored.append(each.memory.id)
    return Reversal(puts=tuple(puts), restored=tuple(restored), hidden=tuple(hidden))


def _before(touched: Touched, at: str) -> Memory | Problem | Literal["untouched"] | None:
    """What a memory was before an instant at which it changed; None where it was made then."""
    memory, pasts = touched.memory, touched.pasts
    if any(past.until > at for past in pasts):
        return Problem("conflict", f"Memory {memory.id} was changed since; undo what came after it first.")
    before = [past for past in pasts if past.until == at]
    if before:
        return before[-1].memory
    if memory.created_at == at:
        return None
    if memory.updated_at < at:
        return "untouched"
    return Problem("conflict", f"What memory {memory.id} was before is not kept.")


def _again(memory: Memory, before: Memory, now: str) -> Memory:
    """The state before, with what was learned of the memory since."""
    return replace(
        before,
        created_at=memory.created_at,
        updated_at=now,
        q_value=memory.q_value,
        last_accessed_at=memory.last_accessed_at,
        clearance=memory.clearance,
    )


def _unmade(made: Memory, now: str) -> Memory:
    """A memory an event made, hidden; it may be made again."""
    gone = {"deleted": True, "deleteReason": UNDONE}
    return replace(made, status="deleted", updated_at=now, metadata={**made.metadata, **gone})


def reopened(proposal: Proposal) -> Proposal | Problem:
    """The proposal as it was before the decision on it."""
    if proposal.status == "pending" or not isinstance(proposal.metadata.get("curatorDecision"), dict):
        return Problem("conflict", "This decision was taken back already.")
    rest = {key: value for key, value in proposal.metadata.items() if key != "curatorDecision"}
    return replace(proposal, status="pending", reviewer=None, reviewed_at=None, rejection_reason="", metadata=rest)


def parted(
    restored: Sequence[Memory],
    find: Callable[[str], Memory | None],
    successors: Mapping[str, str],
    now: str,
    *,
    disputed: bool,
) -> tuple[Memory, ...]:
    """Successors that no longer replaced what is active again.

    Args:
        disputed: Whether each is now in dispute with it: where a retirement alone was taken back.
    """
    found: dict[str, Memory] = {}
    for each in restored:
        name = successors.get(each.id, "")
        successor = found.get(name) or (find(name) if name else None)
        if successor is None or each.status != "active":
            continue
        kept = tuple(other for other in successor.supersedes if other != each.id)
        made = replace(successor, supersedes=kept, supersedes_reason=successor.supersedes_reason if kept else "")
        if disputed and made.status == "active":
            made = opposed(made, [Conflict(memory_id=made.id, rival_id=each.id, reason="disputes", at=now)])
        found[name] = replace(made, updated_at=now) if made != successor else made
    return tuple(found.values())
