"""A local copy of what hooks may show, beside a store that is elsewhere."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from learnt.model.change import Batch, CopyState, Mark
    from learnt.model.ranking import Bundle
    from learnt.model.scope import Scope


class Copy(Protocol):
    """Memories and observations of the scopes that are used on this machine. Every method is one transaction.

    The copy can be thrown away at any time: it is made again from the feeds. Only its outbox cannot.
    """

    @property
    def outbox(self) -> Outbox: ...

    def begin(self, pattern_set: str) -> None:
        """Empty the copy, receipts excepted, unless it was begun with this pattern set."""
        ...

    def mark(self, scope: Scope) -> Mark:
        """How far the feed of a scope was taken over."""
        ...

    def held(self, ids: Sequence[str]) -> tuple[str, ...]:
        """Those of `ids` that the copy holds."""
        ...

    def take(self, batch: Batch) -> bool:
        """Take a batch over, whole or not at all; False when another process was quicker."""
        ...

    def places(self) -> Mapping[str, str]:
        """Identity values of this machine's places, with their repository ids."""
        ...

    def record(self, rows: Mapping[str, str], names: Mapping[str, str]) -> None:
        """Write rows for hooks, and names of places with their repository ids; what is there already is not written."""
        ...

    def state(self, scope: Scope) -> CopyState:
        """The account of the copy; `scope` is whose age is told."""
        ...

    def close(self) -> None:
        """Give the file back; safe to call twice."""
        ...


class Outbox(Protocol):
    """Receipts that hooks wrote into the copy, until the store has them."""

    @property
    def name(self) -> str:
        """What tells this copy from every other one, of other machines and of earlier times."""
        ...

    def waiting(self, after: int, limit: int) -> tuple[tuple[int, Bundle], ...]:
        """The oldest receipts not known as sent and numbered above `after`, with their numbers, which only rise."""
        ...

    def sent(self, until: int, now: str) -> None:
        """The store has everything up to this number: what no present context needs leaves."""
        ...
