"""What changed in a scope, and what of it another store takes over."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

    from learnt.model.memory import Memory
    from learnt.model.proposal import Proposal
    from learnt.model.scope import Scope
    from learnt.model.thread import Summary


@dataclass(frozen=True, slots=True)
class Change:
    """One entry of a scope's feed. It names what changed, never how; the target may be gone by now.

    Attributes:
        number: Rises within a scope, from 1.
        target_id: A memory, or a proposal that is or was shown as an observation.
    """

    number: int
    target_id: str


@dataclass(frozen=True, slots=True)
class Mark:
    """How far a copy took over a scope's feed.

    Attributes:
        number: Everything up to this entry. `revision`: rises with every batch, also with one that takes no entry over.
    """

    number: int = 0
    revision: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Batch:
    """What a copy takes over in one step.

    Attributes:
        mark: Where the copy was before any of this was read. A copy that is elsewhere by now refuses the batch, so that
            nothing older than what it holds gets into it.
        until: The last entry taken over.
        ties: Of each of the memories, what merges tied to it.
        gone: Ids that leave the copy.
        summary: What starting sessions are told here; another one, or None, takes the place of what the copy holds.
        at: When `until` was the end of the feed, for the copy's age; "" when there is more.
    """

    scope: Scope
    mark: Mark
    until: int
    memories: tuple[Memory, ...] = ()
    observations: tuple[Proposal, ...] = ()
    ties: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    gone: tuple[str, ...] = ()
    summary: Summary | None = None
    at: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class CopyState:
    """An account of the copy that hooks read.

    Attributes:
        memories, observations: How many it holds.
        places: How many places of this machine it serves.
        queued: Receipts that wait to be sent. `dropped`: those that were given up because too many waited.
        synced_at: When the scope asked about was last equal to the store; "" for never.
        fault: Why the last attempt failed, and when; "" when it did not.
    """

    path: str
    size_bytes: int
    memories: int
    observations: int
    places: int
    queued: int
    dropped: int
    synced_at: str
    fault: str = ""
