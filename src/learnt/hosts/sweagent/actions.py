"""What an action of SWE-agent is: a command of its own interface, or a shell command; and how it ended.

An edit of its interface goes to the file that is open. The format has no exit codes: of a shell command only what the
environment itself says about it tells a failure.
"""

from __future__ import annotations

import itertools
import posixpath
import re
import shlex
from typing import TYPE_CHECKING, Any, Final

from learnt.hosts.reading.moment import End, Use
from learnt.hosts.reading.value import text

if TYPE_CHECKING:
    from learnt.model.session import ActionType

_OWN: Final[dict[str, ActionType]] = {
    **dict.fromkeys(("create", "edit", "insert", "str_replace_editor", "append", "write"), "write"),
    **dict.fromkeys(("open", "view", "goto", "scroll_up", "scroll_down", "filemap"), "read"),
    **dict.fromkeys(("search_dir", "search_file", "find_file", "set_cursors", "submit", "exit_forfeit"), "other"),
    **dict.fromkeys(("exit_cost", "exit_context", "exit_format", "exit_error", "skip", "view_image"), "other"),
}
_OPENED: Final = frozenset(["create", "open", "view", "str_replace_editor", "filemap", "write"])
"""Commands that name their file themselves."""
_WROTE: Final = frozenset(["create", "str_replace", "insert", "undo_edit"])
_EDIT_FAILED: Final = (
    "Your proposed edit has introduced new syntax error",
    "No replacement was performed",
    "No file open",
    "Error: ",
    "ERROR: ",
    "Invalid ",
    "Usage: ",
    "usage: ",
    "The path ",
    "Text not found",
    "Your edit was not applied",
)
_REFUSED: Final = ("Operation '", "Your bash command contained syntax errors")
_TIMED_OUT: Final = re.compile(
    r"\s{0,4}(?:EXECUTION TIMED OUT|COMMAND TIMED OUT|The command '.{0,400}?' was cancelled because it took more than)",
    re.DOTALL,
)
_CODE: Final = re.compile(r"\s{0,4}<returncode>(-?\d{1,10})</returncode>")
_UNKNOWN: Final = re.compile(r"\s{0,4}(?:/bin/)?(?:ba)?sh: (?:line \d+: )?[^\s:]{1,200}: command not found\s*\Z")
_NOT_FOUND: Final = 127
"""The code with which a shell says that there is no such command. Source: POSIX, exit status of commands."""
_END: Final = "end_of_edit"


def use(call_id: str, action: str, folder: str, opened: str) -> Use:
    """An action as a line of text.

    Args:
        folder: Where the agent stood.
        opened: The file that is open; "" when none is.
    """
    line, _, rest = action.strip().partition("\n")
    tool = line.split(maxsplit=1)[0] if line else ""
    sort = _OWN.get(tool)
    if sort is None:
        return Use(call_id=call_id, tool="bash", action="shell", target=action.strip())
    words = _split(line)
    given = {"command": line} if sort != "write" else {}
    if tool == "str_replace_editor":
        return _editor(call_id, _split(action.strip())[1:])
    path = next((word for word in words[1:] if not word.isdecimal()), "") if tool in _OPENED else opened
    target = posixpath.normpath(posixpath.join(folder, path)) if path else None
    shown = target if sort in ("read", "write") else None
    written = _written(tool, action.strip(), rest.rstrip()) if sort == "write" else ""
    return Use(call_id=call_id, tool=tool, action=sort, target=shown, given=given, text=written)


def _written(tool: str, action: str, rest: str) -> str:
    """The new text: the lines up to the end mark, or what is quoted last of a search and its replacement."""
    if rest.endswith(_END):
        return rest.removesuffix(_END)
    words = _split(action)
    place = {"edit": 2, "insert": 1}.get(tool, len(words))
    return words[place] if place < len(words) else rest


def called(call_id: str, tool: str, given: dict[str, Any], opened: str) -> Use:
    """A call of a tool with its input."""
    if tool in ("bash", "execute_bash", ""):
        return Use(call_id=call_id, tool="bash", action="shell", target=text(given, "command") or None, given=given)
    sort = _OWN.get(tool, "other")
    if tool == "str_replace_editor" and text(given, "command") not in _WROTE:
        sort = "read"
    path = text(given, "path") or text(given, "filename") or text(given, "file_name") or opened
    written = text(given, "file_text") or text(given, "new_str") or text(given, "replacement_text")
    target = (path or None) if sort in ("read", "write") else None
    return Use(call_id=call_id, tool=tool, action=sort, target=target, given=given, text=written)


def end(made: Use, seen: str) -> End:
    """How an action ended. Only what the environment says at the beginning counts."""
    if _TIMED_OUT.match(seen):
        return End(text=seen, failure="timeout" if made.action == "shell" else "error")
    if made.action != "shell":
        return End(text=seen, failure="error" if seen.lstrip().startswith(_EDIT_FAILED) else "")
    if found := _CODE.match(seen):
        code = int(found.group(1))
        return End(text=seen, failure="exit" if code else "", exit_code=code)
    if _UNKNOWN.match(seen):
        return End(text=seen, failure="exit", exit_code=_NOT_FOUND)
    refused = seen.lstrip().startswith(_REFUSED)
    return End(text=seen, failure="exit" if refused else "", unsaid=not refused)


def _editor(call_id: str, words: list[str]) -> Use:
    """The editor with a file and options on one command line."""
    command, path = (*words, "", "")[:2]
    options = dict(itertools.pairwise(words[2:]))
    written = options.get("--file_text") or options.get("--new_str") or ""
    sort: ActionType = "write" if command in _WROTE else "read"
    given = {"command": command}
    return Use(call_id=call_id, tool="str_replace_editor", action=sort, target=path or None, given=given, text=written)


def _split(line: str) -> list[str]:
    try:
        return shlex.split(line)
    except ValueError:
        return line.split()
