"""A history file of aider: its sessions, and the lines of one."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Final

from learnt.hosts.reading.fence import Fence
from learnt.hosts.reading.textlines import TextLine, text_lines
from learnt.hosts.reading.value import from_stamp

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

_HEADING: Final = "# aider chat started at "
STARTED: Final = re.compile(r"# aider chat started at (\d{4}-\d\d-\d\d \d\d:\d\d:\d\d)\s*")
MARKS: Final = ("> ", "#### ", "# aider ", "```", "~~~", "<", " ")
"""How a line begins that may be more than the agent's words; behind blanks a fence may stand."""
_MARKED: Final = tuple(mark.encode() for mark in MARKS)
_CUT_OFF: Final = re.compile(r"> (?:Tokens: [\d.,]{1,12}[kKmM]? sent\b|\^C)")


@dataclass(frozen=True, slots=True)
class Section:
    """One session: the `number`-th of the file, from 1; its bytes and its first line.

    Attributes:
        blanks: Its marked lines end with two blanks, as aider writes them; an editor may have taken them off.
    """

    number: int
    name: str
    started: str
    begin: int
    end: int
    line: int
    last: bool
    blanks: bool = True


def lines_of(path: Path, section: Section) -> Iterator[TextLine]:
    """The lines of a session behind its heading."""
    for line in text_lines(path, section.begin, section.line):
        if line.offset >= section.end:
            return
        if line.offset > section.begin:
            yield line


def sections(path: Path) -> tuple[Section, ...]:
    """Every session, in order. A heading inside code is none.

    Found anew only when the file changed: it is asked for with each session of the file.
    """
    try:
        state = path.stat()
    except (OSError, ValueError):
        return _found(path, 0, 0)
    return _found(path, state.st_size, state.st_mtime_ns)


@lru_cache(maxsize=8)
def _found(path: Path, size: int, written_ns: int) -> tuple[Section, ...]:
    del written_ns
    fence, found, blanks = Fence(), list[tuple[TextLine, str]](), set[int]()
    for line in text_lines(path, marks=_MARKED):
        if fence.is_open and line.text.startswith("> ") and _CUT_OFF.match(line.text):
            fence.drop()
        if found and line.text.endswith("  ") and line.text.startswith(("> ", "#### ")):
            blanks.add(len(found))
        if fence.feed(line.text) or not line.text.startswith(_HEADING):
            continue
        if heading := STARTED.fullmatch(line.text):
            found.append((line, heading.group(1)))
    ends = [*(line.offset for line, _ in found[1:]), size]
    return tuple(
        Section(
            number=number,
            name=re.sub(r"\D", "", stamp),
            started=from_stamp(stamp),
            begin=line.offset,
            end=ends[number - 1],
            line=line.number,
            last=number == len(found),
            blanks=number in blanks,
        )
        for number, (line, stamp) in enumerate(found, 1)
    )


def section_of(path: Path, session: str) -> Section | None:
    """The session with this number, or the only one."""
    every = sections(path)
    if not session and len(every) == 1:
        return every[0]
    return every[int(session) - 1] if session.isdecimal() and 0 < int(session) <= len(every) else None
