"""Old copies that learnt itself made of what it keeps: before a migration, of files it took in."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Sequence


class Attic(Protocol):
    """Copies in the data directory. Whoever forgets clears them, because nothing can be forgotten inside of them."""

    def copies(self) -> tuple[str, ...]:
        """What there is, by path."""
        ...

    def exports(self) -> tuple[str, ...]:
        """Folders outside of it that memories were exported into and that are still there: a person's to clear."""
        ...

    def links(self) -> tuple[str, ...]:
        """Symbolic links among the files made from rows, and to them: what they lead to is nobody's to search."""
        ...

    def end(self, repository_id: str) -> tuple[str, ...]:
        """Remove the exports of a repository that lie in the data directory; gives their paths.

        Raises:
            StoreError: One cannot be removed.
        """
        ...

    def clear(self, texts: Sequence[str], *, shared: bool = False) -> tuple[str, ...]:
        """Remove whole copies of the store, and from files of lines those that hold one of `texts`; gives the paths.

        Args:
            shared: The texts were not of one repository alone: what was made from rows of others goes too.

        Raises:
            StoreError: One cannot be changed.
        """
        ...
