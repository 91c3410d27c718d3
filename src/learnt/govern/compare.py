"""What a new text changes in an old one, word by word. Pure."""

from __future__ import annotations

import re
from difflib import SequenceMatcher
from typing import Final

from learnt.model.piece import Piece

_PIECE: Final = re.compile(r"\s+|[^\s\w]|\w+")
MAX_PIECES: Final = 2_000
"""A longer text is shown as taken away and put in whole: comparing costs the product of both lengths."""


def compared(old: str, new: str) -> tuple[Piece, ...]:
    """The pieces from `old` to `new` in reading order; what goes stands before what is new in its place."""
    before, after = _PIECE.findall(old), _PIECE.findall(new)
    if max(len(before), len(after)) > MAX_PIECES:
        return tuple(piece for piece in (Piece("gone", old), Piece("new", new)) if piece.text)
    found: list[Piece] = []
    for kind, a, b, c, d in SequenceMatcher(None, before, after, autojunk=False).get_opcodes():
        if kind == "equal":
            found.append(Piece("same", "".join(before[a:b])))
            continue
        found += [Piece("gone", "".join(before[a:b]))] if b > a else []
        found += [Piece("new", "".join(after[c:d]))] if d > c else []
    return tuple(_joined(found))


def _joined(pieces: list[Piece]) -> list[Piece]:
    """A blank that stays between two changes belongs to both: words that change together read together."""
    kept: list[Piece] = []
    at = 0
    while at < len(pieces):
        gone = new = ""
        while at < len(pieces) and (pieces[at].type != "same" or (bool(gone or new) and _between(pieces, at))):
            piece = pieces[at]
            gone += piece.text if piece.type != "new" else ""
            new += piece.text if piece.type != "gone" else ""
            at += 1
        kept += [Piece("gone", gone)] if gone else []
        kept += [Piece("new", new)] if new else []
        if at < len(pieces):
            kept.append(pieces[at])
            at += 1
    return kept


def _between(pieces: list[Piece], at: int) -> bool:
    """Whether it is a blank behind which something changes."""
    return pieces[at].text.isspace() and at + 1 < len(pieces) and pieces[at + 1].type != "same"
