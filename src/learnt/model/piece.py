"""A stretch of a text that was compared with another."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True, slots=True)
class Piece:
    """A stretch of text that stays, goes, or is new."""

    type: Literal["same", "gone", "new"]
    text: str
