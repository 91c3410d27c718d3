"""Copilot CLI as a host: how its sessions are told, where they lie, which it holds open.

A session is a folder; its place is that folder or the `events.jsonl` in it.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import islice
from typing import TYPE_CHECKING, Final

from learnt.hosts.copilot.eventlog import CopilotReader
from learnt.hosts.host import Asked, Fit, Host, head_of, newest, same_head, size_of
from learnt.hosts.reading.alive import lives
from learnt.hosts.reading.kinds import COPILOT_EVENTS
from learnt.hosts.reading.records import Record, records
from learnt.hosts.reading.value import text

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

_LOOKED_AT: Final = 20
_FILE: Final = "events.jsonl"


def recognises(path: Path) -> Fit:
    """By the types of the first events; a session's folder is one, too."""
    file = _file(path)
    if not file.is_file():
        return "no"
    shaped = False
    for item in islice(records(file), _LOOKED_AT):
        if isinstance(item, Record) and isinstance(item.fields.get("data"), dict) and "parentId" in item.fields:
            if text(item.fields, "type") in COPILOT_EVENTS:
                return "sure"
            shaped = True
    return "shaped" if shaped else "no"


def folders(environment: Mapping[str, str], home: Path) -> tuple[Path, ...]:
    """The client's own folder: `~/.copilot`, or `COPILOT_HOME`."""
    moved = environment.get("COPILOT_HOME", "")
    return (home.joinpath(moved) if moved else home / ".copilot",)


def files(folder: Path) -> tuple[Path, ...]:
    """Every session, newest first."""
    return newest(folder.glob(f"session-state/[!.]*/{_FILE}"))


def live(folder: Path) -> Mapping[str, str]:
    """Sessions a running client holds open: it leaves `inuse.<process>.lock` in a session's folder."""
    found = {}
    for mark in sorted(folder.glob("session-state/*/inuse.*.lock")):
        number = mark.name.split(".")[1]
        if number.isdecimal() and len(number) < 20 and lives(int(number)):
            found[mark.parent.name] = "busy"
    return found


def _file(path: Path) -> Path:
    return path / _FILE if path.is_dir() else path


def _in_file(asked: Asked) -> Asked:
    return replace(asked, path=_file(asked.path))


HOST: Final = Host(
    name="copilot-cli",
    recognises=recognises,
    reads=lambda asked: CopilotReader(_in_file(asked)),
    folders=folders,
    files=files,
    live=live,
    extent=lambda asked: size_of(_in_file(asked)),
    head=lambda asked: head_of(_in_file(asked)),
    same=lambda asked, expected, head_bytes: same_head(_in_file(asked), expected, head_bytes),
)
