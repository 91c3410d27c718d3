"""What the tool calls in a hook's payload do, in the words of all hosts but Claude Code. Hook-safe.

Names of tools and of their arguments differ little from host to host, so one table serves them all.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from learnt.hosts.dialects import Inside

    Action = tuple[str, str, str]
    """Shell, write or other; its command or path; the text it is about to write."""

_SHELLS = frozenset(
    (
        *("bash", "shell", "powershell", "terminal", "local_shell", "exec_command", "execute_command"),
        *("run_shell_command", "run_commands", "run_terminal_cmd", "execute_bash"),
    )
)
_WRITES = frozenset(
    (
        *("edit", "write", "multiedit", "notebookedit", "create", "replace", "write_file", "edit_file", "editor"),
        *("str_replace", "strreplace", "str_replace_editor", "file_editor", "search_replace", "write_to_file"),
        *("replace_in_file", "apply_diff", "insert_content"),
    )
)
_PATCHES = frozenset(("apply_patch", "applypatch"))
_COMMANDS = ("command", "cmd", "commands")
_PATHS = ("file_path", "path", "filePath", "notebook_path", "absolute_path", "target_file")
_TEXTS = (
    *("content", "contents", "new_string", "new_str", "newString", "new_source", "file_text", "edits", "new_text"),
    *("insert_text", "diff"),
)
_PATCH_TEXTS = ("command", "input", "patch", "patchText")
_PATCH_MARKS = ("*** Add File: ", "*** Update File: ", "*** Delete File: ", "*** Move to: ")
_MOST_ACTIONS = 12


def calls_of(host: str, given: Mapping[str, str], found: Mapping[str, str], inside: Inside) -> list[tuple[str, str]]:
    """The tool calls of an event: name and arguments. Copilot CLI tells several in one list."""
    if host == "copilot-cli" and given.get("toolCalls"):
        each_of = [inside(call) for call in inside(given["toolCalls"]).values()]
        return [(call.get("name", ""), call.get("args", "")) for call in each_of]
    return [(found.get("tool_name", ""), found.get("tool_input", ""))]


def actions_of(calls: Iterable[tuple[str, str]], inside: Inside) -> tuple[Action, ...]:
    """What tool calls are about to do, or did; of a patch one action a file, of a list of commands one each."""
    actions: list[Action] = []
    for name, arguments in calls:
        tool, given = name.lower(), inside(arguments)
        if tool in _PATCHES:
            patch = next((given[key] for key in _PATCH_TEXTS if given.get(key)), arguments)
            actions.extend(_patched(patch))
        elif tool in _SHELLS:
            command = next((given[key] for key in _COMMANDS if given.get(key)), "")
            actions.extend(("shell", each, "") for each in _commands(command, inside) if each)
        elif tool in _WRITES and given.get("command") != "view":
            path = next((given[key] for key in _PATHS if given.get(key)), "")
            actions.append(("write", path, "\n".join(given[key] for key in _TEXTS if given.get(key))))
    return tuple(actions[:_MOST_ACTIONS])


def _commands(command: str, inside: Inside) -> list[str]:
    """A command, the commands of a list, or the script of `bash -lc SCRIPT`."""
    words = list(inside(command).values()) if command.startswith("[") else []
    if not words:
        return [command]
    if len(words) == 3 and words[1] in ("-c", "-lc"):
        return [words[2]]
    return words


def _patched(patch: str) -> list[Action]:
    """The files of a patch, each with the lines it is to get."""
    found: list[tuple[str, list[str]]] = []
    for line in patch.splitlines():
        mark = next((mark for mark in _PATCH_MARKS if line.startswith(mark)), "")
        if mark:
            found.append((line[len(mark) :].strip(), []))
        elif line.startswith("+") and found:
            found[-1][1].append(line[1:])
    return [("write", path, "\n".join(lines)) for path, lines in found]
