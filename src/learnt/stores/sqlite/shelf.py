"""The codes of one scope in one generation, as a process that searches keeps them (`nearest`)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from learnt.stores.index.cosine import cosines

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from learnt.model.vector import VectorFilter

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

REMEMBERED = 16_384
"""A shelf of at most so many keeps the float32 of what was rescored, since it will be found again (at most 25 MB)."""

_STRETCH = 1_024  # rows that as float32 stay in a processor's cache
_FAR = 60_000
_FEW = 64


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
        self._exact = np.zeros((0, dimension), np.float32)
        self._read = np.zeros(0, np.bool_)
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
        if len(self._read):
            self._read[at] = False
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
        self._read = np.zeros(0, np.bool_)

    def unread(self, at: Ints) -> list[int]:
        """Ids of the vectors at some positions that are not remembered."""
        if not len(self._read) and len(self.live) <= REMEMBERED:
            self._read = np.zeros(len(self.live), np.bool_)
            self._exact = np.zeros((len(self.live), self._dimension), np.float32)
        missing: list[int] = self.vectors[at[~self._read[at]] if len(self._read) else at].tolist()
        return missing

    def cosines(self, query: Floats, at: Ints, read: Mapping[int, bytes]) -> list[tuple[int, float]]:
        """(row, cosine) of each position whose vector is remembered or among `read`, by the vectors themselves."""
        ids = self.vectors[at]
        new = np.array([vector in read for vector in ids.tolist()], np.bool_)
        rows = np.frombuffer(b"".join(read[vector] for vector in ids[new].tolist()), "<f4")
        if len(self._read):
            self._exact[at[new]] = rows.reshape(-1, self._dimension)
            self._read[at[new]] = True
            at = at[self._read[at]]
            rows = self._exact[at]
        else:
            at = at[new]
        exact = cosines(rows.reshape(len(at), self._dimension), query)
        return list(zip((self.keys[at] >> 6).tolist(), exact.tolist(), strict=True))

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
            numbers = self.codes.take(part, axis=0).astype(np.float32)
            cosines[start : start + _STRETCH] = (numbers @ query) * self.scales.take(part)
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
