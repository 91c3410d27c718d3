"""What opencode's tools do, and how a call of one ended. A success flag is none."""

from __future__ import annotations

import posixpath
import re
from typing import Any, Final

from learnt.hosts.reading.moment import End, Use
from learnt.hosts.reading.toolbox import Toolbox, several
from learnt.hosts.reading.value import inner, text

_TOOLS: Final = Toolbox(
    actions={
        "bash": "shell",
        "shell": "shell",
        "edit": "write",
        "write": "write",
        "multiedit": "write",
        "patch": "write",
        "apply_patch": "write",
        "read": "read",
        "task": "agent",
        "webfetch": "lookup",
        "websearch": "lookup",
        "codesearch": "lookup",
    },
    paths=("filePath", "path"),
    texts=("content", "newString"),
)
REFUSED: Final = "The user rejected permission to use this specific tool call"
FEEDBACK: Final = " with the following feedback: "
_STOPPED: Final = ("Tool execution aborted", REFUSED, "The user dismissed this question")
_NOTE: Final = re.compile(r"<(shell|bash)_metadata>(.*?)</\1_metadata>\s*\Z", re.DOTALL)
_NOTE_CHARS: Final = 2_000
_PATCHED: Final = re.compile(r"^\*\*\* (?:Add|Update|Delete) File: (.+?)\s*$", re.MULTILINE)


def uses(tool: str, call_id: str, given: dict[str, Any], cwd: str) -> list[Use]:
    """A call as it is told: a patch of several files is several writes of one call."""
    named = text(given, "tool") if tool == "invalid" else tool
    use = _TOOLS.use(named or "invalid", call_id, given)
    patch = text(given, "patchText")
    if use.action != "write" or not patch:
        return [use]
    return several(use, (posixpath.join(cwd, path) for path in _PATCHED.findall(patch)), patch)


def end(tool: str, use: Use, state: dict[str, Any]) -> End:
    """How a call ended. Source: opencode's own record of it, `state.status` and `state.metadata.exit`."""
    metadata = inner(state, "metadata")
    if state.get("status") == "error":
        told = text(state, "error")
        stopped = told.startswith(_STOPPED) or metadata.get("interrupted") is True
        return End(text=told, failure="aborted" if stopped else "exit" if use.action == "shell" else "error")
    told = text(state, "output")
    if tool == "invalid":
        return End(text=told, failure="error")
    if use.action != "shell" or "exit" not in metadata:
        return End(text=told)
    return _shell(told, metadata["exit"])


def _shell(told: str, code: object) -> End:
    """A command's end; without a code it was ended from outside, and a note behind the output says why."""
    if isinstance(code, int) and not isinstance(code, bool):
        return End(text=told, failure="exit" if code else "", exit_code=code)
    note = _NOTE.search(told[-_NOTE_CHARS:])
    if note is None:
        return End(text=told, failure="exit")
    return End(text=told, failure="aborted" if "abort" in note.group(2).lower() else "timeout")
