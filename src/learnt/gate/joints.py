"""Secrets that a line end, a table's edge or the quotes of two literals cut in pieces, put together again.

Output is wrapped at the width of a terminal, quoted line by line and printed as the text of a literal. Only what may
go on is joined: what follows must be no word, date or number, and must not begin a secret that was found there.
"""

from __future__ import annotations

import re
import string
from functools import partial
from typing import TYPE_CHECKING, Final

from learnt.gate.linear import searcher
from learnt.gate.normal import View, view
from learnt.gate.value import is_words

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence

    from learnt.gate.disguise import Reading

MARK: Final = "joints"
_PIECES: Final = string.ascii_letters + string.digits + "_+/=.~@%-"
_PIECE: Final = f"[{_PIECES}]"
_COLOUR: Final = r"\x1b\[[0-9;?]{0,24}[A-Za-z]"
# Colours may stand on both sides; what precedes the rest in its line is a quote's, a table's or a number's.
_LINE: Final = (
    rf"=?[ \t]*(?:{_COLOUR})*[ \t]*[|│┃]?[ \t]*(?:\r?\n|\r)[ \t]*(?:{_COLOUR})*[ \t]*"
    rf"(?:\d{{1,6}}[\t→:|][ \t]?|[>|*#│┃-][ \t]+|[+>])?(?:{_COLOUR})*"
)
_ESCAPED: Final = r"(?:\\{1,4}r)?\\{1,4}n(?:[ ]|\\{1,4}t)*"
_LITERALS: Final = "|".join(rf"{mark}[ \t]*(?:[,+&~]|\.{{1,2}})?(?:[ \t]*\r?\n)?[ \t]*{mark}" for mark in "\"'`")
_JOINT: Final = re.compile(rf"(?:{_LINE}|{_ESCAPED}|{_LITERALS})(?={_PIECE})")
# What may go on holds a letter beside a number, or changes case too often for a word.
_ODD: Final = rf"{_PIECE}*(?:[A-Za-z][0-9]|[0-9][A-Za-z]|[a-z][A-Z][A-Za-z]{{0,3}}[a-z][A-Z])"
_MEETING: Final = rf"{_PIECE}(?:{_LINE}|{_ESCAPED}|{_LITERALS})(?:@|{_ODD})|({_COLOUR})|(\\{{1,4}}[nrt])"
_RIGHT: Final = re.compile(rf"{_PIECE}+")
_REACH: Final = 120
"""Characters looked back for the piece before a joint."""
_COUNTED: Final = re.compile(r"\d{4}[-/.]\d\d?[-/.]|\d{1,2}[:.]\d\d|\d{1,6}$")
"""Dates, times and numbers, which begin the lines of logs."""


def joined(text: str, folded: str, begun: Collection[int]) -> Iterator[Reading]:
    """The text put together where pieces meet that are no words; then also where a word may be a token's beginning.

    Args:
        text: The text as stored. `folded`: its folded copy.
        begun: Where secrets begin that were found in it: nothing goes on there.
    """
    seen = view(text) if begun else View(folded)
    met = [(start, end, *_meaning(seen, begun, start, end)) for start, end in _meetings(folded)]
    tight = [(start, end, kept if is_word else meant) for start, end, kept, meant, is_word in met]
    loose = [(start, end, meant) for start, end, _, meant, _ in met]
    last = folded
    for cuts in (tight, loose):
        copy = _without(folded, cuts)
        if copy not in (folded, last):
            yield copy, partial(_way, text, cuts)
        last = copy


def _without(text: str, cuts: Sequence[tuple[int, int, str]]) -> str:
    parts: list[str] = []
    done = 0
    for start, end, meant in cuts:
        parts += [text[done:start], meant]
        done = end
    return "".join([*parts, text[done:]])


def _way(text: str, cuts: Sequence[tuple[int, int, str]]) -> View:
    return view(text).replaced(cuts)


def _meetings(folded: str) -> Iterator[tuple[int, int]]:
    """Where pieces meet, one of which may go on with the other; and colours and written-out line ends."""
    content, search = folded.encode(), searcher(_MEETING)
    at = done = chars = 0
    while True:
        (start, end), colour, escape = search(content, at)
        if start < 0:
            return
        chars += len(content[done:start].decode())
        done, at = start, end
        if colour[0] >= 0 or escape[0] >= 0:
            yield chars, chars + end - start
            continue
        at = end - 1
        if joint := _JOINT.match(folded, chars + 1):
            yield joint.span()


def _meaning(seen: View, begun: Collection[int], start: int, end: int) -> tuple[str, str, bool]:
    """What stands at a place if nothing goes on there; what does, where that may be; whether a word precedes it."""
    text = seen.text
    kept = "" if text[start] == "\x1b" else "\n" if text[start] == "\\" else text[start:end]
    right = _RIGHT.match(text, end)
    if not right or text[start - 1] not in _PIECES or (begun and seen.span(end, end + 1)[0] in begun):
        return kept, kept, False
    if right[0][0] != "@" and (_COUNTED.match(right[0]) or is_words(right[0].rstrip("="))):
        return kept, kept, False
    before = text[max(0, start - _REACH) : start]
    return kept, "", is_words(before[len(before.rstrip(_PIECES)) :])
