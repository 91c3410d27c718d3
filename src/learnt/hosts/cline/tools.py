"""What the tools of Cline and Roo do, what a call of one aims at, and how its answer ends.

One call of Cline's command line may hold several commands or files, each answered by itself: it becomes as many calls,
of which all but the first are parts. Its `success` says of each how it ended; the extension's and Roo's answers are
prose, of which only the fixed beginning counts.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final

from learnt.hosts.reading.moment import End, Use
from learnt.hosts.reading.records import decoded
from learnt.hosts.reading.tools import flat
from learnt.hosts.reading.value import fields, text
from learnt.model.lookup import source_type

if TYPE_CHECKING:
    from collections.abc import Iterator

    from learnt.model.session import ActionType

_ACTIONS: Final[dict[str, ActionType]] = {
    **dict.fromkeys(("run_commands", "execute_command", "run_command", "bash"), "shell"),
    **dict.fromkeys(("editor", "apply_patch", "apply_diff", "write_to_file", "write_file", "replace_in_file"), "write"),
    **dict.fromkeys(("insert_content", "search_and_replace", "search_replace", "edit_file", "edit"), "write"),
    **dict.fromkeys(("read_files", "read_file"), "read"),
    **dict.fromkeys(("new_task", "spawn_agent", "use_subagents", "spawn_subagents"), "agent"),
}
_PATHS: Final = ("path", "file_path", "absolutePath", "filePath", "target_file")
_TEXTS: Final = ("new_text", "content", "diff", "file_text", "new_string", "input", "patch", "replace", "code_edit")
_PATCHED: Final = re.compile(r"^\*\*\* (?:Add|Update|Delete) File: (.+?)[ \t\r]*$", re.MULTILINE)
_EXITED: Final = re.compile(
    r"\[?Command (?:(?:exited|failed) with (?:exit )?code|(?:executed|failed|completed)[^\n()]{0,60}\(exit code):? "
    r"(-?\d{1,10})"
)
_CODE_LINE: Final = re.compile(r"^Exit [Cc]ode: (-?\d{1,10})", re.MULTILINE)
_OUTPUT: Final = re.compile(r"^(?:Output|Here's the output so far):", re.MULTILINE)
_EXECUTED: Final = (
    "Command executed",
    "Command failed",
    "Command exited",
    "Command is still running",
    "Process ",
    "The command ",
)
_TIMED_OUT: Final = re.compile(r"timed out|exceeding a user-configured|terminated by user/timeout", re.IGNORECASE)
_DENIED: Final = (
    "The user denied this operation",
    "User rejected",
    "User denied",
    "Tool execution was rejected",
    "Tool execution was cancelled",
    '{"status":"denied"',
)
_FAILED: Final = (
    "The tool execution failed with the following error:",
    "<error_details>",
    "Unable to apply diff to file:",
    "File does not exist at path:",
    "Error executing command:",
    '{"status":"error"',
)
_FRAME: Final = re.compile(r"\[Command (?:exited|failed) with (?:exit )?code -?\d{1,10}\]\n?")


def uses(call_id: str, tool: str, given: dict[str, Any]) -> Iterator[Use]:
    """The calls that one call of a tool is; each but the first is a part."""
    action = _ACTIONS.get(tool) or ("lookup" if source_type(tool) else "other")
    targets = _targets(tool, action, given) or (None,)
    for place, target in enumerate(targets):
        yield Use(
            call_id=f"{call_id}/{place}" if place else call_id,
            tool=tool,
            action=action,
            target=target,
            given=given,
            text=_written(given) if action == "write" else "",
            role=text(given, "mode") if action == "agent" else "",
            part=place > 0,
        )


def ends(made: tuple[Use, ...], content: Any, *, marked: bool) -> Iterator[tuple[Use, End]]:
    """How each of the calls ended, by the answer they were given together."""
    answers = _answers(content)
    if answers is None:
        told = end(made[0].action, flat(content), marked=marked)
        yield made[0], told
        answers = []
        made = made[1:]
    for place, use in enumerate(made):
        yield use, _answered(use, answers[place]) if place < len(answers) else End(failure="aborted")


def end(action: ActionType, text: str, *, marked: bool) -> End:
    """How a call ended by an answer in prose."""
    if text.startswith(_DENIED):
        return End(text=text, failure="aborted")
    if action != "shell":
        return End(text=text, failure="error" if marked or text.startswith(_FAILED) else "")
    start = text[: found.start()] if (found := _OUTPUT.search(text)) else text
    told = _EXITED.match(start) or (_CODE_LINE.search(start) if start.startswith(_EXECUTED) else None)
    code = int(told.group(1)) if told else None
    if code or marked or text.startswith(_FAILED):
        return End(text=text, failure="timeout" if _TIMED_OUT.search(start) else "exit", exit_code=code)
    if start.startswith(_EXECUTED) and _TIMED_OUT.search(start):
        return End(text=text, failure="timeout")
    return End(text=text, exit_code=code, unsaid=code is None)


def _answered(use: Use, answer: dict[str, Any]) -> End:
    """How one of several ended. Source: the command line's own result objects."""
    result, error = _shown(answer.get("result")), text(answer, "error")
    told = "\n".join(part for part in (_FRAME.sub("", result, count=1), error) if part)
    if answer.get("success") is not False:
        return End(text=told, exit_code=0 if use.action == "shell" and answer.get("success") is True else None)
    if error.startswith(_DENIED):
        return End(text=told, failure="aborted")
    if use.action != "shell":
        return End(text=told or error, failure="error")
    found = _EXITED.match(error) or _EXITED.match(result)
    if found is None and _TIMED_OUT.search(error):
        return End(text=told, failure="timeout")
    return End(text=told, failure="exit", exit_code=int(found.group(1)) if found else None)


def _answers(content: Any) -> list[dict[str, Any]] | None:
    """The result objects of an answer, None when it is prose."""
    if isinstance(content, list) and len(content) == 1 and fields(content[0]).get("type") == "text":
        content = content[0].get("text")
    if isinstance(content, str) and content[:1] in ("{", "["):
        try:
            content = decoded(content.encode())
        except (ValueError, RecursionError):
            return None
    every = content if isinstance(content, list) else [content]
    told = [each for each in every if isinstance(each, dict) and "success" in each]
    return told if told and len(told) == len(every) else None


def _targets(tool: str, action: ActionType, given: dict[str, Any]) -> tuple[str | None, ...]:
    if action == "shell":
        return tuple(_commands(given))
    if action not in ("write", "read"):
        return ()
    if tool == "apply_patch":
        return tuple(dict.fromkeys(_PATCHED.findall(text(given, "input") or text(given, "patch"))))
    found = next((path for key in _PATHS if (path := text(given, key))), None)
    if found is not None:
        return (found,)
    listed = given.get("files") or fields(given.get("args")).get("file")
    listed = listed if isinstance(listed, list) else [listed]
    paths = (each if isinstance(each, str) else text(fields(each), "path") for each in listed)
    return tuple(path for path in paths if path)


def _commands(given: dict[str, Any]) -> Iterator[str]:
    several = given.get("commands")
    for each in several if isinstance(several, list) else [given]:
        if isinstance(each, str):
            yield each
        elif command := text(fields(each), "command"):
            yield command


def _written(given: dict[str, Any]) -> str:
    return next((found for key in _TEXTS if (found := text(given, key))), "")


def _shown(value: Any) -> str:
    return value if isinstance(value, str) else flat(value)
