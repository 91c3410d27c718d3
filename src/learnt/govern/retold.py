"""When two statements that capture composed by one rule say the same: they differ in what every run has of its own.

Counts, positions, durations, addresses and temporary paths differ between two runs of one task; the commands and names
between back quotes never do for the same lesson. So those parts are taken out outside back quotes only, and what is
left has to be equal. Statements that a person or an agent put into words are never compared this way: there a number
is what is said. Nearness of words was tried and is too coarse here: what a failure says and what its opposite says
share most words.
"""

from __future__ import annotations

import re
from typing import Final

_CODE: Final = re.compile(r"(`[^`]*`)")
_OWN: Final = re.compile(
    r"/(?:tmp|var/folders|private/tmp)/\S*"
    r"|\b0x[0-9a-fA-F]+\b"
    r"|\b(?=[0-9a-f]*\d)(?=[0-9a-f]*[a-f])[0-9a-f]{7,64}\b"
    r"|\b\d+(?:\.\d+)?\s?(?:ms|s|sec|seconds|minutes)\b"
    r"|(?<![\w.])-?\d+(?!\w|\.\d)"
)
"""A temporary path, an address, a hash, a duration, a whole number that stands alone; a decimal may be a version."""


def outline(text: str) -> str:
    """What a composed statement says in every run: its own parts replaced, blanks collapsed, case kept."""
    parts = _CODE.split(text)
    kept = (part if place % 2 else _OWN.sub("#", part) for place, part in enumerate(parts))
    return " ".join("".join(kept).split())


def same(one: str, other: str) -> bool:
    """Whether two composed statements say the same."""
    return one == other or outline(one) == outline(other)
