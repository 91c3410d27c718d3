"""A statement as typed words: names, numbers with units, versions, paths, flags, marks.

What a statement is compared by. Case folds where case says nothing; code, paths and flags keep it (`Path` and `PATH`
are two things). Texts of other scripts stay whole runs of characters: no rule of English is applied to them.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from functools import lru_cache
from typing import TYPE_CHECKING, Final, Literal
from unicodedata import normalize

from learnt.model.stem import stem

if TYPE_CHECKING:
    from collections.abc import Iterator

Shape = Literal["word", "plain", "ref", "date", "number", "version", "path", "flag", "url", "code", "mark", "end"]

TYPED: Final = frozenset({"number", "version", "path"})
"""Shapes that fill a slot: another value of the same shape says another thing of the same subject."""

_UNITS: Final = {
    "ms": "ms msec millisecond milliseconds",
    "s": "s sec secs second seconds",
    "min": "min mins minute minutes",
    "h": "h hr hrs hour hours",
    "d": "d day days",
    "week": "week weeks",
    "month": "month months",
    "year": "year years",
    "%": "% percent",
    "b": "b byte bytes",
    "kb": "k kb kib kilobytes",
    "mb": "mb mib megabytes",
    "gb": "gb gib gigabytes",
    "tb": "tb tib",
    "px": "px pixels",
    "line": "line lines",
    "char": "char chars character characters column columns",
    "space": "space spaces",
    "time": "time times x",
}
UNIT_OF: Final = {word: unit for unit, words in _UNITS.items() for word in words.split()}
_UNIT = "|".join(sorted(map(re.escape, UNIT_OF), key=len, reverse=True))
_SUFFIXES = (
    "py pyi ts tsx js jsx mjs cjs rs go java kt rb php c h cc cpp hpp cs swift scala sh sql md rst txt json jsonl toml"
    " yaml yml ini cfg conf lock xml html css scss vue svelte gradle proto tf env ipynb"
)

_TOKEN: Final = re.compile(
    rf"""
    (?P<plain>[^\W\d_]+)(?=[\s,;)]|$)
    | `(?P<code>[^`\n]{{1,120}})`
    | (?P<url>https?://[^\s<>)\]]+)
    | (?P<path>(?<![\w/])(?:~|\.{{1,2}})?/?(?:[\w.@+-]+/)+[\w.@*+-]*
      |(?<![\w.])[\w-]+(?:\.[\w-]+)*\.(?:{"|".join(_SUFFIXES.split())})\b)
    | (?P<ref>\#\d+)
    | (?P<date>\d{{4}}-\d\d-\d\d(?:[T ]\d\d:\d\d\S*)?|\d{{1,2}}:\d\d(?::\d\d)?(?![\w:]))
    | (?P<version>(?<![\w.])v?\d+(?:\.\d+)+(?:[-+.]?[a-z][\w.-]*)?(?:\.x)?(?![\w])|(?<![\w.])v\d+(?![\w]))
    | (?P<number>(?<![\w.])[-+]?\d+(?:[.,_]\d+)*(?:\s?(?:{_UNIT})(?![\w%]))?)
    | (?P<flag>(?<!\S)--?[A-Za-z][\w-]*)
    | (?P<end>[.!?;](?=[\s"')\]]|$)|[。！？；]|\n)
    | (?P<mark>->|=>|[,:=()–—→/+&])
    | (?P<word>[^\W_][\w'’]*(?:[-.:]+[\w'’]+)*[#+]{{0,2}})
    """,
    re.VERBOSE | re.IGNORECASE,
)
"""`plain` is what `word` would match, tried first: most words are letters with a space behind them."""
_CAMEL = re.compile(r"[a-z0-9][A-Z]|_|\w::\w|\w\.\w|[A-Z]{2,}")


@dataclass(frozen=True, slots=True)
class Lexeme:
    """One word of a statement.

    Attributes:
        text: As written.
        key: What it is compared by: a stem, a number with its unit, a path as it stands.
        named: Written as a name: code, mixed or upper case, or a capital that no sentence asks for.
        low: `text` without case.
        slot: The kind of value it is: its shape, a number's with the unit; "" for what fills no slot.
    """

    shape: Shape
    text: str
    key: str
    named: bool = False
    low: str = field(default="", compare=False)
    slot: str = field(default="", compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "low", self.text.casefold())
        if self.shape == "number":
            object.__setattr__(self, "slot", f"number {self.key.partition(' ')[2]}".strip())
        elif self.shape in TYPED:
            object.__setattr__(self, "slot", self.shape)


def lexemes(text: str) -> tuple[Lexeme, ...]:
    """The words and marks of a text, in order."""
    return tuple(_read(normalize("NFKC", text)))


def _read(text: str) -> Iterator[Lexeme]:
    opens = True
    for match in _TOKEN.finditer(text):
        shape: Shape = match.lastgroup  # type: ignore[assignment]
        made = _made(shape, match[shape])
        if opens and made.named and made.shape == "word":
            made = _word(made.text, opens=True)
        yield made
        opens = made.shape == "end" or (opens and made.shape == "mark") or made.text == ":"


@lru_cache(maxsize=8_192)
def _made(shape: Shape, text: str) -> Lexeme:
    """The word or mark, where no sentence begins with it."""
    match shape:
        case "number":
            return Lexeme("number", text, _number(text))
        case "version":
            return Lexeme("version", text, text.lower().removeprefix("v").removesuffix(".x"))
        case "code":
            return _code(text.strip())
        case "word" | "plain":
            return _word(text, opens=False)
        case "path":
            return Lexeme("path", text, text.rstrip("./") or text, named=True)
        case _:
            return Lexeme(shape, text, text)


def _code(text: str) -> Lexeme:
    """What stood between back quotes: a path or version is one, anything else is a name, letter by letter."""
    whole = _TOKEN.fullmatch(text)
    if whole is not None and whole.lastgroup in {"path", "version", "number", "flag"}:
        return _made(whole.lastgroup, text)
    return Lexeme("code", text, text, named=True)


def _word(text: str, *, opens: bool) -> Lexeme:
    plain = text.replace("’", "'").rstrip("'")
    if _CAMEL.search(plain) and not plain.isupper():
        return Lexeme("word", text, plain, named=True)
    folded = plain.casefold()
    named = (plain[0].isupper() and not opens) or (plain.isupper() and len(plain) > 1)
    if plain.isupper() and len(plain) > 1:
        return Lexeme("word", text, plain if len(plain) > 3 else folded, named=True)
    return Lexeme("word", text, stem_of(folded), named=named)


@lru_cache(maxsize=8_192)
def stem_of(word: str) -> str:
    """One key for the forms of a word."""
    word = word.removesuffix("'s")
    if not word.isascii() or not word.isalpha():
        return word
    return stem(word)


def _number(text: str) -> str:
    """A number with its unit: `8`, `30 s`, `1000`."""
    digits = text.rstrip("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ% \t")
    unit = UNIT_OF.get(text[len(digits) :].strip().lower(), "")
    plain = digits.replace("_", "")
    if re.fullmatch(r"[-+]?\d{1,3}(?:,\d{3})+", plain):
        plain = plain.replace(",", "")
    return f"{plain} {unit}".strip()
