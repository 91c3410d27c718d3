"""An event of another host than Claude Code, in Claude Code's words: those that the rest of the hook understands."""

from __future__ import annotations

from learnt.hosts.dialects import fields_of
from learnt.interfaces.hook.payload import Payload, members_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from _sqlite3 import Connection
    from collections.abc import Mapping

_OTHER = (("other", "", ""),)


def translated(connection: Connection, statement: str, host: str, given: Payload) -> Payload:
    """The payload with the fields that Claude Code would send, and what its tool calls do."""

    def inside(text: str) -> Mapping[str, str]:
        return members_of(connection, statement, text)

    fields = fields_of(host, given.fields, inside)
    if not fields["tool_name"] and "toolCalls" not in given.fields:
        return Payload(fields, {}, _OTHER)
    from learnt.hosts.calls import actions_of, calls_of

    calls = calls_of(host, given.fields, fields, inside)
    return Payload(fields, {}, actions_of(calls, inside) or _OTHER)
