"""Put our tool server into a coding agent's configuration, and take exactly that out again.

Most hosts keep the servers they start in one JSON object, `mcpServers`, by name. The rules are those of hooks: the file
is the person's, an entry of another name is no matter of ours, and neither is one of our name that does not start
learnt. What is shown of a change is our own entry alone: such files hold keys and accounts beside it.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from learnt.hosts.edit import EMPTY, Insertion, appended, key, parsed, refusal, span, taken_out
from learnt.hosts.jsontext import scan

if TYPE_CHECKING:
    from collections.abc import Sequence

NAME: Final = "learnt"
_SERVERS: Final = "mcpServers"
_MODULE: Final = "learnt.interfaces.cli.entry"


@dataclass(frozen=True, slots=True)
class Server:
    """The command line that starts our tools."""

    command: str
    arguments: tuple[str, ...]

    @property
    def entry(self) -> dict[str, Any]:
        """The server as a host's configuration has it."""
        return {"type": "stdio", "command": self.command, "args": list(self.arguments)}


def user_server(python: str, config: str, host: str) -> Server:
    """For a configuration of one user: isolated from what a repository puts into the environment, as hooks are."""
    return Server(python, ("-I", "-m", _MODULE, "mcp", "--host", host, "--config", config))


def shared_server(host: str) -> Server:
    """For a configuration that others read too: no path of this user."""
    return Server("learnt", ("mcp", "--host", host))


def is_ours(entry: object) -> bool:
    """Whether an entry starts the tools of learnt, of this or another installation."""
    if not isinstance(entry, dict) or not isinstance(entry.get("args"), list):
        return False
    command = str(entry.get("command", "")).replace("\\", "/").rpartition("/")[2].removesuffix(".exe")
    return "mcp" in entry["args"] and (command == "learnt" or _MODULE in entry["args"])


def present(text: str) -> dict[str, Any] | None:
    """The entry of our name, whoever wrote it.

    Raises:
        ConfigError: The text is no JSON object, or its servers are not shaped as hosts document it.
    """
    servers = parsed(text).get(_SERVERS, {})
    if not isinstance(servers, dict):
        raise refusal("has servers of a shape learnt does not know")
    found = servers.get(NAME)
    return found if isinstance(found, dict) else None


def add_server(text: str, server: Server, earlier: Sequence[Insertion] = ()) -> tuple[str, tuple[Insertion, ...]]:
    """`text` with this server, and what was put in; unchanged when it is there, or another of our name is.

    Raises:
        ConfigError: As `present`.
    """
    entry = present(text)
    if entry == server.entry or (entry is not None and not is_ours(entry)):
        return text, ()
    text = remove_server(text, earlier) if entry else text
    text = text if text.strip("\ufeff \t\r\n") else EMPTY
    root = scan(text)
    servers = root.member(_SERVERS)
    if servers is None:
        piece = appended(text, root, key(_SERVERS), {NAME: server.entry})
    else:
        piece = appended(text, servers, key(NAME), server.entry)
    return text[: piece.offset] + piece.text + text[piece.offset :], (piece,)


def remove_server(text: str, insertions: Sequence[Insertion] = ()) -> str:
    """`text` without our server.

    With what `add_server` put in, the bytes from before come back where that piece still stands; without, the entry is
    cut out, and `mcpServers` with it when it held nothing else and was not there before.
    """
    if not is_ours(present(text)):
        return text
    plain = taken_out(text, insertions)
    if plain is not None and not is_ours(present(plain)):
        return plain
    root = scan(text)
    servers = root.member(_SERVERS)
    if servers is None:
        return text
    alone = len(servers.members) == 1 and (not insertions or _SERVERS in insertions[0].text)
    parent, name = (root, _SERVERS) if alone else (servers, NAME)
    start, end = span(parent, [each for each, _, _ in parent.members].index(name))
    return text[:start] + text[end:]


def shown(text: str | None) -> str:
    """What a change of this file is about: our entry, and nothing else of the file."""
    entry = present(text) if text else None
    return json.dumps({_SERVERS: {NAME: entry}}, indent=2) + "\n" if entry else ""
