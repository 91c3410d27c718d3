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
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from learnt.model.vector import Generation, VectorFilter
    from learnt.stores.sqlite.connection import Connection

    Floats = NDArray[np.float32]
    Ints = NDArray[np.int64]

WHOLE = 8_192
"""Up to so many codes are all compared by int8."""

NARROWED = 2_000
"""How many are left after signs were compared, at least, and `DEEP` for each one asked for.

Of the true ten nearest among 100,000 none of 10,000 was lost, of the true 160 nearest one in 200, from the far end.
Counted for 384 numbers; fewer numbers give fewer signs, which tell less.
"""

DEEP = 16

MARGIN = 48
"""How many more than asked for are rescored: the error of int8 is 0.0004, what it could cost lies within these."""

_WINDOW = 8_192
_STRETCH = 1_024  # rows that as float32 stay in a processor's cache
_KEPT_BYTES = 600_000_000
_FAR = 60_000
_FEW = 64


def coded(vectors: Sequence[bytes]) -> list[bytes]:
    """Each vector as its scale (float32) and one int8 a number."""
    rows = np.frombuffer(b"".join(vectors), "<f4").reshape(len(vectors), -1)
    scales = (np.abs(rows).max(axis=1) / 127).astype("<f4")
    numbers = np.rint(rows / scales[:, None]).astype(np.int8)
    return [scale.tobytes() + row.tobytes() for scale, row in zip(scales, numbers, strict=True)]


class Shelf:
    """The codes of one scope in one generation. Positions are given once; what left stays as a dead one."""

    def __init__(self, dimension: int, room: int) -> None:
        self.change = 0
        self.count = 0
        self._dimension = dimension
        self._words = -(-dimension // 64)
        self._kinds: dict[str, int] = {}
        self._latest_since = b""
        self._ending = False
        self._last_key = -1
        self.codes = np.zeros((room, dimension), np.int8)
        self.scales = np.zeros(room, np.float32)
        self.signs = np.zeros((self._words, room), np.uint64)
        self.keys = np.zeros(room, np.int64)
        self.vectors = np.zeros(room, np.int64)
        self.kinds = np.zeros(room, np.int16)
        self.since = np.zeros(room, "S24")
        self.until = np.zeros(room, "S24")
        self.live = np.zeros(room, np.bool_)
        self.kept = np.zeros(room, np.bool_)
        self.parted = False

    @property
    def size_bytes(self) -> int:
        """What it takes of memory."""
        return len(self.live) * (self._dimension + 8 * self._words + 76)

    def take(self, rows: Sequence[tuple[Any, ...]]) -> None:
        """Take in changes: columns of the statement `changes`."""
        keys = np.array([row << 6 | part for _, row, part, *_ in rows], np.int64)
        at = self._places(keys)
        self.parted = self.parted or bool((keys & 63).any())
        self.live[at] = [bool(live) and code is not None for *_, live, _, _, _, _, code in rows]
        self.kept[at] = [each[8] is not None for each in rows]
        held = [(place, each) for place, each in zip(at.tolist(), rows, strict=True) if each[8] is not None]
        if not held:
            return
        places = np.array([place for place, _ in held])
        self.vectors[places] = [each[7] for _, each in held]
        self.kinds[places] = [self._kinds.setdefault(each[4], len(self._kinds)) for _, each in held]
        self.since[places] = [each[5].encode()[:24] for _, each in held]
        self.until[places] = [(each[6] or "").encode()[:24] for _, each in held]
        self._latest_since = max(self._latest_since, *(each[5].encode()[:24] for _, each in held))
        self._ending = self._ending or any(each[6] for _, each in held)
        self._fill(places, b"".join(each[8] for _, each in held))

    def _fill(self, places: Ints, joined: bytes) -> None:
        raw = np.frombuffer(joined, np.uint8).reshape(len(places), 4 + self._dimension)
        self.scales[places] = raw[:, :4].copy().view("<f4")[:, 0]
        numbers = raw[:, 4:].view(np.int8)
        self.codes[places] = numbers
        padded = np.zeros((len(places), 8 * self._words), np.uint8)
        bits = np.packbits(numbers > 0, axis=1, bitorder="little")
        padded[:, : bits.shape[1]] = bits
        self.signs[:, places] = padded.view(np.uint64).T

    def _places(self, keys: Ints) -> Ints:
        """The position of each key, given now to those that have none."""
        known = self.keys[: self.count]
        places = np.full(len(keys), -1, np.int64)
        if len(keys) <= _FEW:
            for nth in np.flatnonzero(keys <= self._last_key).tolist():
                places[nth] = next(iter(np.flatnonzero(known == keys[nth]).tolist()), -1)
        elif keys.min() <= self._last_key:
            order = np.argsort(known)
            near = order[np.minimum(np.searchsorted(known, keys, sorter=order), self.count - 1)]
            places = np.where(known[near] == keys, near, -1)
        self._last_key = max(self._last_key, int(keys.max()))
        new = np.flatnonzero(places < 0)
        self._make_room(self.count + len(new))
        places[new] = np.arange(self.count, self.count + len(new))
        self.keys[places[new]] = keys[new]
        self.count += len(new)
        return places

    def _make_room(self, count: int) -> None:
        room = len(self.live)
        if count <= room:
            return
        more = max(count, room + room // 4 + 256) - room
        for name in ("codes", "scales", "keys", "vectors", "kinds", "since", "until", "live", "kept"):
            held = getattr(self, name)
            setattr(self, name, np.concatenate([held, np.zeros((more, *held.shape[1:]), held.dtype)]))
        self.signs = np.concatenate([self.signs, np.zeros((self._words, more), np.uint64)], axis=1)

    def nearest(self, query: Floats, most: int, wanted: VectorFilter, only: Ints | None = None) -> tuple[Floats, Ints]:
        """About the `most` nearest that the filter lets through: cosines by int8, (n,), and their positions."""
        allowed = self._allowed(wanted)
        if only is not None:
            allowed &= np.isin(self.keys[: self.count] >> 6, only)
        at: Ints = np.flatnonzero(allowed)
        if len(at) > WHOLE:
            at = self._alike(query, allowed, max(NARROWED * 384 // min(384, self._dimension), DEEP * most))
        cosines: Floats = np.empty(len(at), np.float32)
        for start in range(0, len(at), _STRETCH):
            part = at[start : start + _STRETCH]
            cosines[start : start + _STRETCH] = (self.codes[part].astype(np.float32) @ query) * self.scales[part]
        if len(at) > most:
            best = np.argpartition(cosines, len(at) - most)[len(at) - most :]
            at, cosines = at[best], cosines[best]
        return cosines, at

    def _allowed(self, wanted: VectorFilter) -> NDArray[np.bool_]:
        allowed = self.live[: self.count].copy()
        if wanted.retired:
            allowed = self.kept[: self.count] & ~allowed
        if wanted.kinds:
            numbers = [self._kinds[kind] for kind in wanted.kinds if kind in self._kinds]
            allowed &= np.isin(self.kinds[: self.count], np.array(numbers, np.int16))
        since, until = self.since[: self.count], self.until[: self.count]
        if wanted.now:
            now = wanted.now.encode()
            if self._ending:
                allowed &= (until == b"") | (until > now)
            if self._latest_since > now:
                allowed &= since <= now
        if wanted.since:
            allowed &= since >= wanted.since.encode()
        if wanted.until:
            allowed &= since < wanted.until.encode()
        return allowed

    def _alike(self, query: Floats, allowed: NDArray[np.bool_], least: int) -> Ints:
        """Positions with the fewest differing signs, at least `least` of them."""
        padded = np.zeros(8 * self._words, np.uint8)
        bits = np.packbits(query > 0, bitorder="little")
        padded[: len(bits)] = bits
        differing = np.zeros(self.count, np.uint16)
        for word, asked in zip(self.signs[:, : self.count], padded.view(np.uint64), strict=True):
            differing += np.bitwise_count(word ^ asked)
        differing[~allowed] = _FAR
        counts = np.cumsum(np.bincount(differing, minlength=1)[:_FAR])
        bound = int(np.searchsorted(counts, least))
        return np.flatnonzero(differing <= min(bound, _FAR - 1))


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
        ids = np.concatenate([shelf.vectors[at] for shelf, _, at in found])
        rows = np.concatenate([shelf.keys[at] >> 6 for shelf, _, at in found])
        if len(ids) > most:
            best = np.argpartition(cosines, len(ids) - most)[len(ids) - most :]
            ids, rows = ids[best], rows[best]
        return self._rescored(query, ids.tolist(), rows.tolist())

    def _rescored(self, query: Floats, ids: list[int], rows: list[int]) -> list[tuple[int, float]]:
        held = self._connection.rows(self._sql["vectors"], {"ids": json.dumps(ids)})
        if not held:
            return []
        row_of = dict(zip(ids, rows, strict=True))
        exact = np.frombuffer(b"".join(vector for _, vector in held), "<f4").reshape(len(held), -1) @ query
        best: dict[int, float] = {}
        for (vector_id, _), cosine in zip(held, exact.tolist(), strict=True):
            row = row_of[vector_id]
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
