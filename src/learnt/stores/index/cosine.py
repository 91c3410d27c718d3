"""How near vectors are, in the same digits on every store."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray


def cosines(rows: NDArray[np.float32], query: NDArray[np.float32]) -> NDArray[np.float64]:
    """Of each row of length 1, (n, d), with a query of length 1, (d,).

    Each row is summed by itself and in float64, so a cosine depends neither on what else was found nor on the order in
    which a database adds up float32 products: equal vectors tie, and others come in one order everywhere.
    """
    found: NDArray[np.float64] = np.einsum("ij,j->i", rows, query, dtype=np.float64)
    return found
