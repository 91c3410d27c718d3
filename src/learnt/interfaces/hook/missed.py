"""At session start, after the answer: sessions whose end was never heard of, because the host crashed or was killed.

The client keeps the transcripts of one folder side by side (Codex those of one day: of these only this repository's
count, by what their first bytes say). Those that nobody has written to for an hour, that no
client holds open, and that are longer than what was read of them, are given to one detached capture. Where there are
none (the usual start) this costs a listing and a few looks; nothing of a transcript is read here.

Only what was written since `learnt init` put the hooks there is taken: older sessions are a person's to give
(`learnt sessions ingest`). The rest of a file that cannot be read is tried again after a day, not at every start.
"""

from __future__ import annotations

import os
import time

from learnt.interfaces.hook.end import capture, lock_of
from learnt.interfaces.hook.stub import STUB

TYPE_CHECKING = False
if TYPE_CHECKING:
    from learnt.interfaces.hook.visit import Visit

MOST = 8
"""Transcripts given to one capture: those that a client soon deletes (most keep 30 days), then the latest; the next
start takes the next."""

IDLE_S = 3_600
_MAX_AGE_S = 30 * 86_400
"""Source: contract, `sessions.max_age_days`."""
_SOON_S = 23 * 86_400
"""A session that nobody wrote to for so long may be gone a week from now."""

_ENTRIES, _MARKS = 2_000, 64
_MARK_BYTES = 64 * 1024
_HEAD_BYTES = 4_096
_BY_DAY = "codex"
_TYPE, _REGULAR = 0o170000, 0o100000


def take_up(visit: Visit, home: str, database: str, config: str) -> None:
    """Start a capture of what was missed, if anything was.

    Raises:
        OSError: No process could be started.
    """
    transcript = visit.payload.text("transcript_path")
    if not os.path.isabs(transcript) or visit.payload.text("source") == "compact":
        return
    dated = _dated(transcript, home)
    if not dated:
        return
    open_now = _held_open(visit, os.path.dirname(os.path.dirname(os.path.dirname(transcript))))
    wanted = []
    soon_s = time.time() - _SOON_S
    for _, path, size in sorted(dated, key=lambda each: (each[0] < soon_s, each), reverse=True):
        row = visit.row("read_up_to", (path,))
        unread = row is None or int(row[0] or 0) < size
        if unread and os.path.basename(path)[:-6] not in open_now and (visit.host != _BY_DAY or _is_here(visit, path)):
            wanted.append(path)
        if len(wanted) == MOST:
            break
    capture(wanted, visit.place.root, home, database, config)


def _dated(transcript: str, home: str) -> list[tuple[float, str, int]]:
    """When each of the other transcripts beside this one was last written to, its path and size."""
    now_s, found = time.time(), []
    try:
        since_s = max(os.stat(os.path.join(home, STUB)).st_mtime, now_s - _MAX_AGE_S)
        with os.scandir(os.path.dirname(transcript)) as entries:
            for _, entry in zip(range(_ENTRIES), entries, strict=False):
                if not entry.name.endswith(".jsonl") or entry.name.startswith("agent-") or entry.path == transcript:
                    continue
                facts = entry.stat(follow_symlinks=False)
                late = since_s < facts.st_mtime < now_s - IDLE_S and facts.st_size
                if late and facts.st_mode & _TYPE == _REGULAR and not _tried(lock_of(home, entry.path), facts.st_mtime):
                    found.append((facts.st_mtime, entry.path, facts.st_size))
    except OSError:  # no such folder, or none that may be read
        return []
    return found


def _is_here(visit: Visit, path: str) -> bool:
    """Whether a rollout says that it ran in this repository, and that no other thread started it."""
    try:
        with open(path, "rb", buffering=0) as file:
            head = file.read(_HEAD_BYTES)
    except OSError:
        return False
    folder = head.partition(b'"cwd":"')[2].partition(b'"')[0].decode("utf-8", "replace")
    return b'"subagent"' not in head and (folder + "/").startswith(visit.place.root.rstrip("/") + "/")


def _tried(lock: str, written_s: float) -> bool:
    """Whether a capture was begun since the file was last written to."""
    try:
        return os.stat(lock).st_mtime >= written_s
    except OSError:
        return False


def _held_open(visit: Visit, root: str) -> set[str]:
    """Sessions whose client lives, by the marks it leaves; a process id used again only puts one off."""
    found = set()
    try:
        with os.scandir(os.path.join(root, "sessions")) as entries:
            for _, mark in zip(range(_MARKS), entries, strict=False):
                pid, session = _marked(visit, mark.path)
                if pid > 0 and _lives(pid):
                    found.add(session)
    except OSError:
        return found
    return found


def _marked(visit: Visit, path: str) -> tuple[int, str]:
    """Process and session of a mark; (0, "") of what is none."""
    import _sqlite3

    with open(path, "rb", buffering=0) as file:
        text = file.read(_MARK_BYTES).decode("utf-8", "replace")
    try:
        row = visit.row("mark", (text,))
    except _sqlite3.Error:
        return 0, ""
    return (row[0], str(row[1])) if row and isinstance(row[0], int) else (0, "")


def _lives(pid: int) -> bool:
    if os.name == "nt":  # there signal 0 would interrupt the process
        return True
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except (OSError, OverflowError):
        return True
    return True
