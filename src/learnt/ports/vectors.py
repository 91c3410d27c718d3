"""Where vectors lie beside what they stand for, and which of them are nearest."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from learnt.model.scope import Sight
    from learnt.model.vector import Embedded, Generation, Near, Target, Unembedded, VectorFilter


class Kept(Protocol):
    """Vectors that were kept, to be compared with one another."""

    def kept(self, sight: Sight, generation: Generation, names: Sequence[str]) -> Mapping[str, tuple[bytes, ...]]:
        """By id the vectors of these targets, in the order of their pieces.

        What has none, and what is out of sight, is left out.
        """
        ...


class Vectors(Kept, Protocol):
    """Vectors of memories and of evidence, in generations.

    A vector leaves with what it stands for, in the same transaction: deletion and a changed text remove it, a memory
    that is not active is not found. At most one generation of a target is current; there is none before the first.
    """

    def generation(self, target: Target, version: str = "", form: str = "") -> Generation | None:
        """The generation of this model and form as it is now, without counts; None when nothing began it.

        Without a version: the current one, whatever its model.
        """
        ...

    def begin(self, target: Target, version: str, form: str, dimension: int, now: str) -> Generation:
        """The same, made where need be: the first of a target is current at once, a later one is built beside it."""
        ...

    def put(self, generation: Generation, given: Sequence[Embedded], now: str) -> None:
        """Keep vectors, or why there are none; what was kept for the same target is replaced.

        A vector that is no unit vector of the generation's dimension counts as a failure. Unknown ids are passed over.
        """
        ...

    def missing(self, generation: Generation, limit: int, after: int = 0) -> tuple[Unembedded, ...]:
        """Targets that should have a vector and have none, failed ones included, in order of `place`, of all scopes.

        Of memories these are the active and the superseded durable ones that are not blank (see
        `learnt.model.vector.is_embeddable`): a successor is also found by what it replaced, however soon it did.
        """
        ...

    def finish(self, generation: Generation, now: str) -> bool:
        """Make the generation current, and the one before it retired, if nothing is missing; whether it is current."""
        ...

    def sweep(self, limit: int) -> int:
        """Remove at most `limit` vectors of retired generations; gives how many."""
        ...

    def search(
        self, sight: Sight, generation: Generation, vector: bytes, k: int, wanted: VectorFilter
    ) -> tuple[Near, ...]:
        """The `k` nearest, cosine descending then id: filters bound what is looked at before the nearest are taken.

        Raises:
            UsageError: `vector`: the query's is no unit vector of the generation's dimension.
        """
        ...

    def state(self, target: Target) -> tuple[Generation, ...]:
        """Every generation of a target with its counts, over all scopes, newest first. Reads an index of all rows."""
        ...
