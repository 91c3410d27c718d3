"""Claude Code's own memory: `~/.claude/projects/<slug>/memory/`, one Markdown file a memory.

Front matter `name`, `description`, `type` (user, feedback, project, reference; in newer files below `metadata:`), then
the body. `MEMORY.md` is an index of the other files; a line of it that points nowhere is a memory of its own, as in the
files of early versions, which had no others.
"""

from __future__ import annotations

import re
from functools import partial
from typing import TYPE_CHECKING, Final

from learnt.formats.draft import draft, parts
from learnt.formats.foreign import Foreign
from learnt.formats.notes import note

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from learnt.formats.foreign import Told
    from learnt.formats.notes import Note
    from learnt.model.kinds import Kind
    from learnt.model.memory import Memory

NAME: Final = "claude-code"
INDEX: Final = "MEMORY.md"
TYPES: Final[Mapping[str, Kind]] = {
    "user": "user_preference",
    "feedback": "repo_convention",
    "project": "project_fact",
    "reference": "project_fact",
}
_POINTS = re.compile(r"[-*]\s+\[[^\]]*\]\([^)]+\.md\)")
_BULLET = re.compile(r"[-*]\s+(.+)")
_MAX_FILES: Final = 10_000


def parcel(path: Path) -> Foreign:
    """A folder of these files, or one of them."""
    files = sorted(path.glob("*.md"))[:_MAX_FILES] if path.is_dir() else [path]
    return Foreign(NAME, path, files, _told)


def is_one(held: Note) -> bool:
    """Whether a note is one of these."""
    return held.one("type") in TYPES and bool(held.one("name") or held.one("description"))


def _told(name: str, content: bytes) -> Iterator[Told]:
    held = note(content)
    if name == INDEX:
        yield from _index(held)
    else:
        yield held.line, partial(_memories, name, held)


def _memories(name: str, held: Note) -> Iterator[Memory]:
    kind = TYPES.get(held.one("type"), "project_fact")
    title = held.one("description") or held.one("name")
    pieces = list(parts(held.body)) or [title]
    for number, piece in enumerate(pieces):
        told = f"{name}#{number}" if number else name
        yield draft(NAME, told, piece, kind, tags=[held.one("name") or name.removesuffix(".md"), held.one("type")])


def _index(held: Note) -> Iterator[Told]:
    """What the index says itself: bullets that point to no file."""
    for number, line in enumerate(held.body.splitlines()):
        said = line.strip()
        if (match := _BULLET.fullmatch(said)) and not _POINTS.match(said):
            yield held.line + number, partial(_bullet, match[1], held.line + number)


def _bullet(said: str, place: int) -> Iterator[Memory]:
    yield draft(NAME, f"{INDEX}#{place}", said, "project_fact")
