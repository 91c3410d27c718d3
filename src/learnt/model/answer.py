"""What the writing flows answer. Refusals and conflicts are answers, not exceptions."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

    from learnt.model.memory import Memory
    from learnt.model.proposal import Proposal


@dataclass(frozen=True, slots=True, kw_only=True)
class Written:
    """A memory was written, or was there already.

    Attributes:
        existing: The statement was known; its evidence was merged.
        superseded: Ids retired by this write. `nominated`: ids it may replace, for a person to decide.
        event: Id of the audit event; "" when nothing changed.
    """

    memory: Memory
    event: str
    existing: bool = False
    superseded: tuple[str, ...] = ()
    nominated: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Proposed:
    """A proposal was stored. `redirected` when a direct write became a proposal because an agent asked."""

    proposal: Proposal
    event: str
    redirected: bool = False
    existing: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Decided:
    """A decision was applied. `memory` is None for reject, noop, delete of nothing and merge.

    Attributes:
        folded: Other proposals that asked for the same and were answered with it, each by the event of `folded_events`.
    """

    proposal: Proposal
    event: str
    memory: Memory | None = None
    existing: bool = False
    superseded: tuple[str, ...] = ()
    nominated: tuple[str, ...] = ()
    folded: tuple[str, ...] = ()
    folded_events: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Undone:
    """An event was taken back: which memories are active again, and which are hidden again."""

    event: str
    restored: tuple[str, ...] = ()
    hidden: tuple[str, ...] = ()
    proposal_id: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Refusal:
    """Nothing was changed, and why.

    Attributes:
        code: secret, injection, pii, sentinel, scan_incomplete, person_required, conflict, forgotten.
        details: Names and classes, never the refused text.
    """

    code: str
    message: str
    hint: str = ""
    retryable: bool = False
    details: Mapping[str, object] = field(default_factory=dict)
