"""Files that are made from rows."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping
    from contextlib import AbstractContextManager


class Artifacts(Protocol):
    """A folder of files that only this user reads. Names are relative, with `/` between their parts.

    A file is either what it was or what it is to be, whoever dies when. No symbolic link is followed below the folder.
    """

    def write(self, name: str, content: Iterable[bytes]) -> str:
        """Make or replace a file, folders included; gives its path.

        Raises:
            ArtifactError: It cannot be written.
        """
        ...

    def stage(self, files: Mapping[str, bytes]) -> AbstractContextManager[Callable[[], None]]:
        """Have files ready beside their places; what is given puts all of them there, in order.

        So that the places change in a moment, inside a transaction say. What is not put there is gone at the end.

        Raises:
            ArtifactError: One cannot be written, or put there.
        """
        ...

    def read(self, name: str, most_bytes: int) -> bytes | None:
        """What a file holds; None where there is none, it is no plain file, or it is larger than that."""
        ...

    def change(self, name: str, most_bytes: int, edit: Callable[[bytes], bytes]) -> bool:
        """Replace a file by what `edit` makes of it (b"" for none), one such change after another; whether it differs.

        Raises:
            ArtifactError: It cannot be written, or is there and cannot be read: no plain file, or larger than that.
        """
        ...

    def remove(self, name: str) -> bool:
        """Take a file away, and folders that it leaves empty; whether there was one.

        Raises:
            ArtifactError: It is there and cannot be removed.
        """
        ...

    def names(self, folder: str) -> tuple[str, ...]:
        """The names of all files below a folder, in order; none where it is not there or is a symbolic link."""
        ...

    def clear(self, folder: str) -> int:
        """Empty a folder and keep it; gives how many files went.

        Raises:
            ArtifactError: It is a symbolic link, which nobody who empties it could mean; or something in it stays.
        """
        ...

    def at(self, folder: str) -> Artifacts:
        """The same for another folder, absolute or below this one."""
        ...
