"""What is kept of a forgotten text: a keyed digest of what it says, and nothing it could be read from."""

from __future__ import annotations

import hashlib
import hmac
import unicodedata
from typing import TYPE_CHECKING

from learnt.model.keys import collapse

if TYPE_CHECKING:
    from collections.abc import Iterable

    from learnt.model.forget import Trace

_HEX = 32
"""Hex digits kept of a digest: 128 bits, so that two texts never meet by chance."""


def plain(text: str) -> str:
    """What two ways of writing one statement have in common: its letters and digits, without case and accents.

    A text without any (emoji, punctuation) stays as it is but for its white space.
    """
    folded = unicodedata.normalize("NFKD", text.casefold())
    return "".join(filter(str.isalnum, folded)) or collapse(text)


def digest(key: bytes, trace: Trace, value: str) -> str:
    """The keyed digest of one statement or reference; HMAC-SHA-256, 32 hex digits.

    Raises:
        ValueError: Without a key anybody could try guesses.
    """
    if not key:
        raise ValueError("a digest of what was forgotten needs a key")
    said = plain(value) if trace == "text" else value
    return hmac.new(key, f"{trace}\0{said}".encode("utf-8", "surrogatepass"), hashlib.sha256).hexdigest()[:_HEX]


def digests(key: bytes, texts: Iterable[str], refs: Iterable[str] = ()) -> dict[str, Trace]:
    """The digests of some statements and references, each with what it stands for."""
    made: dict[str, Trace] = {digest(key, "text", text): "text" for text in texts}
    return {**made, **{digest(key, "ref", ref): "ref" for ref in refs}}
