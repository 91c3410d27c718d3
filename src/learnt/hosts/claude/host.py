"""Claude Code as a host: how its files are told, where they lie, which sessions it holds open."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Final

from learnt.hosts.claude.overview import KNOWN_TYPES, OUTSIDE_TYPES
from learnt.hosts.claude.reader import ClaudeReader
from learnt.hosts.host import Asked, Fit, Host, newest, settings_of
from learnt.hosts.reading.alive import lives
from learnt.hosts.reading.records import Record, records

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

_LOOKED_AT: Final = 20
"""Records by which a file is recognised."""
_MAX_LIVE_BYTES: Final = 64 << 10
_KEPT_DAYS: Final = 30


def recognises(path: Path) -> Fit:
    """By the types of the first records; a `sessionId` alone is the shape."""
    shaped = False
    if not path.is_file():
        return "no"
    for count, item in enumerate(records(path)):
        if isinstance(item, Record):
            kind = item.fields.get("type")
            if isinstance(kind, str) and (kind in OUTSIDE_TYPES or kind in KNOWN_TYPES) and _shaped(item.fields):
                return "sure"
            shaped = shaped or "sessionId" in item.fields
        if count >= _LOOKED_AT:
            break
    return "shaped" if shaped else "no"


def _shaped(row: Mapping[str, Any]) -> bool:
    return any(key in row for key in ("sessionId", "uuid", "leafUuid", "messageId", "isSidechain"))


def _reads(asked: Asked) -> ClaudeReader:
    return ClaudeReader(asked.path, asked.offset, asked.number, lineage=asked.lineage)


def folders(environment: Mapping[str, str], home: Path) -> tuple[Path, ...]:
    """The client's own folder: `~/.claude`, or `CLAUDE_CONFIG_DIR`."""
    moved = environment.get("CLAUDE_CONFIG_DIR", "")
    return (home.joinpath(moved) if moved else home / ".claude",)


def files(folder: Path) -> tuple[Path, ...]:
    """Every session, newest first; no sub-agents."""
    return newest((folder / "projects").glob("*/*.jsonl"))


def live(folder: Path) -> Mapping[str, str]:
    """Sessions a running client holds open: session id -> `idle` or `busy`.

    The client removes its mark at a normal exit only, so the process must live, too.
    """
    found = {}
    for mark in sorted((folder / "sessions").glob("*.json")):
        entry = _entry(mark)
        pid, session = entry.get("pid"), entry.get("sessionId")
        if isinstance(pid, int) and isinstance(session, str) and lives(pid, entry.get("procStart")):
            found[session] = str(entry.get("status", "busy"))
    return found


def keeps_days(folder: Path) -> float:
    """By the client's setting `cleanupPeriodDays`, 30 without it."""
    given = settings_of(folder / "settings.json").get("cleanupPeriodDays")
    return given if isinstance(given, int | float) and not isinstance(given, bool) and given >= 0 else _KEPT_DAYS


def _entry(mark: Path) -> dict[str, Any]:
    try:
        with mark.open("rb") as file:
            entry = json.loads(file.read(_MAX_LIVE_BYTES))
    except (OSError, ValueError, RecursionError):
        return {}
    return entry if isinstance(entry, dict) else {}


HOST: Final = Host(
    name="claude-code",
    recognises=recognises,
    reads=_reads,
    folders=folders,
    files=files,
    live=live,
    keeps_days=keeps_days,
)
