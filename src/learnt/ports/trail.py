"""The audit trail as its guardian sees it: all of it in order, its checkpoints, and what is taken off its beginning."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from learnt.model.checkpoint import Checkpoint, End, Node
    from learnt.model.event import ChainRow


class Trail(Protocol):
    """Events are appended through `learnt.ports.store.Events`; here they are looked at, signed and cut."""

    def end(self) -> End:
        """Where the trail ends now."""
        ...

    def rows(self, after: int, until: int) -> Iterator[ChainRow]:
        """The events after one position up to another, in order, streamed; each as it lies there, however spoiled."""
        ...

    def checkpoints(self) -> tuple[Checkpoint, ...]:
        """All of them: by size, then installation and epoch."""
        ...

    def keep(self, checkpoint: Checkpoint, nodes: Iterable[Node] = ()) -> None:
        """Add a checkpoint, and roots of subtrees that make proofs quick; inside a transaction.

        Raises:
            UsageError: `constraint`: there is one of this installation and epoch.
        """
        ...

    def nodes(self, wanted: Sequence[tuple[int, int]]) -> Mapping[tuple[int, int], str]:
        """The hashes of those of these subtrees, by level and number, that were kept."""
        ...

    def cut(self, until: int) -> int:
        """Remove the events up to a position, and gives how many; inside a transaction."""
        ...

    def erase(self, event_ids: Sequence[str]) -> tuple[tuple[int, str], ...]:
        """Take target, reason and detail out of events, and keep their hashes; gives the position and hash of each.

        Inside a transaction, whose own event has to name them: `verify` accepts no others.
        """
        ...
