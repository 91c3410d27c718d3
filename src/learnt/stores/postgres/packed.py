"""Vectors as pgvector receives and sends them: going through text takes longer than many a search."""

from __future__ import annotations

import sys
from array import array
from itertools import pairwise
from operator import or_
from struct import pack
from typing import TYPE_CHECKING, Any

from psycopg.adapt import Dumper
from psycopg.pq import Format

if TYPE_CHECKING:
    from collections.abc import Sequence

    from psycopg.abc import Buffer

_HEAD_BYTES = 4
"""Before the numbers: count and an unused word of 16 bits. Source: pgvector, `vector_send`."""

NEAR = 1e-6
"""Two cosines closer than this are measured again in float64: a sum of some hundred float32 products is off by 1e-7."""
_BEYOND = 64


class Packed:
    """Little-endian float32 numbers, for a place that says `::vector`."""

    __slots__ = ("numbers",)

    def __init__(self, numbers: bytes) -> None:
        self.numbers = numbers


class PackedDumper(Dumper):
    """pgvector's `vector_recv`: count and an unused word of 16 bits, then the numbers, the high byte first."""

    format = Format.BINARY
    oid = 0  # what `::vector` says

    def dump(self, obj: Packed) -> Buffer:
        """The bytes sent."""
        numbers = array("f", obj.numbers)
        if sys.byteorder == "little":
            numbers.byteswap()
        return pack(">HH", len(numbers), 0) + numbers.tobytes()


class Best:
    """The best piece of each target found so far, measured by the server in float32.

    Attributes:
        found: By id the cosine, and where its vector lies: shelf, scope, row, part.
        cut: Somewhere as many were given as were asked for.
    """

    def __init__(self) -> None:
        self.found: dict[str, tuple[float, tuple[int, ...]]] = {}
        self.cut = False

    def take(self, rows: Sequence[tuple[Any, ...]], limit: int) -> None:
        """Rows of id, cosine and place."""
        for name, cosine, *place in rows:
            if name not in self.found or self.found[name][0] < cosine:
                self.found[name] = cosine, tuple(place)
        self.cut = self.cut or len(rows) >= limit

    def unsure(self, k: int) -> list[tuple[int, ...]]:
        """Places of those among the first `k`, or next to them, that lie too near another for float32 to tell.

        Only their numbers are fetched: to send a vector takes the server longer than to measure ten.
        """
        order = sorted(self.found.values(), reverse=True)[: k + _BEYOND]
        near = [one[0] - other[0] < NEAR for one, other in pairwise(order)]
        either = map(or_, [False, *near], [*near, False])
        return [place for (_, place), unsure in zip(order, either, strict=False) if unsure]

    def measure(self, vector: bytes, sent: Sequence[tuple[str, bytes]]) -> None:
        """Measure again, from the numbers themselves as the server sent them."""
        import numpy as np

        from learnt.stores.index.cosine import cosines

        query = np.frombuffer(vector, "<f4")
        numbers = np.frombuffer(b"".join(each[_HEAD_BYTES:] for _, each in sent), ">f4").astype("<f4")
        for (name, _), cosine in zip(sent, cosines(numbers.reshape(len(sent), -1), query).tolist(), strict=True):
            self.found[name] = cosine, self.found[name][1]

    def ordered(self) -> list[tuple[str, float]]:
        """Id and cosine, the nearest first, then by id."""
        order = sorted((-round(cosine, 7), name) for name, (cosine, _) in self.found.items())
        return [(name, -cosine) for cosine, name in order]
