"""A write that meets the row of the same identity. Source: contract, writing ("a write identical to ...")."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, assert_never

from learnt.govern.reference import corroborated, united
from learnt.model.pin import KEY, as_row, pins_of, repinned
from learnt.model.problem import Problem

if TYPE_CHECKING:
    from collections.abc import Mapping

    from learnt.model.memory import Memory


UNDONE = "undone"
"""`deleteReason` of a memory whose acceptance was taken back; it may be accepted again."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Meeting:
    """What to store, and what the caller is told.

    Attributes:
        existing: The statement was already there (its evidence was merged).
        nominated: What replaced the statement while it was retired; a person decides.
        before: What undo needs of the row as it was; empty for a new one.
    """

    memory: Memory
    existing: bool = False
    nominated: tuple[str, ...] = ()
    before: Mapping[str, object] = field(default_factory=dict)


def meet(new: Memory, old: Memory | None, now: str) -> Meeting | Problem:
    """`new` beside the row `old` of the same id, or the conflict between them."""
    if old is None:
        return Meeting(memory=new)
    match old.status:
        case "active" | "quarantined":
            expired = old.expires_at is not None and old.expires_at <= now
            if expired:
                return _back(new, old, now)
            return Meeting(memory=_merged(new, old, now), existing=True, before={"existing": True})
        case "superseded" | "consolidated":
            return _back(new, old, now)
        case "deleted":
            if old.metadata.get("deleteReason") == UNDONE:
                return _back(new, old, now)
            return Problem("conflict", "The same statement was deleted.")
    assert_never(old.status)


def _merged(new: Memory, old: Memory, now: str) -> Memory:
    """`old` with the evidence of `new`, pinned to the code as it is now; trust rises only for another writer."""
    evidence = united(old.evidence, new.evidence)
    trust = corroborated(old.trust, new.trust, independent=new.provenance.writer not in _writers(old))
    pins = repinned(old.metadata, new.metadata)
    if evidence == old.evidence and trust == old.trust and pins == pins_of(old.metadata):
        return old
    metadata = {**old.metadata, KEY: [as_row(pin) for pin in pins]} if pins else old.metadata
    return replace(old, evidence=evidence, trust=trust, metadata=metadata, updated_at=now)


def _writers(memory: Memory) -> frozenset[str]:
    return frozenset((memory.provenance.writer, *(reference.writer for reference in memory.evidence)))


def _back(new: Memory, old: Memory, now: str) -> Meeting:
    """A retired or expired statement said again: active from now on, with both evidences."""
    undone = old.metadata.get("deleteReason") == UNDONE  # what it had replaced then holds again
    memory = replace(
        new,
        created_at=old.created_at,
        updated_at=now,
        q_value=old.q_value,
        evidence=united(old.evidence, new.evidence),
        supersedes=tuple(dict.fromkeys((*(() if undone else old.supersedes), *new.supersedes))),
    )
    nominated = (old.superseded_by,) if old.superseded_by else ()
    before = {
        "status": old.status,
        "superseded_by": old.superseded_by,
        "valid_from": old.valid_from,
        "expires_at": old.expires_at,
    }
    return Meeting(memory=memory, nominated=nominated, before=before)
