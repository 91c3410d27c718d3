"""What the hooks of Claude Code say and expect: events, tools, limits, machine-made prompts. Hook-safe.

Its words are those that stand for every host here; `dialects` brings the others to them.

Source: payloads recorded from the real client (Claude Code 2.1), and its hook documentation.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

EVENT_NAMES = {
    "session-start": "SessionStart",
    "user-prompt-submit": "UserPromptSubmit",
    "pre-tool-use": "PreToolUse",
    "session-end": "SessionEnd",
    "subagent-start": "SubagentStart",
}
"""Our event word -> Claude Code's name, for the events that do something."""

MAX_CHARS = {"claude-code": 9_000, "codex": 6_600}
"""Most characters of one injection, 9,000 where nothing is said: a host's limit, above which it shows a preview, less a
tenth. Source: Claude Code's 10,000 characters; Codex's 2,500 tokens, of which 2,200 are 6,600 characters here."""

MAX_BYTES = {"codex": 9_600}
"""Most of one injection where the host counts bytes: Codex takes four for a token, and shows 2,500 tokens."""

TRIES = 4
"""So often a text is made shorter before it is given as it is."""


def narrowed(host: str, most_chars: int, text: str) -> int:
    """So many characters to try next where `text` is too long for a host that counts bytes; else as many as before."""
    most, size = MAX_BYTES.get(host), len(text.encode())
    return most_chars if not most or size <= most else most_chars * most // size * 19 // 20


_ACTIONS = {
    "Bash": ("shell", "command"),
    "Edit": ("write", "file_path"),
    "MultiEdit": ("write", "file_path"),
    "Write": ("write", "file_path"),
    "NotebookEdit": ("write", "notebook_path"),
    "Read": ("read", "file_path"),
}
_NEW_TEXT = ("content", "new_string", "new_source", "edits")

_MACHINE = (
    "<task-notification",
    "<local-command-",
    "<command-name>",
    "<command-message>",
    "<bash-input>",
    "<bash-stdout>",
    "<system-reminder>",
    "[Request interrupted by user",
    "Caveat: The messages below were generated",
    "This session is being continued from a previous conversation",
    "Stop hook feedback:",
)


def machine_made(prompt: str) -> bool:
    """Whether no person wrote this prompt: notices of tasks, local commands and hooks."""
    return prompt.lstrip().startswith(_MACHINE)


def action_of(tool: str, arguments: Mapping[str, str]) -> tuple[str, str, str]:
    """Of a tool call: shell, write, read or other; its command or path; the text it is about to write."""
    action, name = _ACTIONS.get(tool, ("other", ""))
    text = "\n".join(arguments[key] for key in _NEW_TEXT if arguments.get(key)) if action == "write" else ""
    return action, arguments.get(name, ""), text
