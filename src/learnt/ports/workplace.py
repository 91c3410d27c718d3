"""What the folder somebody works in can tell."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from learnt.model.view import Look


class Workplace(Protocol):
    """A work tree (or a plain folder)."""

    def is_file(self, path: str) -> bool:
        """Whether a path relative to the root is a file inside it."""
        ...

    def look(self, path: str) -> Look:
        """The file at a path relative to the root as it stands now.

        "absent" where the work tree can be read and has no such file, "unreadable" where it cannot be told.
        """
        ...

    def brought(self, place: str, cwd: str = "") -> bool:
        """Whether a session's file came with the work tree: anybody who wrote in the repository may have written it.

        Args:
            place: Its absolute path, with `#SESSION` where it holds several.
            cwd: Another folder that counts as a part of the work tree, where the session ran.
        """
        ...

    def root_commit(self) -> str:
        """The repository's oldest commit without a parent; "" where there is none or git does not tell."""
        ...

    def head_commit(self, at: str = "") -> str:
        """The commit that was checked out at an instant (now when ""), or "" where git does not tell."""
        ...

    def committed_at(self, commit: str) -> str:
        """When a commit was made, a canonical instant; "" where git does not tell or there is no such commit here."""
        ...
