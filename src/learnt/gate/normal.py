"""The folded copy of a text that the gate reads, and the way back to the text as stored.

Folding removes what a reader does not see (zero-width characters, tag characters, bidi controls, variation selectors),
cuts runs of combining marks at 30, applies NFKC, and turns look-alike letters of other scripts into Latin ones. The
stored text is never changed. ASCII text, and text whose other characters are all inert (dashes, ticks, arrows, boxes,
emoji, CJK, accented Latin), is its own folded copy: the usual case costs one scan.

Offsets are computed only when something was found, character by character; the copy made then is the one whose
positions are reported.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

# Default-ignorable and format characters. Source: Unicode DerivedCoreProperties, Default_Ignorable_Code_Point, and the
# bidi and interlinear controls.
_UNSEEN: Final = (
    "\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f\u3164"
    "\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff"
)
# Characters that folding would leave as they are and that no pattern needs, so their presence alone costs nothing.
_INERT: Final = (
    "\u00a1-\u00a7\u00a9\u00ab\u00ac\u00ae\u00b0\u00b1\u00b6\u00b7\u00bb\u00bf-\u017e\u2013\u2014\u2018-\u201f"
    "\u2020-\u2022\u2026\u2030\u2039\u203a\u20ac\u2190-\u2211\u2213-\u222b\u2230-\u22ff\u2300-\u2328\u232b-\u23ff\u2500-\u2775\u2794-\u28ff"
    "\u2900-\u2a0b\u2b00-\u2bff\u3001-\u302f\u3041-\u3096\u30a0-\u30fe\u3400-\u9fff\uac00-\ud7a3"
    "\U0001f300-\U0001faff"
)
_ACTIVE: Final = re.compile(f"[^\\x00-\\x7f{_INERT}]")
_REMOVED: Final = re.compile(f"[{_UNSEEN}]+")
# Thirty non-starters are the most a stream-safe text holds in a row. NFKC sorts each run, which is quadratic in its
# length: 32,000 marks took a second. Source: Unicode UAX 15, stream-safe text format.
_MARKS: Final = 30
# Characters that NFKC turns into five or more: ligatures, squared words and units, which hold no secret.
_EXPANDING: Final = re.compile("[\ufdfa\ufdfb\u3300-\u3357\u33ae\u33af]")
# Marks left over after composition: nothing but decoration on Latin letters.
_STACKED: Final = re.compile("[\u0300-\u036f\u20d0-\u20f0]+")
_SURROGATE: Final = re.compile("[\ud800-\udfff]")

# Letters that look Latin, and dashes. Source: Unicode confusables, the single letters used in published evasions.
_LIKE: Final = {
    "а": "a", "в": "b", "с": "c", "ԁ": "d", "е": "e", "һ": "h", "і": "i", "ј": "j", "к": "k", "ӏ": "l", "м": "m",
    "п": "n", "о": "o", "р": "p", "ԛ": "q", "г": "r", "ѕ": "s", "т": "t", "ѵ": "v", "ԝ": "w", "х": "x", "у": "y",
    "А": "A", "В": "B", "С": "C", "Е": "E", "Н": "H", "І": "I", "Ј": "J", "К": "K", "М": "M", "О": "O", "Р": "P",
    "Ѕ": "S", "Т": "T", "Х": "X", "У": "Y", "Ԍ": "G", "Ԛ": "Q", "Ԝ": "W",
    "α": "a", "ε": "e", "ι": "i", "κ": "k", "ν": "v", "ο": "o", "ρ": "p", "τ": "t", "υ": "u", "χ": "x", "γ": "y",
    "ϳ": "j", "Α": "A", "Β": "B", "Ε": "E", "Ζ": "Z", "Η": "H", "Ι": "I", "Κ": "K", "Μ": "M", "Ν": "N", "Ο": "O",
    "Ρ": "P", "Τ": "T", "Υ": "Y", "Χ": "X",
    "ᴀ": "a", "ʙ": "b", "ᴄ": "c", "ᴅ": "d", "ᴇ": "e", "ꜰ": "f", "ɢ": "g", "ʜ": "h", "ɪ": "i", "ᴊ": "j", "ᴋ": "k",
    "ʟ": "l", "ᴍ": "m", "ɴ": "n", "ᴏ": "o", "ᴘ": "p", "ʀ": "r", "ꜱ": "s", "ᴛ": "t", "ᴜ": "u", "ᴠ": "v", "ᴡ": "w",
    "ʏ": "y", "ᴢ": "z", "ɑ": "a", "ɡ": "g", "ո": "n", "օ": "o", "ѡ": "w",
    "П": "N", "Г": "R", "н": "h", "ғ": "f", "Ғ": "F", "ҽ": "e", "ҟ": "k", "ц": "u", "ш": "w", "ь": "b", "Ӏ": "l",
    "ա": "w", "ց": "g", "հ": "h", "ս": "u", "ք": "p", "զ": "q", "ր": "r", "ѓ": "r", "ћ": "h", "ҙ": "z",
    "Ꭰ": "D", "Ꭱ": "R", "Ꭲ": "T", "Ꭵ": "i", "Ꭺ": "A", "Ꭻ": "J", "Ꮃ": "W", "Ꮇ": "M", "Ꮋ": "H", "Ꮐ": "G", "Ꮓ": "Z",
    "Ꮖ": "I", "Ꮩ": "V", "Ꮪ": "S", "Ꮮ": "L", "Ꮯ": "C", "Ꮲ": "P", "Ꮶ": "K", "Ᏼ": "B", "Ꭼ": "E", "Ꮎ": "O", "Ꮑ": "N",
    "ƀ": "b", "ɨ": "i", "ɵ": "o", "ʉ": "u", "ȷ": "j", "ƒ": "f",
    "ɠ": "g", "ɓ": "b", "ɗ": "d", "ƙ": "k", "ƥ": "p", "ƭ": "t", "ⱥ": "a", "ɛ": "e", "ʂ": "s", "ɾ": "r", "ɱ": "m",
    "‐": "-", "‑": "-", "‒": "-", "−": "-", "⁃": "-", "﹣": "-", "ǀ": "|", "∶": ":",
    "\u2028": " ", "\u2029": " ", "\u1680": " ", "\u2800": " ",
}  # fmt: skip
# Letters in boxes and discs that NFKC leaves alone, and the letters that flags are made of.
_BOXED: Final = {first + at: chr(ord("A") + at) for first in (0x1F150, 0x1F170, 0x1F1E6) for at in range(26)}
_FOLD: Final = str.maketrans(_LIKE) | _BOXED
_FOREIGN: Final = re.compile(r"[^\x00-\x7f]+")
# Digits of other scripts, which NFKC leaves alone.
_DIGIT: Final = re.compile(r"[^\x00-\x7f\D]")


@dataclass(frozen=True, slots=True)
class View:
    """A folded copy with its way back.

    Attributes:
        text: The folded copy.
        starts: For each character of the copy, where the piece it came from begins in the original.
        ends: For each character of the copy, where that piece ends. Empty, like `starts`, when copy and original agree.
    """

    text: str
    starts: tuple[int, ...] = ()
    ends: tuple[int, ...] = ()

    def span(self, start: int, end: int) -> tuple[int, int]:
        """The place in the original of `text[start:end]`; an empty place stays empty."""
        if not self.starts or start >= end:
            return (start, end)
        first, last = self.starts[start], self.ends[end - 1]
        return (first, last) if first < last else (self.starts[end - 1], self.ends[start])

    def rewritten(self, pattern: re.Pattern[str], meaning: Callable[[re.Match[str]], str]) -> View:
        """The copy with each match replaced by what it means; each character of that leads to all of the match."""
        return self.replaced((*match.span(), meaning(match)) for match in pattern.finditer(self.text))

    def replaced(self, places: Iterable[tuple[int, int, str]]) -> View:
        """The copy with each place (start, end, what stands there instead) replaced; each character leads to all of it.

        Args:
            places: In order, none inside another.
        """
        copy: list[str] = []
        starts: list[int] = []
        ends: list[int] = []
        done = 0
        for start, end, meant in places:
            self._keep(done, start, copy, starts, ends)
            copy.append(meant)
            if meant:
                first, last = self.span(start, end)
                starts.extend([first] * len(meant))
                ends.extend([last] * len(meant))
            done = end
        self._keep(done, len(self.text), copy, starts, ends)
        return View("".join(copy), tuple(starts), tuple(ends))

    def _keep(self, start: int, end: int, copy: list[str], starts: list[int], ends: list[int]) -> None:
        copy.append(self.text[start:end])
        starts.extend(self.starts[start:end] or range(start, end))
        ends.extend(self.ends[start:end] or range(start + 1, end + 1))


def is_plain(text: str) -> bool:
    """Whether folding would change nothing that a pattern could see. Cost: one scan, nothing for ASCII."""
    return text.isascii() or _ACTIVE.search(text) is None


def fold(text: str) -> str:
    """The folded copy, without the way back. Linear in the text; at most five times its length."""
    if is_plain(text):
        return text
    text = _EXPANDING.sub(" ", _cut_marks(_REMOVED.sub("", mend(text))))
    return _shown(_STACKED.sub("", _alike(unicodedata.normalize("NFKC", text))))


def _alike(text: str) -> str:
    """The text with look-alike letters as Latin ones; ASCII is not looked up, which is thirty times as fast."""
    return text if text.isascii() else _FOREIGN.sub(_latin, text)


def _latin(match: re.Match[str]) -> str:
    return match.group().translate(_FOLD)


def _shown(text: str) -> str:
    """The text with every digit of another script as the ASCII digit of its value."""
    return _DIGIT.sub(_value, text) if _DIGIT.search(text) else text


def _value(match: re.Match[str]) -> str:
    return str(unicodedata.decimal(match.group(), 0))


def mend(text: str) -> str:
    """The text with U+FFFD for each half of a surrogate pair, character for character."""
    return _SURROGATE.sub("\ufffd", text)


def view(text: str) -> View:
    """The folded copy with offsets, built piece by piece. Cost: up to half a microsecond a character."""
    if is_plain(text):
        return View(text)
    copy: list[str] = []
    starts: list[int] = []
    ends: list[int] = []
    for start, end in _pieces(text):
        folded = _fold_piece(text[start:end])
        copy.append(folded)
        starts.extend([start] * len(folded))
        ends.extend([end] * len(folded))
    return View("".join(copy), tuple(starts), tuple(ends))


def _fold_piece(piece: str) -> str:
    if len(piece) == 1 and piece < "\x80":
        return piece
    kept = _REMOVED.sub("", mend(piece))[: _MARKS + 1]
    return _shown(_STACKED.sub("", _alike(unicodedata.normalize("NFKC", _EXPANDING.sub(" ", kept)))))


def _pieces(text: str) -> list[tuple[int, int]]:
    """Cuts the text into base characters with the marks and unseen characters that follow each."""
    cuts = [0]
    for place, char in enumerate(text):
        if place and not _joins(char):
            cuts.append(place)
    cuts.append(len(text))
    return [(start, end) for start, end in pairwise(cuts) if end > start]


def _joins(char: str) -> bool:
    return char >= "\x80" and unicodedata.combining(char) != 0


def _cut_marks(text: str) -> str:
    """The text with no more than 30 combining marks in a row."""
    import re2

    run = re2.compile(r"((?:\p{M}){30})\p{M}+")
    return str(run.sub(r"\1", text)) if run.search(text) else text


def untag(text: str) -> str:
    """The text with its tag characters as the ASCII they spell, character for character."""
    return text.translate(_SPELLED)


def spelled(text: str) -> str:
    """What the tag characters of a text spell, with a space for every other character."""
    return "".join(_SPELLED.get(ord(char), " ") for char in text)


_SPELLED: Final = {0xE0000 + code: chr(code) for code in range(0x20, 0x7F)}
