"""Vectors as pgvector receives and sends them: going through text takes longer than many a search."""

from __future__ import annotations

import sys
from array import array
from struct import pack
from typing import TYPE_CHECKING, Any

from psycopg.adapt import Dumper
from psycopg.pq import Format

if TYPE_CHECKING:
    from collections.abc import Sequence

    from psycopg.abc import Buffer

_HEAD_BYTES = 4
"""Before the numbers: count and an unused word of 16 bits. Source: pgvector, `vector_send`."""


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
    """What was found, and whether there may be more than was looked at.

    Attributes:
        ids: Of the targets found.
        cut: Somewhere as many were given as were asked for.
    """

    def __init__(self) -> None:
        self._found: list[tuple[Any, ...]] = []
        self.ids: set[str] = set()
        self.cut = False

    def take(self, found: Sequence[tuple[Any, ...]], limit: int) -> None:
        """Ids with vectors as the server sends them."""
        self._found.extend(found)
        self.ids.update(name for name, _ in found)
        self.cut = self.cut or len(found) >= limit

    def cosines(self, vector: bytes) -> dict[str, float]:
        """Of each id the best of its pieces."""
        import numpy as np

        from learnt.stores.index.cosine import cosines

        numbers = np.frombuffer(b"".join(sent[_HEAD_BYTES:] for _, sent in self._found), ">f4").astype("<f4")
        query = np.frombuffer(vector, "<f4")
        best: dict[str, float] = {}
        measured = cosines(numbers.reshape(-1, len(query)), query).tolist()
        for (name, _), cosine in zip(self._found, measured, strict=True):
            best[name] = max(cosine, best.get(name, -2.0))
        return best
