"""The nearest vectors of some scopes, from codes kept in memory, rescored with the vectors themselves.

Of each vector a process that searches keeps one int8 a number and a scale, and one bit a number, its sign: 432 bytes
for 384 numbers. A large scope is narrowed by counting signs that differ, then by int8, and what is left is read from
the file as float32. What other processes write is noticed by `PRAGMA data_version`, then read by its change numbers.

Tried and rejected, on MiniLM vectors of real sentences: the first 128 principal components (three milliseconds for
100,000, where signs take half a one, and a matrix to train and to keep), signs around the mean or after a rotation (no
better), random clusters as a test set (they flatter every prefilter), float32 in memory (154 MB for 100,000).
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import numpy as np

from learnt.stores.sqlite.shelf import Shelf

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from learnt.model.vector import Generation, VectorFilter
    from learnt.stores.sqlite.connection import Connection

    Floats = NDArray[np.float32]
    Ints = NDArray[np.int64]

MARGIN = 48
"""How many more than asked for are rescored: the error of int8 is 0.0004, what it could cost lies within these."""

_WINDOW = 8_192
_MOST = 1.01
"""A cosine is 1 at most; unit vectors are so within a thousandth."""
_KEPT_BYTES = 600_000_000


def coded(vectors: Sequence[bytes]) -> list[bytes]:
    """Each vector as its scale (float32) and one int8 a number."""
    rows = np.frombuffer(b"".join(vectors), "<f4").reshape(len(vectors), -1)
    scales = (np.abs(rows).max(axis=1) / 127).astype("<f4")
    numbers = np.rint(rows / scales[:, None]).astype(np.int8)
    return [scale.tobytes() + row.tobytes() for scale, row in zip(scales, numbers, strict=True)]


class Shelves:
    """The shelves of the scopes that were searched, the least recently used given up where they take too much."""

    def __init__(self, connection: Connection, sql: dict[str, str]) -> None:
        self._connection = connection
        self._sql = sql
        self._held: dict[tuple[int, int], tuple[Shelf, object]] = {}

    def search(
        self,
        generation: Generation,
        scopes: Sequence[int],
        vector: bytes,
        k: int,
        wanted: VectorFilter,
        only: Callable[[int], list[int]] | None = None,
    ) -> list[tuple[int, float]]:
        """(row, cosine) of at least the `k` nearest where there are as many, each row once, in no order.

        Args:
            only: Gives the rows of a scope that may be found; None for all.
        """
        query = np.frombuffer(vector, "<f4")
        shelves = [self._current(generation, scope) for scope in scopes]
        most = k + MARGIN
        if any(shelf.parted for shelf in shelves):
            most *= 2
        rows_of = [None if only is None else np.array(only(scope), np.int64) for scope in scopes]
        found = [
            (shelf, *shelf.nearest(query, most, wanted, mine))
            for shelf, mine in zip(shelves, rows_of, strict=True)
            if shelf.count
        ]
        if not found:
            return []
        cosines = np.concatenate([each for _, each, _ in found])
        places = [at for *_, at in found]
        if len(cosines) > most:
            best = np.zeros(len(cosines), np.bool_)
            best[np.argpartition(cosines, len(cosines) - most)[len(cosines) - most :]] = True
            ends = np.cumsum([len(at) for at in places])[:-1]
            places = [at[mine] for at, mine in zip(places, np.split(best, ends), strict=True)]
        return self._rescored(query, [(shelf, at) for (shelf, *_), at in zip(found, places, strict=True)])

    def _rescored(self, query: Floats, chosen: Sequence[tuple[Shelf, Ints]]) -> list[tuple[int, float]]:
        unread = [vector for shelf, at in chosen for vector in shelf.unread(at)]
        held = self._connection.rows(self._sql["vectors"], {"ids": json.dumps(unread)}) if unread else []
        # What another program wrote over a vector may have any size and give any number, NaN among them: such a
        # memory has no cosine, and takes none from the others.
        read = {number: vector for number, vector in held if len(vector) == query.nbytes}
        best: dict[int, float] = {}
        for shelf, at in chosen:
            for row, cosine in shelf.cosines(query, at, read):
                if abs(cosine) <= _MOST:
                    best[row] = max(cosine, best.get(row, -2.0))
        return list(best.items())

    def _current(self, generation: Generation, scope: int) -> Shelf:
        """The scope's shelf with everything committed until now."""
        stamp = (self._connection.rows(self._sql["data_version"])[0][0], self._connection.generation)
        place = (generation.number, scope)
        shelf, seen = self._held.pop(place, (None, None))
        if shelf is None:
            shelf = self._made(generation, scope)
        elif seen != stamp:
            self._follow(generation, scope, shelf)
        self._held[place] = (shelf, stamp)
        self._give_up(place)
        return shelf

    def _made(self, generation: Generation, scope: int) -> Shelf:
        values = {"generation": generation.number, "scopes": f"[{scope}]"}
        shelf = Shelf(generation.dimension, int(self._connection.rows(self._sql["size"], values)[0][0]))
        self._follow(generation, scope, shelf)
        return shelf

    def _follow(self, generation: Generation, scope: int, shelf: Shelf) -> None:
        values = {"generation": generation.number, "scopes": f"[{scope}]"}
        last = self._connection.rows(self._sql["later"], values)[0][0] or 0
        while shelf.change < last:
            window = {"after": shelf.change, "end": shelf.change + _WINDOW}
            rows = self._connection.rows(self._sql["changes"], {**values, **window})
            if rows:
                shelf.take([row[:9] for row in rows])
            shelf.change = min(last, shelf.change + _WINDOW)

    def _give_up(self, kept: tuple[int, int]) -> None:
        total = sum(shelf.size_bytes for shelf, _ in self._held.values())
        for place in list(self._held):
            if total <= _KEPT_BYTES or place == kept:
                return
            total -= self._held.pop(place)[0].size_bytes
