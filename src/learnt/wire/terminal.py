"""Text from memories and transcripts on its way to a terminal: data, shown as such."""

from __future__ import annotations

import unicodedata
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

_KEPT = {"\n", "\t"}
_HIDDEN = {"Cc", "Cf", "Cs", "Co", "Zl", "Zp"}
_JOINERS = {"\u200c", "\u200d"}
_MARKS = {"Mn", "Me", "Cf"}
_MARK_RUN = 8
"""Longest run of combining marks shown; no language needs more, and a longer one climbs over other lines."""


def plain(text: str) -> str:
    """`text` without anything that would steer a terminal or hide from a reader; each such character as U+FFFD."""
    if text.isascii() and text.isprintable():
        return text
    return _thinned("".join(char if _visible(char) else "\ufffd" for char in text))


def _visible(char: str) -> bool:
    return char in _KEPT or char in _JOINERS or unicodedata.category(char) not in _HIDDEN


def _thinned(text: str) -> str:
    kept: list[str] = []
    run = 0
    for char in text:
        run = run + 1 if unicodedata.combining(char) else 0
        if run <= _MARK_RUN:
            kept.append(char)
    return "".join(kept)


def line(text: str, most: int = 0) -> str:
    """`text` on one line, cut to `most` columns with a mark when that is not 0."""
    flat = plain(" ".join(text.split()))
    return flat if not most or columns(flat) <= most else _cut(flat, most - 1).rstrip() + "…"


def columns(text: str) -> int:
    """Columns `text` takes on a terminal: two for wide characters, none for marks on the one before."""
    return len(text) if text.isascii() else sum(map(_columns, text))


def _columns(char: str) -> int:
    if unicodedata.category(char) in _MARKS:
        return 0
    return 2 if unicodedata.east_asian_width(char) in "WF" else 1


def _cut(text: str, most: int) -> str:
    """The beginning of `text` that fits into `most` columns."""
    used = 0
    for number, char in enumerate(text):
        used += _columns(char)
        if used > most:
            return text[:number]
    return text


def padded(text: str, width: int) -> str:
    """`text`, made plain, and blanks up to `width` columns."""
    shown = line(text)
    return shown + " " * max(0, width - columns(shown))


def wrapped(text: str, width: int, indent: str = "") -> Iterator[str]:
    """`text` in lines of at most `width` columns, each after `indent`; its own line ends stay."""
    room = max(20, width - columns(indent))
    for paragraph in plain(text).splitlines() or [""]:
        for row in _rows(paragraph.expandtabs(4), room):
            yield indent + row


def _rows(paragraph: str, room: int) -> Iterator[str]:
    """The rows of one paragraph: broken at blanks, and inside a word only when it is longer than a row.

    A path is broken behind a slash, where one is not far from the row's end.
    """
    if columns(paragraph) <= room:
        yield paragraph.rstrip()
        return
    margin = paragraph[: len(paragraph) - len(paragraph.lstrip())][: room // 2]
    row = margin
    for word in paragraph.split():
        left = word
        if row.strip() and columns(row) + 1 + columns(left) > room:
            yield row
            row = margin
        while columns(row) + columns(left) > room:
            part = _cut(left, room - columns(row)) or left[0]
            part = part[: part.rfind("/", len(part) // 2) + 1] or part
            yield row + part
            row, left = margin, left[len(part) :]
        row = f"{row} {left}" if row.strip() else row + left
    yield row.rstrip()
