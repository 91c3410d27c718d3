"""The seam: what one host brings, all that differs between the hosts' transcripts."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, Literal, Protocol

from learnt.errors import LearntError
from learnt.hosts.reading.foreign import is_database
from learnt.hosts.reading.lines import HEAD_BYTES, head_hash, opened

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping
    from pathlib import Path

    from learnt.model.session import Header, SessionEvent

_MAX_SETTINGS_BYTES: Final = 1 << 20

Fit = Literal["sure", "shaped", "no"]
"""Whether a file is of a host: its records are known there, only their shape is, or neither.

A file of the right shape whose records are of types nobody knows is still taken for the host's: its reading then says
that nothing was understood, which is an alarm, while "unknown host" would only be an error.
"""


class Reader(Protocol):
    """One reading of one session."""

    @property
    def next_offset(self) -> int:
        """Where the next reading starts; a torn last line is read again."""
        ...

    @property
    def next_number(self) -> int:
        """The number of the record at `next_offset`."""
        ...

    def header(self) -> Header:
        """The session as a whole; complete when the events are exhausted."""
        ...

    def events(self) -> Iterator[SessionEvent]:
        """What happened, in order."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """What is to be read.

    Attributes:
        session: Which one, of a file that holds several; "" for a file that is one session.
        offset, number: Where an earlier reading stopped; 0 for hosts that do not resume.
        lineage: False where only the header matters: the files beside this one are then not looked at.
    """

    path: Path
    session: str = ""
    offset: int = 0
    number: int = 0
    lineage: bool = True


def _nowhere(environment: Mapping[str, str], home: Path) -> tuple[Path, ...]:
    del environment, home
    return ()


def _nothing(folder: Path) -> tuple[Path, ...]:
    del folder
    return ()


def _one(path: Path) -> tuple[str, ...]:
    del path
    return ()


def _nobody(folder: Path) -> Mapping[str, str]:
    del folder
    return {}


def _for_ever(folder: Path) -> float | None:
    del folder
    return None


def settings_of(path: Path) -> Mapping[str, Any]:
    """A client's settings file in JSON; nothing where it cannot be read."""
    try:
        with path.open("rb") as file:
            value = json.loads(file.read(_MAX_SETTINGS_BYTES))
    except (OSError, ValueError, RecursionError):
        return {}
    return value if isinstance(value, dict) else {}


def size_of(asked: Asked) -> int:
    """Bytes of the file now; 0 when it is gone."""
    try:
        return asked.path.stat().st_size
    except OSError:
        return 0


def head_of(asked: Asked) -> tuple[str, int]:
    """By what a file is recognised later: SHA-256 of its first bytes, and how many these are."""
    with opened(asked.path) as file:
        head = file.read(HEAD_BYTES)
    return hashlib.sha256(head).hexdigest(), len(head)


def same_head(asked: Asked, expected_hash: str, head_bytes: int) -> bool:
    """Whether a file begins with the bytes it began with."""
    try:
        return head_hash(asked.path, head_bytes) == expected_hash
    except (LearntError, OSError):
        return False


def head_or_id(asked: Asked) -> tuple[str, int]:
    """The same; of a session in a database by its id: the first bytes of such a file change with any other session."""
    if is_database(asked.path):
        return hashlib.sha256(asked.session.encode()).hexdigest(), 0
    return head_of(asked)


def same_or_id(asked: Asked, expected_hash: str, head_bytes: int) -> bool:
    """Whether it is the session that `head_or_id` was asked about."""
    if asked.path.is_file() and is_database(asked.path):
        return head_or_id(asked) == (expected_hash, head_bytes)
    return same_head(asked, expected_hash, head_bytes)


@dataclass(frozen=True, slots=True, kw_only=True)
class Host:
    """One host's sessions.

    Attributes:
        recognises: Whether a file or folder is this host's, by its first records; cheap, and never raises.
        reads: The reader for a session.
        sessions: The ids in a file that holds several; () for one that is a session by itself.
        folders: Where the client keeps sessions on this machine. `files`: every session there, no sub-agents'.
        live: Of such a folder, the sessions a running client holds open: id -> `idle` or `busy`.
        extent: A number that changes with whatever is added to a session: bytes of its file, unless it lies in a
            database.
        size: Bytes of a session whose extent is no such number; None where it is.
        head, same: By what a session's file is recognised later, and whether it is the one.
        resumes: Whether a reading goes on from a byte offset. The others are read from the start whenever they
            changed, and what was seen is dropped by message id.
        keeps_days: So many days the client keeps a session that nobody writes to, by the settings in its folder; None
            where it deletes none by itself.
    """

    name: str
    recognises: Callable[[Path], Fit]
    reads: Callable[[Asked], Reader]
    sessions: Callable[[Path], tuple[str, ...]] = _one
    folders: Callable[[Mapping[str, str], Path], tuple[Path, ...]] = _nowhere
    files: Callable[[Path], Iterable[Path]] = _nothing
    live: Callable[[Path], Mapping[str, str]] = _nobody
    extent: Callable[[Asked], int] = size_of
    size: Callable[[Asked], int] | None = None
    head: Callable[[Asked], tuple[str, int]] = head_of
    same: Callable[[Asked, str, int], bool] = same_head
    resumes: bool = True
    keeps_days: Callable[[Path], float | None] = _for_ever


def newest(paths: Iterable[Path]) -> tuple[Path, ...]:
    """Those that are there, the latest written first."""
    dated = []
    for path in paths:
        try:
            dated.append((-path.stat().st_mtime_ns, str(path), path))
        except OSError:
            continue
    return tuple(path for _, _, path in sorted(dated))
