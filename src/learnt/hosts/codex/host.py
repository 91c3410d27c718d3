"""Codex as a host: how its rollouts are told, where they lie, which threads it holds open."""

from __future__ import annotations

import re
from itertools import islice
from typing import TYPE_CHECKING, Final

from learnt.errors import UsageError
from learnt.hosts.codex.rollout import RolloutReader
from learnt.hosts.host import Asked, Fit, Host, newest
from learnt.hosts.reading.kinds import CODEX_ITEMS, CODEX_ROWS
from learnt.hosts.reading.records import Record, records
from learnt.hosts.reading.value import text

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping
    from pathlib import Path

_LOOKED_AT: Final = 20
_FIRST_BYTES: Final = 16 << 10
_CHILD = re.compile(rb'"source"\s*:\s*\{\s*"subagent"')
_LOCK: Final = ".lock"
_COMPRESSED: Final = ".zst"
"""What the client makes of archived sessions after a while. Source: codex, rollout compression."""


def recognises(path: Path) -> Fit:
    """By the types of the first records, each in its wrapper; a wrapper alone is the shape."""
    if not path.is_file():
        return "no"
    if path.name.startswith("rollout-") and path.name.endswith(f".jsonl{_COMPRESSED}"):
        return "sure"
    shaped = False
    for item in islice(records(path), _LOOKED_AT):
        if not isinstance(item, Record):
            continue
        kind, wrapped = text(item.fields, "type"), isinstance(item.fields.get("payload"), dict)
        if wrapped and kind in CODEX_ROWS:
            return "sure"
        if path.name.startswith("rollout-") and (kind in CODEX_ITEMS or "instructions" in item.fields):
            return "sure"
        shaped = shaped or (wrapped and "timestamp" in item.fields)
    return "shaped" if shaped else "no"


def _reads(asked: Asked) -> RolloutReader:
    if asked.path.suffix == _COMPRESSED:
        hint = "`zstd -d FILE`, then `learnt sessions ingest` with the file that comes out."
        raise UsageError(f"{asked.path} is packed by Zstandard: `zstd -d` unpacks it.", code="unreadable", hint=hint)
    return RolloutReader(asked)


def folders(environment: Mapping[str, str], home: Path) -> tuple[Path, ...]:
    """The client's own folder: `~/.codex`, or `CODEX_HOME`."""
    moved = environment.get("CODEX_HOME", "")
    return (home.joinpath(moved) if moved else home / ".codex",)


def files(folder: Path) -> tuple[Path, ...]:
    """Every session, newest first, archived and compressed ones too; no sub-agents."""
    found = {*folder.glob("sessions/*/*/*/rollout-*.jsonl*"), *folder.glob("archived_sessions/**/rollout-*.jsonl*")}
    return newest(path for path in found if _is_rollout(path, found) and not _is_child(path))


def _is_rollout(path: Path, found: Collection[Path]) -> bool:
    """Whether a file is a session's, and not the compressed form of one that is there as well."""
    return path.suffix == ".jsonl" or (path.suffix == _COMPRESSED and path.with_suffix("") not in found)


def _is_child(path: Path) -> bool:
    """Whether the first record, of which the instructions are the long part, says that a thread started this one."""
    try:
        with path.open("rb") as file:
            return _CHILD.search(file.read(_FIRST_BYTES).partition(b"\n")[0]) is not None
    except OSError:
        return False


def live(folder: Path) -> Mapping[str, str]:
    """Threads a running client writes: it holds a lock on an empty file named after the thread.

    A file that is left behind and not locked is of a client that was killed. The lock is looked for in the system's
    table, never tried: to try it could take it from a client that is just starting.
    """
    marks = sorted((folder / "thread-writer-locks").glob(f"*{_LOCK}"))
    held = _locked() if marks else None
    found = {}
    for mark in marks:
        try:
            state = mark.stat()
        except OSError:
            continue
        if not mark.name.startswith(".") and (held is None or state.st_ino in held):
            found[mark.name.removesuffix(_LOCK)] = "busy"
    return found


def _locked() -> frozenset[int] | None:
    """The inode of every locked file; None where the system does not tell (only Linux does).

    Devices are left out: on some file systems they are named otherwise there. Two files of one number put one off.
    """
    held: set[int] = set()
    try:
        with open("/proc/locks", encoding="ascii", errors="replace") as file:  # noqa: PTH123
            for line in file:
                held.update(int(word.rpartition(":")[2]) for word in line.split() if word.count(":") == 2)
    except (OSError, ValueError):
        return None
    return frozenset(held)


HOST: Final = Host(name="codex", recognises=recognises, reads=_reads, folders=folders, files=files, live=live)
