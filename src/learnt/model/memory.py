"""The durable unit, where it comes from, and how far it may be believed."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from learnt.model.keys import content_hash

if TYPE_CHECKING:
    from collections.abc import Mapping

    from learnt.model.kinds import Kind, SourceType, Stability, Status, Trust
    from learnt.model.scope import Scope


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """Where a memory's first reference points. Source: swarm-memory seed, data model."""

    type: SourceType
    ref: str = ""
    url: str = ""
    file_path: str = ""
    commit_sha: str = ""
    created_by: str = ""

    @property
    def has_evidence(self) -> bool:
        """Whether anything but the writer itself stands behind it."""
        return bool(self.url or self.file_path or self.commit_sha or self.ref)

    @property
    def place(self) -> str:
        """What to show: path, else URL, else commit, else reference."""
        return self.file_path or self.url or self.commit_sha or self.ref


@dataclass(frozen=True, slots=True, kw_only=True)
class Reference:
    """One piece of support for a memory.

    Attributes:
        type: file, commit, url, run, transcript, evidence, person or manual.
        ref: The reference as it was given (`src/a.py:3-9`, `session:ID#17`, `person:ID`, ...).
        quote: The words it rests on, redacted, at most 500 characters; empty when none was taken.
        verified: The quote was found in the evidence it names.
        trust: How far this one source may be believed.
        writer: Which independent write brought it (`person:ID`, `session:ID`, `agent:ROLE`); equal writers do not
            corroborate one another.
    """

    type: str
    ref: str
    quote: str = ""
    verified: bool = False
    trust: Trust = "external"
    writer: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Provenance:
    """Who wrote a memory and in the course of what. Empty text where unknown."""

    writer: str = ""
    agent_role: str = "unknown"
    agent_id: str = ""
    run_id: str = ""
    unit_id: str = ""
    round: str = ""
    session_id: str = ""
    host: str = ""
    proposal_id: str = ""
    commit: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Memory:
    """One statement worth keeping, with its evidence.

    Attributes:
        text: 1 to 2,000 characters, stored byte for byte.
        confidence: 0 to 1, the writer's own grade.
        trust: See `learnt.model.kinds.TRUSTS`.
        q_value: 0 to 1, learned from outcomes; 0.5 is neutral.
        valid_from: When the statement began to hold in the world; never reset.
        expires_at: First instant at which it no longer holds; None for never.
        clearance: The pattern-set version that last cleared the text; empty when none did.
        tags: Lower-case, at most 32, each 1 to 64 characters.
        files: Repository-relative paths it speaks of.
        symbols: Identifiers it speaks of.
        metadata: Free JSON values.
        flags: Open flags of readers. `useful`, `against`: outcomes that found it useful, and those that did not. The
            store counts all three; they are no part of what is written, nor of whether two memories are equal.
    """

    id: str
    scope: Scope
    kind: Kind
    text: str
    created_at: str
    updated_at: str
    valid_from: str
    rationale: str = ""
    tags: tuple[str, ...] = ()
    files: tuple[str, ...] = ()
    symbols: tuple[str, ...] = ()
    confidence: float = 0.5
    stability: Stability = "durable"
    trust: Trust = "agent"
    status: Status = "active"
    q_value: float = 0.5
    expires_at: str | None = None
    last_accessed_at: str | None = None
    superseded_by: str | None = None
    supersedes: tuple[str, ...] = ()
    supersedes_reason: str = ""
    consolidated_at: str | None = None
    embedding_model: str = ""
    reviewed_by: str = ""
    clearance: str = ""
    source: Source = field(default_factory=lambda: Source(type="agent"))
    evidence: tuple[Reference, ...] = ()
    provenance: Provenance = field(default_factory=Provenance)
    metadata: Mapping[str, object] = field(default_factory=dict)
    flags: int = field(default=0, compare=False)
    useful: int = field(default=0, compare=False)
    against: int = field(default=0, compare=False)

    @property
    def content_hash(self) -> str:
        """The 64 hex digits `id` is the beginning of."""
        return content_hash(self.scope.key, self.kind, self.text)
