"""How near memories are by the vectors that were kept of them; nothing is embedded."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping, Sequence

_UNLIKE = -1.0


def closeness(vectors: Mapping[str, Sequence[bytes]], sources: Collection[str]) -> Callable[[str, str], float]:
    """The cosine of a memory and a source, of long ones that of their nearest pieces; -1 for what has no vector.

    Args:
        vectors: float32, little-endian, of length 1, by id; all of one dimension.
    """
    import numpy as np

    names = [name for name, pieces in vectors.items() for _ in pieces]
    if not names:
        return _unlike
    rows = np.stack([np.frombuffer(piece, dtype="<f4") for pieces in vectors.values() for piece in pieces])
    columns = [place for place, name in enumerate(names) if name in sources]
    found: dict[tuple[str, str], float] = {}
    for name, cosines in zip(names, (rows @ rows[columns].T).tolist(), strict=True):
        for place, cosine in zip(columns, cosines, strict=True):
            pair = (name, names[place])
            found[pair] = max(cosine, found.get(pair, _UNLIKE))
    return lambda one, source: found.get((one, source), _UNLIKE)


def _unlike(one: str, source: str) -> float:
    """No vector, no likeness."""
    del one, source
    return _UNLIKE
