"""How everything in a store is carried into another."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from contextlib import AbstractContextManager

    from learnt.model.cargo import Carried, Chapter, Load
    from learnt.model.scope import Sight


class Cargo(Protocol):
    """All rows of all scopes, for moving a store; and those in sight, for an export. Nobody else reads through it.

    Facts that `learnt.model.cargo.stays` are neither counted nor given.
    """

    @property
    def chapters(self) -> tuple[Chapter, ...]:
        """What this store keeps at all, in the order of `learnt.model.cargo.CHAPTERS`."""
        ...

    def moment(self) -> AbstractContextManager[None]:
        """Inside, all that is read here is of one moment, whoever writes meanwhile. Nothing is written inside."""
        ...

    def count(self, chapter: Chapter) -> int:
        """How many rows."""
        ...

    def load(self, chapter: Chapter, after: str, limit: int) -> Load:
        """The next rows, at most `limit`; `after` is "" for the first, then what the stretch before gave."""
        ...

    def within(self, sight: Sight, chapter: Chapter, after: str, limit: int) -> Load:
        """The next rows in sight of a chapter of `learnt.model.cargo.EXPORTED`, by id, then scope; flags by memory.

        Of evidence only documents and what something rests on.
        """
        ...

    def left(self, sight: Sight) -> Mapping[str, int]:
        """How many rows in sight no `within` gives: uncited evidence, sessions, what they taught, recipes, receipts."""
        ...

    def accept(self, chapter: Chapter, values: Sequence[Carried]) -> None:
        """Keep these as they are, in this order, with all that is derived from them; inside a transaction.

        What is there already under the same name is replaced, or is the same: to accept twice changes nothing.
        """
        ...

    def clear(self) -> None:
        """Remove every row of every chapter; inside a transaction. Facts that stay, stay."""
        ...

    def finish(self) -> None:
        """Make what only makes answers quick, once everything is there. Takes transactions of its own."""
        ...
