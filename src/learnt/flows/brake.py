"""How much one pass may retire before a person looks: a misunderstanding must not empty a scope."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

from learnt.govern.truth import MOST_AT_ONCE
from learnt.model.scope import Sight

if TYPE_CHECKING:
    from collections.abc import Iterator

    from learnt.model.scope import Scope
    from learnt.ports.store import Store


class Brake:
    """What a pass (an import, an ingestion, a consolidation) retired so far, by scope; outside one nothing is counted.

    One statement retires at most `MOST_AT_ONCE`; a pass at most the share `[lessons] retire_share` of what was active
    in the scope when it began, and never less than `MOST_AT_ONCE`. What it would retire beyond that is nominated.
    """

    def __init__(self) -> None:
        self._left: dict[str, int] | None = None

    @contextmanager
    def on(self) -> Iterator[None]:
        """A pass; one inside another is part of it."""
        if self._left is not None:
            yield
            return
        self._left = {}
        try:
            yield
        finally:
            self._left = None

    def left(self, store: Store, share: float, scope: Scope) -> int:
        """How many the next statement may retire.

        Args:
            share: Of what is active, that one pass may retire.
        """
        if self._left is None:
            return MOST_AT_ONCE
        if scope.key not in self._left:
            active = store.memories.count(Sight((scope,))).get("active", 0)
            self._left[scope.key] = max(MOST_AT_ONCE, int(active * share))
        return min(MOST_AT_ONCE, self._left[scope.key])

    def spend(self, scope: Scope, many: int) -> None:
        """So many were retired."""
        if self._left is not None and scope.key in self._left:
            self._left[scope.key] -= many
