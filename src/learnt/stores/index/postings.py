"""The full-text stage of a process that goes on asking: exact BM25 over postings kept in memory.

A scope's postings are read term by term when first asked for, from the same blocks that a cold process reads, so there
is nothing to build: the first query reads fifteen terms. What other processes write is noticed at each query by two
numbers: the scope's next sequence (new memories are read and added) and its version (anything else: start again).
"""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, Any

import numpy as np

from learnt.model.tokens import kind_term, unpack
from learnt.stores.index.narrow import (
    BITS_BYTES,
    BLOCK,
    K1,
    Answer,
    B,
    candidate,
    idf,
    newest,
    usable,
)

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence

    from numpy.typing import NDArray

    from learnt.model.candidate import Candidate
    from learnt.stores.index.area import Area, Rows

    Floats = NDArray[np.float64]
    Ints = NDArray[np.int64]

_TIES = 400
"""Most memories beyond the limit that are looked at because they score like the last one within it."""

_KEPT_CANDIDATES = 12_000
"""Memories that stay in memory as candidates, the longest known leave first.

Some 1 KB each, and 2 KB once asked for again: then the token sets are kept unpacked, in tuples, which the garbage
collector does not go through.
"""

_SIGNALS = 12  # the place of the token sets in a row, packed or not


class Posting:
    """Who holds a term: `at` positions ascending, (n,) int64; `often` counts, (n,) float64.

    `impact` is the term's part of a score before its rarity, for the average length `mean`.
    """

    __slots__ = ("_taken", "at", "impact", "mean", "often")

    def __init__(self, at: Ints, often: Floats) -> None:
        self.at = at
        self.often = often
        self.mean = 0.0
        self.impact: Floats = often
        self._taken = 0

    def take(self, tail: Sequence[int]) -> None:
        """Add what `tail`, which only grows, has more than last time: later positions, ascending, with repeats."""
        if len(tail) > self._taken:
            at, often = np.unique(np.array(tail[self._taken :], np.int64), return_counts=True)
            self.at = np.concatenate([self.at, at])
            self.often = np.concatenate([self.often, often])
            self.mean, self._taken = 0.0, len(tail)


class Shelf:
    """The postings of one scope, as far as they were asked for."""

    def __init__(self, rows: Rows, area: Area) -> None:
        self.version = area.version
        self.blocks = area.blocks
        self._rows = rows
        self._area = area
        self._seen = area.blocks * BLOCK
        self._terms: dict[str, Posting] = {}
        self._tail: defaultdict[str, list[int]] = defaultdict(list)
        self._lengths: Floats = np.zeros(area.size + BLOCK)
        for block, lengths in rows("lengths", {"scope": area.no, "blocks": area.blocks}):
            self._lengths[block * BLOCK : (block + 1) * BLOCK] = np.frombuffer(lengths, "<u2")
        self.advance(area)

    def advance(self, area: Area) -> None:
        """Take in the memories written since."""
        self._area = area
        if area.size <= self._seen:
            return
        if area.size > len(self._lengths):
            self._lengths = np.concatenate([self._lengths, np.zeros(area.size - len(self._lengths) + BLOCK)])
        tail, lengths, base = self._tail, self._lengths, area.base
        for row, terms in self._rows("tail_terms", {"first": base | self._seen, "end": base | area.size}):
            at, words = row - base, terms.split(" ")
            lengths[at] = len(words)
            for word in words:
                tail[word].append(at)
        self._seen = area.size

    @property
    def size(self) -> int:
        """One more than the highest position there may be."""
        return len(self._lengths)

    def want(self, terms: Sequence[str]) -> None:
        """Read the postings of terms that are not here yet, and add what came since to the others."""
        self._read([term for term in terms if term not in self._terms])
        for term in terms:
            self._terms[term].take(self._tail.get(f"{self._area.prefix}{term}", ()))

    def _read(self, missing: Sequence[str]) -> None:
        """Read postings from the blocks."""
        if not missing:
            return
        bits: dict[str, bytearray] = {}
        few: dict[str, list[tuple[int, bytes]]] = {term: [] for term in missing}
        many: dict[str, list[tuple[int, bytes]]] = {term: [] for term in missing}
        if self.blocks:
            wanted = {"scope": self._area.no, "blocks": self.blocks, "terms": list(missing)}
            for term, block, docs, repeats in self._rows("block_postings", wanted):
                if len(docs) == BITS_BYTES:
                    if term not in bits:
                        bits[term] = bytearray(self.blocks * BITS_BYTES)
                    bits[term][block * BITS_BYTES : (block + 1) * BITS_BYTES] = docs
                else:
                    few[term].append((block, docs))
                if repeats:
                    many[term].append((block, repeats))
        for term in missing:
            self._terms[term] = self._posting(bits.get(term, b""), few[term], many[term])

    def _posting(self, bits: bytes | bytearray, few: list[tuple[int, bytes]], many: list[tuple[int, bytes]]) -> Posting:
        at: Ints = np.flatnonzero(np.unpackbits(np.frombuffer(bits, np.uint8), bitorder="little").view(np.bool_))
        if few:
            more = _shifted(few, [len(docs) // 2 for _, docs in few], b"".join(docs for _, docs in few))
            at = np.sort(np.concatenate([at, more])) if len(at) else more
        often = np.ones(len(at))
        if many:
            pairs = b"".join(pairs for _, pairs in many)
            repeated = _shifted(many, [len(pairs) // 4 for _, pairs in many], pairs, step=2)
            often[np.searchsorted(at, repeated)] = np.frombuffer(pairs, "<u2")[1::2]
        return Posting(at, often)

    def holders(self, term: str) -> Ints:
        """Positions of the memories that hold a wanted term."""
        return self._terms[term].at

    def scores(self, terms: Sequence[str], rarity: Sequence[float], mean: float) -> Floats:
        """BM25 of every position, (size,) float64; 0 where nothing matches."""
        total = np.zeros(self.size)
        for term, rare in zip(terms, rarity, strict=True):
            posting = self._terms[term]
            if posting.mean != mean:
                norm = K1 * (1 - B + B * self._lengths[posting.at] / mean)
                posting.impact = posting.often * (K1 + 1) / (posting.often + norm)
                posting.mean = mean
            total[posting.at] += rare * posting.impact
        return total


def _shifted(held: list[tuple[int, bytes]], sizes: list[int], joined: bytes, step: int = 1) -> Ints:
    """Every `step`-th 16-bit number of `joined`, a position within its block, as a position within the scope."""
    starts: Ints = np.repeat([block * BLOCK for block, _ in held], sizes)
    shifted: Ints = starts + np.frombuffer(joined, "<u2")[::step]
    return shifted


class Postings:
    """The shelves of the scopes asked for, and the candidates already read.

    `stamp` is whatever changes when memories may have changed; then the candidates are read again.
    """

    def __init__(self, rows: Rows) -> None:
        self._rows = rows
        self._shelves: dict[int, Shelf] = {}
        self._stamp: object = None
        self._kept: dict[int, tuple[Any, ...]] = {}

    def narrow(
        self, areas: Sequence[Area], terms: Sequence[str], limit: int, kinds: Sequence[str], now: str, stamp: object
    ) -> Answer:
        """The memories to score out of scopes of more than `limit`; see `learnt.ports.lexicon.Lexicon.candidates`."""
        asked = usable(terms)
        best = self._best(areas, asked, limit, kinds, now)
        if not best:
            return Answer(matched=False, later=lambda: newest(self._rows, areas, kinds, now))
        kept = self._read([row for _, row in best], stamp)
        order = sorted((-score, kept[row][1], row) for score, row in best if row in kept)[:limit]
        made = self._made({area.no: (area.key, area.type) for area in areas}, [row for *_, row in order])
        for position, one in enumerate(made):
            one.position = position
        return Answer(made, matched=True)

    def named(
        self, scopes: Mapping[int, tuple[str, str]], rows: Sequence[int], stamp: object, *, words: bool
    ) -> list[Candidate]:
        """The active ones of some rows, not placed, if they are of one of `scopes` (key and type by number)."""
        self._read(rows, stamp)
        return self._made(scopes, rows, None if words else [()] * 6)

    def _shelf(self, area: Area) -> Shelf:
        shelf = self._shelves.get(area.no)
        if shelf is None or (shelf.version, shelf.blocks) != (area.version, area.blocks):
            shelf = self._shelves[area.no] = Shelf(self._rows, area)
        else:
            shelf.advance(area)
        return shelf

    def _best(
        self, areas: Sequence[Area], terms: Sequence[str], limit: int, kinds: Sequence[str], now: str
    ) -> list[tuple[float, int]]:
        """(score, row) of the best, in no order; more than `limit` only where scores tie."""
        shelves = [(area, self._shelf(area)) for area in areas if area.active]
        kind_terms = usable(kind_term(kind) for kind in kinds)
        for _, shelf in shelves:
            shelf.want([*terms, *kind_terms])
        total = sum(area.active for area in areas)
        mean = sum(area.terms for area in areas) / total if total else 1.0
        rarity = [idf(total, sum(len(shelf.holders(term)) for _, shelf in shelves)) for term in terms]
        scores = []
        for area, shelf in shelves:
            mine = shelf.scores(terms, rarity, mean)
            self._mask(area, shelf, mine, kind_terms if kinds else None, now)
            scores.append(mine)
        found = _promising(scores, limit)
        rows = [at | area.base for at, (area, _) in zip(found, shelves, strict=True)]
        values = [mine[at] for mine, at in zip(scores, found, strict=True)]
        return _top(np.concatenate(values), np.concatenate(rows), limit) if values else []

    def _mask(self, area: Area, shelf: Shelf, scores: Floats, kind_terms: Sequence[str] | None, now: str) -> None:
        """Zero what may not be among the candidates: of another kind (None: any will do), or past its time."""
        if kind_terms is not None:
            wanted = np.zeros(len(scores), dtype=bool)
            for term in kind_terms:
                wanted[shelf.holders(term)] = True
            scores[~wanted] = 0.0
        if now:
            gone = self._rows("expired", {"scope": area.no, "now": now})
            scores[[row & 0xFFFFFFFF for (row,) in gone if row & 0xFFFFFFFF < len(scores)]] = 0.0

    def _read(self, rows: Sequence[int], stamp: object) -> Mapping[int, tuple[Any, ...]]:
        """What is kept, these rows among it where they are active."""
        kept = self._kept
        if stamp != self._stamp:
            kept.clear()
            self._stamp = stamp
        while len(kept) > _KEPT_CANDIDATES:
            del kept[next(iter(kept))]
        missing = []
        for row in rows:
            held = kept.get(row)
            if held is None:
                missing.append(row)
            elif type(held[_SIGNALS]) is str:
                kept[row] = (*held[:_SIGNALS], tuple(map(tuple, unpack(held[_SIGNALS]))))
        if missing:
            kept.update((row[0], row) for row in self._rows("candidates", {"rows": missing}))
        return kept

    def _made(
        self,
        scopes: Mapping[int, tuple[str, str]],
        rows: Iterable[int],
        sets: Sequence[Collection[str]] | None = None,
    ) -> list[Candidate]:
        found = (self._kept[row] for row in rows if row in self._kept)
        return [candidate(row, scopes[row[2]], sets) for row in found if row[2] in scopes]


def _promising(scores: Sequence[Floats], limit: int) -> list[Ints]:
    """Positions that may be among the `limit` best, a scope each: cheaper than to order everything that matched."""
    best = max((mine.max(initial=0.0) for mine in scores), default=0.0)
    found: list[Ints] = []
    for share in (0.6, 0.4, 0.2, 0.0):
        found = [np.flatnonzero(mine > share * best) for mine in scores]
        if sum(map(len, found)) > limit + _TIES:
            break
    return found


def _top(scores: Floats, rows: Ints, limit: int) -> list[tuple[float, int]]:
    if len(scores) > limit:
        least = np.partition(scores, len(scores) - limit)[len(scores) - limit] - 1e-9
        kept = np.flatnonzero(scores >= least)
        if len(kept) > limit + _TIES:
            sure = kept[scores[kept] > least + 2e-9]
            tied = kept[scores[kept] <= least + 2e-9]
            kept = np.concatenate([sure, tied[: limit + _TIES - len(sure)]])
        scores, rows = scores[kept], rows[kept]
    return list(zip(np.round(scores, 9).tolist(), rows.tolist(), strict=True))
