"""The verbs that settle what disagrees."""

from __future__ import annotations

from typing import TYPE_CHECKING

from learnt import flows
from learnt.engine.base import Verbs

if TYPE_CHECKING:
    from collections.abc import Sequence

    from learnt.model.answer import Refusal


class Settling(Verbs):
    """Statements, side by side."""

    def conflicts(self, limit: int = 50, *, every: bool = False) -> flows.conflict.Conflicts:
        """Statements that disagree, and nominations: pairs of which one may replace the other.

        Args:
            limit: Most of each.
            every: Also the nearest decisions to new ones, most of which replace nothing.
        """
        return flows.conflict.conflicts(self._means, limit, every=every)

    def choose(self, memory: str, over: Sequence[str] = ()) -> flows.conflict.Chosen | Refusal:
        """Say which statement holds: what disagrees with it is retired.

        Args:
            over: Only these; everything it is in dispute with where none is named.

        Raises:
            NotFoundError: No such memory here.
        """
        return self._followed(flows.conflict.choose(self._means, memory, over))

    def reconcile(self, memories: Sequence[str]) -> flows.conflict.Chosen | Refusal:
        """Say that statements hold together.

        Raises:
            NotFoundError: One of them is unknown here.
        """
        return self._followed(flows.conflict.reconcile(self._means, memories))
