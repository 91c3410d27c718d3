"""A marked region of ours in a file of somebody else's: put in, renewed, taken out; every other byte stays.

Text is taken and given as it stands in the file, line ends included; a caller reads bytes as UTF-8 with
`surrogateescape`, so that nothing is changed on the way.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

_NAME = re.compile(r"[a-z][a-z0-9-]{0,31}")
_MARK = re.compile(r"<!--[ \t]*learnt:(begin|end)[ \t]+([a-z][a-z0-9-]{0,31})(?:[ \t]+lead=((?:r?n){0,2}))?[ \t]*-->")
_BREAK: Final = {"": "", "n": "\n", "nn": "\n\n", "rn": "\r\n", "rnrn": "\r\n\r\n", "nrn": "\n\r\n", "rnn": "\r\n\n"}
_NAMES: Final = {breaks: name for name, breaks in _BREAK.items()}
NOTE: Final = "<!-- Written by learnt. What stands between these marks is replaced; change it with learnt. -->"


@dataclass(frozen=True, slots=True)
class Broken:
    """Why a file's marks cannot be trusted; nothing is then written."""

    reason: str


@dataclass(frozen=True, slots=True)
class Region:
    """Where a region stands: from its first mark to behind its last; the line ends `lead` before it are ours."""

    start: int
    end: int
    lead: str
    body: str


def found(text: str, name: str) -> Region | Broken | None:
    """The region of this name; None when there is none."""
    marks = [mark for mark in _MARK.finditer(text) if mark[2] == name]
    if not marks:
        return None
    if [mark[1] for mark in marks] != ["begin", "end"]:
        return Broken("the marks of a region do not pair")
    begin, end = marks
    if not _alone(text, begin) or not _alone(text, end):
        return Broken("a mark does not stand on a line of its own")
    ending = _line_end(text, end.end())
    inside = text[_line_end(text, begin.end()) : end.start()]
    return Region(begin.start(), ending, _BREAK[begin[3] or ""], inside)


def inserted(text: str, body: str, name: str) -> str | Broken:
    """`text` with `body` as its region of this name: where it stood, else at the end.

    Raises:
        ValueError: The name is none.
    """
    if not _NAME.fullmatch(name):
        raise ValueError(name)
    if _MARK.search(body) is not None:
        return Broken("what is to be written holds a mark")
    known = found(text, name)
    if isinstance(known, Broken):
        return known
    line_end = _style(text if known is None else text[known.start : known.end])
    lead = line_end * _missing(text) if known is None else known.lead
    rows = [f"<!-- learnt:begin {name} lead={_NAMES[lead]} -->", NOTE, *body.strip("\r\n").splitlines()]
    block = line_end.join([*rows, f"<!-- learnt:end {name} -->"])
    if known is None:
        return text + lead + block + line_end
    tail = text[known.end :]
    return text[: known.start] + block + (line_end if _ends_line(text, known.end) else "") + tail


def removed(text: str, name: str) -> str | Broken:
    """`text` without its region of this name, as it was before; the same text when there is none."""
    known = found(text, name)
    if known is None or isinstance(known, Broken):
        return text if known is None else known
    before, after = text[: known.start], text[known.end :]
    return before.removesuffix(known.lead) + after


def _alone(text: str, mark: re.Match[str]) -> bool:
    before = text[max(text.rfind("\n", 0, mark.start()), text.rfind("\r", 0, mark.start())) + 1 : mark.start()]
    after = text[mark.end() : mark.end() + 1]
    return before in ("", "\ufeff") and after in ("", "\n", "\r")


def _line_end(text: str, at: int) -> int:
    """Behind the line end at `at`."""
    return at + (2 if text.startswith("\r\n", at) else 1 if text.startswith(("\n", "\r"), at) else 0)


def _ends_line(text: str, at: int) -> bool:
    return text[:at].endswith(("\n", "\r"))


def _style(text: str) -> str:
    """The line end a file uses."""
    return "\r\n" if "\r\n" in text else "\n"


def _missing(text: str) -> int:
    """How many line ends to put before a region at the end, so that a blank line is between; none in an empty file."""
    if not text or text == "\ufeff" or text.endswith(("\n\n", "\n\r\n")):
        return 0
    return 1 if text.endswith("\n") else 2
