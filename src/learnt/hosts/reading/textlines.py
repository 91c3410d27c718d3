"""A Markdown transcript as lines of text with their places."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from learnt.hosts.reading.lines import Line, lines
from learnt.model.session import Span

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path


class TextLine(NamedTuple):
    """A line without its end, and where it stands. A tuple, because one is made of every line."""

    offset: int
    number: int
    length: int
    text: str


def text_lines(path: Path, offset: int = 0, number: int = 0, marks: tuple[bytes, ...] = (b"",)) -> Iterator[TextLine]:
    """The lines from a byte offset on, which is line `number`; of an over-long one its beginning.

    Args:
        marks: Only lines that begin with one of these.
    """
    for line in lines(path, offset, number):
        body = line.body if isinstance(line, Line) else line.head
        if body.startswith(marks):
            text = body.decode("utf-8", "replace").removesuffix("\r")
            yield TextLine(line.offset, line.number, line.length, text)


def span_of(block: Sequence[TextLine]) -> Span:
    """Where lines that belong together stand."""
    first, last = block[0], block[-1]
    return Span(offset=first.offset, length=last.offset + last.length - first.offset, record=first.number)
