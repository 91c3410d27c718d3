"""A Markdown transcript as lines of text with their places."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from learnt.hosts.reading.lines import Line, lines
from learnt.model.session import Span

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path


@dataclass(frozen=True, slots=True)
class TextLine:
    """A line without its end, and where it stands."""

    offset: int
    number: int
    length: int
    text: str


def text_lines(path: Path, offset: int = 0, number: int = 0) -> Iterator[TextLine]:
    """The lines from a byte offset on, which is line `number`; of an over-long one its beginning."""
    for line in lines(path, offset, number):
        body = line.body if isinstance(line, Line) else line.head
        yield TextLine(line.offset, line.number, line.length, body.decode("utf-8", "replace").removesuffix("\r"))


def span_of(block: Sequence[TextLine]) -> Span:
    """Where lines that belong together stand."""
    first, last = block[0], block[-1]
    return Span(offset=first.offset, length=last.offset + last.length - first.offset, record=first.number)
