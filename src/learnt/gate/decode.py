"""What encoded runs of a text hold, where that is text: base64, base32, base85, hex, binary, octal, codes, Morse.

Bounded: so many runs, so many characters each, one level inside another, and what is unpacked from a compressed run is
never longer than sixteen times the run.
"""

from __future__ import annotations

import base64
import binascii
import re
import zlib
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

RUNS: Final = 256
RUN_CHARS: Final = 1 << 16
_GROWTH: Final = 16
_PRINTABLE: Final = 0.95
"""Share of the characters of a decoded run that must be text."""
_MORSE: Final = {
    ".-": "a", "-...": "b", "-.-.": "c", "-..": "d", ".": "e", "..-.": "f", "--.": "g", "....": "h", "..": "i",
    ".---": "j", "-.-": "k", ".-..": "l", "--": "m", "-.": "n", "---": "o", ".--.": "p", "--.-": "q", ".-.": "r",
    "...": "s", "-": "t", "..-": "u", "...-": "v", ".--": "w", "-..-": "x", "-.--": "y", "--..": "z",
}  # fmt: skip


def _hex(run: str) -> bytes:
    return bytes.fromhex(re.sub(r"[^0-9a-fA-F]", "", run))


def _base64(run: str) -> bytes:
    body = re.sub(r"\s|=", "", run).replace("-", "+").replace("_", "/")
    body = body[: len(body) - 1] if len(body) % 4 == 1 else body
    return base64.b64decode(body + "=" * (-len(body) % 4))


def _base32(run: str) -> bytes:
    body = re.sub(r"\s|=", "", run)
    return base64.b32decode(body + "=" * (-len(body) % 8))


def _base85(run: str) -> bytes:
    return base64.a85decode(run.removeprefix("<~").removesuffix("~>"))


def _bits(run: str) -> bytes:
    return bytes(int(piece, 2) for piece in re.findall(r"[01]{8}", run))


def _octal(run: str) -> bytes:
    return bytes(int(piece, 8) for piece in re.findall(r"[0-3]?[0-7]{2}", run))


def _codes(run: str) -> bytes:
    return bytes(min(int(piece), 255) for piece in re.findall(r"\d{2,3}", run))


def _quoted(run: str) -> bytes:
    return bytes.fromhex(run.replace("=", ""))


def _morse(run: str) -> bytes:
    words = re.split(r"\s*/\s*|\s{3,}", run.strip())
    return " ".join("".join(_MORSE.get(code, "") for code in word.split()) for word in words).encode()


# Base64 of printable ASCII: each byte is 0x20 to 0x7E, which leaves 24, 24 and 32 of the 64 letters for the first three
# places of each four. Prose and paths almost never keep that up for 24 letters, so they are not decoded in vain.
_PLAIN64: Final = r"[I-Za-f][C-HS-Xi-ny-z0-3][ABEFIJMNQRUVYZcdghklopstwx014589][A-Za-z0-9+/_-]"
# The same of two-byte characters of ASCII, three of them in eight letters.
_WIDE64: Final = r"[A-Za-z0-9+/][AQgw][AB][A-Za-z0-9+/]A[C-H][AEIMQUYcgkosw048]A"
_KINDS: Final[tuple[tuple[str, re.Pattern[str], Callable[[str], bytes]], ...]] = (
    ("encoded", re.compile(r"(?:[2-7][0-9a-fA-F]){16,}"), _hex),
    (
        "encoded",
        re.compile(rf"(?:{_PLAIN64}){{4,}}(?:\r?\n(?:{_PLAIN64}){{3,}})*(?:\r?\n)?(?:[A-Za-z0-9+/_-]{{2,3}}={{0,2}})?"),
        _base64,
    ),
    ("utf16", re.compile(rf"(?:{_WIDE64}){{3,}}[A-Za-z0-9+/]{{0,7}}={{0,2}}"), _base64),
    ("gzip", re.compile(r"H4sI[A-Za-z0-9+/_-]{24,}={0,2}|eJ[wyx][A-Za-z0-9+/_-]{24,}={0,2}"), _base64),
    ("base32", re.compile(r"[A-Z2-7]{32,}={0,6}"), _base32),
    ("base85", re.compile(r"<~[!-uz\s]{20,}~>"), _base85),
    ("hex_spaced", re.compile(r"(?:(?:0x)?[2-7][0-9a-fA-F][ ,:;-]{1,2}){12,}(?:0x)?[2-7][0-9a-fA-F]"), _hex),
    ("bits", re.compile(r"(?:[01]{8}[ ,]?){8,}"), _bits),
    ("octal", re.compile(r"(?:\\[01][0-7]{2}){8,}"), _octal),
    ("codes", re.compile(r"(?:(?:3[2-9]|[4-9]\d|1[01]\d|12[0-6])[ ,;]{1,2}){12,}\d{2,3}"), _codes),
    ("quoted", re.compile(r"(?:=[2-7][0-9A-F]){8,}"), _quoted),
    ("morse", re.compile(r"(?:[.-]{1,5}(?: / | +|/)){12,}[.-]{1,5}"), _morse),
)


def decoded(text: str, marks: frozenset[str]) -> Iterator[tuple[int, int, str]]:
    """Where encoded runs stand and what they say, of the kinds that the text bears the marks of."""
    for mark, pattern, meaning in _KINDS:
        if mark not in marks:
            continue
        for number, match in enumerate(pattern.finditer(text)):
            if number >= RUNS:
                break
            if plain := _plain(match.group()[:RUN_CHARS], meaning):
                yield match.start(), match.end(), plain


def decode(run: str) -> str:
    """The text that a base64 or hex run holds; empty when it holds none."""
    return next((plain for _, _, plain in decoded(run, frozenset({"encoded"}))), "")


def _plain(run: str, meaning: Callable[[str], bytes]) -> str:
    try:
        content = _unpacked(meaning(run))
        if content[1::2].count(0) > len(content) // 2 - 2:
            text = content[: len(content) & ~1].decode("utf-16-le")
        else:
            text = content.decode("utf-8", "ignore")
    except (binascii.Error, UnicodeDecodeError, ValueError, zlib.error):
        return ""
    shown = sum(char.isprintable() or char in "\n\t" for char in text)
    return text if text and shown >= _PRINTABLE * len(content.replace(b"\0", b"")) else ""


def _unpacked(content: bytes) -> bytes:
    if content[:2] == b"\x1f\x8b":
        return zlib.decompressobj(31).decompress(content, _GROWTH * len(content))
    if content[:1] == b"\x78" and content[1:2] in b"\x01\x5e\x9c\xda":
        return zlib.decompressobj().decompress(content, _GROWTH * len(content))
    return content
