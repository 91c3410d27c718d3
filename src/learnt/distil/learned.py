"""`learned.md`: lessons a person gave, one bullet a line, newest first, in a file people may edit.

What is not a bullet (headings, notes) stays as it is and where it is; of bullets the order of the file stays, and a new
one goes before the first. Saving again what stands first changes no byte. Source: oh-my-pi's learned lessons; the
numbers are its own.
"""

from __future__ import annotations

import re
import unicodedata
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Collection

NAME = "learned.md"
MAX_BULLETS = 100
MAX_LESSON_CHARS, MAX_CONTEXT_CHARS = 2_000, 400
MAX_BYTES = 1 << 20
_BULLET = "- "
_TILDES = re.compile("~{2,}")


def saved(text: str, lesson: str, context: str, redact: Callable[[str], str]) -> str:
    """The file with a lesson in it; the same text for a blank one.

    Args:
        text: The file as it is; "" for none.
        context: Where it was learnt; in italics behind it, "" for none.
        redact: Takes secrets out, after what could hide one has gone.
    """
    bullet = bulleted(lesson, context, redact)
    if not bullet:
        return text
    lines = text.split("\n")
    at = next((number for number, line in enumerate(lines) if line.startswith(_BULLET)), None)
    if at is not None and lines[at] == bullet and lines.count(bullet) == 1 and _bullets(lines) <= MAX_BULLETS:
        return text
    rest = [line for line in lines if line != bullet]
    first = next((number for number, line in enumerate(rest) if line.startswith(_BULLET)), None)
    if first is None:
        return _capped(_appended(rest, bullet))
    return _capped([*rest[:first], bullet, *rest[first:]])


def dropped(text: str, lessons: Collection[str], redact: Callable[[str], str]) -> str:
    """The file without these lessons, whatever context stands behind them."""
    gone = {clean(lesson, MAX_LESSON_CHARS, redact) for lesson in lessons}
    return "\n".join(line for line in text.split("\n") if lesson_of(line) not in gone or not lesson_of(line))


def bulleted(lesson: str, context: str, redact: Callable[[str], str]) -> str:
    """The bullet of a lesson; "" when nothing of it is left."""
    said, where = clean(lesson, MAX_LESSON_CHARS, redact), clean(context, MAX_CONTEXT_CHARS, redact)
    if not said:
        return ""
    return f"{_BULLET}{said} _({where})_" if where else f"{_BULLET}{said}"


def lessons(text: str, redact: Callable[[str], str]) -> tuple[str, ...]:
    """The bullets of a file, each once, cleaned and redacted again: somebody may have written into it."""
    found = (clean(line[len(_BULLET) :], MAX_LESSON_CHARS + MAX_CONTEXT_CHARS, redact) for line in _of(text))
    return tuple(dict.fromkeys(each for each in found if each))[:MAX_BULLETS]


def lesson_of(line: str) -> str:
    """What a bullet says, without its context; "" for a line that is none."""
    if not line.startswith(_BULLET):
        return ""
    said, mark, _ = line[len(_BULLET) :].rpartition(" _(")
    return said if mark and line.endswith(")_") else line[len(_BULLET) :]


def clean(text: str, most_chars: int, redact: Callable[[str], str]) -> str:
    """One line of plain text.

    Control and format characters, angle brackets and backticks go, runs of tildes become one: only then are secrets
    looked for, so that none is put together by what was taken out between its halves.
    """
    plain = "".join(" " if char.isspace() else char for char in text if not _hidden(char))
    plain = _TILDES.sub("~", plain.translate({ord(each): None for each in "<>`"}))
    return redact(" ".join(plain.split())[:most_chars].rstrip())


def _hidden(char: str) -> bool:
    return not char.isspace() and unicodedata.category(char) in {"Cc", "Cf", "Cs", "Co"}


def _of(text: str) -> list[str]:
    return [line for line in text.split("\n") if line.startswith(_BULLET)]


def _bullets(lines: list[str]) -> int:
    return sum(line.startswith(_BULLET) for line in lines)


def _appended(lines: list[str], bullet: str) -> list[str]:
    """After everything a person wrote; a new file begins with a heading."""
    written = "\n".join(lines).rstrip("\n")
    return [*(written or "# Learned lessons").split("\n"), "", bullet, ""]


def _capped(lines: list[str]) -> str:
    """The oldest bullets beyond the cap go, nothing else."""
    spare = _bullets(lines) - MAX_BULLETS
    for number in range(len(lines) - 1, -1, -1):
        if spare <= 0:
            break
        if lines[number].startswith(_BULLET):
            del lines[number]
            spare -= 1
    return "\n".join(lines)
