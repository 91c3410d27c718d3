"""What claude-mem's `export-memories` writes: one JSON document with `exportedAt` and `observations`.

An observation has `id`, `type` (decision, bugfix, feature, refactor, discovery, change), `title`, `subtitle`,
`narrative`, `facts`, `concepts`, `files_read`, `files_modified` (lists, or lists as JSON text), `created_at`,
`created_at_epoch`. Each becomes one memory; sessions, summaries and prompts are not taken: they are a transcript.
"""

from __future__ import annotations

import json
from functools import partial
from typing import TYPE_CHECKING, Any, Final

from learnt.formats.draft import MAX_CHARS, draft
from learnt.formats.foreign import Foreign
from learnt.formats.mem0 import parsed
from learnt.formats.moment import from_ms, moment_or
from learnt.model.field import MisfitError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from learnt.formats.foreign import Told
    from learnt.model.kinds import Kind
    from learnt.model.memory import Memory

NAME: Final = "claude-mem"
TYPES: Final[Mapping[str, Kind]] = {"decision": "architecture_decision", "bugfix": "failure_pattern"}
"""What becomes of a type; any other is a `project_fact`."""


def parcel(path: Path) -> Foreign:
    """The file."""
    return Foreign(NAME, path, [path], _told)


def is_one(held: Any) -> bool:
    """Whether a document is one of these."""
    return isinstance(held, dict) and "exportedAt" in held and isinstance(held.get("observations"), list)


def _told(name: str, content: bytes) -> Iterator[Told]:
    del name
    held = parsed(content)
    if not is_one(held):
        raise MisfitError("holds no observations")
    for number, each in enumerate(held["observations"], 1):
        yield number, partial(_memories, each)


def _memories(row: Any) -> Iterator[Memory]:
    if not isinstance(row, dict):
        raise MisfitError("not an object")
    yield draft(
        NAME,
        str(row.get("id", ""))[:100],
        _text(row),
        TYPES.get(str(row.get("type")), "project_fact"),
        tags=[*_words(row.get("concepts")), str(row.get("type") or "")],
        files=[*_words(row.get("files_modified")), *_words(row.get("files_read"))],
        created_at=from_ms(row.get("created_at_epoch")) or moment_or(row.get("created_at")),
        session=str(row.get("memory_session_id") or "")[:100],
    )


def _text(row: Mapping[str, Any]) -> str:
    """The title and the longest account of it that fits."""
    title = _said(row, "title")
    facts = " ".join(_words(row.get("facts")))
    for account in (_said(row, "narrative") or _said(row, "text"), facts, _said(row, "subtitle")):
        told = f"{title}: {account}" if title and account else title or account
        if account and len(told) <= MAX_CHARS:
            return told
    return title


def _said(row: Mapping[str, Any], name: str) -> str:
    held = row.get(name)
    return held.strip() if isinstance(held, str) else ""


def _words(held: Any) -> list[str]:
    """A list of texts, also where it stands as JSON in a text."""
    if isinstance(held, str) and held.startswith("["):
        try:
            held = json.loads(held)
        except (ValueError, RecursionError):
            return []
    return [each for each in held if isinstance(each, str)][:50] if isinstance(held, list) else []
