"""A session kept as one JSON document: its small members, and the objects of its lists as records.

Two walks over the file, neither holding more than one record (`document`): what the document says of
itself may stand behind its messages.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from learnt.hosts.reading.cut import cut
from learnt.hosts.reading.document import pieces
from learnt.hosts.reading.records import Record, decoded, reason_of
from learnt.model.instant import from_epoch
from learnt.model.session import Malformed, Span

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from learnt.hosts.reading.document import Piece, Way

MAX_MEMBER_BYTES: Final = 1 << 20
_CUT_BYTES: Final = 8 << 20
"""A record over this size is decoded without the middle of its giant texts: images, as a rule."""
_HEAD_BYTES: Final = 4_096
_BOM: Final = b"\xef\xbb\xbf"


def members(path: Path, *names: str) -> dict[str, Any]:
    """These members of the outermost object, as far as they are there, small enough and no damage stands before them.

    Raises:
        NotFoundError: There is no such file.
        UsageError: It cannot be read.
    """
    found: dict[str, Any] = {}
    for piece in pieces(path, frozenset((name,) for name in names)):
        if not isinstance(piece, Malformed) and len(piece.body) <= MAX_MEMBER_BYTES:
            try:
                found[piece.way[0]] = decoded(piece.body)
            except (ValueError, RecursionError):
                continue
    return found


def elements(path: Path, *ways: Way) -> Iterator[Record | Malformed]:
    """The objects at these ways in the order of the file; whatever is none, and whatever is damaged, is malformed.

    Raises:
        NotFoundError: There is no such file.
        UsageError: It cannot be read.
    """
    number = 0
    for piece in pieces(path, frozenset(ways)):
        if isinstance(piece, Malformed):
            span = Span(offset=piece.span.offset, length=piece.span.length, record=number)
            yield Malformed(span=span, reason=piece.reason, torn=piece.torn)
        else:
            yield _record(piece, number)
        number += 1
    if not number and not begins(path, b"{["):
        yield Malformed(span=Span(offset=0, length=size(path), record=0), reason="no JSON document")


def size(path: Path) -> int:
    """Bytes of a file; 0 when it is gone."""
    try:
        return path.stat().st_size
    except OSError:
        return 0


def begins(path: Path, signs: bytes) -> bool:
    """Whether the first byte that is no blank is one of these."""
    first = head(path).removeprefix(_BOM).lstrip()[:1]
    return bool(first) and first in signs


def head(path: Path) -> bytes:
    """The first bytes of a file, by which it is recognised; none when it cannot be read."""
    try:
        with path.open("rb") as file:
            return file.read(_HEAD_BYTES)
    except (OSError, ValueError):
        return b""


def _record(piece: Piece, number: int) -> Record | Malformed:
    span = Span(offset=piece.offset, length=len(piece.body), record=number)
    try:
        value = decoded(cut(piece.body) if len(piece.body) > _CUT_BYTES else piece.body)
    except (ValueError, RecursionError) as fault:
        return Malformed(span=span, reason=reason_of(fault))
    return Record(span, value) if isinstance(value, dict) else Malformed(span=span, reason="no JSON object")


def written_at(path: Path) -> str:
    """When a file was written last, for formats that tell no time; "" when it is gone."""
    try:
        return from_epoch(path.stat().st_mtime)
    except (OSError, ValueError, OverflowError):
        return ""
