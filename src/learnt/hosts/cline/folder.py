"""Where Cline and Roo keep sessions, and what the files beside a transcript say of it."""

from __future__ import annotations

import os
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from learnt.hosts.reading.records import decoded
from learnt.hosts.reading.value import fields, from_millis, instant, text

if TYPE_CHECKING:
    from collections.abc import Mapping

HISTORY: Final = "api_conversation_history.json"
MESSAGES: Final = ".messages.json"
EXTENSION: Final = "cline-vscode"
"""What the extensions' sessions are called in the ground truth of the samples."""
CLINE_EXTENSION: Final = "saoudrizwan.claude-dev"
ROO_EXTENSION: Final = "rooveterinaryinc.roo-cline"
_EDITORS: Final = ("Code", "Code - Insiders", "VSCodium", "Cursor", "Windsurf")
_MAX_BESIDE_BYTES: Final = 4 << 20
_TITLE_CHARS: Final = 500


@dataclass(frozen=True, slots=True, kw_only=True)
class Facts:
    """What is known of a session from outside its messages.

    Attributes:
        running: Its client says that it still goes on.
        typed: Nothing says that a program wrote the prompts.
    """

    session_id: str
    agent: str = ""
    version: str = ""
    cwd: str = ""
    branch: str = ""
    model: str = ""
    started_at: str = ""
    ended_at: str = ""
    title: str = ""
    parent: str = ""
    running: bool = False
    interactive: bool = False
    typed: bool = True


def transcript_of(path: Path) -> Path:
    """The file with the messages: the one that was named, or that of the named folder or manifest."""
    if path.is_dir():
        named = path / f"{path.name}{MESSAGES}"
        return next((file for file in (named, path / HISTORY) if file.is_file()), named)
    if path.name.endswith(MESSAGES) or path.suffix != ".json":
        return path
    beside = path.with_name(path.stem + MESSAGES)
    return beside if beside.is_file() else path


def facts_of(path: Path, members: Mapping[str, Any]) -> Facts:
    """The facts of a transcript.

    Args:
        members: What its own document says besides the messages; empty for the extensions'.
    """
    return _command_line(path, members) if members or path.name.endswith(MESSAGES) else _extension(path)


def _command_line(path: Path, members: Mapping[str, Any]) -> Facts:
    name = path.name.removesuffix(MESSAGES)
    manifest = beside(path, f"{name}.json") if name != path.name else {}
    origin, known = fields(members.get("origin")), fields(manifest.get("metadata"))
    started, ended = text(manifest, "started_at"), text(manifest, "ended_at")
    return Facts(
        session_id=text(dict(members), "sessionId") or text(manifest, "session_id") or name,
        version=text(origin, "version"),
        cwd=text(manifest, "cwd") or text(manifest, "workspace_root"),
        branch=text(fields(known.get("git")), "branch"),
        model=text(manifest, "model"),
        started_at=instant(started),
        ended_at=instant(ended),
        title=text(known, "title")[:_TITLE_CHARS],
        parent=text(origin, "parentSessionId"),
        running=text(manifest, "status") == "running",
        interactive=manifest.get("interactive") is True,
        typed=manifest.get("interactive") is not False,
    )


def _extension(path: Path) -> Facts:
    """The extensions are used by a person at an editor; a task that another task started is no person's."""
    item = beside(path, "history_item.json") or _listed(path)
    models = beside(path, "task_metadata.json").get("model_usage")
    used = fields(models[-1]) if isinstance(models, list) and models else {}
    parent = text(item, "parentTaskId")
    return Facts(
        session_id=text(item, "id") or path.parent.name or path.stem,
        agent=EXTENSION,
        cwd=text(item, "workspace") or text(item, "cwdOnTaskInitialization"),
        model=text(used, "model_id"),
        parent=parent,
        running=text(item, "status") == "active",
        interactive=not parent,
        started_at=from_millis(int(path.parent.name)) if path.parent.name.isdecimal() else "",
    )


def _listed(path: Path) -> dict[str, Any]:
    """What Cline's list of all tasks says of this one."""
    listing = path.parent.parent.parent / "state" / "taskHistory.json"
    value = _loaded(listing)
    tasks = value if isinstance(value, list) else []
    return next((fields(task) for task in tasks if fields(task).get("id") == path.parent.name), {})


def beside(path: Path, name: str) -> dict[str, Any]:
    """A JSON object from a file beside another; {} when there is none."""
    return fields(_loaded(path.with_name(name)))


def _loaded(path: Path) -> Any:
    try:
        with path.open("rb") as file:
            return decoded(file.read(_MAX_BESIDE_BYTES))
    except (OSError, ValueError, RecursionError):
        return None


def sessions_folder(environment: Mapping[str, str], home: Path) -> Path:
    """Where Cline's command line keeps its sessions."""
    moved = environment.get("CLINE_DIR", "")
    return (home.joinpath(moved) if moved else home / ".cline") / "data" / "sessions"


def task_folders(environment: Mapping[str, str], home: Path, extension: str) -> tuple[Path, ...]:
    """Where an extension keeps its tasks, in every editor that runs it."""
    users = (root / editor / "User" for root in _roots(environment, home) for editor in _EDITORS)
    return tuple(user / "globalStorage" / extension / "tasks" for user in users)


def _roots(environment: Mapping[str, str], home: Path) -> tuple[Path, ...]:
    if sys.platform == "darwin":
        return (home / "Library" / "Application Support",)
    if os.name == "nt":
        return (Path(environment.get("APPDATA") or home / "AppData" / "Roaming"),)
    return (Path(environment.get("XDG_CONFIG_HOME") or home / ".config"),)
