"""Who is asking, and from where: derived once per process, never asked for."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from learnt.model.scope import Sight

if TYPE_CHECKING:
    from learnt.model.scope import Scope


@dataclass(frozen=True, slots=True, kw_only=True)
class Context:
    """The circumstances of one operation.

    Attributes:
        scopes: What this context may see, in the seed's order of derivation.
        user_id: The local id of the OS user (`person:` references carry it).
        person: Whether a person is at the keyboard; False where an agent or a host started the process.
        curator: Whether a person enabled this agent's role as a curator for this repository.
        root: The work tree, "" outside any.
        commit: The commit that was checked out, where it is known.
    """

    scopes: tuple[Scope, ...]
    user_id: str
    person: bool = True
    curator: bool = False
    root: str = ""
    run_id: str = ""
    unit_id: str = ""
    round: str = ""
    session_id: str = ""
    agent_id: str = ""
    agent_role: str = ""
    host: str = ""
    commit: str = ""

    @property
    def sight(self) -> Sight:
        """The scopes as a reader's sight."""
        return Sight(self.scopes)

    @property
    def writer(self) -> str:
        """Which independent source this is: equal writers do not corroborate one another."""
        if self.person:
            return f"person:{self.user_id}"
        return f"agent:{self.agent_id or self.agent_role or self.session_id or 'unknown'}"

    @property
    def proposer(self) -> str:
        """The name inside a proposal's id. Source: swarm-memory seed, ids."""
        return self.agent_id or self.agent_role or self.session_id or "unknown"
