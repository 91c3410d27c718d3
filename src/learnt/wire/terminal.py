"""Text from memories and transcripts on its way to a terminal: data, shown as such."""

from __future__ import annotations

import unicodedata

_KEPT = {"\n", "\t"}
_HIDDEN = {"Cc", "Cf", "Cs", "Co", "Zl", "Zp"}
_JOINERS = {"\u200c", "\u200d"}


def plain(text: str) -> str:
    """`text` without anything that would steer a terminal or hide from a reader; each such character as U+FFFD."""
    if text.isascii() and text.isprintable():
        return text
    return "".join(char if _visible(char) else "\ufffd" for char in text)


def _visible(char: str) -> bool:
    return char in _KEPT or char in _JOINERS or unicodedata.category(char) not in _HIDDEN


def line(text: str, most: int = 0) -> str:
    """`text` on one line, cut to `most` characters with a mark when that is not 0."""
    flat = plain(" ".join(text.split()))
    return flat if not most or len(flat) <= most else flat[: most - 1].rstrip() + "…"
