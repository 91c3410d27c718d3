"""Whether a text may be stored at all, before anything is looked for in it.

The policy, the same on every road in: a direct write with a NUL or another control character, half of a surrogate
pair, nothing to read, or too many characters is refused with a reason; only newline and tab are let through. A
transcript is not ours to refuse, so there `repair` puts U+FFFD where such a character stood.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from typing import Final, Literal

from learnt.gate.normal import fold
from learnt.gate.spans import PLACEHOLDER

Fault = Literal["empty", "too_long", "control", "surrogate"]
# Source: swarm-memory seed, schema of a memory's text.
MAX_CHARS: Final = 2000

_SURROGATE: Final = re.compile("[\ud800-\udfff]")
# C0 without tab, newline and carriage return (files from other systems end their lines with it), DEL, and C1.
_CONTROL: Final = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\x80-\x9f]")


@dataclass(frozen=True, slots=True, kw_only=True)
class Problem:
    """Why a text cannot be stored.

    Attributes:
        code: empty, too_long, control or surrogate.
        message: For a person; never holds the text.
        place: The character it is about, or -1.
    """

    code: Fault
    message: str
    place: int = -1


def fit(text: str, *, max_chars: int = MAX_CHARS) -> Problem | None:
    """What is wrong with the text, or None."""
    if len(text) > max_chars:
        return Problem(code="too_long", message=f"The text has {len(text)} characters; the limit is {max_chars}.")
    if found := _SURROGATE.search(text):
        return Problem(code="surrogate", message="The text holds half of a surrogate pair.", place=found.start())
    if found := _CONTROL.search(text):
        return Problem(
            code="control",
            message=f"The text holds the control character U+{ord(found.group()):04X}.",
            place=found.start(),
        )
    if not is_readable(text):
        return Problem(code="empty", message="The text holds nothing to read.")
    return None


def is_readable(text: str) -> bool:
    """Whether the text holds a letter, a digit, or a sign that means something by itself (an emoji)."""
    if any(char.isalnum() for char in text):
        return True
    return any(unicodedata.category(char) in {"So", "Sc", "Sm"} for char in fold(text))


def repair(text: str) -> str:
    """The text with U+FFFD for each half surrogate and each control character but tab and line ends."""
    if text.isascii() and text.isprintable():
        return text
    return _CONTROL.sub("\ufffd", _SURROGATE.sub("\ufffd", text))


def clip(text: str, max_chars: int) -> str:
    """The beginning of a redacted text, at most `max_chars` long, never ending inside a placeholder or a character.

    Source: swarm-memory seed, evidence cache (a cut inside a placeholder ends before it).
    """
    if len(text) <= max_chars:
        return text
    end = max(0, max_chars)
    while end and _joined(text[end]):
        end -= 1
    opened = text.rfind("[", 0, end)
    if opened >= 0 and (mark := PLACEHOLDER.match(text, opened)) and mark.end() > end:
        end = opened
    return text[:end]


def _joined(char: str) -> bool:
    """Whether the character belongs to the one before it: a mark, a joiner, a skin tone, half of a pair."""
    return (
        unicodedata.combining(char) != 0
        or char in "\u200d\ufe0e\ufe0f"
        or "\U0001f3fb" <= char <= "\U0001f3ff"
        or "\udc00" <= char <= "\udfff"
    )
