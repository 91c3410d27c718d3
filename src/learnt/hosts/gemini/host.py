"""Gemini CLI as a host: how its sessions are told, where they lie, and which project each is of.

`tmp/<project>/chats/session-<time>-<id>.jsonl` under the client's folder; `<project>` is a short name the client keeps
a list of, in older versions the SHA-256 of the path. The client deletes sessions older than 30 days when it starts.
"""

from __future__ import annotations

import hashlib
import json
import re
from itertools import islice
from typing import TYPE_CHECKING, Any, Final

from learnt.errors import LearntError
from learnt.hosts.gemini.chat import ChatReader
from learnt.hosts.host import Asked, Fit, Host, newest, settings_of, size_of
from learnt.hosts.reading import whole
from learnt.hosts.reading.records import Record, records
from learnt.hosts.reading.rewind import messages_of
from learnt.hosts.reading.value import fields, text

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from pathlib import Path

_LOOKED_AT: Final = 8
_MAX_LIST_BYTES: Final = 4 << 20
_STRAY_BYTES: Final = 64 << 10
_ID_CHARS: Final = 8
_TYPES: Final = frozenset(["user", "gemini", "info", "error", "warning"])
_CONTEXT: Final = "<session_context>"
_KEPT_DAYS: Final = 30.0
_AGE = re.compile(r"(\d{1,6})([hdwm])")
_UNIT_DAYS: Final = {"h": 1 / 24, "d": 1.0, "w": 7.0, "m": 30.0}


def recognises(path: Path) -> Fit:
    """By the header: a session's id and the hash of its project."""
    if not path.is_file():
        return "no"
    begin = whole.head(path)
    if b'"projectHash"' not in begin and b'"sessionId"' not in begin:
        return "no"
    if path.suffix == ".json":
        return "sure" if b'"projectHash"' in begin and b'"sessionId"' in begin else "no"
    for item in islice(records(path), _LOOKED_AT):
        if isinstance(item, Record) and "uuid" not in item.fields:
            if "sessionId" in item.fields and "projectHash" in item.fields:
                return "sure"
            if "$set" in item.fields or (text(item.fields, "type") in _TYPES and "content" in item.fields):
                return "sure"
    return "no"


def _reads(asked: Asked) -> ChatReader:
    return ChatReader(asked, project_of(asked.path), size_of(asked))


def folders(environment: Mapping[str, str], home: Path) -> tuple[Path, ...]:
    """The client's own folder: `.gemini` in the home folder, or in `GEMINI_CLI_HOME`."""
    moved = environment.get("GEMINI_CLI_HOME", "")
    return ((home.joinpath(moved) if moved else home) / ".gemini",)


def files(folder: Path) -> tuple[Path, ...]:
    """Every session, newest first, each once; no sub-agents."""
    groups: dict[tuple[Path, str], list[Path]] = {}
    for path in newest(folder.glob("tmp/*/chats/session-*.json*")):
        if path.suffix in (".json", ".jsonl"):
            groups.setdefault((path.parent, path.stem[-_ID_CHARS:]), []).append(path)
    return newest(path for group in groups.values() for path in _sessions(group))


def _sessions(group: list[Path]) -> Iterator[Path]:
    """Of the files with one id those that hold a conversation of their own.

    A document goes on as a log of the same name, which begins with all of it; and a start that came to nothing may
    leave a file with a header and the client's own words.
    """
    logs = {path.with_suffix("") for path in group if path.suffix == ".jsonl"}
    own = [path for path in group if path.suffix == ".jsonl" or path.with_suffix("") not in logs]
    spoken = [path for path in own if len(own) == 1 or not _is_stray(path)]
    yield from spoken or own[:1]


def _is_stray(path: Path) -> bool:
    """Whether a small file holds no word of a person or the agent."""
    try:
        if path.suffix != ".jsonl" or path.stat().st_size > _STRAY_BYTES:
            return False
        return not any(_is_said(item.fields) for item in records(path) if isinstance(item, Record))
    except (OSError, LearntError):
        return False


def _is_said(row: dict[str, Any]) -> bool:
    return any(
        message.get("type") == "gemini" or (message.get("type") == "user" and _CONTEXT not in json.dumps(message))
        for message in messages_of(row)
    )


def keeps_days(folder: Path) -> float | None:
    """By the client's setting `general.sessionRetention`: 30 days, another age such as `2w`, or for ever."""
    kept = fields(fields(settings_of(folder / "settings.json").get("general")).get("sessionRetention"))
    if kept.get("enabled") is False:
        return None
    age = _AGE.fullmatch(text(kept, "maxAge"))
    return int(age[1]) * _UNIT_DAYS[age[2]] if age else _KEPT_DAYS


def project_of(path: Path) -> str:
    """The folder a session ran in, by where its file lies; "" where nothing says it."""
    chats = next((parent for parent in path.parents if parent.name == "chats"), None)
    if chats is None:
        return ""
    project = chats.parent
    try:
        with (project / ".project_root").open("rb") as file:
            if root := file.read(_MAX_LIST_BYTES).decode("utf-8", "replace").strip():
                return root
    except OSError:
        pass
    return _listed(_list(project.parent.parent / "projects.json"), project.name)


def _list(path: Path) -> Iterable[tuple[str, Any]]:
    """The client's list of projects: path and short name."""
    try:
        with path.open("rb") as file:
            return fields(fields(json.loads(file.read(_MAX_LIST_BYTES))).get("projects")).items()
    except (OSError, ValueError, RecursionError):
        return ()


def _listed(projects: Iterable[tuple[str, Any]], name: str) -> str:
    """The path that has this short name, or this hash."""
    for path, short in projects:
        if short == name or hashlib.sha256(path.encode("utf-8", "replace")).hexdigest() == name:
            return path
    return ""


HOST: Final = Host(
    name="gemini-cli",
    recognises=recognises,
    reads=_reads,
    folders=folders,
    files=files,
    resumes=False,
    keeps_days=keeps_days,
)
