"""Rows of numbers to the bytes that cross the port, and texts to what a model can read."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Sequence

MOST_CHARACTERS = 16_384
"""A text is cut here before it reaches a tokenizer or a server: every model we know reads less (8,192 tokens at most;
256 for the local one), and a megabyte of text must not cost seconds."""

_LEAST_NORM = 1e-12


def readable(text: str) -> str:
    """The text as a model gets it: cut at `MOST_CHARACTERS`, lone surrogates replaced; "" for a blank one."""
    cut = text[:MOST_CHARACTERS]
    return "" if cut.isspace() else cut.encode("utf-8", "replace").decode("utf-8")


def packed(row: Any, dimension: int) -> bytes | None:
    """`dimension` little-endian float32, L2-normalised; None for zeros, NaN, infinities, another length or no numbers.

    The norm is taken in float64, so that large finite numbers do not overflow.
    """
    import numpy as np

    try:
        vector = np.asarray(row, dtype=np.float64)
    except (TypeError, ValueError, OverflowError):
        return None
    if vector.shape != (dimension,) or not np.isfinite(vector).all():
        return None
    largest = float(np.abs(vector).max(initial=0.0))
    if largest < _LEAST_NORM:
        return None
    vector = vector / largest
    return (vector / np.linalg.norm(vector)).astype("<f4").tobytes()


def spread(texts: Sequence[str], found: dict[int, bytes | None]) -> tuple[bytes | None, ...]:
    """The vectors by position, None where there is none."""
    return tuple(found.get(place) for place in range(len(texts)))
