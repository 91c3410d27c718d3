"""Notes of basic-memory: Markdown with a front matter, in any folders.

Front matter `title`, `type`, `tags`, `permalink`. An observation is a line `- [category] what #tag (context)`, a
relation a line `- relation_type [[Other note]] (context)`. Each observation becomes one memory, its note's title before
it; relations and running text are not taken: they are the note's own, and stay in it.
"""

from __future__ import annotations

import re
from functools import partial
from typing import TYPE_CHECKING, Final

from learnt.formats.draft import draft
from learnt.formats.file import below
from learnt.formats.foreign import Foreign
from learnt.formats.moment import moment_or
from learnt.formats.notes import note

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from learnt.formats.foreign import Told
    from learnt.formats.notes import Note
    from learnt.model.kinds import Kind
    from learnt.model.memory import Memory

NAME: Final = "basic-memory"
CATEGORIES: Final[Mapping[str, Kind]] = {
    "decision": "architecture_decision",
    "design": "architecture_decision",
    "architecture": "architecture_decision",
    "convention": "repo_convention",
    "rule": "repo_convention",
    "standard": "repo_convention",
    "preference": "user_preference",
    "problem": "failure_pattern",
    "issue": "failure_pattern",
    "bug": "failure_pattern",
    "gotcha": "failure_pattern",
    "failure": "failure_pattern",
    "security": "security_note",
    "test": "test_pattern",
    "testing": "test_pattern",
    "pattern": "code_pattern",
    "technique": "code_pattern",
    "method": "code_pattern",
    "lesson": "lesson",
    "todo": "todo",
    "task": "todo",
}
"""What becomes of a category; any other is a `project_fact`."""

_OBSERVATION = re.compile(r"\s*[-*]\s+\[([^\[\]\n]{2,60})\]\s+(.+)")
_CHECKBOX: Final = frozenset("xX -/")
_TAG = re.compile(r"(?:^|\s)#([\w/-]+)")


def parcel(path: Path) -> Foreign:
    """A folder of notes, with its folders, or one note."""
    return Foreign(NAME, path, list(below(path, ".md")) if path.is_dir() else [path], _told)


def is_one(held: Note) -> bool:
    """Whether a note is one of these: with a permalink, or with an observation."""
    return bool(held.one("permalink")) or any(map(_observation, held.body.splitlines()))


def _observation(line: str) -> re.Match[str] | None:
    found = _OBSERVATION.fullmatch(line)
    return None if found is None or set(found[1]) <= _CHECKBOX else found


def _told(name: str, content: bytes) -> Iterator[Told]:
    held = note(content)
    for number, line in enumerate(held.body.splitlines()):
        if found := _observation(line):
            yield held.line + number, partial(_memories, held, name, held.line + number, found)


def _memories(held: Note, name: str, place: int, found: re.Match[str]) -> Iterator[Memory]:
    category, said = found[1].strip(), found[2].strip()
    title = held.one("title") or name.removesuffix(".md")
    text = _TAG.sub("", said).strip()
    tags = [*held.fields.get("tags", ()), category, *_TAG.findall(said)]
    yield draft(
        NAME,
        f"{held.one('permalink') or name}#{place}",
        f"{title}: {text}",
        CATEGORIES.get(category.lower(), "project_fact"),
        tags=[tag for each in tags for tag in each.split(",")],
        created_at=moment_or(held.one("created")),
        updated_at=moment_or(held.one("modified")),
    )
