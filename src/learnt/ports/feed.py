"""What changed since somebody last looked."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from learnt.model.change import Change
    from learnt.model.scope import Scope


class Feed(Protocol):
    """Every change of a scope's memories and observations, in the order in which the changes were committed.

    It holds ids only: what was forgotten leaves nothing else in it. A number that can be read has no lower one that is
    still to come, so whoever read up to a number has missed nothing. What was there before the first question is told
    at least once. Asked outside of a transaction.
    """

    def changes(self, scope: Scope, after: int, limit: int) -> tuple[Change, ...]:
        """At most `limit` entries with numbers above `after`, in order.

        What changed repeatedly may stand in it repeatedly; its last change always does.
        """
        ...

    def last(self, scope: Scope) -> int:
        """Number of the last entry; 0 before the first."""
        ...
