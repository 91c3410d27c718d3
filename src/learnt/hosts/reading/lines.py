"""A JSON-lines file as bounded lines of bytes.

Split on line feeds only (a transcript may hold U+2028, carriage returns or form feeds inside its strings). A line of
up to 1 MiB is given whole; of a longer one only its first and last 32 KiB are kept, and an outline of its top level.
"""

from __future__ import annotations

import hashlib
import os
import stat
from dataclasses import dataclass
from typing import TYPE_CHECKING, BinaryIO, NamedTuple

from learnt.errors import NotFoundError, UsageError
from learnt.hosts.reading.outline import Outline

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

MAX_LINE_BYTES = 1 << 20
KEPT_BYTES = 32 << 10
HEAD_BYTES = 4_096
_BOM = b"\xef\xbb\xbf"


class Line(NamedTuple):
    """A physical line without its line end. `ended` is False for the last one when the writer is not done with it.

    A tuple, because one is made of every line.
    """

    offset: int
    number: int
    length: int
    ended: bool
    body: bytes


@dataclass(frozen=True, slots=True)
class LongLine:
    """What is kept of a line over 1 MiB."""

    offset: int
    number: int
    length: int
    ended: bool
    head: bytes
    tail: bytes
    outline: Outline


def opened(path: Path) -> BinaryIO:
    """The file for reading; only a regular file is one.

    Raises:
        NotFoundError: There is no such file.
        UsageError: It is a folder, a device or a pipe, or may not be read.
    """
    try:
        if stat.S_ISREG(path.stat().st_mode):
            return path.open("rb", buffering=MAX_LINE_BYTES)
    except FileNotFoundError as fault:
        hint = "`learnt sessions scan` names the transcripts of this folder."
        raise NotFoundError(f"There is no file {path}.", code="no_file", hint=hint) from fault
    except (OSError, ValueError) as fault:  # ValueError: a NUL in the path
        raise UsageError(f"{path} cannot be read: {fault}.", code="unreadable") from fault
    raise UsageError(f"{path} is not a file.", code="unreadable")


def head_hash(path: Path, head_bytes: int) -> str:
    """SHA-256 of the first `head_bytes`, by which a replaced file is noticed."""
    with opened(path) as file:
        return hashlib.sha256(file.read(head_bytes)).hexdigest()


def lines(path: Path, offset: int = 0, number: int = 0, most_bytes: int = MAX_LINE_BYTES) -> Iterator[Line | LongLine]:
    """The lines from a byte offset on, which is line `number`, up to the size the file has at this moment.

    Args:
        most_bytes: A line up to this size is given whole.
    """
    with opened(path) as file:
        limit = os.fstat(file.fileno()).st_size
        file.seek(offset)
        if offset and file.peek(1)[:1] == b"\n":  # type: ignore[attr-defined]  # the end of a line read without one
            file.readline()
            offset += 1
        while offset < limit:
            piece = file.readline(most_bytes)
            if not piece:
                return
            goes_on = len(piece) == most_bytes and piece[-1] != 10
            line = _long(file, piece, offset, number) if goes_on else _line(piece, offset, number)
            yield line
            offset += line.length
            number += 1


def _line(piece: bytes, offset: int, number: int) -> Line:
    ended = piece[-1] == 10
    body = piece[:-1] if ended else piece
    return Line(offset, number, len(piece), ended, body if offset else body.removeprefix(_BOM))


def _long(file: BinaryIO, piece: bytes, offset: int, number: int) -> LongLine:
    head = piece[:KEPT_BYTES] if offset else piece[:KEPT_BYTES].removeprefix(_BOM)
    outline, length, ended, last = Outline(), len(piece), False, piece[-KEPT_BYTES:]
    objects = head.lstrip()[:1] == b"{"  # what cannot be one, as the zeros a crash leaves, is only stepped over
    if objects:
        outline.feed(piece)
    while piece := file.readline(MAX_LINE_BYTES):
        length += len(piece)
        ended = piece.endswith(b"\n")
        if objects:
            outline.feed(piece)
        last = (last + piece)[-KEPT_BYTES:] if len(piece) < KEPT_BYTES else piece[-KEPT_BYTES:]
        if ended:
            break
    return LongLine(offset, number, length, ended, head, last.removesuffix(b"\n"), outline)
