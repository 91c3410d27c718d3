"""What is changed in one file of a host: how our part gets in, how it gets out again, and what is shown of it."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, Literal

from learnt.errors import ConfigError
from learnt.hosts.wiring import hook, region, server, tomltext, yamltext
from learnt.hosts.wiring.edit import EMPTY

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path

    from learnt.hosts.wiring.edit import Insertion
    from learnt.hosts.wiring.hook import Hook
    from learnt.hosts.wiring.server import Server

    Added = tuple[str, tuple[Insertion, ...]]

Part = Literal["hooks", "server", "mcp", "settings", "config", "file", "read", "region", "skill"]
"""Hooks, servers in `mcpServers` or in `mcp`, both in one file, Codex's configuration, a file of ours, aider's, a
region in a file of somebody else's, a copied skill's file."""

MARK: Final = "written by learnt init"
"""What a file of ours says of itself in its first lines; without it a file is somebody else's."""

REGION: Final = "memory"
"""The name of our region in a file of instructions."""

_MARKED_CHARS = 400
WRITTEN_BY_HOSTS: Final = frozenset({"server", "mcp", "settings", "config"})
"""Files a host writes by itself: what is to be changed is planned anew when it is carried out."""


@dataclass(frozen=True, slots=True)
class Piece:
    """One file.

    Attributes:
        add: The text with our part, and what was put in, given the text and what an earlier `init` put in.
        mode: The rights of a new file.
    """

    path: Path
    of: Part
    add: Callable[[str, Sequence[Insertion]], Added]
    mode: int = 0o600


def hooks(path: Path, wanted: Sequence[Hook], *, empty: str = EMPTY) -> Piece:
    """Hooks in a settings file."""
    return Piece(path, "hooks", lambda text, earlier: hook.add(text, wanted, earlier, empty=empty))


def servers(path: Path, wanted: Server, *, comments: bool = False) -> Piece:
    """A tool server in a file of servers."""
    return Piece(path, "server", lambda text, earlier: server.add_server(text, wanted, earlier, comments=comments))


def mcp(path: Path, wanted: Server) -> Piece:
    """A tool server in opencode's configuration."""
    return Piece(path, "mcp", lambda text, earlier: server.add_server(text, wanted, earlier, "mcp", comments=True))


def settings(path: Path, wanted: Sequence[Hook], tools: Server) -> Piece:
    """Hooks and a tool server in one settings file."""

    def add(text: str, earlier: Sequence[Insertion]) -> Added:
        same, first = hook.add(text, wanted, earlier, comments=True)
        if not first and not server.add_server(same, tools, comments=True)[1]:
            return text, ()
        text, first = hook.add(_both(text, earlier), wanted, comments=True)  # both anew: what is remembered is of both
        text, then = server.add_server(text, tools, comments=True)
        return text, (*first, *then)

    return Piece(path, "settings", add)


def config(path: Path, tools: Server, notice: Sequence[str]) -> Piece:
    """A tool server and a notice in Codex's configuration."""
    return Piece(path, "config", lambda text, earlier: tomltext.add(text, tools, notice, earlier))


def file(path: Path, wanted: str, *, mode: int = 0o600) -> Piece:
    """A file that is ours alone.

    Adding to it raises:
        ConfigError: Somebody else's file is there.
    """

    def add(text: str, earlier: Sequence[Insertion]) -> Added:
        del earlier
        if text.strip() and not is_ours(text):
            raise ConfigError(
                f"{path} is there and was not written by learnt; it was left untouched.",
                code="host_settings",
                hint="Move it away, or leave this host out: `learnt init --host NAME` names the others.",
            )
        return wanted, ()

    return Piece(path, "file", add, mode)


def read(path: Path, wanted: str) -> Piece:
    """A file that aider is to read."""
    return Piece(path, "read", lambda text, earlier: yamltext.add(text, wanted, earlier))


def marked(path: Path, body: str) -> Piece:
    """A marked region in somebody's file of instructions or notes."""

    def add(text: str, earlier: Sequence[Insertion]) -> Added:
        del earlier
        made = region.inserted(text, body, REGION)
        if isinstance(made, region.Broken):
            raise ConfigError(f"{path}: {made.reason}; it was left untouched.", code="host_settings")
        return made, ()

    return Piece(path, "region", add, 0o644)


def is_ours(text: str) -> bool:
    """Whether a file says that we wrote it."""
    return MARK in text[:_MARKED_CHARS]


def without(of: Part, text: str, insertions: Sequence[Insertion]) -> str | None:
    """A file's text without our part; None for a file that is ours alone."""
    return _REMOVED[of](text, insertions)


def shown(of: Part, text: str | None) -> str:
    """What a person is shown of a file: all of it, or our part alone where accounts and keys may stand beside it."""
    show = _SHOWN.get(of)
    return show(text) if show else text or ""


def tools(of: Part, text: str) -> dict[str, Any] | None:
    """The entry of our name among a file's tool servers, whoever wrote it; None where the file has no servers.

    Raises:
        ConfigError: The file cannot be read.
    """
    find = _TOOLS.get(of)
    return find(text) if find else None


def _both(text: str, insertions: Sequence[Insertion]) -> str:
    """Settings without hooks and server."""
    before = hook.remove(text, insertions)
    return server.remove_server(before, ())


def _file(text: str, insertions: Sequence[Insertion]) -> str | None:
    del insertions
    return None if is_ours(text) else text


def _unmarked(text: str, insertions: Sequence[Insertion]) -> str:
    del insertions
    left = region.removed(text, REGION)
    if isinstance(left, region.Broken):
        raise ConfigError(f"The marks of learnt's region do not pair: {left.reason}.", code="host_settings")
    return left


def _settings(text: str | None) -> str:
    """Our hooks and our server, of a file that holds both."""
    entry = server.present(text) if text else None
    found = {"hooks": hook.hooks_of(text or "{}"), server.SERVERS: {server.NAME: entry} if entry else {}}
    told = {name: value for name, value in found.items() if value}
    return json.dumps(told, indent=2) + "\n" if told else ""


_REMOVED: Final[Mapping[Part, Callable[[str, Sequence[Insertion]], str | None]]] = {
    "hooks": hook.remove,
    "server": server.remove_server,
    "mcp": lambda text, insertions: server.remove_server(text, insertions, "mcp"),
    "settings": _both,
    "config": tomltext.remove,
    "file": _file,
    "read": yamltext.remove,
    "region": _unmarked,
}
_TOOLS: Final[Mapping[Part, Callable[[str], dict[str, Any] | None]]] = {
    "server": server.present,
    "mcp": lambda text: server.present(text, "mcp"),
    "settings": server.present,
    "config": tomltext.present,
}
_SHOWN: Final[Mapping[Part, Callable[[str | None], str]]] = {
    "server": server.shown,
    "mcp": lambda text: server.shown(text, "mcp"),
    "settings": _settings,
    "config": tomltext.shown,
}
