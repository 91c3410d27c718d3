"""What an agent's output asks for in its two arrays, and what became of it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, Literal

if TYPE_CHECKING:
    from collections.abc import Mapping

    from learnt.model.answer import Decided, Proposed
    from learnt.model.kinds import Action, Kind

ArrayName = Literal["memoryProposals", "curatorMemoryDecisions"]
PROPOSALS: Final[ArrayName] = "memoryProposals"
DECISIONS: Final[ArrayName] = "curatorMemoryDecisions"
"""Names of the arrays. Source: swarm-memory seed, proposals."""
MAX_CHARS: Final = 1 << 20
"""Of one output that is looked through."""


@dataclass(frozen=True, slots=True)
class Member:
    """One member of an array, as it was written; `index` counts from 0 over all arrays of that name."""

    array: ArrayName
    index: int
    value: Any


@dataclass(frozen=True, slots=True)
class Invalid:
    """A member that was dropped, and why: a code and words of ours, never what it said.

    Attributes:
        index: -1 where the array itself could not be read.
    """

    array: ArrayName
    index: int
    code: str
    message: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Ruled:
    """A curator's decision as it was written, checked for its shape only.

    Attributes:
        target_id: What the curator takes the proposal's target to be; "" where the action has none.
        related: The same of a merge; empty where it was left out.
        scope_key: The scope the memory is said to be of; "" where it was left out. `memory_id`: the same of its id.
        reason: "" only for `add`.
    """

    proposal_id: str
    action: Action
    reason: str = ""
    target_id: str = ""
    related: tuple[str, ...] = ()
    text: str | None = None
    kind: Kind | None = None
    confidence: float | None = None
    tags: tuple[str, ...] | None = None
    scope_key: str = ""
    scope_type: str = ""
    memory_id: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Taken:
    """What became of an output.

    Attributes:
        proposals: What was proposed, or was known already. `accepted`: ids of memories a rule of the person took over.
        decided: Decisions of a curator that were applied.
        known: Proposals and memories that say or answered the same before; nothing was done for them again.
        invalid: Members that were dropped.
        ignored: Decisions of a role that no person enabled here.
        role: Whose output it was taken for.
    """

    proposals: tuple[Proposed, ...] = ()
    accepted: tuple[str, ...] = ()
    decided: tuple[Decided, ...] = ()
    known: tuple[str, ...] = ()
    invalid: tuple[Invalid, ...] = ()
    ignored: int = 0
    role: str = ""

    @property
    def reasons(self) -> Mapping[str, int]:
        """How many members were dropped for each code."""
        found: dict[str, int] = {}
        for each in self.invalid:
            found[each.code] = found.get(each.code, 0) + 1
        return found


@dataclass(frozen=True, slots=True, kw_only=True)
class Output:
    """Words of an agent that hold one of the arrays.

    Attributes:
        role: The sub-agent's, as the host names it; "" for the main agent.
        ref: Where it stands: `session:ID#record`.
    """

    text: str
    role: str = ""
    ref: str = ""
