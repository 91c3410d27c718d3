"""What a host would say at an event, to try its hook with: the start of a session, or its first event that counts."""

from __future__ import annotations

import tomllib
from typing import TYPE_CHECKING, Any, Final

from learnt.errors import ConfigError
from learnt.hosts.wiring.edit import parsed
from learnt.hosts.wiring.hook import is_ours

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

    from learnt.hosts.wiring.site import Fitting, Site

SESSION: Final = "learnt-doctor"
"""Always the same session taken up again, so that what it was given once is not given, and counted, every time."""

_AGAIN: Final = "again"
"""Where taking up a session begins a new context, this does not."""


def trial(host: str, folder: str) -> tuple[str, dict[str, Any]]:
    """The event to try, and its payload; ("", {}) for a host without hooks.

    Source: payloads recorded from the real clients, and documentation where none was run.
    """
    snake = {"session_id": SESSION, "cwd": folder, "source": "resume"}
    match host:
        case "claude-code" | "codex":
            return "session-start", {**snake, "hook_event_name": "SessionStart"}
        case "gemini-cli":
            return "session-start", {**snake, "source": _AGAIN, "hook_event_name": "SessionStart"}
        case "pi" | "oh-my-pi":
            return "session-start", {**snake, "transcript_path": ""}
        case "copilot-cli":
            return "session-start", {"sessionId": SESSION, "timestamp": 0, "cwd": folder, "source": _AGAIN}
        case "cursor":
            given = {"conversation_id": SESSION, "hook_event_name": "sessionStart", "workspace_roots": [folder]}
            return "session-start", {**given, "source": "resume"}
        case "opencode":
            return "session-created", {"cwd": folder, "input": {"sessionID": SESSION}, "source": "resume"}
        case "cline":
            body = {"hookName": "tool_call", "preToolUse": {"toolName": "list_files", "parameters": {}}}
            place = {"workspaceRoots": [folder], "workspaceInfo": {"rootPath": folder}}
            return "pre-tool-use", {"sessionContext": {"rootSessionId": SESSION}, "taskId": SESSION, **place, **body}
        case "openhands":
            message = {"event_type": "UserPromptSubmit", "message": "learnt doctor"}
            return "user-prompt-submit", {"session_id": SESSION, "working_dir": folder, **message}
        case _:
            return "", {}


def shaped(host: str, answer: Mapping[str, Any]) -> bool:
    """Whether an answer is one that the host reads; Codex reads no answer with a member it does not know."""
    match host:
        case "claude-code" | "codex" | "gemini-cli":
            inner = answer.get("hookSpecificOutput", {})
            return answer.keys() <= {"hookSpecificOutput", "systemMessage"} and inner.keys() <= _NESTED
        case "cursor":
            return answer.keys() == {"additional_context"}
        case "cline":
            return answer.keys() == {"contextModification", "cancel"}
        case _:
            return answer.keys() == {"additionalContext"}


_NESTED: Final = {"hookEventName", "additionalContext"}


def obstacles(fitting: Fitting, site: Site) -> Sequence[str]:
    """What a person still has to do before the host runs what is wired, as far as its files tell."""
    paths = [piece.path for piece in fitting.wired(site)]
    if fitting.host == "codex":
        hooks, config = paths
        state = _toml(config).get("hooks", {})
        known = state.get("state", {}) if isinstance(state, dict) else {}
        untrusted = [event for event, place in _places(_json(hooks)) if f"{hooks}:{place}" not in known]
        if untrusted:
            return (f"codex does not run hooks that you have not trusted yet: {', '.join(untrusted)}",)
        return ("codex has turned hooks off",) if _off(_toml(config), "features", "hooks") else ()
    if fitting.host == "gemini-cli" and _off(_json(paths[0]), "hooksConfig", "enabled"):
        return (f"gemini-cli has turned hooks off in {paths[0]}",)
    return ()


def _places(settings: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Our hooks as Codex names them where it keeps trust: the event, and the place among the hooks of the event."""
    for event, groups in settings.get("hooks", {}).items():
        name = "".join(f"_{letter.lower()}" if letter.isupper() else letter for letter in event).strip("_")
        for group, held in enumerate(groups if isinstance(groups, list) else ()):
            entries = held.get("hooks") if isinstance(held, dict) else None
            for entry, hook in enumerate(entries if isinstance(entries, list) else ()):
                if isinstance(hook, dict) and is_ours(hook.get("command")):
                    yield name, f"{name}:{group}:{entry}"


def _off(found: Mapping[str, Any], section: str, key: str) -> bool:
    part = found.get(section)
    return isinstance(part, dict) and part.get(key) is False


def _read(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError):
        return ""


def _toml(path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(_read(path))
    except tomllib.TOMLDecodeError:
        return {}


def _json(path: Path) -> dict[str, Any]:
    try:
        return parsed(_read(path), comments=True)
    except ConfigError:
        return {}
