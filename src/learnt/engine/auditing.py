"""The verbs that guard the audit trail."""

from __future__ import annotations

from typing import TYPE_CHECKING

from learnt import flows
from learnt.engine.base import Verbs

if TYPE_CHECKING:
    from collections.abc import Iterator

    from learnt.model.answer import Refusal
    from learnt.model.event import ChainRow
    from learnt.model.signed import Broken, Signed


class Auditing(Verbs):
    """The trail, verified, signed, proven."""

    def verify(self) -> flows.audit.Verification:
        """Whether the audit trail is the one that was written."""
        return flows.audit.verify(self._means)

    def checkpoint(self, *, before: str = "", accept: bool = False) -> Signed | Broken | Refusal:
        """Sign the trail as it is, and put that into every anchor.

        Args:
            before: Remove events older than this instant. `accept`: take the trail as it is, whatever does not hold.

        Raises:
            AuditKeyError: The folder of keys cannot be read or written.
        """
        return self._followed(flows.checkpoint.checkpoint(self._means, before=before, accept=accept))

    def rotate(self) -> tuple[str, str, Signed] | Broken | Refusal:
        """Mark events with a fresh key from now on; gives the names of the old and the new one."""
        return self._followed(flows.checkpoint.rotate(self._means))

    def prove(self, event_id: str) -> flows.prove.Proof:
        """That an event is part of what the last checkpoint speaks of.

        Raises:
            NotFoundError: No such event, or no checkpoint speaks of it yet.
        """
        return flows.prove.prove(self._means, event_id)

    def events(self, operation: str = "", limit: int = 50) -> tuple[tuple[ChainRow, ...], int]:
        """The newest events of a type (`security` for the gate's, "" for all), newest first, and how many there are."""
        return flows.alarm.listed(self._means, operation, limit)

    def trail(self) -> Iterator[str]:
        """The whole trail as lines of JSON, with its checkpoints."""
        return flows.prove.exported(self._means)
