"""JSON as text with positions, so that a file a person wrote can be edited without being written anew.

Only for text that `json.loads` has accepted: the scanner finds where things stand, it does not judge.
"""

from __future__ import annotations

import json
from dataclasses import dataclass

_BLANKS = " \t\r\n"


@dataclass(frozen=True, slots=True)
class Node:
    """A value and where it stands: `text[start:end]`.

    Attributes:
        type: `{`, `[` or `"` for a string, `0` for anything else.
        members: Of an object, key, start of the key, and value; of an array the key is "" and the start the value's.
    """

    type: str
    start: int
    end: int
    members: tuple[tuple[str, int, Node], ...] = ()

    def member(self, key: str) -> Node | None:
        """The value of a key; of a repeated key the last, as parsers have it."""
        found = [node for name, _, node in self.members if name == key]
        return found[-1] if found and self.type == "{" else None


def scan(text: str) -> Node:
    """The tree of a valid document."""
    return _value(text, _skip(text, 1 if text.startswith("\ufeff") else 0))


def _skip(text: str, at: int) -> int:
    while at < len(text) and text[at] in _BLANKS:
        at += 1
    return at


def _value(text: str, at: int) -> Node:
    if text[at] in "{[":
        return _container(text, at)
    if text[at] == '"':
        return Node('"', at, _string_end(text, at))
    end = at
    while end < len(text) and text[end] not in ",]}" + _BLANKS:
        end += 1
    return Node("0", at, end)


def _string_end(text: str, at: int) -> int:
    end = at + 1
    while text[end] != '"':
        end += 2 if text[end] == "\\" else 1
    return end + 1


def _container(text: str, start: int) -> Node:
    sort, members = text[start], []
    at = _skip(text, start + 1)
    while text[at] not in "}]":
        key, key_start = "", at
        if sort == "{":
            end = _string_end(text, at)
            key = json.loads(text[at:end])
            at = _skip(text, _skip(text, end) + 1)
        node = _value(text, at)
        members.append((key, key_start, node))
        at = _skip(text, node.end)
        if text[at] == ",":
            at = _skip(text, at + 1)
    return Node(sort, start, at + 1, tuple(members))


def margin(text: str, at: int) -> str | None:
    """The blanks between the line's start and `at`, or None when something else stands before it on the line."""
    start = text.rfind("\n", 0, at) + 1
    return text[start:at] if start and not text[start:at].strip(" \t") else None
