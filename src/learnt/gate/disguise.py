"""Other readings of a text in which a secret or an order may hide.

A reading is only made when the automaton saw its mark (`family = "view"`), so ordinary text pays nothing for it. Each
is bounded: never longer than a few times the text, encoded runs at most one inside another.
"""

from __future__ import annotations

import html
import re
from functools import partial
from typing import TYPE_CHECKING, Final

from learnt.gate import ciphers
from learnt.gate.decode import decoded
from learnt.gate.normal import View, fold, spelled, untag, view

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    Reading = tuple[str, Callable[[], View]]
    Meaning = Callable[[re.Match[str]], str]

_ESCAPE: Final = re.compile(
    r"\\u00([2-7][0-9a-fA-F])|\\x([2-7][0-9a-fA-F])|%([2-7][0-9a-fA-F])|&#[xX]0{0,4}([2-7][0-9a-fA-F]);?"
    r"|\\u\{0{0,4}([2-7][0-9a-fA-F])\}|\\x\{([2-7][0-9a-fA-F])\}|%u00([2-7][0-9a-fA-F])"
    r"|&#0{0,4}([0-9]{2,3});?|&([A-Za-z]{2,8});"
    r"|\\\r?\n|([\"'])[ \t]*\+[ \t]*(?:\r?\n[ \t]*)?\10"
)
# What a literal prints as: line ends, tabs, quotes, colours. Apart from the others, because so it is found by its first
# letter: four times as fast.
_PRINTED: Final = re.compile(r"\\{1,4}(?:(?:x1[bB]|u001[bB]|033|e)\[[0-9;?]{0,24}[A-Za-z]|([nrt])|([\"'/]))")
_ANSI: Final = re.compile(
    r"\x1b\[[0-9;?]{0,24}[ -/]{0,2}[@-~]|\x1b\][0-9]{0,4};?|\x1b[\\_P^X]|\x07|[^\x08\n]\x08|\x1b.?|[\x00\x08\x0e\x0f]"
)
_MARKUP: Final = re.compile(r"<!--|-->|</?[A-Za-z][^<>\n]{0,200}>|\*{1,3}|__|~~|`")
_LITERALS: Final = re.compile(r"""["']\s*[;,]?\s*(?:(?:var|let|const|set)\s+)?\w{1,16}\s*\+?=\s*["']""")
_UNSEEN_BYTES: Final = re.compile("[\U000e0100-\U000e01ef\ufe00-\ufe0f]{4,}")


def readings(text: str, folded: str, marks: frozenset[str]) -> Iterator[Reading]:
    """The other readings of the text that its marks call for: the copy, and what gives its way back when it is needed.

    Args:
        text: The text as stored. `folded`: its folded copy.
        marks: Names of the patterns that hit.
    """
    if "hidden_text" in marks:
        for other in (untag(text), spelled(text), _selected(text)):
            yield fold(other), partial(view, other)
    if "upside" in marks:
        turned = ciphers.stood(text)
        yield turned.text, lambda: turned
    last = folded
    for mark, pattern, meaning in _REWRITES:
        copy = pattern.sub(meaning, folded) if mark in marks else last
        if copy != last:
            yield copy, partial(_rewritten, text, pattern, meaning)
            last = copy
    for undo in ciphers.readings(marks):
        yield undo(View(folded)).text, partial(_undone, text, undo)
    yield from _decoded(text, marks)


def _rewritten(text: str, pattern: re.Pattern[str], meaning: Meaning) -> View:
    return view(text).rewritten(pattern, meaning)


def _undone(text: str, undo: Callable[[View], View]) -> View:
    return undo(view(text))


def _meaning(match: re.Match[str]) -> str:
    """What one escape stands for: a printable ASCII character, or nothing for a joint."""
    groups = match.groups()
    code = next((group for group in groups[:7] if group), "")
    if code:
        return chr(int(code, 16))
    if groups[7]:
        number = int(groups[7])
        return chr(number) if 0x20 <= number < 0x7F else match.group()[0]
    if groups[8]:
        meant = html.unescape(match.group())
        return meant if len(meant) == 1 else match.group()
    return ""


def _print(match: re.Match[str]) -> str:
    if match[1]:
        return "\t" if match[1] == "t" else "\n"
    return match[2] or ""


def _print_apart(match: re.Match[str]) -> str:
    return _print(match) or " "


def _space(match: re.Match[str]) -> str:
    del match
    return " "


def _nothing(match: re.Match[str]) -> str:
    del match
    return ""


_REWRITES: Final[tuple[tuple[str, re.Pattern[str], Meaning], ...]] = (
    ("escapes", _ESCAPE, _meaning),
    ("printed", _PRINTED, _print),
    ("printed", _PRINTED, _print_apart),
    ("ansi", _ANSI, _nothing),
    ("ansi", _ANSI, _space),
    ("markup", _MARKUP, _nothing),
    ("literals", _LITERALS, _nothing),
)


def rewritten(mark: str) -> tuple[re.Pattern[str], Meaning]:
    """What undoes the disguise of this mark, character run by character run."""
    return next((pattern, meaning) for name, pattern, meaning in _REWRITES if name == mark)


def _selected(text: str) -> str:
    """What runs of variation selectors spell, sixteen of the first row and the rest of a byte in the second."""
    return _UNSEEN_BYTES.sub(_spelt, text)


def _spelt(match: re.Match[str]) -> str:
    codes = (ord(char) for char in match.group())
    plain = bytes(code - 0xFE00 if code < 0xFF00 else code - 0xE0100 + 16 for code in codes)
    return "".join(chr(code) if 0x20 <= code < 0x7F else " " for code in plain)


def _decoded(text: str, marks: frozenset[str]) -> Iterator[Reading]:
    """What encoded runs hold; every character leads back to the whole run."""
    if not marks & _CODED:
        return
    seen = view(text)
    for start, end, plain in decoded(seen.text, marks):
        first, last = seen.span(start, end)
        for said in (plain, *(inner for _, _, inner in decoded(plain, _INNER))):
            copy = fold(said)
            yield copy, partial(_run, copy, first, last)


_CODED: Final = frozenset(
    ("encoded", "utf16", "gzip", "base32", "base85", "hex_spaced", "bits", "octal", "codes", "quoted", "morse")
)
_INNER: Final = frozenset(("encoded", "utf16", "hex_spaced", "base32"))


def _run(copy: str, first: int, last: int) -> View:
    return View(copy, (first,) * len(copy), (last,) * len(copy))
