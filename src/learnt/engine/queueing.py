"""The verbs about what waits for a person: the queue, its answers, and what agents' outputs bring into it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from learnt import flows
from learnt.engine.base import Verbs
from learnt.model.filter import QueueFilter
from learnt.model.proposal import Decision

if TYPE_CHECKING:
    from collections.abc import Sequence

    from learnt.model.answer import Decided, Refusal
    from learnt.model.intake import Taken
    from learnt.model.kinds import Action, Kind


class Queueing(Verbs):
    """What waits."""

    def pending(self, limit: int = 50, wanted: QueueFilter | None = None) -> flows.queue.Queue:
        """What waits for a decision, most valuable first; proposals that ask for the same are one entry."""
        return flows.queue.pending(self._means, wanted or QueueFilter(limit=limit))

    def answer(
        self,
        proposal: str,
        action: Action,
        *,
        reason: str = "",
        text: str | None = None,
        kind: Kind | None = None,
        confidence: float | None = None,
        tags: Sequence[str] | None = None,
        alike: Sequence[str] | None = None,
    ) -> Decided | Refusal:
        """Answer a proposal as `decide` does, and with it the others that ask for the same.

        Args:
            alike: Ids of the others; None takes those that say the same in the same words.

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
        return self._followed(flows.queue.answer(self._means, decision, alike=alike))

    def sweep(self, wanted: QueueFilter, action: Action, reason: str = "") -> flows.queue.Swept | Refusal:
        """Answer everything that waits and is meant, each by itself."""
        return self._followed(flows.queue.sweep(self._means, wanted, action, reason))

    def intake(self, text: str, *, role: str = "") -> Taken | Refusal:
        """Take in an agent's output: what it proposes, and what a curator decided where a person enabled that role.

        Raises:
            UsageError: The output is too long, or an agent claims another role than its own.
        """
        return self._followed(flows.intake.intake(self._means, text, role=role))
