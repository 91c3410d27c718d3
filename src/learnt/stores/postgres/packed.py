"""A vector as pgvector receives it: without going through text, which takes longer than many a search."""

from __future__ import annotations

import sys
from array import array
from struct import pack
from typing import TYPE_CHECKING

from psycopg.adapt import Dumper
from psycopg.pq import Format

if TYPE_CHECKING:
    from psycopg.abc import Buffer


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
