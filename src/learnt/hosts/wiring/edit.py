"""A JSON file of somebody else's, edited by position: something put in, something taken out, nothing else touched.

The order, indentation and line ends of the file stay. What is not plain JSON is refused untouched; where a host reads
comments and commas before a closing bracket, they are read over, and stay.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from difflib import unified_diff
from typing import TYPE_CHECKING, Any

from learnt.errors import ConfigError
from learnt.hosts.wiring.jsontext import Node, margin, scan

if TYPE_CHECKING:
    from collections.abc import Sequence

EMPTY = "{}\n"
_PIECE = re.compile(r'"(?:[^"\\]|\\.)*"?|//[^\r\n]*|/\*.*?(?:\*/|\Z)|[\s\ufeff]+|[,}\]]|[^"/\s,}\]]+|/', re.DOTALL)
"""A text, a comment, blanks, or what stands between them."""


@dataclass(frozen=True, slots=True)
class Insertion:
    """A piece of text that was put in, and where; the later pieces of a list may stand inside or before the earlier."""

    offset: int
    text: str


def parsed(text: str, *, comments: bool = False) -> dict[str, Any]:
    """The document; {} for an empty file.

    Args:
        comments: Whether the host reads comments, and commas before a closing bracket.

    Raises:
        ConfigError: Not an object, or not plain JSON.
    """
    if blank(text):
        return {}
    try:
        document = json.loads((plain(text) if comments else text).removeprefix("\ufeff"))
    except (ValueError, RecursionError) as error:
        what = "has comments" if _commented(text) else f"is not valid JSON ({error})"
        raise refusal(what) from None
    if not isinstance(document, dict):
        raise refusal("is not a JSON object")
    return document


def plain(text: str) -> str:
    """The text with blanks for comments and for commas before a closing bracket: everything stands where it stood."""
    pieces: list[str] = []
    comma = -1
    for piece in _PIECE.findall(text):
        if piece.startswith(("//", "/*")):
            pieces.append("".join(char if char in "\r\n" else " " for char in piece))
            continue
        if comma >= 0 and piece in ("}", "]"):
            pieces[comma] = " "
        if not piece.isspace():
            comma = len(pieces) if piece == "," else -1
        pieces.append(piece)
    return "".join(pieces)


def begun(text: str, empty: str = EMPTY) -> tuple[str, tuple[Insertion, ...]]:
    """A blank file with an empty document behind its blanks, and what was put in for that; any other as it is."""
    if not blank(text):
        return text, ()
    return text + empty, (Insertion(len(text), empty),)


def blank(text: str) -> bool:
    """Whether a file says nothing."""
    return not text.strip("\ufeff \t\r\n")


def key(name: str) -> str:
    """A member's name as it stands before its value."""
    return json.dumps(name) + ": "


def appended(text: str, container: Node, key: str, value: object) -> Insertion:
    """The insertion of one more member at the end of a container, in the manner of the file."""
    newline = "\r\n" if "\r\n" in text else "\n"
    step = _step(text)
    last = container.members[-1] if container.members else None
    own = margin(text, last[1]) if last else _margin_of(text, container, step) + step
    if own is None or (last is None and "\n" not in text):
        piece = key + json.dumps(value)
        return Insertion(last[2].end, ", " + piece) if last else Insertion(container.start + 1, piece)
    body = json.dumps(value, indent=step).replace("\n", newline + own)
    if last:
        return Insertion(last[2].end, f",{newline}{own}{key}{body}")
    tail = "" if "\n" in text[container.start : container.end] else newline + own[: len(own) - len(step)]
    return Insertion(container.start + 1, f"{newline}{own}{key}{body}{tail}")


def _step(text: str) -> str:
    """One level of indentation as the file has it; two blanks where it has none."""
    root = scan(plain(text))
    return (margin(text, root.members[0][1]) if root.members else None) or "  "


def _margin_of(text: str, container: Node, step: str) -> str:
    """The indentation of the line a container begins on."""
    line = text[text.rfind("\n", 0, container.start) + 1 : container.start]
    return line[: len(line) - len(line.lstrip(" \t"))] if step else ""


def taken_out(text: str, insertions: Sequence[Insertion]) -> str | None:
    """`text` without the pieces that were put in, as far as they still stand there; None when one does not."""
    for piece in reversed(insertions):
        at = piece.offset
        if not text.startswith(piece.text, at):
            at = text.find(piece.text) if text.count(piece.text) == 1 else -1
        if at < 0:
            return None
        text = text[:at] + text[at + len(piece.text) :]
    return text if insertions and (blank(text) or _valid(text)) else None


def _valid(text: str) -> bool:
    try:
        return isinstance(json.loads(plain(text).removeprefix("\ufeff")), dict)
    except ValueError:
        return False


def span(parent: Node, place: int) -> tuple[int, int]:
    """What to cut for one member: with the comma before it, else with the one behind it."""
    members = parent.members
    if place:
        return members[place - 1][2].end, members[place][2].end
    if len(members) > 1:
        return members[0][1], members[1][1]
    return parent.start + 1, parent.end - 1


def refusal(what: str) -> ConfigError:
    """The error for a file that cannot be edited safely."""
    return ConfigError(
        f"The host's settings file {what}; it was left untouched.",
        code="host_settings",
        hint="Make it plain JSON, or add by hand what `learnt init --dry-run` shows.",
    )


def _commented(text: str) -> bool:
    """Whether a comment stands outside the strings."""
    at = 0
    while at < len(text):
        if text[at] == '"':
            end = text.find('"', at + 1)
            while end > 0 and text[end - 1] == "\\":
                end = text.find('"', end + 1)
            if end < 0:
                return False
            at = end
        elif text[at : at + 2] in ("//", "/*"):
            return True
        at += 1
    return False


def difference(before: str, after: str, name: str) -> str:
    """A unified diff to show before anything is written; "" for no change."""
    lines = unified_diff(before.splitlines(keepends=True), after.splitlines(keepends=True), name, name)
    return "".join(line if line.endswith("\n") else line + "\n" for line in lines)
