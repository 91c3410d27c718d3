"""What a model is asked for, as JSON Schema, and its answer read strictly into values.

Source: codex and its successor, keys of both phases; that assertions are arrays with quotes, and entries name facts, is
learnt's.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, get_args

from learnt.distil.draft import SECTIONS
from learnt.model.extraction import Section, Speaker

if TYPE_CHECKING:
    from collections.abc import Mapping

SPEAKERS: Final[tuple[Speaker, ...]] = get_args(Speaker)
MAX_ASSERTIONS: Final = 64
MAX_ENTRIES: Final = 400
MAX_SKILLS: Final = 40
TEXT_CHARS: Final = 4_000
"""Of any one text of an answer; a longer one makes the answer unusable, for nobody asked for it."""
MAX_LIST: Final = 64


def _object(**properties: Any) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }


def _list(items: Mapping[str, Any]) -> dict[str, Any]:
    return {"type": "array", "items": items}


_TEXT: Final = {"type": "string"}
EXTRACTION: Final[Mapping[str, Any]] = _object(
    rollout_summary=_TEXT,
    rollout_slug={"type": ["string", "null"]},
    raw_memory=_list(
        _object(
            section={"type": "string", "enum": list(SECTIONS)},
            text=_TEXT,
            quote=_TEXT,
            speaker={"type": "string", "enum": list(SPEAKERS)},
            commands=_list(_TEXT),
            files=_list(_TEXT),
        )
    ),
)
"""Phase 1."""
CONSOLIDATION: Final[Mapping[str, Any]] = _object(
    memory_md=_list(_object(heading=_TEXT, entries=_list(_object(text=_TEXT, facts=_list(_TEXT))))),
    memory_summary=_list(_object(text=_TEXT, facts=_list(_TEXT))),
    skills=_list(
        _object(
            name=_TEXT,
            description=_TEXT,
            steps=_list(_TEXT),
            facts=_list(_TEXT),
            files=_list(_object(path=_TEXT, content=_TEXT)),
        )
    ),
)
"""Phase 2."""


@dataclass(frozen=True, slots=True)
class Unusable:
    """Why an answer cannot be read, in words without any of it."""

    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Assertion:
    """What a model says a session taught, before it was checked."""

    section: Section
    text: str
    quote: str
    speaker: Speaker
    commands: tuple[str, ...] = ()
    files: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Assertions:
    """An answer of phase 1. Empty texts and no assertions say that there is nothing to keep."""

    summary: str
    slug: str | None
    assertions: tuple[Assertion, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class WrittenEntry:
    """A line a model wrote, and the facts it says it rests on."""

    text: str
    facts: tuple[str, ...]
    heading: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class WrittenSkill:
    """A procedure a model wrote. `files`: path and content."""

    name: str
    description: str
    steps: tuple[str, ...]
    facts: tuple[str, ...]
    files: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Composed:
    """An answer of phase 2."""

    entries: tuple[WrittenEntry, ...]
    summary: tuple[WrittenEntry, ...]
    skills: tuple[WrittenSkill, ...]


class _WrongError(Exception):
    """The answer is not what was asked for."""


def assertions(value: object) -> Assertions | Unusable:
    """An answer of phase 1, read strictly: exactly these keys, and nothing of another type."""
    try:
        table = _table(value, "answer", "rollout_summary", "rollout_slug", "raw_memory")
        slug = table["rollout_slug"]
        return Assertions(
            summary=_text(table["rollout_summary"], "rollout_summary"),
            slug=None if slug is None else _text(slug, "rollout_slug"),
            assertions=tuple(_assertion(each) for each in _items(table["raw_memory"], "raw_memory", MAX_ASSERTIONS)),
        )
    except _WrongError as error:
        return Unusable(str(error))


def composed(value: object) -> Composed | Unusable:
    """An answer of phase 2, read strictly; an empty `memory_md` or `memory_summary` is no answer."""
    try:
        table = _table(value, "answer", "memory_md", "memory_summary", "skills")
        groups = _items(table["memory_md"], "memory_md", MAX_ENTRIES)
        made = Composed(
            entries=tuple(entry for group in groups for entry in _group(group))[:MAX_ENTRIES],
            summary=tuple(_entry(each) for each in _items(table["memory_summary"], "memory_summary", MAX_ENTRIES)),
            skills=tuple(_skill(each) for each in _items(table["skills"], "skills", MAX_SKILLS)),
        )
    except _WrongError as error:
        return Unusable(str(error))
    return made if made.entries and made.summary else Unusable("memory_md or memory_summary is empty")


def _table(value: object, name: str, *keys: str) -> Mapping[str, Any]:
    if not isinstance(value, dict):
        raise _WrongError(f"{name} is no object")
    if set(value) != set(keys):
        raise _WrongError(f"{name} must have exactly the keys {', '.join(keys)}")
    return value


def _text(value: object, name: str) -> str:
    if not isinstance(value, str):
        raise _WrongError(f"{name} is no text")
    if len(value) > TEXT_CHARS:
        raise _WrongError(f"{name} is longer than {TEXT_CHARS:,} characters")
    return value.strip()


def _items(value: object, name: str, most: int) -> list[object]:
    if not isinstance(value, list):
        raise _WrongError(f"{name} is no list")
    return value[:most]


def _texts(value: object, name: str) -> tuple[str, ...]:
    return tuple(_text(each, name) for each in _items(value, name, MAX_LIST))


def _assertion(value: object) -> Assertion:
    table = _table(value, "raw_memory", "section", "text", "quote", "speaker", "commands", "files")
    section, speaker = table["section"], table["speaker"]
    if section not in SECTIONS:
        raise _WrongError("section is none of those asked for")
    if speaker not in SPEAKERS:
        raise _WrongError("speaker is none of those asked for")
    return Assertion(
        section=section,
        text=_text(table["text"], "text"),
        quote=_text(table["quote"], "quote"),
        speaker=speaker,
        commands=_texts(table["commands"], "commands"),
        files=_texts(table["files"], "files"),
    )


def _group(value: object) -> tuple[WrittenEntry, ...]:
    table = _table(value, "memory_md", "heading", "entries")
    heading = _text(table["heading"], "heading")
    return tuple(_entry(each, heading) for each in _items(table["entries"], "entries", MAX_ENTRIES))


def _entry(value: object, heading: str = "") -> WrittenEntry:
    table = _table(value, "entry", "text", "facts")
    return WrittenEntry(text=_text(table["text"], "text"), facts=_texts(table["facts"], "facts"), heading=heading)


def _skill(value: object) -> WrittenSkill:
    table = _table(value, "skill", "name", "description", "steps", "facts", "files")
    files = [_table(each, "file", "path", "content") for each in _items(table["files"], "files", MAX_LIST)]
    return WrittenSkill(
        name=_text(table["name"], "name"),
        description=_text(table["description"], "description"),
        steps=_texts(table["steps"], "steps"),
        facts=_texts(table["facts"], "facts"),
        files=tuple((_text(each["path"], "path"), _text(each["content"], "content")) for each in files),
    )
