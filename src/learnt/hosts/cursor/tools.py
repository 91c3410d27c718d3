"""What Cursor's tools do, under the names of every release, and how a call of one ended.

The editor's database keeps results as JSON in text; the transcripts beside it keep calls without results.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Final

from learnt.hosts.reading.cut import decoded
from learnt.hosts.reading.moment import End, Use
from learnt.hosts.reading.toolbox import Toolbox
from learnt.hosts.reading.value import text

if TYPE_CHECKING:
    from learnt.model.session import ActionType

TOOLS: Final = Toolbox(
    actions={
        **dict.fromkeys(("run_terminal_cmd", "run_terminal_command", "run_terminal_command_v2", "Shell"), "shell"),
        **dict.fromkeys(("edit_file", "edit_file_v2", "search_replace", "write", "write_file", "apply_patch"), "write"),
        **dict.fromkeys(("Write", "StrReplace", "EditNotebook", "ApplyPatch", "Edit", "MultiEdit"), "write"),
        **dict.fromkeys(("read_file", "read_file_v2", "Read"), "read"),
        **dict.fromkeys(("task", "task_v2", "Task"), "agent"),
    },
    paths=("target_file", "targetFile", "file_path", "filePath", "path", "relativeWorkspacePath", "target_notebook"),
    texts=("code_edit", "new_string", "newString", "contents", "content", "streamingContent"),
    roles=("subagent_type", "subagentType"),
)
_NUMBERED: Final = {5: "read_file", 7: "edit_file", 15: "run_terminal_cmd", 38: "edit_file_v2", 40: "read_file_v2"}
"""Names of tools that early releases only number."""
_OUTPUTS: Final = ("output", "contents", "content", "result", "message")
_STOPPED: Final = ("cancelled", "canceled", "aborted", "rejected")
DONE: Final = frozenset({"completed", "success", "error", *_STOPPED})


def named(call: dict[str, Any]) -> str:
    """The tool's name; "" when nothing was called."""
    name = text(call, "name") or text(call, "tool")
    number = call.get("tool")
    return name or (_NUMBERED.get(number, f"tool {number}") if isinstance(number, int) and number else "")


def use_of(call: dict[str, Any], fallback: str) -> Use:
    """A call as the editor keeps it."""
    given = {**_object(call.get("params")), **_object(call.get("rawArgs"))}
    return TOOLS.use(named(call), text(call, "toolCallId") or fallback, given)


def end_of(call: dict[str, Any], action: ActionType) -> End:
    """How a call ended. Source: the editor's own status, and of a command its exit code."""
    result = _object(call.get("result"))
    told = _told(call, result)
    status = text(call, "status")
    if status in _STOPPED or result.get("rejected") is True or text(call, "userDecision") == "rejected":
        return End(text=told, failure="aborted")
    if action == "shell":
        return _shell(told, result, failed=status == "error")
    failed = status == "error" or bool(result.get("error"))
    return End(text=told, failure="error" if failed else "")


def _shell(told: str, result: dict[str, Any], *, failed: bool) -> End:
    """A command's end; a code that is missing is 0, for the format leaves out what is zero."""
    reason = text(result, "endedReason").upper()
    if reason.endswith(("ABORTED", "CANCELLED")) or result.get("notInterrupted") is False:
        return End(text=told, failure="aborted")
    if "TIMEOUT" in reason or "TIMED_OUT" in reason:
        return End(text=told, failure="timeout")
    codes = (result.get("exitCodeV2"), result.get("exitCode"))
    code = next((each for each in codes if isinstance(each, int) and not isinstance(each, bool)), None)
    return End(text=told, failure="exit" if failed or code else "", exit_code=code)


def _told(call: dict[str, Any], result: dict[str, Any]) -> str:
    """What the agent was shown."""
    error = _object(call.get("error")) or _object(result.get("error"))
    for key in ("modelVisibleErrorMessage", "clientVisibleErrorMessage", "error", "message"):
        if said := text(error, key):
            return said
    if said := text(result, "error"):
        return said
    for key in _OUTPUTS:
        if said := text(result, key):
            return said
    if result:
        return json.dumps(result, ensure_ascii=False)
    return text(call, "result") or text(call, "error")


def _object(value: Any) -> dict[str, Any]:
    """An object, or text that is one."""
    if isinstance(value, str):
        return decoded(value) or {}
    return value if isinstance(value, dict) else {}
