"""One JSON document, its records given one by one with their place in the file.

Clients that keep a session as one document write it anew each time; it may be large and may end early. The walk goes
through it once, holds one record at a time, and gives what stands before a fault.
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
_MAX_PIECE_BYTES: Final = 128 << 20
_STRING: Final = rb'"[^"\\]*+(?:\\.[^"\\]*+)*+"'
_TOKEN: Final = re.compile(rb"\s*+(" + _STRING + rb"|[{}\[\],:]|[^\s\"{}\[\],:]++)", re.DOTALL)
_RUN: Final = re.compile(rb'(?:[^"{}\[\]]++|' + _STRING + rb")*+", re.DOTALL)
_OPENS, _CLOSES = b"{[", b"}]"
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
        """Read on; what is behind `at` goes unless it is held. False at the end."""
        kept = self.at if self.held < 0 else self.held
        rest = self.text[kept:]
        if len(rest) > _MAX_PIECE_BYTES:
            raise _FaultError("over-long record")
        piece = self._file.read(max(_CHUNK_BYTES, len(rest)))
        self.over = not piece
        self.text = rest + piece
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
        token = self.token()
        self.at -= len(token)
        return token[:1]

    def skip(self) -> None:
        """Step over the value that begins here."""
        if self.peek() not in _OPENS:
            self.token()
            return
        depth = 0
        while True:
            run = _RUN.match(self.text, self.at)
            self.at = run.end() if run else self.at
            mark = self.text[self.at : self.at + 1]
            if mark in (b"", b'"'):
                if not self.more():
                    raise _FaultError("the document ends early")
                continue
            self.at += 1
            depth += 1 if mark in _OPENS else -1
            if not depth:
                return


def pieces(path: Path, wanted: frozenset[Way]) -> Iterator[Piece | Malformed]:
    """Every wanted value in the order of the file; what follows a fault is told as one damaged span.

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
            at = window.start + window.at
            length = max(0, os.fstat(file.fileno()).st_size - at)
            yield Malformed(span=Span(offset=at, length=length, record=0), reason=f"{fault}", torn=window.over)


def _value(
    window: _Window, wanted: frozenset[Way], above: frozenset[Way], way: Way, numbers: tuple[int, ...]
) -> Iterator[Piece]:
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


def _piece(window: _Window, way: Way, numbers: tuple[int, ...]) -> Piece:
    window.held = window.at
    window.skip()
    piece = Piece(way, numbers, window.start + window.held, window.text[window.held : window.at])
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
