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
