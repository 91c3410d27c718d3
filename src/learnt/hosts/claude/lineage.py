"""Which session a transcript was forked or resumed from, and how far its copied rows reach.

A fork is a new file whose first rows are those of its parent, with the same `uuid`s under a new `sessionId`. Both files
hold the rows, so the file alone does not say whose they are. The elder is found by comparing the two files row by row
until they part: it is the one that went on first. Exactly one of two files counts a shared row.

Bounded: of each of the 256 newest files beside a transcript only the first 64 KiB are looked at, unless the first
row of the transcript is among them; then both are read up to the row where they part.
"""

from __future__ import annotations

import json
import os
import re
import stat
from dataclasses import dataclass
from functools import lru_cache
from heapq import nsmallest
from typing import TYPE_CHECKING, Any, Final

from learnt.errors import LearntError
from learnt.hosts.reading.lines import lines, opened
from learnt.hosts.reading.records import Record, records

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

_TAIL_BYTES: Final = 64 << 10
_LOOKED_AT_BYTES: Final = 64 << 10
_SIBLINGS: Final = 256
_AHEAD: Final = 2_000
"""Rows of the other file that may stand between two shared ones."""
_FIRST_ROWS: Final = 200
"""Records looked at for the first row that has a `uuid`."""


@dataclass(frozen=True, slots=True)
class Lineage:
    """Rows before byte `until` are the parent's."""

    parent_session_id: str = ""
    until: int = 0


NO_LINEAGE: Final = Lineage()


@dataclass(frozen=True, slots=True)
class _Shared:
    """How two files compare.

    Attributes:
        rows: How many of our first rows are in the other file, too.
        until: Where they end in ours.
        ours: When our first own row was written; "" when there is none.
        theirs: The same of the other file.
        between: How many other records stand between the shared rows in ours, less those in theirs.
    """

    rows: int
    until: int
    ours: str
    theirs: str
    between: int


def own_session(path: Path) -> str:
    """The session a file belongs to: what its last row says, for copied rows stand first; else the name of the file."""
    return _last_session(path) or _first_session(path) or path.stem


def lineage_of(path: Path, session_id: str) -> Lineage:
    """The parent of a session among the files beside its own."""
    mine = _first_uuid(path)
    if not mine:
        return NO_LINEAGE
    best: tuple[int, str] = (0, "")
    until = 0
    for sibling, stamp in _siblings(path):
        if hash(mine.encode()) not in _named_in(sibling, stamp):
            continue
        shared = _compared(path, sibling)
        other = own_session(sibling)
        if shared.rows and not _elder(shared, (session_id, path.name), (other, sibling.name)):
            until = max(until, shared.until)
            best = max(best, (shared.rows, other))
    parent = best[1] if best[1] != session_id else ""
    return Lineage(parent, until)


def _elder(shared: _Shared, mine: tuple[str, str], theirs: tuple[str, str]) -> bool:
    """Whether ours is the elder of two files that share rows. Of the two answers for a pair exactly one is True."""
    if shared.ours and shared.theirs and shared.ours != shared.theirs:
        return shared.ours < shared.theirs
    if shared.between:
        return shared.between > 0
    if bool(shared.ours) != bool(shared.theirs):
        return not shared.ours
    return mine < theirs


def _compared(path: Path, sibling: Path) -> _Shared:
    """Walks through both files until a row of ours is not found in the other."""
    theirs = _rows(sibling)
    rows, until, ours, gaps, other_gaps = 0, 0, "", 0, 0
    last: tuple[str, str] | None = None
    for uuid, at, end, gap in _rows(path):
        skipped, found = _advance(theirs, uuid)
        if found is None:
            ours = at
            last = skipped
            break
        rows, until, gaps, other_gaps = rows + 1, end, gaps + gap, other_gaps + found
    following = last or next(((uuid, at) for uuid, at, _, _ in theirs), None)
    return _Shared(rows, until, ours, following[1] if following else "", gaps - other_gaps)


def _advance(theirs: Iterator[tuple[str, str, int, int]], uuid: str) -> tuple[tuple[str, str] | None, int | None]:
    """The next row of the other file with this identity: (the first row passed over, records between or None)."""
    first: tuple[str, str] | None = None
    for count, (other, at, _, gap) in enumerate(theirs):
        if other == uuid:
            return first, gap
        first = first or (other, at)
        if count >= _AHEAD:
            break
    return first, None


def _rows(path: Path) -> Iterator[tuple[str, str, int, int]]:
    """Of every row of the conversation: uuid, time, where it ends, and how many other records stand before it."""
    gap = 0
    for item in records(path):
        uuid = item.fields.get("uuid") if isinstance(item, Record) else None
        if isinstance(uuid, str) and isinstance(item, Record):
            at = item.fields.get("timestamp")
            yield uuid, at if isinstance(at, str) else "", item.span.offset + item.span.length, gap
            gap = 0
        else:
            gap += 1


def _first_uuid(path: Path) -> str:
    for count, (uuid, _, _, _) in enumerate(_rows(path)):
        return uuid if count < _FIRST_ROWS else ""
    return ""


def _siblings(path: Path) -> list[tuple[Path, tuple[int, int]]]:
    """The newest files beside this one, each with its time and size."""
    try:
        with os.scandir(path.parent) as entries:
            dated = list(_dated(entries, path.name))
    except OSError:  # a folder that may not be listed
        return []
    return [(path.with_name(name), (time, size)) for time, name, size in nsmallest(_SIBLINGS, dated)]


def _dated(entries: Iterable[os.DirEntry[str]], own: str) -> Iterator[tuple[int, str, int]]:
    for entry in entries:
        if not entry.name.endswith(".jsonl") or entry.name == own:
            continue
        try:
            state = entry.stat()
        except OSError:
            continue
        if stat.S_ISREG(state.st_mode):
            yield -state.st_mtime_ns, entry.name, state.st_size


_UUID = re.compile(rb'"uuid"\s*:\s*"([^"\\]{1,200})"')


@lru_cache(maxsize=2 * _SIBLINGS)
def _named_in(path: Path, stamp: tuple[int, int]) -> frozenset[int]:  # noqa: ARG001 - another stamp is another file
    """Hashes of the identities in the first 64 KiB; only a file that holds one of ours is read as records.

    Remembered while the file stays as it is: a folder of transcripts read one by one would be read as often as it holds
    files.
    """
    try:
        with opened(path) as file:
            return frozenset(map(hash, _UUID.findall(file.read(_LOOKED_AT_BYTES))))
    except (OSError, LearntError):  # gone or closed to us meanwhile: then it is nobody's parent
        return frozenset()


def _last_session(path: Path) -> str:
    with opened(path) as file:
        size = file.seek(0, 2)
        file.seek(max(0, size - _TAIL_BYTES))
        tail = file.read(_TAIL_BYTES)
    for line in reversed(tail.split(b"\n")):
        if session := _session(line):
            return session
    return ""


def _first_session(path: Path) -> str:
    for count, line in enumerate(lines(path)):
        if session := _session(getattr(line, "body", b"")):
            return session
        if count >= _FIRST_ROWS:
            break
    return ""


def _session(line: bytes) -> str:
    if b"sessionId" not in line:
        return ""
    try:
        row: Any = json.loads(line.decode("utf-8", "replace"))
    except (ValueError, RecursionError):
        return ""
    session = row.get("sessionId") if isinstance(row, dict) else None
    return session if isinstance(session, str) else ""
