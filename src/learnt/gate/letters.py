"""The bare letters of a text: what is left when everything is taken out that a disguise can put between them.

Spaces, signs, markup and line ends go, digits and signs that stand for letters become them, and small and capital `i`,
`l` and `1` are one. A sentence that is dotted, hyphenated, split over cells or written without spaces reads the same
here as plainly. Only few, long patterns are looked for in it, since here words have no ends; and what it finds counts
only where the text really is put together in no ordinary way (`is_prose`).
"""

from __future__ import annotations

import re
import unicodedata
from functools import cache
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterator

_FROM: Final = b"ABCDEFGHIJKLMNOPQRSTUVWXYZ0134578@$lL"
_TO: Final = b"abcdefghijkimnopqrstuvwxyzoieastbasii"
_TABLE: Final = bytes.maketrans(_FROM, _TO)
_KEPT: Final = frozenset(b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0134578@$")
_DROPPED: Final = bytes(code for code in range(256) if code not in _KEPT)
# What stands between the words of prose: one space or line end, perhaps after a comma or the like.
_JOINT: Final = re.compile(r"(?:[,;:.!?'\"”’)]{0,2}[ \n]['\"“‘(]?|['’])\Z")
_PLACE: Final = re.compile(r"://|^[~.]{0,2}/|\w\.[a-z]{2,4}$")
_EDGES: Final = "\"'`:;,.!?(){}[]<>*_-=|#&+"
_WORD: Final = re.compile(r"[A-Za-z]+")
_HUMP: Final = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])")
_NAME: Final = re.compile(r"[\w-]+")
NAME_WORDS: Final = 6
"""Words of an identifier that says a whole sentence; shorter ones are names of functions and files."""


def bare(text: str, content: bytes = b"") -> bytes:
    """The letters of a folded text, as ASCII.

    Args:
        text: The folded text.
        content: The same as UTF-8, where it is at hand.
    """
    if content and text.isascii():
        return content.translate(_TABLE, _DROPPED)
    return _plain(text).encode("ascii", "replace").translate(_TABLE, _DROPPED)


def _plain(text: str) -> str:
    """The text with Latin letters without their accents; only those are looked up, which is ten times as fast."""
    return text if text.isascii() else _ACCENTED.sub(_base, text)


def _base(match: re.Match[str]) -> str:
    return _accents().get(ord(match.group()), match.group())


_ACCENTED: Final = re.compile("[\u00c0-\u024f\u1e00-\u1eff]")
_STROKED: Final = {"ø": "o", "đ": "d", "ł": "l", "ħ": "h", "ŧ": "t", "ı": "i", "ß": "s", "Ø": "O", "Đ": "D", "Ł": "L"}


def spelt(text: str) -> str:
    """The small letters of a text as they are, digits and signs left out."""
    return "".join(char for char in _plain(text).lower() if "a" <= char <= "z")


@cache
def _accents() -> dict[int, str]:
    """Latin letters with accents by the letter they are made of."""
    found = {ord(char): base for char, base in _STROKED.items()}
    for code in (*range(0xC0, 0x250), *range(0x1E00, 0x1F00)):
        base = unicodedata.normalize("NFD", chr(code))[0]
        if base.isascii():
            found[code] = base
    return found


def places(text: str) -> list[int]:
    """For each letter of `bare(text)`, where it stands in the text."""
    text = _plain(text)
    return [at for at, char in enumerate(text) if char < "\x80" and ord(char) in _KEPT]


def whole(text: str, start: int, end: int) -> str:
    """The piece, and what is written together with it without a space."""
    while start > 0 and not text[start - 1].isspace():
        start -= 1
    while end < len(text) and not text[end].isspace():
        end += 1
    return text[start:end]


def is_prose(piece: str) -> bool:
    """Whether a piece of text is put together as people write: then a pattern over letters tells nothing new."""
    if _PLACE.search(piece):
        return True
    piece = piece.strip(_EDGES)
    joints = _WORD.split(piece)[1:-1]
    if not joints:
        return _is_name(piece)
    if all(_JOINT.match(joint) for joint in joints):
        return True
    return _NAME.fullmatch(piece) is not None and _is_name(piece)


def _is_name(piece: str) -> bool:
    """Whether a piece without spaces is the name of something in code."""
    words = sum(1 for _ in _words(piece))
    return 1 < words < NAME_WORDS or (words == 1 and len(piece) < 16)


def _words(piece: str) -> Iterator[str]:
    for part in re.split(r"[_-]+", piece):
        yield from _HUMP.findall(part)
