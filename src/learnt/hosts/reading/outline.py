"""The top level of one JSON object that is too long to hold, read piece by piece in constant memory.

A record over 1 MiB (an inline image, a huge output) keeps its first and last 32 KiB; but the keys that say what it is
may stand between two giant values. The outline walks over every byte with two regular expressions that step over
whole strings, counts brackets, and keeps the short text and truth values of the outermost object.
Parsing such a line would take three to twelve times its size in memory; an event parser in Python runs at 1 to 40 MB/s.
"""

from __future__ import annotations

import json
import re
from typing import Final

_STRING: Final = rb'"[^"\\]*+(?:\\.[^"\\]*+)*+"'
_SURFACE = re.compile(_STRING + rb"(\s*:)?|true|false|[{}\[\]\"]", re.DOTALL)
_FAILED: Final = rb'"is_error"\s*:\s*true'
_INSIDE: Final = rb'[^"{}\[\]]++|(?!' + _FAILED + rb")" + _STRING
_FLAT: Final = rb"[{\[](?:" + _INSIDE + rb")*+[}\]]"
"""An object or list without another inside, stepped over as a whole: a long list of small items is mostly these."""
_DEPTHS = re.compile(rb"(?:" + _INSIDE + rb"|" + _FLAT + rb")*+(" + _FAILED + rb'|[{}\[\]"])?', re.DOTALL)
_STRING_REST = re.compile(rb'[^"\\]*+(?:\\.[^"\\]*+)*+', re.DOTALL)
_MAX_FACTS = 64
_MAX_VALUE_BYTES = 2_048
_CARRIED_BYTES = 4_096
"""Of the end of a piece, what may be the beginning of a key or value, is looked at again with the next one."""
_BLANKS = 64


class Outline:
    """Fed with the pieces of one line in order; `facts` are the outermost keys with short values.

    Attributes:
        failed: A content block of the message says `is_error: true`.
    """

    __slots__ = ("_carry", "_depth", "_escaped", "_in_string", "_key", "facts", "failed")

    def __init__(self) -> None:
        self.facts: dict[str, str | bool] = {}
        self.failed = False
        self._depth = 0
        self._key = ""
        self._in_string = False
        self._escaped = False
        self._carry = b""

    def feed(self, piece: bytes) -> None:
        """Take in the next bytes of the line."""
        text, at = self._carry + piece, 0
        self._carry = b""
        while at < len(text):
            if self._in_string:
                at = self._string_rest(text, at)
            elif self._depth < 2:
                at = self._surface(text, at)
            else:
                at = self._deep(text, at)

    def _string_rest(self, text: bytes, at: int) -> int:
        """Behind the end of the string that began earlier, or at the end of the text."""
        if self._escaped:
            self._escaped = False
            at += 1
        found = _STRING_REST.match(text, at)
        end = found.end() if found else at
        if end >= len(text):
            return end
        if text[end] == 34:
            self._in_string = False
        else:  # a backslash is the last byte
            self._escaped = True
        return end + 1

    def _open_string(self, text: bytes, at: int) -> int:
        """A string begins at `at` and does not end in this text: wait for its rest, or pass over it."""
        if len(text) - at < _CARRIED_BYTES:
            self._carry = text[at:]
            return len(text)
        self._in_string = True
        self._key = self._key if self._depth > 1 else ""
        return self._string_rest(text, at + 1)

    def _surface(self, text: bytes, at: int) -> int:
        """Steps through the outermost object until a value opens below it."""
        end = at
        for token in _SURFACE.finditer(text, at):
            mark, end = token.group(), token.end()
            if mark == b'"':
                return self._open_string(text, token.start())
            if mark in (b"{", b"["):
                self._depth += 1
                if self._depth > 1:
                    return end
            elif mark in (b"}", b"]"):
                self._depth -= 1
            elif end + _BLANKS >= len(text) and not text[end:].strip():  # a colon may follow
                end = token.start()
                break
            else:
                self._scalar(mark, is_key=token.group(1) is not None)
        self._carry = text[end:] if len(text) - end < _CARRIED_BYTES else b""
        return len(text)

    def _scalar(self, mark: bytes, *, is_key: bool) -> None:
        if is_key:
            self._key = _decoded(mark.rstrip(b": \t\r"))
        elif self._key and len(mark) <= _MAX_VALUE_BYTES and len(self.facts) < _MAX_FACTS:
            self.facts[self._key] = mark == b"true" if mark in (b"true", b"false") else _decoded(mark)
            self._key = ""

    def _deep(self, text: bytes, at: int) -> int:
        """Steps from bracket to bracket until the outermost object is reached again."""
        depth = self._depth
        while at < len(text):
            found = _DEPTHS.match(text, at)
            if found is None or found.group(1) is None:
                break
            mark, at = found.group(1), found.end()
            if mark == b'"':
                self._depth = depth
                return self._open_string(text, at - 1)
            if len(mark) > 1:
                self.failed |= depth == 4 and self._key == "message"
            else:
                depth += 1 if mark in b"{[" else -1
                if depth < 2:
                    self._depth, self._key = depth, ""
                    return at
        self._depth = depth
        return len(text)


def _decoded(token: bytes) -> str:
    """The text of a JSON string; "" when it is none."""
    try:
        value = json.loads(token.decode("utf-8", "replace"))
    except ValueError:
        return ""
    return value if isinstance(value, str) else ""
