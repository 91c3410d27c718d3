"""What the tools of Codex do, what a call of one aims at, and how its answer ends.

Three generations: `exec_command` with a header before the output, `shell` with a list of words and a JSON answer, and
the completed items of the newest, which alone know that a tool of a server failed. An exit code anywhere but in the
header is text.
"""

from __future__ import annotations

import json
import ntpath
import posixpath
import re
import shlex
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from learnt.hosts.reading import tools
from learnt.hosts.reading.value import fields
from learnt.model.lookup import source_type

if TYPE_CHECKING:
    from learnt.model.session import ActionType, FailureType

PATCH: Final = "apply_patch"
_ACTIONS: Final[dict[str, ActionType]] = {
    "exec_command": "shell",
    "shell": "shell",
    "shell_command": "shell",
    "local_shell": "shell",
    "unified_exec": "shell",
    "container.exec": "shell",
    PATCH: "write",
    "spawn_agent": "agent",
    "view_image": "read",
    "read_file": "read",
    "list_dir": "read",
    "web_search": "lookup",
}
_FILES = re.compile(r"^\*\*\* (?:Add|Update|Delete) File: (.+?)[ \t\r]*$", re.MULTILINE)
_ADDED = re.compile(r"^\+(?!\+\+ )(.*)$", re.MULTILINE)
_HEREDOC = re.compile(r"\s*(?:cd [^\n;&|]+&& *)?(?:apply_patch|applypatch)\b")
_HEADER = re.compile(
    r"Chunk ID: |Wall time: |Original token count: |Total output lines: |Process (?:exited|running) |Exit code: "
)
_EXIT = re.compile(r"(?:Process exited with code|Exit code:) (-?\d{1,10})\Z")
_RUNNING = re.compile(r"Process running with session ID (\d{1,18})\Z")
_HEADER_LINES: Final = 12
_REFUSED: Final = (
    "unsupported call:",
    "unsupported custom tool call:",
    "failed to parse function arguments",
    "exec_command failed",
    "write_stdin failed",
    "execution error:",
    "apply_patch verification failed",
)
_STOPPED: Final = ("aborted by user", "exec command rejected by user", "patch rejected by user", "rejected by user")
_TIMED_OUT: Final = ("command timed out", "Command timed out")
_SHELL_FLAGS: Final = ("-lc", "-c", "-Command", "-command", "/c", "/C")
_DRIVE = re.compile(r"[A-Za-z]:[\\/]")


@dataclass(frozen=True, slots=True)
class Verdict:
    """What a completed item says of a call, which its answer may not say."""

    failed: bool = False
    exit_code: int | None = None
    stopped: bool = False


@dataclass(frozen=True, slots=True)
class Ending:
    """How a call ended.

    Attributes:
        running: The number of the process when it still runs; its end is told later.
    """

    failure: FailureType
    exit_code: int | None
    text: str
    running: str = ""


@dataclass(frozen=True, slots=True)
class Aim:
    """What a call is, before it is told: `paths` of a patch, the first of which is the target."""

    tool: str
    action: ActionType
    given: dict[str, Any]
    target: str | None
    cwd: str
    paths: tuple[str, ...] = ()
    written: str = ""


def name_of(payload: dict[str, Any]) -> str:
    """A tool's name; one of a server with the server before it."""
    name, space = payload.get("name"), payload.get("namespace")
    name = name if isinstance(name, str) else ""
    if isinstance(space, str) and space.startswith("mcp__") and not name.startswith(space):
        return f"{space}__{name}"
    return name


def given_of(payload: dict[str, Any]) -> dict[str, Any]:
    """The arguments of a call: a JSON string, or for a free-form tool its text under `input`."""
    if isinstance(payload.get("input"), str):
        return {"input": payload["input"]}
    arguments = payload.get("arguments")
    if isinstance(arguments, str):
        try:
            arguments = json.loads(arguments)
        except (ValueError, RecursionError):
            return {"input": arguments}
    return arguments if isinstance(arguments, dict) else {}


def aim(tool: str, given: dict[str, Any], cwd: str) -> Aim:
    """What a call does and to what; a patch that is given to the shell is a patch."""
    folder = given.get("workdir") or given.get("working_directory")
    cwd = folder if isinstance(folder, str) and folder else cwd
    kind: ActionType = _ACTIONS.get(tool) or ("lookup" if source_type(tool) else "other")
    patch, command = "", ""
    if kind == "shell":
        command, patch = _command(given)
    elif kind == "write":
        patch = next((value for key in ("input", "patch") if isinstance(value := given.get(key), str)), "")
    if patch:
        paths = tuple(dict.fromkeys(joined(cwd, path) for path in _FILES.findall(patch)))
        added = "\n".join(_ADDED.findall(patch))[: tools.WRITTEN_CHARS]
        return Aim(PATCH, "write", given, paths[0] if paths else None, cwd, paths, added)
    return Aim(tool, kind, given, command if kind == "shell" else tools.target("", given), cwd)


def _command(given: dict[str, Any]) -> tuple[str, str]:
    """The command of a shell call, and the patch it applies, if it does only that."""
    words = given.get("cmd") if "cmd" in given else given.get("command")
    if isinstance(words, list):
        told = [word for word in words if isinstance(word, str)]
        if len(told) > 1 and told[0] in (PATCH, "applypatch"):
            return told[1], told[1]
        words = told[2] if len(told) > 2 and told[1] in _SHELL_FLAGS else shlex.join(told)
    if not isinstance(words, str):
        return "", ""
    return words, words if "*** Begin Patch" in words and _HEREDOC.match(words) else ""


def joined(cwd: str, path: str) -> str:
    """A patch's path from the folder the agent stood in."""
    if _DRIVE.match(cwd):
        return ntpath.normpath(ntpath.join(cwd, path))
    return posixpath.normpath(posixpath.join(cwd, path))


def output_of(payload: dict[str, Any]) -> tuple[str, bool]:
    """The text of an answer, and whether it is marked as a failure (a mark of success says nothing)."""
    output = payload.get("output")
    marked = False
    if isinstance(output, dict):
        marked = output.get("success") is False
        output = output.get("content", output.get("body"))
    return tools.flat(output), marked


def ending(action: ActionType | None, text: str, verdict: Verdict | None, *, marked: bool = False) -> Ending:
    """How a call ended, by its answer and by what a completed item said of it."""
    code, running, body = _parts(text)
    if (verdict is not None and verdict.stopped) or body.startswith(_STOPPED):
        return Ending("aborted", None, body)
    if verdict is not None and verdict.exit_code is not None:
        code = verdict.exit_code
    refused = marked or body.startswith(_REFUSED)
    if action == "shell":
        if running and (verdict is None or verdict.exit_code is None) and not refused:
            return Ending("", None, body, running)
        if not code and not refused and not (verdict is not None and verdict.failed):
            return Ending("", code, body)
        return Ending("timeout" if body.startswith(_TIMED_OUT) else "exit", code, body)
    if action == "write":
        done = code == 0 or body.startswith("Success.") or (verdict is not None and not verdict.failed)
        return Ending("" if done and not refused else "error", None, body)
    return Ending("error" if refused or (verdict is not None and verdict.failed) else "", None, body)


def _parts(text: str) -> tuple[int | None, str, str]:
    """An answer taken apart: exit code, number of a running process, and the output itself."""
    if text.startswith("{") and (old := _old(text)) is not None:
        return old
    code, running, at = None, "", 0
    for _ in range(_HEADER_LINES):
        line, end, _ = text[at : at + 200].partition("\n")
        if line == "Output:":
            return code, running, text[at + len(line) + len(end) :]
        if not _HEADER.match(line):
            return code, running, text[at:]
        if found := _EXIT.match(line):
            code = int(found[1])
        elif found := _RUNNING.match(line):
            running = found[1]
        at += len(line) + 1
    return code, running, text[at:]


def _old(text: str) -> tuple[int | None, str, str] | None:
    """The JSON answer of older versions: `{"output": ..., "metadata": {"exit_code": ...}}`."""
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return None
    metadata = value.get("metadata") if isinstance(value, dict) else None
    if not isinstance(metadata, dict) or not isinstance(value.get("output"), str):
        return None
    code = metadata.get("exit_code")
    return code if type(code) is int else None, "", value["output"]


def verdict_of(item: dict[str, Any]) -> Verdict:
    """What a completed item says: a command's exit code, a tool of a server that answered with an error."""
    status, code, result = item.get("status"), item.get("exit_code"), item.get("result")
    failed = status == "failed" or item.get("success") is False
    if isinstance(result, dict):
        inner = fields(result.get("Ok")) or result
        failed = failed or inner.get("isError") is True or inner.get("is_error") is True or "Err" in result
    code = code if type(code) is int else None
    return Verdict(failed=failed or bool(code), exit_code=code, stopped=status == "declined")
