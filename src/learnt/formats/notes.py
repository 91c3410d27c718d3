"""Markdown files with a front matter: its fields, its body, and the line in which that begins.

Of YAML only what notes use: `name: value`, also below another name, lists in brackets or behind dashes, quotes.
Anything else is passed over.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from learnt.model.field import MisfitError

if TYPE_CHECKING:
    from collections.abc import Mapping

_FENCE: Final = "---"
_MAX_FIELDS: Final = 200
_FIELD = re.compile(r"[ \t]*([A-Za-z][\w-]{0,60}):(?:[ \t]+(.*))?")
_ITEM = re.compile(r"[ \t]*-[ \t]+(.*)")


@dataclass(frozen=True, slots=True)
class Note:
    """One file: values of its front matter as lists of texts."""

    fields: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    body: str = ""
    line: int = 1

    def one(self, name: str) -> str:
        """The first value of a field; "" for none."""
        return next(iter(self.fields.get(name, ())), "")


def note(content: bytes) -> Note:
    """The note a file holds.

    Raises:
        MisfitError: It is not UTF-8.
    """
    try:
        lines = content.decode("utf-8").splitlines()
    except UnicodeDecodeError:
        raise MisfitError("not UTF-8") from None
    if not lines or lines[0].strip() != _FENCE:
        return Note(body="\n".join(lines))
    end = next((at for at, line in enumerate(lines[1 : _MAX_FIELDS + 1], 1) if line.strip() == _FENCE), 0)
    if not end:
        return Note(body="\n".join(lines))
    return Note(_fields(lines[1:end]), "\n".join(lines[end + 1 :]), end + 2)


def _fields(lines: list[str]) -> dict[str, tuple[str, ...]]:
    found: dict[str, tuple[str, ...]] = {}
    name = ""
    for line in lines:
        if match := _FIELD.fullmatch(line):
            name = match[1]
            found[name] = _values(match[2] or "")
        elif name and (item := _ITEM.fullmatch(line)):
            found[name] = (*found[name], *_values(item[1]))
    return found


def _values(text: str) -> tuple[str, ...]:
    said = text.strip()
    if said.startswith("[") and said.endswith("]"):
        return tuple(value for each in said[1:-1].split(",") if (value := _bare(each)))
    return (_bare(said),) if _bare(said) else ()


def _bare(text: str) -> str:
    said = text.strip()
    return said[1:-1] if len(said) > 1 and said[0] == said[-1] and said[0] in "\"'" else said
