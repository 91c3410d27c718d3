"""Files of a repository or a host that hold a part of ours, put there because a person asked for it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, Protocol


@dataclass(frozen=True, slots=True, kw_only=True)
class Wish:
    """What a file is to hold.

    Attributes:
        path: Absolute.
        of: A marked region in a file of somebody else's, or a whole file of ours: a copied skill's.
        text: The region's or file's; None to take it out.
    """

    path: str
    of: Literal["region", "skill"]
    text: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Drawn:
    """A file's change: nothing, or the difference to show a person.

    Attributes:
        left: It was to be taken out and somebody had changed it: it is theirs now, and stays.
    """

    path: str
    differs: bool
    diff: str
    left: bool = False


class Outlets(Protocol):
    """The files themselves. What is put in is remembered, so that `learnt uninit` takes out exactly that.

    Each of them raises:
        ConfigError: The file cannot be read or changed safely: broken marks, a link that leads away, somebody else's.
    """

    def region(self, path: str) -> str | None:
        """What our region in a file holds now; None where there is none."""
        ...

    def drawn(self, wish: Wish) -> Drawn:
        """What would be changed."""
        ...

    def draw(self, wish: Wish) -> Drawn:
        """Change it."""
        ...

    def skills_folder(self, host: str) -> str:
        """The folder, below a repository, where a host looks for skills; "" where it has none."""
        ...
