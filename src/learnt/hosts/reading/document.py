"""One JSON document, its records given one by one with their place in the file.

Clients that keep a session as one document write it anew each time; it may be large and may end early. The walk goes
through it once, holds one record at a time, steps over one too large to hold, and gives what stands before a fault.
"""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, BinaryIO, Final

from learnt.hosts.reading.lines import opened
from learnt.model.session import Malformed, Span

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

_CHUNK_BYTES: Final = 1 << 20
_MAX_PIECE_BYTES: Final = 48 << 20
"""Of one record. Held and decoded it takes three times as much, and reading a session is to stay below 200 MB."""
_STRING: Final = rb'"[^"\\]*+(?:\\.[^"\\]*+)*+"'
_TOKEN: Final = re.compile(rb"\s*+(" + _STRING + rb"|[{}\[\],:]|[^\s\"{}\[\],:]++)", re.DOTALL)
_RUN: Final = re.compile(rb'(?:[^"{}\[\]]++|' + _STRING + rb")*+", re.DOTALL)
_BLANK: Final = re.compile(rb"\s*+")
_INSIDE: Final = re.compile(rb'[^"\\]*+(?:\\.[^"\\]*+)*+', re.DOTALL)
_OPENS: Final = b"{["
_BOM: Final = b"\xef\xbb\xbf"

Way = tuple[str, ...]
"""The keys down to a value, `*` for every element of a list."""


@dataclass(frozen=True, slots=True)
class Piece:
    """One wanted value: its JSON text, where it stands, and its numbers in the lists it is in."""

    way: Way
    numbers: tuple[int, ...]
    offset: int
    body: bytes


class _FaultError(Exception):
    """The document is none from here on."""


class _Window:
    """A part of the file that moves forward; `at` is where the reading stands in it."""

    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        self.text = b""
        self.start = 0
        self.at = 0
        self.held = -1
        self.over = False
        self.more()
        if self.text.startswith(_BOM):
            self.at = len(_BOM)

    def more(self) -> bool:
        """Read on; what is behind `at` goes unless it is held, and what grows too long is not. False at the end."""
        if self.held >= 0 and len(self.text) - self.held > _MAX_PIECE_BYTES:
            self.held = -1
        kept = self.at if self.held < 0 else self.held
        self.text = self.text[kept:]
        if len(self.text) > _MAX_PIECE_BYTES:
            raise _FaultError("over-long word")
        piece = self._file.read(max(_CHUNK_BYTES, len(self.text) // 4))
        self.over = not piece
        self.text += piece
        self.start += kept
        self.at -= kept
        self.held = min(0, self.held)
        return bool(piece)

    def token(self) -> bytes:
        """The next token; a torn one is a fault."""
        while True:
            found = _TOKEN.match(self.text, self.at)
            if found is not None and (found.end() < len(self.text) or self.over):
                self.at = found.end()
                return found.group(1)
            if not self.more() and found is None:
                raise _FaultError("the document ends early")

    def peek(self) -> bytes:
        """The first byte of the next token."""
        while not (first := self._behind(_BLANK)):
            self._on()
        return first

    def skip(self) -> None:
        """Step over the value that begins here, over a string in parts: it may be longer than what is in view."""
        first = self.peek()
        if first not in b'"{[':
            self.token()
            return
        inside, depth = first == b'"', int(first in _OPENS)
        self.at += 1
        while inside or depth:
            mark = self._behind(_INSIDE if inside else _RUN)
            if mark in (b"", b"\\"):
                self._on()
                continue
            self.at += 1
            if mark == b'"':
                inside = not inside
            else:
                depth += 1 if mark in _OPENS else -1

    def _behind(self, run: re.Pattern[bytes]) -> bytes:
        """The byte behind all that is of this sort; none where what is in view ends."""
        found = run.match(self.text, self.at)
        self.at = found.end() if found else self.at
        return self.text[self.at : self.at + 1]

    def _on(self) -> None:
        if not self.more():
            raise _FaultError("the document ends early")


def pieces(path: Path, wanted: frozenset[Way]) -> Iterator[Piece | Malformed]:
    """Every wanted value in the order of the file; one too large, and what follows a fault, is told as a damaged span.

    Raises:
        NotFoundError: There is no such file.
        UsageError: It cannot be read.
    """
    above = frozenset(way[:depth] for way in wanted for depth in range(len(way)))
    with opened(path) as file:
        window = _Window(file)
        try:
            yield from _value(window, wanted, above, (), ())
        except _FaultError as fault:
            at = window.start + (window.at if window.held < 0 else window.held)
            length = max(0, os.fstat(file.fileno()).st_size - at)
            yield Malformed(span=Span(offset=at, length=length, record=0), reason=f"{fault}", torn=window.over)


def _value(
    window: _Window, wanted: frozenset[Way], above: frozenset[Way], way: Way, numbers: tuple[int, ...]
) -> Iterator[Piece | Malformed]:
    first = window.peek()
    if way in wanted:
        yield _piece(window, way, numbers)
    elif way in above and first == b"{":
        for key in _members(window):
            yield from _value(window, wanted, above, (*way, key), numbers)
    elif way in above and first == b"[":
        for number in _elements(window):
            yield from _value(window, wanted, above, (*way, "*"), (*numbers, number))
    else:
        window.skip()


def _piece(window: _Window, way: Way, numbers: tuple[int, ...]) -> Piece | Malformed:
    begin, window.held = window.start + window.at, window.at
    window.skip()
    if window.held < 0:
        span = Span(offset=begin, length=window.start + window.at - begin, record=0)
        return Malformed(span=span, reason=f"a record of over {_MAX_PIECE_BYTES >> 20} MiB")
    piece = Piece(way, numbers, begin, window.text[window.held : window.at])
    window.held = -1
    return piece


def _members(window: _Window) -> Iterator[str]:
    """The keys of the object that begins here; behind each the window stands at its value."""
    window.token()
    token = window.token()
    while token != b"}":
        if token[:1] != b'"' or window.token() != b":":
            raise _FaultError("no key where one has to be")
        yield token[1:-1].decode("utf-8", "replace")
        token = _following(window, b"}")


def _elements(window: _Window) -> Iterator[int]:
    """The numbers of the elements of the list that begins here; behind each the window stands at its value."""
    window.token()
    if window.peek() == b"]":
        window.token()
        return
    number = 0
    while True:
        yield number
        number += 1
        token = window.token()
        if token == b"]":
            return
        if token != b",":
            raise _FaultError("no comma between two records")


def _following(window: _Window, end: bytes) -> bytes:
    """The token behind a member: the end, or the next key behind a comma."""
    token = window.token()
    if token == end:
        return token
    if token != b",":
        raise _FaultError("no comma between two keys")
    return window.token()
