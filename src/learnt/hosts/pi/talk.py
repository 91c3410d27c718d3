"""What the entries of pi and oh-my-pi say.

A command the person typed (`bashExecution`) is theirs, not a call of the agent. A response that was broken off may
hold calls that were never run. A command failed when the result is marked; its code stands in the last line, and in
`details` in oh-my-pi.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final

from learnt.hosts.reading.moment import End, Moment
from learnt.hosts.reading.toolbox import Toolbox, several
from learnt.hosts.reading.tools import flat
from learnt.hosts.reading.value import count, from_millis, inner, instant, text

if TYPE_CHECKING:
    from collections.abc import Iterator

    from learnt.hosts.reading.moment import Use
    from learnt.model.session import ActionType, SessionEvent

_TOOLS: Final = Toolbox(
    actions={
        "bash": "shell",
        "edit": "write",
        "write": "write",
        "multiedit": "write",
        "ast_edit": "write",
        "read": "read",
        "task": "agent",
        "subagent": "agent",
    },
    paths=("path", "file_path", "filePath"),
    texts=("content", "newText", "new_text", "new_string", "diff"),
    roles=("agent", "subagent_type"),
)
_QUIET_ROLES: Final = frozenset(["system", "branchSummary", "compactionSummary", "fileMention"])
_TYPED: Final = {"bashExecution": ("!", "command"), "pythonExecution": ("$", "code")}
"""Messages for what the person ran themselves: how they typed it, and where it stands."""
KNOWN: Final = frozenset(
    [
        "message",
        "model_change",
        "thinking_level_change",
        "compaction",
        "branch_summary",
        "custom",
        "custom_message",
        "label",
        "session_info",
        "context_edit",
        "usage",
        "leaf",
        "model_usage",
        "title_change",
        "reset_boundary",
        "session_init",
        "mode_change",
        "ttsr_injection",
        "credential_pin",
        "service_tier_change",
    ]
)
_CODE: Final = re.compile(r"Command exited with code (-?\d{1,10})\Z")
_TIMED_OUT: Final = re.compile(r"Command timed out after .{1,60}\Z")
_SECTION: Final = re.compile(
    r"^(?:\[(.+?)#[0-9A-Fa-f]{1,16}\]|\*\*\* (?:Add|Update|Delete) File: (.+?))\s*$", re.MULTILINE
)
"""Where a patch of oh-my-pi, which is one text for several files, begins with the next file."""
_CANCELLED: Final = "[Command cancelled]"
_ABORTED: Final = ("Command aborted", "Operation aborted", "Request was aborted")
_ATTACHED: Final = re.compile(r'\A\s*<(skill|file) name="[^"\n]*"[^>\n]*>.*?</\1>\s*', re.DOTALL)
_DEVICE: Final = "xd://"
"""oh-my-pi calls the tools of servers by writing to such a path, and reads one to learn how."""
_OURS: Final = "<recalled_memory"
"""What a hook of ours adds to a result stands behind what the tool said."""
_MAX_CALLS: Final = 10_000
_TYPED_CHARS: Final = 16_000


class Talk:
    """Entries in, events out. What is known of the session as a whole grows meanwhile."""

    def __init__(self, *, sidechain: bool) -> None:
        self.unknown = 0
        self.model = ""
        self.title = ""
        self.person = False
        self._sidechain = sidechain
        self._open: dict[str, list[Use]] = {}

    def take(self, fields: dict[str, Any], moment: Moment) -> Iterator[SessionEvent]:
        """The next entry of the conversation."""
        kind = text(fields, "type")
        if kind not in KNOWN:
            self.unknown += 1
        elif kind == "message":
            yield from self._message(inner(fields, "message"), moment)
        elif kind == "compaction":
            yield moment.compaction(text(fields, "summary"))
        elif kind == "branch_summary" and text(fields, "summary"):
            yield moment.injected(text(fields, "summary"), "host")
        elif kind == "custom_message":
            yield from self._custom(fields, moment)
        else:
            self._note(fields)

    def _note(self, fields: dict[str, Any]) -> None:
        """What an entry says of the session as a whole."""
        kind = text(fields, "type")
        if kind == "model_change":
            named = text(fields, "modelId") or text(fields, "model")
            self.model = _joined(text(fields, "provider"), named) or self.model
        elif kind == "session_info":
            self.title = text(fields, "name") or self.title
        elif kind == "title_change":
            self.title = text(fields, "title") or self.title

    def _custom(self, message: dict[str, Any], moment: Moment) -> Iterator[SessionEvent]:
        """What an extension put in front of the agent."""
        if told := flat(message.get("content")):
            yield moment.injected(told)

    def _message(self, message: dict[str, Any], moment: Moment) -> Iterator[SessionEvent]:
        role = text(message, "role")
        if role == "user":
            yield from self._said(message, moment)
        elif role == "assistant":
            yield from self._answered(message, moment)
        elif role == "toolResult":
            yield from self._result(message, moment)
        elif role in ("custom", "hookMessage"):
            yield from self._custom(message, moment)
        elif role in _TYPED:
            self.person = self.person or not self._sidechain
            mark, key = _TYPED[role]
            told = f"{mark} {text(message, key)}\n{text(message, 'output')}"[:_TYPED_CHARS]
            yield moment.injected(told, "host")
        elif role == "developer":
            yield moment.injected(flat(message.get("content")), "host")
        elif role not in _QUIET_ROLES:
            self.unknown += 1

    def _said(self, message: dict[str, Any], moment: Moment) -> Iterator[SessionEvent]:
        """The person's words; what the client wrote before them (a skill, a file they named) is not theirs."""
        own = flat(message.get("content"))
        while attached := _ATTACHED.match(own):
            yield moment.injected(attached.group().strip(), "host")
            own = own[attached.end() :]
        theirs = message.get("attribution") != "agent" and message.get("synthetic") is not True
        if own.strip():
            yield moment.prompt(own) if theirs and not self._sidechain else moment.injected(own, "host")

    def _answered(self, message: dict[str, Any], moment: Moment) -> Iterator[SessionEvent]:
        """The agent's words and calls, and what they cost."""
        self.model = _joined(text(message, "provider"), text(message, "model")) or self.model
        broken = message.get("stopReason") in ("aborted", "error")
        content = message.get("content")
        blocks = content if isinstance(content, list) else [{"type": "text", "text": content}]
        for block in (block for block in blocks if isinstance(block, dict)):
            said = text(block, "text") if block.get("type") == "text" else ""
            if said.strip():
                yield moment.reply(said)
            if block.get("type") == "toolCall":
                yield from self._call(block, moment, broken=broken)
        usage = inner(message, "usage")
        paid, made, read, wrote = (count(usage, key) for key in ("input", "output", "cacheRead", "cacheWrite"))
        if paid or made or read or wrote:
            yield moment.tokens(paid, made, read, wrote)
        if message.get("stopReason") == "aborted":
            self.person = self.person or not self._sidechain
            yield moment.interruption()

    def _call(self, block: dict[str, Any], moment: Moment, *, broken: bool) -> Iterator[SessionEvent]:
        """A call; one of a response that was broken off is never run."""
        uses = _uses(block)
        for use in uses:
            yield moment.call(use)
        if broken:
            for use in uses:
                yield moment.result(use.call_id, End(failure="aborted"), use.action)
        elif len(self._open) < _MAX_CALLS:
            self._open[uses[0].call_id] = uses

    def _result(self, message: dict[str, Any], moment: Moment) -> Iterator[SessionEvent]:
        call_id, tool = text(message, "toolCallId"), text(message, "toolName")
        for use in self._open.pop(call_id, None) or [_TOOLS.use(tool, call_id, {})]:
            yield moment.result(use.call_id, _end(use.action, message), use.action)


def _uses(block: dict[str, Any]) -> list[Use]:
    """A call as it is told: a patch of several files is several writes."""
    given = inner(block, "arguments")
    if text(given, "path").startswith(_DEVICE):
        tool = text(given, "path").removeprefix(_DEVICE)
        return [_TOOLS.use(tool, text(block, "id"), {"content": given.get("content")})]
    use = _TOOLS.use(text(block, "name"), text(block, "id"), given)
    patch = text(given, "input") if use.action == "write" and use.target is None else ""
    return several(use, (found[1] or found[2] for found in _SECTION.finditer(patch)), patch) if patch else [use]


def _end(action: ActionType, message: dict[str, Any]) -> End:
    """How a call ended."""
    told, details = flat(message.get("content")), inner(message, "details")
    if message.get("isError") is not True:
        return End(text=told)
    last = told.partition(_OURS)[0].rstrip().rpartition("\n")[2].strip()
    if last in _ABORTED or told.lstrip().startswith(_CANCELLED) or last == _CANCELLED:
        return End(text=told, failure="aborted")
    if action != "shell":
        return End(text=told, failure="error")
    if details.get("timedOut") is True or _TIMED_OUT.match(last):
        return End(text=told, failure="timeout")
    code, found = details.get("exitCode"), _CODE.match(last)
    if isinstance(code, int) and not isinstance(code, bool):
        return End(text=told, failure="exit", exit_code=code)
    return End(text=told, failure="exit", exit_code=int(found.group(1)) if found else None)


def stamp_of(fields: dict[str, Any]) -> str:
    """When an entry was written; of a message whose entry does not say, when it was sent."""
    return instant(text(fields, "timestamp")) or from_millis(inner(fields, "message").get("timestamp"))


def _joined(provider: str, model: str) -> str:
    return "/".join(part for part in (provider, model) if part) if model else ""
