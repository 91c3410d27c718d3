"""Put our tool server into a coding agent's configuration, and take exactly that out again.

Most hosts keep the servers they start in one JSON object, `mcpServers`, by name; opencode's is `mcp`. The rules are
those of hooks: the file is the person's, an entry of another name is no matter of ours, and neither is one of our name
that does not start learnt. What is shown of a change is our own entry alone: such files hold keys and accounts beside.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, Literal, assert_never

from learnt.hosts.wiring.edit import Insertion, appended, begun, key, parsed, plain, refusal, span, taken_out
from learnt.hosts.wiring.jsontext import scan

if TYPE_CHECKING:
    from collections.abc import Sequence

NAME: Final = "learnt"
SERVERS: Final = "mcpServers"
_MODULE: Final = "learnt.interfaces.cli.entry"
ABOUT: Final = "What earlier sessions taught about this repository: recall, search, explain, propose, report outcomes."
Style = Literal["stdio", "plain", "local", "listed", "direct"]
"""How a host writes a server down: with its transport, without, as Copilot CLI, as opencode, as pi."""


@dataclass(frozen=True, slots=True)
class Server:
    """The command line that starts our tools."""

    command: str
    arguments: tuple[str, ...]
    style: Style = "stdio"

    @property
    def entry(self) -> dict[str, Any]:
        """The server as a host's configuration has it."""
        line: dict[str, Any] = {"command": self.command, "args": list(self.arguments)}
        match self.style:
            case "stdio":
                return {"type": "stdio", **line}
            case "plain":
                return line
            case "local":
                return {"type": "local", **line, "tools": ["*"]}
            case "listed":
                return {"type": "local", "command": [self.command, *self.arguments], "enabled": True}
            case "direct":
                return {**line, "exposure": "direct", "description": ABOUT}
            case _:
                assert_never(self.style)


def user_server(python: str, config: str, host: str, style: Style = "stdio") -> Server:
    """For a configuration of one user: isolated from what a repository puts into the environment, as hooks are."""
    return Server(python, ("-I", "-m", _MODULE, "mcp", "--host", host, "--config", config), style)


def shared_server(host: str, style: Style = "stdio") -> Server:
    """For a configuration that others read too: no path of this user."""
    return Server("learnt", ("mcp", "--host", host), style)


def line_of(entry: object) -> list[str]:
    """The command line of an entry; [] of anything that has none."""
    if not isinstance(entry, dict):
        return []
    command, arguments = entry.get("command"), entry.get("args", [])
    words = command if isinstance(command, list) else [command]
    return [str(word) for word in (*words, *(arguments if isinstance(arguments, list) else ()))]


def is_ours(entry: object) -> bool:
    """Whether an entry starts the tools of learnt, of this or another installation."""
    line = line_of(entry)
    command = line[0].replace("\\", "/").rpartition("/")[2].removesuffix(".exe") if line else ""
    return "mcp" in line[1:] and (command == "learnt" or _MODULE in line)


def present(text: str, container: str = SERVERS, *, comments: bool = True) -> dict[str, Any] | None:
    """The entry of our name, whoever wrote it.

    Raises:
        ConfigError: The text is no JSON object, or its servers are not shaped as hosts document it.
    """
    servers = parsed(text, comments=comments).get(container, {})
    if not isinstance(servers, dict):
        raise refusal("has servers of a shape learnt does not know")
    found = servers.get(NAME)
    return found if isinstance(found, dict) else None


def add_server(
    text: str,
    server: Server,
    earlier: Sequence[Insertion] = (),
    container: str = SERVERS,
    *,
    comments: bool = False,
) -> tuple[str, tuple[Insertion, ...]]:
    """`text` with this server, and what was put in; unchanged when it is there, or another of our name is.

    Args:
        container: The member that holds the servers. `comments`: whether the host reads comments.

    Raises:
        ConfigError: As `present`.
    """
    entry = present(text, container, comments=comments)
    if entry == server.entry or (entry is not None and not is_ours(entry)):
        return text, ()
    text = remove_server(text, earlier, container) if entry else text
    text, first = begun(text)
    root = scan(plain(text))
    servers = root.member(container)
    if servers is None:
        piece = appended(text, root, key(container), {NAME: server.entry})
    else:
        piece = appended(text, servers, key(NAME), server.entry)
    return text[: piece.offset] + piece.text + text[piece.offset :], (*first, piece)


def remove_server(text: str, insertions: Sequence[Insertion] = (), container: str = SERVERS) -> str:
    """`text` without our server.

    With what `add_server` put in, the bytes from before come back where that piece still stands; without, the entry is
    cut out, and its container with it when that held nothing else and was not there before.
    """
    if not is_ours(present(text, container)):
        return text
    before = taken_out(text, insertions)
    if before is not None and not is_ours(present(before, container)):
        return before
    root = scan(plain(text))
    servers = root.member(container)
    if servers is None:
        return text
    alone = len(servers.members) == 1 and (not insertions or any(container in piece.text for piece in insertions))
    parent, name = (root, container) if alone else (servers, NAME)
    start, end = span(parent, [each for each, _, _ in parent.members].index(name))
    return text[:start] + text[end:]


def shown(text: str | None, container: str = SERVERS) -> str:
    """What a change of this file is about: our entry, and nothing else of the file."""
    entry = present(text, container) if text else None
    return json.dumps({container: {NAME: entry}}, indent=2) + "\n" if entry else ""
