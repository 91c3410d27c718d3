"""Whether a sentence says no more than what it claims to rest on.

A model's wording is its own: it may have been talked into it by what it read. So what it says is held against the words
it names, most of its words and every name, command, number and address in it.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from learnt.distil.line import collapsed
from learnt.distil.near import gist

if TYPE_CHECKING:
    from collections.abc import Iterable

LEAST_SHARE: Final = 0.5
"""Of a sentence's words that have to stand in its grounds."""
_SHARP = re.compile(r"`([^`]{1,400})`|(\S*(?:[/\\$|<>{}=@_]|\w\.\w|\w\(|--)\S*)")
"""What is to be taken literally: code, paths, addresses, options, identifiers."""
_EDGE: Final = "\"'`.,:;!?()[]*"
_WORD = re.compile(r"[\w']+")
_ENDS = re.compile(r"[.!?](?:[\"')\]]*)(?=\s+[^a-z\s])")


def supported(text: str, grounds: Iterable[str]) -> bool:
    """Whether a text is supported by its grounds; an empty one is not."""
    ground = " ".join(collapsed(each) for each in grounds)
    told, known = gist(text), gist(ground)
    if not told.words or len(told.words & known.words) < LEAST_SHARE * len(told.words):
        return False
    return told.numbers <= known.numbers and all(sharp in ground for sharp in sharps(text))


def sharps(text: str) -> tuple[str, ...]:
    """The parts of a text that are to be taken literally, without the punctuation around them."""
    found = (code or word.strip(_EDGE) for code, word in _SHARP.findall(collapsed(text)))
    return tuple(dict.fromkeys(each for each in found if each))


def agrees(text: str, words: str) -> bool:
    """Whether a text says what somebody's words say: no more, no denial less, and nothing turned round."""
    return supported(text, (words,)) and gist(text).denies == gist(words).denies and _is_in_order(text, words)


def _is_in_order(text: str, words: str) -> bool:
    """Whether the words that both hold first come in the same order: "npm over pnpm" is not "pnpm over npm"."""
    one, two = (dict.fromkeys(_WORD.findall(each.lower())) for each in (text, words))
    return [word for word in one if word in two] == [word for word in two if word in one]


def sentence(text: str, quote: str) -> str:
    """The sentences of a text, on one line, that a quote begins and ends in: cut out it may say something else."""
    at = text.find(quote)
    if at < 0:
        return quote
    start = max((found.end() for found in _ENDS.finditer(text, 0, at)), default=0)
    behind = at + len(quote)
    end = next((found.end() for found in _ENDS.finditer(text, max(at, behind - 1))), len(text))
    return text[start:end].strip()
