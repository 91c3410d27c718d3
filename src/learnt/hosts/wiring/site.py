"""Where learnt is wired, and what one host has for it: the values of the table in `learnt.hosts.wiring.fitting`."""

from __future__ import annotations

import os
import shutil
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from learnt.hosts.wiring import hook, piece, templates
from learnt.hosts.wiring.hook import Hook

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from learnt.hosts.wiring.piece import Piece
    from learnt.hosts.wiring.server import Server, Style


@dataclass(frozen=True, slots=True, kw_only=True)
class Site:
    """Where something is to be wired.

    Attributes:
        home: The user's home directory. `root`: of the repository; None where all of the user's are meant.
        here: The folder of the repository that one is in, also where all are meant.
        words: The command that runs a hook, without event and host. `line`: for a shell, with the event and the host.
        server: The tool server, written down as a host wants it.
        memory: The generated summary of the repository one is in; for hosts that only read files.
    """

    environment: Mapping[str, str]
    home: Path
    root: Path | None
    words: Sequence[str]
    line: Callable[[str, str], str]
    server: Callable[[str, Style], Server]
    here: Path
    memory: Path

    def under(self, variable: str, *usual: str) -> Path:
        """A folder of the user's that a variable moves."""
        moved = self.environment.get(variable, "")
        return Path(moved) if moved else self.home.joinpath(*usual)

    def editor(self, extension: str) -> Path:
        """The folder of an extension of VS Code."""
        return self.home.joinpath(*_editor(self.environment), "User", "globalStorage", extension)

    @property
    def base(self) -> Path:
        """The repository whose files are meant."""
        return self.root or self.here


def _editor(environment: Mapping[str, str]) -> tuple[str, ...]:
    if sys.platform == "darwin":
        return ("Library", "Application Support", "Code")
    if os.name == "nt":
        return (environment.get("APPDATA", "AppData/Roaming"), "Code")
    return (".config", "Code")


def hooks_for(
    site: Site, host: str, events: Sequence[tuple[str, str, str]], style: hook.Style = "grouped"
) -> tuple[Hook, ...]:
    """Hooks by the host's event, the same in kebab case, and the host's pattern."""
    line = site.line
    return tuple(Hook(event, line(kebab, host), matcher, style=style) for event, kebab, matcher in events)


def nothing(site: Site) -> tuple[Piece, ...]:
    """No file to change."""
    del site
    return ()


def rule(path: Path, front: str = "") -> Piece:
    """A file of rules that says when to ask the memory; for hosts that read rules, and have tools.

    Args:
        front: What the host wants at the top.
    """
    return piece.file(path, f"{front}<!-- {piece.MARK} -->\n\n{templates.filled('rule.md')}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Fitting:
    """What one host has, and where.

    Attributes:
        programs: Names of its program. `folder`: its own folder, of a user who has it; None where nothing tells.
        pieces: What is changed for a user. `shared`: in a repository's own files; () where it has none.
        todo: What is left to the person. `gets`: what it has where nothing is wired, or not everything.
        asked: Whether it is wired only when it is named.
    """

    host: str
    programs: tuple[str, ...] = ()
    folder: Callable[[Site], Path] | None = None
    pieces: Callable[[Site], tuple[Piece, ...]] = nothing
    shared: Callable[[Site], tuple[Piece, ...]] = nothing
    todo: str = ""
    gets: str = ""
    asked: bool = False

    def wired(self, site: Site) -> tuple[Piece, ...]:
        """The files to change."""
        return self.shared(site) if site.root else self.pieces(site)

    def found(self, site: Site) -> bool:
        """Whether this user has the host."""
        search = site.environment.get("PATH")
        there = self.folder is not None and self.folder(site).is_dir()
        return there or any(shutil.which(each, path=search) for each in self.programs)
