"""What a host says at an event, taken from its JSON by SQLite: `json` costs 15 ms of start-up, this one query."""

from __future__ import annotations

import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from _sqlite3 import Connection

MAX_BYTES = 4 * 1024 * 1024
"""Most of standard input that is read; a longer object is cut and therefore no JSON."""

_ARGUMENT_CHARS = 20_000


class Payload:
    """One event.

    Attributes:
        fields: The object's members that are texts, by name.
        arguments: The same of `tool_input`; nested lists and objects as JSON text.
        actions: What the tool calls do, where the host is another than Claude Code (see `learnt.hosts.calls`).
    """

    __slots__ = ("actions", "arguments", "fields")

    def __init__(
        self, fields: dict[str, str], arguments: dict[str, str], actions: tuple[tuple[str, str, str], ...] = ()
    ) -> None:
        self.fields = fields
        self.arguments = arguments
        self.actions = actions

    def text(self, name: str) -> str:
        """A member, "" when it is not there or no text."""
        return self.fields.get(name, "")


def read_stdin() -> str:
    """Standard input, decoded; what is no UTF-8 shows as U+FFFD."""
    pieces: list[bytes] = []
    size = 0
    while size < MAX_BYTES:
        piece = os.read(0, min(1 << 20, MAX_BYTES - size))
        if not piece:
            break
        pieces.append(piece)
        size += len(piece)
    return b"".join(pieces).decode("utf-8", "replace")


def parsed(connection: Connection, statement: str, text: str) -> Payload | None:
    """The payload, or None for empty input.

    Raises:
        ValueError: Not a JSON object.
    """
    if not text.strip():
        return None
    import _sqlite3

    if "\\u0000" in text:  # SQLite ends a text there
        return _slowly(text)
    try:
        fields = _members(connection, statement, text)
        arguments = _members(connection, statement, fields.get("tool_input", "{}"))
    except (_sqlite3.Error, UnicodeError):
        return _slowly(text)
    return Payload(fields, arguments)


def _members(connection: Connection, statement: str, text: str) -> dict[str, str]:
    found = connection.execute(statement, (text,)).fetchall()
    if not text.lstrip().startswith("{"):
        raise ValueError("the input is no JSON object")
    return {str(key): value[:MAX_BYTES] for key, value in found if isinstance(value, str)}


def members_of(connection: Connection, statement: str, text: str) -> dict[str, str]:
    """The members of a JSON object or list that are texts or containers; {} of anything else."""
    if text.lstrip()[:1] not in ("{", "["):
        return {}
    import _sqlite3

    try:
        if "\\u0000" not in text:
            found = connection.execute(statement, (text,)).fetchall()
            return {str(key): value for key, value in found if isinstance(value, str)}
    except (_sqlite3.Error, UnicodeError):
        return {}
    import json

    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return {}
    return _texts(value if isinstance(value, dict) else {str(at): each for at, each in enumerate(value)})


def _slowly(text: str) -> Payload:
    """The same by the standard library, for the odd input SQLite does not take."""
    import json

    try:
        found = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise ValueError(f"the input is no JSON: {type(error).__name__}") from None
    if not isinstance(found, dict):
        raise TypeError("the input is no JSON object")
    arguments = found.get("tool_input")
    return Payload(_texts(found), _texts(arguments if isinstance(arguments, dict) else {}))


def _texts(found: dict[str, object]) -> dict[str, str]:
    """Members as texts that UTF-8 can hold."""
    import json

    out: dict[str, str] = {}
    for key, value in found.items():
        text = value if isinstance(value, str) else json.dumps(value)[:_ARGUMENT_CHARS]
        out[key] = text.encode("utf-8", "replace").decode()
    return out
