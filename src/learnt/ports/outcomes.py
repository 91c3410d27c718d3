"""What became of memories, and what readers have against them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Sequence

    from learnt.model.flag import Flag, FlagCount
    from learnt.model.outcome import Outcome
    from learnt.model.scope import Scope, Sight


class Outcomes(Protocol):
    """Outcomes of memories. They are only added, and leave with the memory's row.

    What a memory tells of them (`Memory.useful`, `Memory.against`) is counted in the transaction that adds one.
    """

    def add(self, scope: Scope, outcome: Outcome) -> None:
        """Keep one; its memory is of this scope."""
        ...

    def get(self, sight: Sight, outcome_id: str) -> Outcome | None:
        """The outcome with this id."""
        ...

    def of(self, sight: Sight, memory_ids: Sequence[str]) -> tuple[Outcome, ...]:
        """All outcomes of these memories as they are now (of the present generation), by time then id."""
        ...

    def told(self, sight: Sight, now: str, limit: int) -> tuple[int, tuple[str, ...]]:
        """Of the `limit` newest active memories that have not expired: how many there are, and which have outcomes.

        In the order of a listing.
        """
        ...

    def size_bytes(self, sight: Sight) -> int:
        """What the outcomes in sight take, about."""
        ...


class Flags(Protocol):
    """Flags of readers: one open flag a reader and memory. All of a memory's leave with its row.

    What a memory tells of them (`Memory.flags`) is counted in the transaction that changes one.
    """

    def put(self, scope: Scope, flag: Flag) -> None:
        """Keep an open flag in the place of what this reader had open; its memory is of this scope."""
        ...

    def withdraw(self, sight: Sight, memory_id: str, by: str) -> bool:
        """Remove a reader's open flag; whether there was one."""
        ...

    def clear(self, sight: Sight, memory_id: str, at: str, by: str) -> int:
        """Close the open flags of a memory, and keep who cleared them; gives how many."""
        ...

    def of(self, sight: Sight, memory_ids: Sequence[str]) -> tuple[Flag, ...]:
        """The open flags of these memories, newest first."""
        ...

    def past(self, sight: Sight, memory_id: str, limit: int) -> tuple[Flag, ...]:
        """The flags of a memory that were cleared, newest first."""
        ...

    def flagged(self, sight: Sight, limit: int) -> tuple[str, ...]:
        """Memories with open flags, the latest flag first, then by id."""
        ...

    def count(self, sight: Sight) -> FlagCount:
        """Open flags, and the memories they are about."""
        ...
