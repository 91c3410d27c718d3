"""Procedures in the Agent Skills format: names, paths, what a valid one is, and how one is written.

Source: agentskills.io specification (names, lengths, front matter); oh-my-pi (what is made of an odd name, which
paths are refused).
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from learnt.distil.line import clipped, collapsed

if TYPE_CHECKING:
    from collections.abc import Mapping

    from learnt.model.extraction import Skill

NAME_CHARS: Final = 64
DESCRIPTION_CHARS: Final = 1_024
BODY_CHARS: Final = 20_000
"""About 5,000 tokens."""
FILE_CHARS: Final = 20_000
MAX_FILES: Final = 16
FOLDERS: Final = ("scripts", "templates", "examples")
FIELDS: Final = frozenset({"name", "description", "license", "compatibility", "metadata", "allowed-tools"})
"""Top-level fields of the front matter; another one is an error for a validator."""

_HYPHENS: Final = "\\x2d" * 3
_NAME = re.compile(r"[a-z0-9]+(?:-[a-z0-9]+)*")
_ODD = re.compile(r"[^a-z0-9]+")
_PART = re.compile(r"[A-Za-z0-9_][A-Za-z0-9._-]{0,99}")
_FIELD = re.compile(r"([A-Za-z][\w-]*):(?:[ \t]|$)")
_DEVICES: Final = frozenset(
    ["con", "prn", "aux", "nul", *(f"com{n}" for n in range(10)), *(f"lpt{n}" for n in range(10))]
)


def name(text: str) -> str:
    """`text` as a skill's name: lower case, odd runs one hyphen, at most 64; "" when nothing is left."""
    made = _ODD.sub("-", text.lower()).strip("-")[:NAME_CHARS].strip("-")
    return "" if made in _DEVICES else made


def path(text: str) -> str | None:
    """`text` as the path of a file beside a SKILL.md, or None where it would leave the three folders."""
    parts = text.split("/")
    if len(parts) < 2 or len(parts) > 4 or parts[0] not in FOLDERS or len(text) > 200:
        return None
    good = all(_PART.fullmatch(part) and not part.endswith(".") for part in parts)
    return text if good and not any(part.split(".")[0].lower() in _DEVICES for part in parts) else None


def faults(skill: Skill) -> tuple[str, ...]:
    """Why a skill is not valid; nothing for a valid one."""
    checks = (
        (_NAME.fullmatch(skill.name) is not None and len(skill.name) <= NAME_CHARS, "name"),
        (0 < len(skill.description) <= DESCRIPTION_CHARS and "\n" not in skill.description, "description"),
        (0 < len(skill.body) <= BODY_CHARS, "body"),
        (len(skill.files) <= MAX_FILES, "files"),
        (all(path(each) for each in skill.files), "path"),
        (all(len(content) <= FILE_CHARS for content in skill.files.values()), "file"),
    )
    return tuple(reason for good, reason in checks if not good)


def document(skill: Skill) -> str:
    """SKILL.md: front matter of name and description, where it is from, and the body."""
    head = [
        "---",
        f"name: {skill.name}",
        f"description: {quoted(clipped(collapsed(skill.description), DESCRIPTION_CHARS))}",
        "metadata:",
        '  generated-by: "learnt"',
        f'  sessions: "{skill.sessions}"',
        "---",
        "",
    ]
    return "\n".join(head) + skill.body.rstrip("\n") + "\n"


def quoted(text: str) -> str:
    """`text` as a double-quoted scalar of YAML on one line.

    Three hyphens are written as escapes: readers of skills split a file at them wherever they stand.
    """
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"').replace("---", _HYPHENS) + '"'


def front_matter_faults(text: str, folder: str) -> tuple[str, ...]:
    """What is wrong with the front matter of a SKILL.md as it stands in a folder; nothing for a valid one."""
    if not text.startswith("---\n") or "\n---\n" not in text[4:]:
        return ("front matter",)
    block = text[4 : text.index("\n---\n", 4)]
    fields = _fields(block)
    found = [f"field {each}" for each in fields if each not in FIELDS]
    if "---" in block:
        found.append("hyphens")
    if fields.get("name") != folder or _NAME.fullmatch(folder) is None or len(folder) > NAME_CHARS:
        found.append("name")
    if not 0 < len(fields.get("description", "")) <= DESCRIPTION_CHARS:
        found.append("description")
    return tuple(found)


def _fields(block: str) -> Mapping[str, str]:
    """The top-level fields, and the text behind each."""
    found = {}
    for row in block.split("\n"):
        if matched := _FIELD.match(row):
            value = row[matched.end() :].strip()
            bare = len(value) > 1 and value[0] == value[-1] == '"'
            plain = value[1:-1].replace(_HYPHENS, "---").replace('\\"', '"').replace("\\\\", "\\")
            found[matched[1]] = plain if bare else value
    return found
