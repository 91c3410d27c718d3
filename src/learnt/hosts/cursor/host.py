"""Cursor: conversations of the editor in its database, those of the command line and newer editors as transcripts.

A conversation that lies in both is listed once, from the database: only that has times and results.
"""

from __future__ import annotations

import sys
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from learnt.errors import LearntError, UsageError
from learnt.hosts.cursor import database, log, place
from learnt.hosts.host import Asked, Fit, Host, Reader, head_or_id, newest, same_or_id, size_of
from learnt.hosts.reading.foreign import is_database

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from pathlib import Path

_BASE: Final = "state.vscdb"
_EDITORS: Final = ((".config",), ("Library", "Application Support"), ("AppData", "Roaming"))


def _whole(asked: Asked) -> Asked:
    """Where a session is told in full: a hook names the transcript of a conversation that the editor's database has."""
    project = place.project_of(asked.path)
    if project is None:
        return asked
    for base in _bases(project.parent.parent.parent):
        if _holds(base, asked.path.stem):
            return replace(asked, path=base, session=asked.path.stem)
    return asked


def _bases(home: Path) -> Iterator[Path]:
    """The editor's database of whoever owns a `.cursor` folder, on whichever system."""
    for editor in _EDITORS:
        base = home.joinpath(*editor, "Cursor", "User", "globalStorage", _BASE)
        if base.is_file():
            yield base


def _reads(asked: Asked) -> Reader:
    asked = _whole(asked)
    if not asked.path.is_file() or not is_database(asked.path):
        return log.LogReader(asked)
    if not asked.session:
        raise UsageError(f"{asked.path} holds many sessions.", code="which_session", hint="Name one: PATH#SESSION.")
    return database.BaseReader(asked)


def recognises(path: Path) -> Fit:
    """By the table of a database, by the first records of a transcript."""
    if not path.is_file():
        return "no"
    if is_database(path):
        return "sure" if database.is_base(path) else "no"
    return log.fit(path)


def sessions(path: Path) -> tuple[str, ...]:
    """The conversations of a database, no sub-agents'."""
    return database.sessions(path) if is_database(path) else ()


def folders(environment: Mapping[str, str], home: Path) -> tuple[Path, ...]:
    """The editor's data folder, which differs from system to system, and `~/.cursor`."""
    if sys.platform == "darwin":
        editor = home / "Library" / "Application Support"
    elif sys.platform == "win32":
        editor = home.joinpath(environment.get("APPDATA") or home / "AppData" / "Roaming")
    else:
        editor = home.joinpath(environment.get("XDG_CONFIG_HOME") or home / ".config")
    moved = environment.get("CURSOR_CONFIG_DIR", "")
    return editor / "Cursor" / "User", home.joinpath(moved) if moved else home / ".cursor"


def files(folder: Path) -> tuple[Path, ...]:
    """Databases with conversations, or transcripts, whichever the folder holds."""
    bases = (*folder.glob(f"globalStorage/{_BASE}"), *folder.glob(f"workspaceStorage/*/{_BASE}"))
    held = newest(path for path in bases if _held(path))
    logs = folder.glob("projects/*/agent-transcripts/*.jsonl"), folder.glob("projects/*/agent-transcripts/*/*.jsonl")
    return (*held, *_alone(newest(path for paths in logs for path in paths), folder.parent))


def _alone(logs: tuple[Path, ...], home: Path) -> Iterator[Path]:
    """Each session once that the editor's database does not have; the client writes some twice, and empty shells."""
    met: set[str] = set()
    for base in _bases(home) if logs else ():
        met.update(_held(base, subagents=True))
    for path in logs:
        if path.stem not in met and _speaks(path):
            met.add(path.stem)
            yield path


def _speaks(path: Path) -> bool:
    try:
        with path.open("rb") as file:
            return b'"role"' in file.read(1 << 16)
    except OSError:
        return False


def _held(path: Path, *, subagents: bool = False) -> tuple[str, ...]:
    try:
        return database.sessions(path, subagents=subagents) if database.is_base(path) else ()
    except LearntError:
        return ()


def _holds(path: Path, session: str) -> bool:
    try:
        return database.holds(path, session)
    except LearntError:
        return False


def extent(asked: Asked) -> int:
    """Of a conversation in the database a number that changes with each change of it."""
    return _measured(asked, database.extent)


def size(asked: Asked) -> int:
    """Bytes of a conversation, in the database or in its file."""
    return _measured(asked, database.size)


def _measured(asked: Asked, of_base: Callable[[Path, str], int]) -> int:
    asked = _whole(asked)
    try:
        if asked.path.is_file() and is_database(asked.path):
            return of_base(asked.path, asked.session)
    except LearntError:
        return 0
    return size_of(asked)


def head(asked: Asked) -> tuple[str, int]:
    """A conversation in the database is recognised by its id."""
    return head_or_id(_whole(asked))


def same(asked: Asked, expected_hash: str, head_bytes: int) -> bool:
    """Whether it is the one."""
    return same_or_id(_whole(asked), expected_hash, head_bytes)


HOST: Final = Host(
    name="cursor",
    recognises=recognises,
    reads=_reads,
    sessions=sessions,
    folders=folders,
    files=files,
    extent=extent,
    size=size,
    head=head,
    same=same,
    resumes=False,
)
