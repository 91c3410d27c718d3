"""How a store looks after itself: what is derived is checked and made anew, and the whole is copied."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from learnt.model.brief import Brief
    from learnt.model.scope import Sight


class Upkeep(Protocol):
    """For whoever looks after a store; everything here but `build` and `uncleared` reads all of it."""

    def disagreements(self) -> Mapping[str, int]:
        """What was made of rows (full text, counters, codes of vectors) and does not agree with them, by its name.

        Empty when all is well. Takes seconds in a large store.
        """
        ...

    def rebuild(self) -> Mapping[str, int]:
        """Make all of that anew from the rows, inside the caller's transaction; gives what was made, by its name.

        What may be broken is emptied, not asked. Vectors that are no unit vectors are dropped, and so are missing.
        """
        ...

    def backup(self, path: str) -> int:
        """Copy the whole store as it is at one moment into a new file, for this user alone; gives its size in bytes.

        Others go on reading and writing meanwhile.

        Raises:
            UsageError: `backup_exists`: there is such a file. `no_backup`: this store is not copied like that.
            StoreError: The file cannot be written.
        """
        ...

    def uncleared(self, pattern_set: str, limit: int) -> tuple[str, ...]:
        """Keys of the scopes with active memories that this pattern set has not cleared, whoever may see them.

        Of a tenant, on a server. Nothing is shown by it: what a scope holds is read in that scope.
        """
        ...

    def survey(self, sight: Sight) -> Iterator[Brief]:
        """Every memory in sight, whatever its status, in any order; read in stretches, while others may write."""
        ...

    def shrink(self, *, whole: bool = True) -> Mapping[str, int]:
        """Let go of what removed rows left behind, so that their words are in no file of the store any more.

        Outside of a transaction, after the one that removed them. Gives what came of it, by name: `freed_bytes`, and
        `log_bytes`, what still lies in a log because somebody reads from it.

        Args:
            whole: Go through all of the full text; else a bounded step, which takes milliseconds.
        """
        ...

    @property
    def builds(self) -> bool:
        """Whether there is ever something for `build`."""
        ...

    def build(self) -> bool:
        """One step of an index that makes searches of crowded scopes quicker; whether there may be more to do.

        Outside of a transaction; a step may take minutes, and nobody waits for it. Several may do it at once.
        """
        ...
