"""A history file of aider: its sessions, and the lines of one."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from learnt.hosts.fence import Fence
from learnt.hosts.lines import Line, lines
from learnt.hosts.moment import from_stamp

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

STARTED: Final = re.compile(r"# aider chat started at (\d{4}-\d\d-\d\d \d\d:\d\d:\d\d)\s*")
_CUT_OFF: Final = re.compile(r"> (?:Tokens: [\d.,]{1,12}[kKmM]? sent\b|\^C)")


@dataclass(frozen=True, slots=True)
class TextLine:
    """A line without its end, and where it stands."""

    offset: int
    number: int
    length: int
    text: str


@dataclass(frozen=True, slots=True)
class Section:
    """One session: the `number`-th of the file, from 1; its bytes and its first line."""

    number: int
    name: str
    started: str
    begin: int
    end: int
    line: int
    last: bool


def text_lines(path: Path, section: Section | None = None) -> Iterator[TextLine]:
    """The lines of a session behind its heading, or of the whole file; of an over-long one its beginning."""
    begin, number = (section.begin, section.line) if section else (0, 0)
    for line in lines(path, begin, number):
        if section is not None and line.offset >= section.end:
            return
        if section is None or line.offset > begin:
            body = line.body if isinstance(line, Line) else line.head
            text = body.decode("utf-8", "replace").removesuffix("\r")
            yield TextLine(line.offset, line.number, line.length, text)


def sections(path: Path) -> tuple[Section, ...]:
    """Every session, in order. A heading inside code is none."""
    fence, found, end = Fence(), list[tuple[TextLine, str]](), 0
    for line in text_lines(path):
        end = line.offset + line.length
        heading = STARTED.fullmatch(line.text)
        if fence.is_open and _CUT_OFF.match(line.text):
            fence.drop()
        if not fence.feed(line.text) and heading is not None:
            found.append((line, heading.group(1)))
    ends = [*(line.offset for line, _ in found[1:]), end]
    return tuple(
        Section(
            number=number,
            name=re.sub(r"\D", "", stamp),
            started=from_stamp(stamp),
            begin=line.offset,
            end=ends[number - 1],
            line=line.number,
            last=number == len(found),
        )
        for number, (line, stamp) in enumerate(found, 1)
    )


def section_of(path: Path, session: str) -> Section | None:
    """The session with this number, or the only one."""
    every = sections(path)
    if not session and len(every) == 1:
        return every[0]
    return every[int(session) - 1] if session.isdecimal() and 0 < int(session) <= len(every) else None
