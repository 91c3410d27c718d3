"""What Mastra's workspace tools do, and how their answers end: auto-swe's own, and those of the framework.

auto-swe's tools answer a failure like a success; only the fixed beginning of the text tells them apart. The framework's
end a command's output with its exit code.
"""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any, Final

from learnt.hosts.reading.moment import End, Use
from learnt.hosts.reading.tools import flat
from learnt.hosts.reading.value import fields, text
from learnt.model.lookup import source_type

if TYPE_CHECKING:
    from learnt.model.session import ActionType

_PREFIX: Final = re.compile(r"(?:mastra_)?workspace_")
_ACTIONS: Final[dict[str, ActionType]] = {
    **dict.fromkeys(("bash", "execute_command", "executeCommand"), "shell"),
    **dict.fromkeys(("writeFile", "write_file", "editFile", "edit_file", "ast_edit"), "write"),
    **dict.fromkeys(("readFile", "read_file"), "read"),
}
_FAILED: Final = (
    "Command failed:",
    "Error reading file:",
    "Error writing file:",
    "Error listing directory:",
    "Write blocked:",
    "SECURITY CHECK FAILED",
)
"""Source: autonomous-swe seed, transcript digest."""
_FINISHED: Final = re.compile(r"Command finished \(exit code (-?\d{1,10})\)")
_LAST_CODE: Final = re.compile(r"(?:\A|\n)Exit code: (-?\d{1,10})\s*\Z")
_TIMED_OUT: Final = re.compile(r"timed out|killed after \d+ ?m?s", re.IGNORECASE)
_ANSWERS: Final = ("output", "content", "listing", "result", "stdout", "error")
_CODE_TAIL_CHARS: Final = 80


def use(call_id: str, tool: str, given: dict[str, Any]) -> Use:
    """A call of a tool."""
    bare = _PREFIX.sub("", tool, count=1)
    action = _ACTIONS.get(bare) or ("lookup" if source_type(tool) else "other")
    if action == "shell":
        return Use(call_id=call_id, tool=tool, action=action, target=text(given, "command") or None, given=given)
    target = text(given, "path") or text(given, "file_path") or None
    written = text(given, "content") or text(given, "new_string")
    return Use(call_id=call_id, tool=tool, action=action, target=target, given=given, text=written)


def invoked(action: ActionType, told: dict[str, Any]) -> End | None:
    """How a tool invocation ended; None while it has no answer."""
    state = text(told, "state")
    if state in ("output-error", "error"):
        return _end(action, text(told, "errorText") or _shown(told.get("result")), marked=True)
    if state in ("result", "output-available"):
        return _end(action, _shown(told.get("result", told.get("output"))), marked=told.get("isError") is True)
    if state == "output-denied":
        return End(text="denied", failure="aborted")
    return None


def answered(action: ActionType, result: dict[str, Any]) -> End:
    """How a call ended by its result in a conversation."""
    output = result.get("output", result.get("result"))
    kind = text(fields(output), "type")
    if kind in ("json", "text", "error-text", "error-json", "content"):
        return _end(action, _shown(fields(output).get("value")), marked=kind.startswith("error"))
    if kind == "execution-denied":
        return End(text=text(fields(output), "reason"), failure="aborted")
    return _end(action, _shown(output), marked=result.get("isError") is True)


def _end(action: ActionType, told: str, *, marked: bool) -> End:
    failed = marked or told.startswith(_FAILED)
    if action != "shell":
        return End(text=told, failure="error" if failed else "")
    found = _FINISHED.match(told) or _LAST_CODE.search(told[-_CODE_TAIL_CHARS:])
    code = int(found.group(1)) if found else None
    if not failed and not code:
        return End(text=told, exit_code=code, unsaid=code is None)
    timed_out = code is None and _TIMED_OUT.search(told.partition("\n")[0])
    return End(text=told, failure="timeout" if timed_out else "exit", exit_code=code)


def _shown(value: Any) -> str:
    """The text of an answer: itself, the one text it wraps, or its JSON."""
    if isinstance(value, str):
        return value
    if isinstance(value, dict):
        wrapped = next((value[key] for key in _ANSWERS if isinstance(value.get(key), str)), None)
        if wrapped is not None:
            return str(wrapped)
        value = value.get("content", value)
    return flat(value) or ("" if value is None else json.dumps(value, ensure_ascii=False))
