"""Other readings of a text in which a secret or an order may hide: escapes, joined pieces, tag characters, encodings.

A reading is only made when the automaton saw its mark (`family = "view"` in the pattern file), so ordinary text pays
nothing for it. Each is bounded: one level deep, never longer than the text, at most `_RUNS` encoded runs.
"""

from __future__ import annotations

import base64
import binascii
import re
from functools import partial
from typing import TYPE_CHECKING, Final

from learnt.gate.normal import View, fold, spelled, untag, view

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from collections.abc import Set as AbstractSet


_ESCAPE: Final = re.compile(
    r"\\u00([2-7][0-9a-fA-F])|\\x([2-7][0-9a-fA-F])|%([2-7][0-9a-fA-F])|&#[xX]([2-7][0-9a-fA-F]);|&#([0-9]{2,3});"
    r"|\\\r?\n|([\"'])[ \t]*\+[ \t]*(?:\r?\n[ \t]*)?\6"
)
# Base64 of printable ASCII: each byte is 0x20 to 0x7E, which leaves 24, 24 and 32 of the 64 letters for the first three
# places of each four. Prose and paths almost never keep that up for 24 letters, so they are not decoded in vain.
_RUN: Final = re.compile(
    r"(?:[2-7][0-9a-fA-F]){16,}"
    r"|(?:[I-Za-f][C-HS-Xi-ny-z0-3][ABEFIJMNQRUVYZcdghklopstwx014589][A-Za-z0-9+/_-]){6,}(?:[A-Za-z0-9+/_-]{2,3}={0,2})?"
)
_HEX: Final = re.compile(r"^(?:[0-9a-fA-F]{2})+$")
_RUNS: Final = 256


def readings(text: str, marks: AbstractSet[str]) -> Iterator[tuple[str, Callable[[], View]]]:
    """The other readings of the text that its marks call for: the copy, and what gives its way back when it is needed.

    Args:
        text: The text as stored.
        marks: Names of the patterns that hit; `escapes`, `encoded` and `hidden_text` call for a reading.
    """
    if "hidden_text" in marks:
        for other in (untag(text), spelled(text)):
            yield fold(other), partial(view, other)
    if "escapes" in marks:
        yield _ESCAPE.sub(_meaning, fold(text)), lambda: _unescaped(view(text))
    if "encoded" in marks:
        for seen in _decoded(view(text)):
            yield seen.text, partial(_same, seen)


def _same(seen: View) -> View:
    return seen


def _unescaped(seen: View) -> View:
    """The copy with escapes of printable ASCII resolved and broken literals joined."""
    copy: list[str] = []
    starts: list[int] = []
    ends: list[int] = []
    done = 0

    def keep(start: int, end: int) -> None:
        copy.append(seen.text[start:end])
        starts.extend(seen.starts[start:end] or range(start, end))
        ends.extend(seen.ends[start:end] or range(start + 1, end + 1))

    for match in _ESCAPE.finditer(seen.text):
        keep(done, match.start())
        char = _meaning(match)
        if char:
            first, last = seen.span(*match.span())
            copy.append(char)
            starts.append(first)
            ends.append(last)
        done = match.end()
    keep(done, len(seen.text))
    return View("".join(copy), tuple(starts), tuple(ends))


def _meaning(match: re.Match[str]) -> str:
    """What one escape stands for: a printable ASCII character, or nothing for a joint."""
    code = next((group for group in match.groups()[:4] if group), "")
    if code:
        return chr(int(code, 16))
    if match.group(5):
        number = int(match.group(5))
        return chr(number) if 0x20 <= number < 0x7F else match.group()[0]
    return ""


def _decoded(seen: View) -> Iterator[View]:
    """What base64 and hex runs hold, where that is text; every character leads back to the whole run."""
    for number, match in enumerate(_RUN.finditer(seen.text)):
        if number >= _RUNS:
            return
        plain = fold(decode(match.group()))
        if plain:
            first, last = seen.span(*match.span())
            yield View(plain, (first,) * len(plain), (last,) * len(plain))


def decode(run: str) -> str:
    """The printable ASCII text that a base64 or hex run holds; empty when it holds none."""
    try:
        if _HEX.match(run):
            content = bytes.fromhex(run)
        else:
            body = run.rstrip("=").replace("-", "+").replace("_", "/")
            content = base64.b64decode(body + "=" * (-len(body) % 4))
        plain = content.decode("ascii")
    except (binascii.Error, UnicodeDecodeError, ValueError):
        return ""
    return plain if plain.replace("\n", " ").replace("\t", " ").isprintable() else ""
