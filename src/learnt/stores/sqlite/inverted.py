"""BM25 over evidence units and their neighbours, with numpy: one shelf a scope, read term by term.

A unit's count of a term is its own, plus what who said it and when add, plus half of what the unit before and the
unit after it in the session hold; its length is that of all of them. Only own words are stored: neighbours are places.
"""

from __future__ import annotations

import json
from math import log
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from learnt.model.evidence import UNIT_TYPES
from learnt.model.instant import from_epoch
from learnt.model.wording import NEIGHBOUR_WEIGHT, WORDS_FORM, when_words, word_counts
from learnt.stores.sqlite.narrow import K1, B, listed
from learnt.stores.sqlite.sheets import SHEET, SQL, moment_ms

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from numpy.typing import NDArray

    from learnt.model.search import EvidenceFilter

    Rows = Callable[[str, dict[str, object]], list[tuple[Any, ...]]]
    Floats = NDArray[np.float64]
    Ints = NDArray[np.int64]

_DAY_MS: Final = 86_400_000
_MOST_TAIL: Final = 8 * SHEET
"""Units remembered beyond the last sheet read; with more the shelf is read again."""
_KEPT_TERMS: Final = 4_000


class Area:
    """One scope in sight, as it is now."""

    __slots__ = ("key", "last", "no", "settled", "version")

    def __init__(self, row: tuple[Any, ...]) -> None:
        self.no, self.key, self.version, self.last, self.settled = row


class Column:
    """Names as numbers, one a unit, and which terms the names hold."""

    def __init__(self) -> None:
        self.codes: dict[str, int] = {}
        self.lengths: list[float] = []
        self.terms: dict[str, list[tuple[int, int]]] = {}

    def code(self, name: str, words: str = "") -> int:
        """The number of a name; its terms are those of `words`."""
        known = self.codes.get(name)
        if known is not None:
            return known
        number = self.codes[name] = len(self.codes)
        counts = word_counts(words)
        self.lengths.append(float(sum(counts.values())))
        for term, often in counts.items():
            self.terms.setdefault(term, []).append((number, often))
        return number

    def weights(self, term: str) -> Floats | None:
        """How often each name holds a term; None where none does."""
        held = self.terms.get(term)
        if not held:
            return None
        found = np.zeros(len(self.codes))
        for number, often in held:
            found[number] = often
        return found


class Shelf:
    """The units of one scope in the order in which they were kept; a unit's place is its number in that order."""

    def __init__(self, rows: Rows, area: Area) -> None:
        self.version = area.version
        self._rows = rows
        self._no = area.no
        self._sheets: dict[int, int] = {}
        self._tail: dict[str, dict[int, int]] = {}
        self._own: dict[str, tuple[Ints, Floats]] = {}
        self._made: dict[str, tuple[Ints, Floats]] = {}
        self._sessions, self._whos, self._days = Column(), Column(), Column()
        self._settled = 0
        parts = [self._sheet(*row) for row in rows(SQL["sheets"], {"scope": area.no, "form": WORDS_FORM})]
        self._numbers: Ints = np.concatenate(parts, axis=1) if parts else np.zeros((6, 0), np.int64)
        self.advance(area, whole=True)

    @property
    def size(self) -> int:
        """How many units there are."""
        return int(self._numbers.shape[1])

    @property
    def tail(self) -> int:
        """How many of them are in no sheet that was read."""
        return self.size - self._settled

    @property
    def last(self) -> int:
        """Of the last unit, the place in the table; 0 for none."""
        return int(self._numbers[0, -1]) if self.size else 0

    def _sheet(self, number: int, numbers: bytes, names: str) -> Ints:
        """The six rows of a sheet: seq, moment, length, session, who, type."""
        count = len(numbers) // 24
        long = np.frombuffer(numbers, "<i8", 2 * count).reshape(2, count)
        short = np.frombuffer(numbers, "<u2", 4 * count, 16 * count).reshape(4, count).astype(np.int64)
        sessions, whos = json.loads(names)
        short[1] = np.array([self._sessions.code(name) for name in sessions], np.int64)[short[1]]
        short[2] = np.array([self._whos.code(name, name) for name in whos], np.int64)[short[2]]
        self._sheets[number] = self._settled
        self._settled += count
        return np.concatenate([long, short])

    def advance(self, area: Area, *, whole: bool = False) -> None:
        """Take in the units kept since."""
        if area.last <= self.last and not whole:
            return
        rows = []
        every = {"scope": self._no, "seq": self.last, "limit": -1}
        for place, (seq, session, who, type_, at, text) in enumerate(self._rows(SQL["after"], every), self.size):
            counts = word_counts(text)
            for term, often in counts.items():
                self._tail.setdefault(term, {})[place] = often
            codes = (self._sessions.code(session), self._whos.code(who, who), UNIT_TYPES.index(type_))
            rows.append((seq, moment_ms(at), sum(counts.values()), *codes))
        if rows:
            self._numbers = np.concatenate([self._numbers, np.array(rows, np.int64).T], axis=1)
        self._own.clear()
        self._made.clear()
        self._derive()

    def _derive(self) -> None:
        """Neighbours, days and lengths, from the numbers."""
        _, moment, length, session, who, _ = self._numbers
        self.before, self.after = _neighbours(session, self._sessions.codes.get("", -1))
        days, self._day = np.unique(moment // _DAY_MS, return_inverse=True)
        self._days = Column()
        for day in days.tolist():
            self._days.code(str(day), when_words(from_epoch(day * 86_400)) if day else "")
        own = np.append(length.astype(np.float64), 0.0)
        self.lengths: Floats = own[:-1] + own[self.before] + own[self.after]
        if self.size:
            self.lengths += np.array(self._whos.lengths)[who] + np.array(self._days.lengths)[self._day]

    def held(self, terms: Sequence[str]) -> list[tuple[Ints, Floats]]:
        """For each term the places that hold it in any field, ascending, and its weighted count there."""
        if len(self._made) > _KEPT_TERMS:
            self._made.clear()
            self._own.clear()
        self._read([term for term in terms if term not in self._own])
        for term in terms:
            if term not in self._made:
                self._made[term] = self._weighted(term)
        return [self._made[term] for term in terms]

    def _read(self, terms: Sequence[str]) -> None:
        """Own postings of terms that are not here yet."""
        if not terms:
            return
        found: dict[str, list[tuple[Ints, Floats]]] = {term: [] for term in terms}
        wanted: dict[str, object] = {"scope": self._no, "sheets": listed(self._sheets), "terms": json.dumps(terms)}
        for term, sheet, packed, repeats in self._rows(SQL["postings"], wanted) if self._sheets else ():
            places = np.frombuffer(packed, "<u2").astype(np.int64)
            often = np.ones(len(places))
            pairs = np.frombuffer(repeats, "<u2")
            often[pairs[::2]] = pairs[1::2]
            found[term].append((places + self._sheets[sheet], often))
        for term, parts in found.items():
            tail = self._tail.get(term)
            if tail:
                parts.append((np.fromiter(tail, np.int64), np.fromiter(tail.values(), np.float64)))
            self._own[term] = (
                (np.concatenate([part[0] for part in parts]), np.concatenate([part[1] for part in parts]))
                if parts
                else (np.zeros(0, np.int64), np.zeros(0))
            )

    def _weighted(self, term: str) -> tuple[Ints, Floats]:
        places, often = self._own[term]
        total = np.zeros(self.size + 1)  # the last is nobody's, for units without a neighbour
        total[places] += often
        total[self.before[places]] += NEIGHBOUR_WEIGHT * often
        total[self.after[places]] += NEIGHBOUR_WEIGHT * often
        total = total[:-1]
        for column, codes in ((self._whos, self._numbers[4]), (self._days, self._day)):
            weights = column.weights(term)
            if weights is not None:
                total += weights[codes]
        held = np.flatnonzero(total)
        return held, total[held]

    def allowed(self, wanted: EvidenceFilter) -> NDArray[np.bool_] | None:
        """Which places a filter leaves; None for all."""
        _, moment, _, session, who, type_ = self._numbers
        masks = []
        if wanted.types:
            masks.append(np.isin(type_, [UNIT_TYPES.index(each) for each in wanted.types]))
        if wanted.who:
            masks.append(who == self._whos.codes.get(wanted.who, -1))
        if wanted.session:
            masks.append(session == self._sessions.codes.get(wanted.session, -1))
        if wanted.since:
            masks.append(moment >= moment_ms(wanted.since))
        if wanted.until:
            masks.append((moment <= moment_ms(wanted.until)) & (moment > 0))
        return np.logical_and.reduce(masks) if masks else None

    def seqs(self, places: Iterable[int]) -> list[int]:
        """Where units at these places stand in the table."""
        found: list[int] = self._numbers[0][list(places)].tolist()
        return found

    def places(self, seqs: Sequence[int]) -> list[int]:
        """The places of units of this scope."""
        found: list[int] = np.searchsorted(self._numbers[0], seqs).tolist()
        return found


def _neighbours(session: Ints, nobody: int) -> tuple[Ints, Ints]:
    """Of each unit the one before and the one after in its session; -1 (the place past the end) for none."""
    order = np.argsort(session, kind="stable")
    ordered = session[order]
    same = (ordered[1:] == ordered[:-1]) & (ordered[1:] != nobody)
    before, after = np.full((2, len(session)), -1, np.int64)
    before[order[1:][same]] = order[:-1][same]
    after[order[:-1][same]] = order[1:][same]
    return before, after


class Ranked:
    """The best places of all shelves, and what the scores are measured against."""

    __slots__ = ("also", "best", "mean", "rarity", "units")

    def __init__(self) -> None:
        self.best: list[tuple[float, int, int]] = []
        self.also: list[tuple[float, int, int]] = []
        self.rarity: dict[str, float] = {}
        self.mean = 1.0
        self.units = 0


class Inverted:
    """The shelves of the scopes asked for."""

    def __init__(self, rows: Rows) -> None:
        self._rows = rows
        self._shelves: dict[int, Shelf] = {}

    def rank(
        self,
        areas: Sequence[Area],
        terms: Sequence[str],
        wanted: EvidenceFilter,
        limit: int,
        also: Mapping[int, Sequence[int]],
    ) -> Ranked:
        """(score, scope, seq) of the `limit` best units, best first, and of those `also` asked for."""
        shelves = [(area, self._shelf(area)) for area in areas if area.last]
        held = [shelf.held(terms) for _, shelf in shelves]
        found = Ranked()
        found.units = sum(shelf.size for _, shelf in shelves)
        found.mean = sum(float(shelf.lengths.sum()) for _, shelf in shelves) / found.units if found.units else 1.0
        for at, term in enumerate(terms):
            found.rarity[term] = idf(found.units, sum(len(mine[at][0]) for mine in held))
        rarity = [found.rarity[term] for term in terms]
        for (area, shelf), mine in zip(shelves, held, strict=True):
            scores = _scores(shelf, mine, rarity, found.mean or 1.0)
            mask = shelf.allowed(wanted)
            if mask is not None:
                scores[~mask] = 0.0
            found.best.extend(_best(area, shelf, scores, limit))
            for place, seq in zip(shelf.places(also.get(area.no, ())), also.get(area.no, ()), strict=True):
                if mask is None or mask[place]:
                    found.also.append((round(float(scores[place]), 9), area.no, seq))
        found.best.sort(key=lambda each: (-each[0], each[1], each[2]))
        del found.best[limit:]
        return found

    def _shelf(self, area: Area) -> Shelf:
        shelf = self._shelves.get(area.no)
        if shelf is None or shelf.version != area.version or shelf.tail > _MOST_TAIL:
            shelf = self._shelves[area.no] = Shelf(self._rows, area)
        else:
            shelf.advance(area)
        return shelf


def idf(total: int, holders: int) -> float:
    """Rarity of a term that `holders` of `total` units hold. Source: SQLite FTS5, `bm25()`, its floor included."""
    return max(log((total - holders + 0.5) / (holders + 0.5)), 1e-6) if total >= holders else 1e-6


def _scores(shelf: Shelf, held: Sequence[tuple[Ints, Floats]], rarity: Sequence[float], mean: float) -> Floats:
    total = np.zeros(shelf.size)
    norm = K1 * (1 - B + B * shelf.lengths / mean)
    for (places, often), rare in zip(held, rarity, strict=True):
        total[places] += rare * often * (K1 + 1) / (often + norm[places])
    return total


def _best(area: Area, shelf: Shelf, scores: Floats, limit: int) -> list[tuple[float, int, int]]:
    found = np.flatnonzero(scores)
    if len(found) > limit:
        least = np.partition(scores[found], len(found) - limit)[len(found) - limit] - 1e-9
        found = found[scores[found] >= least]
    rounded = np.round(scores[found], 9)
    order = np.lexsort((found, -rounded))[:limit]
    return list(zip(rounded[order].tolist(), [area.no] * len(order), shelf.seqs(found[order]), strict=True))
