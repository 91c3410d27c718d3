"""Cline and Roo as hosts: how their files are told and where they lie."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from learnt.hosts.cline.folder import (
    CLINE_EXTENSION,
    HISTORY,
    MESSAGES,
    ROO_EXTENSION,
    beside,
    sessions_folder,
    task_folders,
    transcript_of,
)
from learnt.hosts.cline.reader import ClineReader
from learnt.hosts.host import Asked, Fit, Host, head_of, newest, same_head, size_of
from learnt.hosts.reading.alive import lives
from learnt.hosts.reading.whole import begins, head

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path
_LIVE: Final = 50
"""Sessions that may be live: the latest written."""


def recognises(path: Path) -> Fit:
    """The command line's sessions, and those of Cline's extension."""
    file = transcript_of(path)
    if file.name == HISTORY:
        return "no" if _of_roo(file) or not begins(file, b"[") else "sure"
    if not begins(file, b"{"):
        return "no"
    first = head(file)
    told = b'"messages"' in first and b'"sessionId"' in first and (b'"origin"' in first or b'"agent"' in first)
    if file.name.endswith(MESSAGES):
        return "sure" if told else "shaped"
    return "shaped" if told else "no"


def recognises_roo(path: Path) -> Fit:
    """Roo's tasks: they carry what it knows of one beside it, or lie in its folder."""
    file = transcript_of(path)
    return "sure" if file.name == HISTORY and _of_roo(file) and begins(file, b"[") else "no"


def _of_roo(file: Path) -> bool:
    return (file.parent / "history_item.json").is_file() or ROO_EXTENSION in file.parts


def _folders(environment: Mapping[str, str], home: Path) -> tuple[Path, ...]:
    return (sessions_folder(environment, home), *task_folders(environment, home, CLINE_EXTENSION))


def _roo_folders(environment: Mapping[str, str], home: Path) -> tuple[Path, ...]:
    return task_folders(environment, home, ROO_EXTENSION)


def _files(folder: Path) -> tuple[Path, ...]:
    return newest((*folder.glob(f"*/*{MESSAGES}"), *folder.glob(f"*/{HISTORY}")))


def _live(folder: Path) -> Mapping[str, str]:
    """Sessions whose manifest says that they run, while their process does."""
    found = {}
    for file in newest(folder.glob(f"*/*{MESSAGES}"))[:_LIVE]:
        name = file.name.removesuffix(MESSAGES)
        manifest = beside(file, f"{name}.json")
        pid = manifest.get("pid")
        if manifest.get("status") == "running" and isinstance(pid, int) and lives(pid, None):
            found[name] = "busy"
    return found


def _file(asked: Asked) -> Asked:
    return Asked(path=transcript_of(asked.path))


def _extent(asked: Asked) -> int:
    return size_of(_file(asked))


def _heads(asked: Asked) -> tuple[str, int]:
    return head_of(_file(asked))


def _same(asked: Asked, expected_hash: str, head_bytes: int) -> bool:
    return same_head(_file(asked), expected_hash, head_bytes)


def _reads(asked: Asked) -> ClineReader:
    return ClineReader(asked.path, "cline")


def _reads_roo(asked: Asked) -> ClineReader:
    return ClineReader(asked.path, "roo")


HOST: Final = Host(
    name="cline",
    recognises=recognises,
    reads=_reads,
    folders=_folders,
    files=_files,
    live=_live,
    extent=_extent,
    head=_heads,
    same=_same,
    resumes=False,
)
ROO: Final = Host(
    name="roo",
    recognises=recognises_roo,
    reads=_reads_roo,
    folders=_roo_folders,
    files=_files,
    extent=_extent,
    head=_heads,
    same=_same,
    resumes=False,
)
