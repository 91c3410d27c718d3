"""The verbs that change memory."""

from __future__ import annotations

from typing import TYPE_CHECKING

from learnt import flows
from learnt.engine.base import Verbs
from learnt.model.proposal import Decision
from learnt.model.request import ProposalRequest, WriteRequest

if TYPE_CHECKING:
    from collections.abc import Sequence

    from learnt.model.answer import Decided, Proposed, Refusal, Undone, Written
    from learnt.model.kinds import Action, Kind, Operation, ScopeType


class Writing(Verbs):
    """Memory, changed."""

    def remember(
        self,
        text: str,
        *,
        kind: Kind,
        tags: Sequence[str] = (),
        files: Sequence[str] = (),
        symbols: Sequence[str] = (),
        evidence: Sequence[str] = (),
        rationale: str = "",
        confidence: float | None = None,
        expires_at: str | None = None,
        scope: ScopeType | None = None,
        again: bool = False,
    ) -> Written | Proposed | Refusal:
        """Write a memory; in an agent's process, propose it.

        Args:
            evidence: References: `path[:line[-line]]`, 40-hex commit, URL, `run:ID`, `session:ID#record`, ...
            confidence: 0 to 1; 0.9 when left out.

        Raises:
            UsageError: The input breaks a rule; nothing was stored.
        """
        request = WriteRequest(
            text=text,
            kind=kind,
            tags=tuple(tags),
            files=tuple(files),
            symbols=tuple(symbols),
            evidence=tuple(evidence),
            rationale=rationale,
            confidence=confidence,
            expires_at=expires_at,
            scope=scope,
            again=again,
        )
        return self._followed(flows.remember.remember(self._means, request))

    def propose(
        self,
        operation: Operation,
        text: str = "",
        *,
        kind: Kind | None = None,
        target: str = "",
        related: Sequence[str] = (),
        rationale: str = "",
        evidence: Sequence[str] = (),
        tags: Sequence[str] = (),
        confidence: float | None = None,
    ) -> Proposed | Refusal:
        """Ask for a change; a person (or an enabled curator) decides.

        Raises:
            UsageError: The input breaks a rule; nothing was stored.
        """
        request = ProposalRequest(
            operation=operation,
            text=text,
            kind=kind,
            target_id=target,
            related=tuple(related),
            rationale=rationale,
            evidence=tuple(evidence),
            tags=tuple(tags),
            confidence=confidence,
        )
        return flows.propose.propose(self._means, request)

    def decide(
        self,
        proposal: str,
        action: Action,
        *,
        reason: str = "",
        text: str | None = None,
        kind: Kind | None = None,
        confidence: float | None = None,
        tags: Sequence[str] | None = None,
    ) -> Decided | Refusal:
        """Answer a proposal.

        Raises:
            NotFoundError: No such proposal here.
            UsageError: The decision does not fit the proposal.
        """
        decision = Decision(
            proposal_id=proposal,
            action=action,
            reason=reason,
            text=text,
            kind=kind,
            confidence=confidence,
            tags=None if tags is None else tuple(tags),
        )
        return self._followed(flows.decide.decide(self._means, decision))

    def undo(self, event: str) -> Undone | Refusal:
        """Take back a retirement, a merge, a consolidation, a soft deletion or a decision.

        Raises:
            NotFoundError: No such event here.
            UsageError: `not_undoable`: the event is not one that can be undone.
        """
        return self._followed(flows.undo.undo(self._means, event))
