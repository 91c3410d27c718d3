"""Simple ciphers and slips of the pen: text turned round, letters exchanged, letters swapped inside a word.

None of them can be undone blindly at a price worth paying, so each is tried only where one of the words that no order
does without stands in the text in that disguise: those words, disguised, are patterns of the automaton like any other.
"""

from __future__ import annotations

import codecs
import re
from functools import cache
from typing import TYPE_CHECKING, Final

from learnt.gate.normal import View
from learnt.gate.patterns import Pattern

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

WORDS: Final = (
    "ignore", "disregard", "forget", "previous", "instructions", "instruction", "system", "prompt", "override",
    "bypass",
    "developer", "restrictions", "reveal", "secrets", "security", "password", "attacker", "everything", "approve",
    "without", "credentials", "guidelines", "environment", "variables", "policy", "safety", "review", "earlier",
    "delete",
    "merge", "about", "user",
)  # fmt: skip
"""Words of orders; those of fewer than six letters are only put right beside others."""
_LONG: Final = 6
_SHORT: Final = 4
_BACKWARD: Final = (
    r"(?i)\b(?:instructions?|prompt|mode|policy|rules|restrictions)[.!,]?\s"
    r"(?:previous|prior|your|system|developer|security|earlier|this\sabout|all|without)\b"
)
_LETTERS: Final = "abcdefghijklmnopqrstuvwxyz"
_ATBASH: Final = str.maketrans(_LETTERS + _LETTERS.upper(), _LETTERS[::-1] + _LETTERS[::-1].upper())
_ROT13: Final = {ord(char): codecs.encode(char, "rot13") for char in _LETTERS + _LETTERS.upper()}
_STANDING: Final = str.maketrans(
    {
        "ɐ": "a", "ɔ": "c", "ǝ": "e", "ɟ": "f", "ƃ": "g", "ɓ": "g", "ɥ": "h", "ᴉ": "i", "ı": "i", "ɾ": "j", "ʞ": "k",
        "ɯ": "m", "ɹ": "r", "ʇ": "t", "ʌ": "v", "ʍ": "w", "ʎ": "y", "u": "n", "n": "u", "p": "d", "d": "p", "q": "b",
        "b": "q", "˙": ".", "ɿ": "r", "ƨ": "s", "ꓷ": "D", "Ɐ": "A", "Ǝ": "E", "ſ": "l",
    }
)  # fmt: skip
_VOWELS: Final = re.compile(r"[aeiou]")
_VOWEL: Final = re.compile(r"(?<=.)[aeiou](?=.)")


def marks() -> tuple[Pattern, ...]:
    """What tells that a text has another reading: words of orders in each disguise."""
    long = [word for word in WORDS if len(word) >= _LONG]
    return (
        _mark("reversed", (word[::-1] for word in long)),
        _mark("rot13", (word.translate(_ROT13) for word in long)),
        _mark("atbash", (word.translate(_ATBASH) for word in long)),
        Pattern(name="upside", family="view", trigger="[ɐǝɟɥᴉɹʇʌʍʎ][^ ]{0,3}[ɐǝɟɥᴉɹʇʌʍʎɯʞ]", regex="", raw=True),
        _mark("slips", (slip for slip in _slips() if len(slip) >= _SHORT)),
        Pattern(name="pig", family="view", trigger=r"(?i)(?:[a-z.,:]+ay\W{1,2}){4}", regex=""),
        Pattern(name="backward", family="view", trigger=_BACKWARD, regex=""),
    )


def _mark(name: str, words: Iterable[str]) -> Pattern:
    return Pattern(name=name, family="view", trigger=rf"(?i)\b(?:{'|'.join(sorted(words))})\b", regex="")


@cache
def _slips() -> dict[str, str]:
    """Misspelt words by what they should be: neighbours swapped, a letter left out, vowels left out."""
    found: dict[str, str] = {}
    for word in WORDS:
        if len(word) >= _LONG - 1:
            found |= dict.fromkeys(_misspelt(word), word)
    return {slip: word for slip, word in found.items() if slip not in WORDS}


def _misspelt(word: str) -> Iterator[str]:
    for at in range(len(word) - 1):
        yield word[:at] + word[at + 1] + word[at] + word[at + 2 :]
    for at in range(1, len(word) - 1):
        yield word[:at] + word[at + 1 :]
    yield _VOWEL.sub("", word)
    yield word[0] + _VOWELS.sub("", word[1:])


def readings(marks: frozenset[str]) -> Iterator[Callable[[View], View]]:
    """What undoes the ciphers that a text bears the marks of."""
    if "rot13" in marks:
        yield lambda seen: View(seen.text.translate(_ROT13), seen.starts, seen.ends)
    if "atbash" in marks:
        yield lambda seen: View(seen.text.translate(_ATBASH), seen.starts, seen.ends)
    if "reversed" in marks:
        yield turned
    if "slips" in marks:
        yield corrected
    if "pig" in marks:
        yield lambda seen: seen.rewritten(_PIG, lambda match: match.group(2) + match.group(1))
    if "backward" in marks:
        yield backward


def turned(seen: View) -> View:
    """The text from its end to its beginning."""
    size = len(seen.text)
    starts = seen.starts or tuple(range(size))
    ends = seen.ends or tuple(range(1, size + 1))
    return View(seen.text[::-1], starts[::-1], ends[::-1])


def stood(text: str) -> View:
    """Letters that stand on their heads, turned and read from the end."""
    return turned(View(text.translate(_STANDING)))


_WORD: Final = re.compile(r"[A-Za-z]{3,14}")


_PIG: Final = re.compile(r"(?i)\b([a-z.,:!?]{1,16})([a-z])ay\b")


def backward(seen: View) -> View:
    """The words from the last to the first; what is found leads to all of the text."""
    copy = " ".join(reversed(seen.text.split()))
    first, last = (seen.starts[0], seen.ends[-1]) if seen.starts else (0, len(seen.text))
    return View(copy, (first,) * len(copy), (last,) * len(copy))


def corrected(seen: View) -> View:
    """The text with misspelt words of orders put right."""
    return seen.rewritten(_WORD, _correct)


def _correct(match: re.Match[str]) -> str:
    return _slips().get(match.group().lower(), match.group())
