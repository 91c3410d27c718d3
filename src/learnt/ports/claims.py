"""What memories claim, what stands in their way, and what they were before they changed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Sequence

    from learnt.model.conflict import Conflict, Former, Reason
    from learnt.model.filter import Page
    from learnt.model.memory import Memory
    from learnt.model.scope import Scope, Sight


class Claims(Protocol):
    """The index of claims and of conflicts. Both are derived from the memories when these are put."""

    def sharing(self, scope: Scope, keys: Sequence[int], limit: int) -> tuple[str, ...]:
        """Active memories of this scope that are found by one of these numbers, latest written first."""
        ...

    def standing(self, sight: Sight, memory_ids: Sequence[str]) -> tuple[Conflict, ...]:
        """The open conflicts these memories are part of, on either side, by memory then rival.

        A conflict is open while both of its memories are active.
        """
        ...

    def open(self, sight: Sight, reasons: Sequence[Reason], limit: int) -> Page[Conflict]:
        """Open conflicts of these reasons, latest noticed first."""
        ...


class Pasts(Protocol):
    """What memories were. Written by the store itself whenever what a memory says of the world changes."""

    def of(self, sight: Sight, memory_id: str) -> tuple[Former, ...]:
        """What one memory was, oldest first."""
        ...

    def then(self, sight: Sight, at: str, limit: int) -> tuple[Memory, ...]:
        """Of memories that have changed since an instant, what they were then; those already known then, by id."""
        ...

    def put(self, scope: Scope, past: Former) -> None:
        """Keep one that another store gave."""
        ...
