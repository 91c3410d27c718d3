"""One line of the audit trail: that something changed, never what it said."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

GENESIS = "GENESIS"
"""`prev_hash` of the first event. Source: swarm-memory seed, audit chain."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Event:
    """A change. Holds ids, types, counts and keyed hashes, never text.

    Attributes:
        operation: upsert, delete, proposal, recall, migration, curator_decision, undo, capture, ...
        target_id: What it happened to.
        detail: JSON values; stored as canonical JSON, or null when empty.
    """

    id: str
    operation: str
    target_id: str
    timestamp: str
    reason: str | None = None
    detail: Mapping[str, object] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class ChainRow:
    """An event exactly as stored, with its place in the chain.

    Attributes:
        mac: The name of the key it was marked with, and the mark (see `learnt.model.seal`); None without a key.
        erased: The event's hash, where target, reason and detail were taken out of it later.
    """

    position: int
    id: str
    operation: str
    target_id: str
    reason: str | None
    timestamp: str
    event_json: str | None
    prev_hash: str | None
    mac: str | None = None
    erased: str | None = None
