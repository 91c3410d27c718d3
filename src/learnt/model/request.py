"""What a caller asks to be written, before anything was looked up or checked."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from learnt.model.kinds import Kind, Operation, ScopeType, Trust
    from learnt.model.memory import Reference


@dataclass(frozen=True, slots=True, kw_only=True)
class WriteRequest:
    """A direct write.

    Attributes:
        evidence: References as typed; `references` are ready-made ones with quotes (from capture).
        confidence: None takes 0.9 for a person, 0.5 for a proposal.
        scope: None derives it: `user_preference` to global_user, all else to repository.
        again: Repeat a statement that was forgotten.
    """

    text: str
    kind: Kind
    tags: tuple[str, ...] = ()
    files: tuple[str, ...] = ()
    symbols: tuple[str, ...] = ()
    evidence: tuple[str, ...] = ()
    references: tuple[Reference, ...] = ()
    rationale: str = ""
    confidence: float | None = None
    expires_at: str | None = None
    scope: ScopeType | None = None
    again: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class ProposalRequest:
    """A request for a change.

    Attributes:
        observation, trigger, expected_value: See `learnt.model.proposal.Proposal`; only capture sets them.
        origin: What sort of lesson capture found. `own_trust`: how far capture itself may be believed, which only
            copies; None takes that of whoever asks.
    """

    operation: Operation
    text: str = ""
    kind: Kind | None = None
    target_id: str = ""
    related: tuple[str, ...] = ()
    rationale: str = ""
    evidence: tuple[str, ...] = ()
    references: tuple[Reference, ...] = ()
    tags: tuple[str, ...] = ()
    files: tuple[str, ...] = ()
    symbols: tuple[str, ...] = ()
    confidence: float | None = None
    observation: bool = False
    trigger: tuple[tuple[str, str], ...] = ()
    expected_value: float = 0.5
    origin: str = ""
    own_trust: Trust | None = None
