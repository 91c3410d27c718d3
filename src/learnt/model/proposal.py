"""What an agent asks for, and what a curator answers."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

    from learnt.model.kinds import Action, Kind, Operation, ProposalStatus, Reviewer, Stability, Trust
    from learnt.model.memory import Provenance, Reference, Source
    from learnt.model.scope import Scope


@dataclass(frozen=True, slots=True, kw_only=True)
class Proposal:
    """A change somebody asks for. It is not memory until a decision applies it.

    Attributes:
        rationale: 1 to 2,000 characters.
        related: For `merge`, 2 to 8 memory ids.
        observation: Rests only on exit codes or file writes, so it may be shown as `seen once, not reviewed`.
        trigger: What this lesson is about to warn of, as anchors `("command", key)`, `("file", path)`,
            `("symbol", name)`; see `learnt.model.anchor`.
        expected_value: 0 to 1, how much a person gains by looking at it; orders the queue.
    """

    id: str
    operation: Operation
    scope: Scope
    rationale: str
    created_at: str
    kind: Kind | None = None
    text: str = ""
    tags: tuple[str, ...] = ()
    files: tuple[str, ...] = ()
    symbols: tuple[str, ...] = ()
    confidence: float = 0.5
    stability: Stability = "durable"
    trust: Trust = "agent"
    expires_at: str | None = None
    target_id: str = ""
    related: tuple[str, ...] = ()
    source: Source | None = None
    evidence: tuple[Reference, ...] = ()
    provenance: Provenance | None = None
    status: ProposalStatus = "pending"
    reviewer: Reviewer | None = None
    reviewed_at: str | None = None
    rejection_reason: str = ""
    observation: bool = False
    trigger: tuple[tuple[str, str], ...] = ()
    expected_value: float = 0.5
    clearance: str = ""
    metadata: Mapping[str, object] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Decision:
    """A curator's answer to one proposal.

    Attributes:
        action: `accept` stands for the proposal's own operation.
        text: Replaces the proposed text; None keeps it. The same holds for `kind`, `confidence` and `tags`.
        reason: At most 2,000 characters; kept with the decision.
    """

    proposal_id: str
    action: Action
    reason: str = ""
    text: str | None = None
    kind: Kind | None = None
    confidence: float | None = None
    tags: tuple[str, ...] | None = None
