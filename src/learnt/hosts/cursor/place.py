"""Which folder a conversation of Cursor belongs to; most of its records do not say."""

from __future__ import annotations

import os
import re
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import unquote, urlsplit

from learnt.errors import LearntError
from learnt.hosts.reading.cut import decoded
from learnt.hosts.reading.foreign import connected, loaded, tables
from learnt.hosts.reading.lines import opened
from learnt.hosts.reading.value import inner, text

if TYPE_CHECKING:
    from collections.abc import Iterator

_MAX_BYTES: Final = 1 << 20
_MAX_LISTED: Final = 20_000
_DRIVE: Final = re.compile(r"/[A-Za-z]:/")
_NOT_PLAIN: Final = re.compile(r"[^A-Za-z0-9]")


def folder_of(uri: str) -> str:
    """The folder a `file:` address names; "" for any other."""
    try:
        parts = urlsplit(uri)
    except ValueError:
        return ""
    path = unquote(parts.path)
    if parts.scheme != "file" or (parts.netloc and parts.netloc != "localhost"):
        return ""
    return path[1:] if _DRIVE.match(path) else path


def folder_said(fields: dict[str, Any]) -> str:
    """What a conversation's own record says of its folder."""
    uri = inner(inner(fields, "workspaceIdentifier"), "uri")
    tracked = fields.get("trackedGitRepos")
    first = tracked[0] if isinstance(tracked, list) and tracked and isinstance(tracked[0], dict) else {}
    return text(uri, "fsPath") or folder_of(text(uri, "external")) or text(first, "repoPath")


def folder_listed(base: Path, session: str) -> str:
    """The workspace whose own database lists the conversation, as releases before 3.0 had it."""
    storage = base.parent.parent / "workspaceStorage"
    found = sorted(str(path) for path in storage.glob("*/state.vscdb"))
    for folder, listed in _workspaces(tuple((path, _written(path)) for path in found)):
        if session.encode() in listed:
            return folder
    return ""


@lru_cache(maxsize=4)
def _workspaces(bases: tuple[tuple[str, int], ...]) -> tuple[tuple[str, bytes], ...]:
    """The folders of workspaces with what their databases list; one look serves a whole scan.

    Args:
        bases: The databases, each with the time it was last written.
    """
    paths = (Path(path) for path, _ in bases)
    listed = ((path, _listed(path)) for path in paths if path.with_name("workspace.json").exists())
    return tuple(
        (folder_of(text(read(path.with_name("workspace.json")), "folder")), each) for path, each in listed if each
    )


def _written(path: str) -> int:
    try:
        return Path(path).stat().st_mtime_ns
    except OSError:
        return 0


def _listed(base: Path) -> bytes:
    """What a workspace's database says of its conversations."""
    if "ItemTable" not in tables(base):
        return b""
    try:
        with connected(base) as connection:
            row = connection.execute(loaded("cursor")["item"], ("composer.composerData",)).fetchone()
    except LearntError:
        return b""
    return row[0] if row and isinstance(row[0], bytes) else b""


def project_of(path: Path) -> Path | None:
    """The folder of `~/.cursor/projects` a transcript lies in."""
    for parent in path.absolute().parents:
        if parent.name == "agent-transcripts":
            return parent.parent
    return None


def folder_trusted(project: Path) -> str:
    """The folder a project's own note names, else the only one on this disk that is written like the project's name."""
    said = text(read(project / ".workspace-trusted"), "workspacePath")
    if said:
        return said
    found = _spelt(Path(project.anchor), project.name, 0)
    first = next(found, "")
    return first if next(found, "") == "" else ""


def _spelt(folder: Path, name: str, depth: int) -> Iterator[str]:
    """Folders whose path, with everything but letters and digits as `-`, is `name`; several may be."""
    if depth > 32:
        return
    try:
        with os.scandir(folder) as entries:
            inside = [entry.name for _, entry in zip(range(_MAX_LISTED), entries, strict=False) if entry.is_dir()]
    except OSError:
        return
    for each in inside:
        plain = _NOT_PLAIN.sub("-", each)
        if name == plain:
            yield str(folder / each)
        elif name.startswith(plain + "-"):
            yield from _spelt(folder / each, name[len(plain) + 1 :], depth + 1)


def noted(project: Path, session: str) -> dict[str, Any]:
    """What the client's command line notes beside a session: its folder and times."""
    for path in (project.parent.parent / "chats").glob(f"*/{session}/meta.json"):
        return read(path)
    return {}


def read(path: Path) -> dict[str, Any]:
    """The object in a small file; an empty one when there is none."""
    try:
        with opened(path) as file:
            return decoded(file.read(_MAX_BYTES)) or {}
    except (LearntError, OSError):
        return {}
