"""What an agent says it used of earlier sessions: a block at the end of its answer, or a reference in its words.

The block is the one that Codex asks for. Source: codex, memory citations: entries `path:start-end|note=[text]`, ids of
sessions, older blocks name them threads; what is no id is passed over, each id counts once.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

_BLOCK = re.compile(r"<oai-mem-citation>(.{0,20000}?)</oai-mem-citation>", re.DOTALL)
_ENTRIES = re.compile(r"<citation_entries>(.*?)</citation_entries>", re.DOTALL)
_SESSIONS = re.compile(r"<(rollout_ids|thread_ids)>(.*?)</\1>", re.DOTALL)
_ENTRY = re.compile(r"(?P<path>[^|\n]{1,300}):(?P<start>\d{1,9})-(?P<end>\d{1,9})\|note=\[(?P<note>[^\n]{0,1000})\]")
_UUID = re.compile(r"[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}")
_REFERENCE = re.compile(r"\bsession:([A-Za-z0-9][A-Za-z0-9._-]{3,127})#\d{1,9}\b")
MOST: Final = 100
"""Of one answer."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """A place in a file of memories, and what it was used for."""

    path: str
    start: int
    end: int
    note: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Citation:
    """What one answer names: places in files, and hosts' ids of sessions, each once and in order."""

    entries: tuple[Entry, ...] = ()
    sessions: tuple[str, ...] = ()


def cited(text: str) -> Citation:
    """What an answer says it used; nothing for most."""
    if "<oai-mem-citation>" not in text and "session:" not in text:
        return Citation()
    entries: list[Entry] = []
    sessions: dict[str, None] = {}
    for block in _BLOCK.finditer(text):
        entries.extend(_entries(block[1]))
        for listed in _SESSIONS.finditer(block[1]):
            named = (line.strip() for line in listed[2].splitlines())
            sessions.update((name, None) for name in named if _UUID.fullmatch(name))
    sessions.update((found[1], None) for found in _REFERENCE.finditer(text))
    return Citation(entries=tuple(entries[:MOST]), sessions=tuple(sessions)[:MOST])


def _entries(block: str) -> list[Entry]:
    lines = (line.strip() for part in _ENTRIES.finditer(block) for line in part[1].splitlines())
    found = (_ENTRY.fullmatch(line) for line in lines)
    return [
        Entry(path=each["path"], start=int(each["start"]), end=int(each["end"]), note=each["note"])
        for each in found
        if each
    ]
