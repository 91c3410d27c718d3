"""The verbs that settle what disagrees."""

from __future__ import annotations

from typing import TYPE_CHECKING

from learnt.engine.base import Verbs
from learnt.flows import conflict as settling

if TYPE_CHECKING:
    from collections.abc import Sequence

    from learnt.model.answer import Refusal


class Settling(Verbs):
    """Statements, side by side."""

    def conflicts(self, limit: int = 50, *, every: bool = False) -> settling.Conflicts:
        """Statements that disagree, and nominations: pairs of which one may replace the other.

        Args:
            limit: Most of each.
            every: Also the nearest decisions to new ones, most of which replace nothing.
        """
        return settling.conflicts(self._means, limit, every=every)

    def choose(self, memory: str, over: Sequence[str] = ()) -> settling.Chosen | Refusal:
        """Say which statement holds: what disagrees with it is retired.

        Args:
            over: Only these; everything it is in dispute with where none is named.

        Raises:
            NotFoundError: No such memory here.
        """
        return self._followed(settling.choose(self._means, memory, over))

    def reconcile(self, memories: Sequence[str]) -> settling.Chosen | Refusal:
        """Say that statements hold together.

        Raises:
            NotFoundError: One of them is unknown here.
        """
        return self._followed(settling.reconcile(self._means, memories))
