"""The seam every host shares: which host wrote a file, how it is read, where sessions lie, whether one still runs."""

from __future__ import annotations

import errno
import json
import os
from typing import TYPE_CHECKING, Any, Final, Protocol

from learnt.errors import UsageError
from learnt.hosts.claude import ClaudeReader
from learnt.hosts.lines import HEAD_BYTES, head_hash
from learnt.hosts.overview import KNOWN_TYPES, OUTSIDE_TYPES
from learnt.hosts.records import Record, records

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from learnt.model.session import Header, SessionEvent

HOSTS: Final = ("claude-code",)
_LOOKED_AT: Final = 20
"""Records by which a host is recognised."""
_MAX_LIVE_BYTES: Final = 64 << 10


class Reader(Protocol):
    """One reading of one transcript."""

    @property
    def next_offset(self) -> int:
        """Where the next reading starts; a torn last line is read again."""
        ...

    @property
    def next_number(self) -> int:
        """The number of the line at `next_offset`."""
        ...

    def header(self) -> Header:
        """The session as a whole; complete when the events are exhausted."""
        ...

    def events(self) -> Iterator[SessionEvent]:
        """What happened, in order."""
        ...


def reader(path: Path, host: str = "", offset: int = 0, number: int = 0, *, lineage: bool = True) -> Reader:
    """The reader for a file, which is `host`'s, or whoever's it looks like.

    Args:
        lineage: False where only the header matters: the files beside this one are then not looked at.

    Raises:
        NotFoundError: There is no such file.
        UsageError: It is no regular file, or of a host that has no reader yet.
    """
    host = host or host_of(path)
    if host != "claude-code":
        raise UsageError(
            f"No reader for transcripts of {host or 'an unknown host'}.",
            code="unknown_host",
            hint=f"Readers exist for: {', '.join(HOSTS)}. Name one with --host.",
        )
    return ClaudeReader(path, offset, number, lineage=lineage)


def host_of(path: Path) -> str:
    """The host whose format the first records have; "" when none is recognised.

    A file of the right shape whose records are of types nobody knows is still taken for the host's: its reading then
    says that nothing was understood, which is an alarm, while "unknown host" would only be an error.
    """
    shaped = False
    for count, item in enumerate(records(path)):
        if isinstance(item, Record):
            kind = item.fields.get("type")
            if isinstance(kind, str) and (kind in OUTSIDE_TYPES or kind in KNOWN_TYPES) and _shaped(item.fields):
                return "claude-code"
            shaped = shaped or "sessionId" in item.fields
        if count >= _LOOKED_AT:
            break
    return "claude-code" if shaped else ""


def _shaped(row: Mapping[str, Any]) -> bool:
    return any(key in row for key in ("sessionId", "uuid", "leafUuid", "messageId", "isSidechain"))


def resumable(path: Path, offset: int, expected_hash: str, head_bytes: int) -> bool:
    """Whether a file is the one that was read up to `offset`: it is not shorter, and its first bytes are the same."""
    try:
        size = path.stat().st_size
    except OSError:
        return False
    return size >= offset and head_hash(path, head_bytes) == expected_hash


def head_of(path: Path) -> tuple[str, int]:
    """By what a file is recognised later: SHA-256 of its first bytes, and how many these are."""
    size = min(HEAD_BYTES, path.stat().st_size)
    return head_hash(path, size), size


def session_files(root: Path) -> tuple[Path, ...]:
    """Every session under the client's folder (`~/.claude`, or `CLAUDE_CONFIG_DIR`), newest first; no sub-agents."""
    dated = []
    for path in (root / "projects").glob("*/*.jsonl"):
        try:
            dated.append((-path.stat().st_mtime_ns, str(path), path))
        except OSError:
            continue
    return tuple(path for _, _, path in sorted(dated))


def live_sessions(root: Path) -> Mapping[str, str]:
    """Sessions a running client holds open: session id -> `idle` or `busy`.

    The client removes its mark at a normal exit only, so the process must live, too; where the mark names its start
    and the system tells it, that must agree (a process id is used again).
    """
    found = {}
    for mark in sorted((root / "sessions").glob("*.json")):
        entry = _entry(mark)
        pid, session = entry.get("pid"), entry.get("sessionId")
        if isinstance(pid, int) and isinstance(session, str) and _lives(pid, entry.get("procStart")):
            found[session] = str(entry.get("status", "busy"))
    return found


def _entry(mark: Path) -> dict[str, Any]:
    try:
        with mark.open("rb") as file:
            entry = json.loads(file.read(_MAX_LIVE_BYTES))
    except (OSError, ValueError, RecursionError):
        return {}
    return entry if isinstance(entry, dict) else {}


def _lives(pid: int, started: object) -> bool:
    if pid <= 0 or os.name == "nt":  # on Windows signal 0 would interrupt the process; the idle time decides there
        return pid > 0
    try:
        os.kill(pid, 0)
    except OSError as fault:
        return fault.errno == errno.EPERM
    except OverflowError:
        return False
    actual = _process_start(pid)
    return not (isinstance(started, str) and started and actual) or started == actual


def _process_start(pid: int) -> str:
    """When a process began, in clock ticks since boot; "" where the system does not say (only Linux does)."""
    try:
        with open(f"/proc/{pid}/stat", encoding="utf-8", errors="replace") as file:  # noqa: PTH123
            return file.read().rpartition(")")[2].split()[19]
    except (OSError, IndexError):
        return ""


def alarms(header: Header, messages: int) -> tuple[str, ...]:
    """What a person should look at after a reading of a whole file: records were there, and none was a message.

    A format that moved on looks exactly like this; taken for a short session it would be lost without a word.
    """
    if messages or not header.records:
        return ()
    understood = header.records - header.unknown
    return (
        f"{header.records} records, {understood} understood, no message; format version {header.version or 'unknown'}",
    )
