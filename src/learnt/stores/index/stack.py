"""The passages of one scope of evidence as numpy columns, their postings read term by term.

A passage's count of a term is its own, plus what who said it and when add, plus half of what it is about and what the
beginnings of the passages before and after it in the session hold; its length is that of all of them. Only own words
are stored: neighbours are places.
"""

from __future__ import annotations

import json
from math import log
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from learnt.model.evidence import UNIT_TYPES
from learnt.model.instant import from_epoch
from learnt.model.wording import ABOUT_WEIGHT, NEIGHBOUR_WEIGHT, WORDS_FORM, when_words, word_counts
from learnt.stores.index.sheets import SHEET, Terms, Words, moment_ms

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from learnt.model.search import EvidenceFilter
    from learnt.stores.index.sheets import Area

    Rows = Callable[[str, dict[str, object]], list[tuple[Any, ...]]]
    Floats = NDArray[np.float64]
    Ints = NDArray[np.int64]
    _Postings = tuple[Ints, Floats, Ints, Floats]
    """Places of a term and how often; places of long passages that begin with it, and how often there."""

_DAY_MS: Final = 86_400_000
MOST_TAIL: Final = 8 * SHEET
"""Units remembered beyond the last sheet read; with more the shelf is read again."""
_KEPT_TERMS: Final = 4_000
_ROWS: Final = 9
"""Numbers of a passage: seq, moment, length, length of its beginning, session, who, about, type, whether it is long."""
_CARD_BYTES: Final = 2 * 8 + 7 * 2


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


class Stack:
    """The passages of one scope in the order in which they were kept; a place is a number in that order."""

    def __init__(self, rows: Rows, area: Area) -> None:
        self.version = area.version
        self._rows = rows
        self._no = area.no
        self._sheets: dict[int, int] = {}
        self._settled = 0
        self._tail = Terms()
        self._own: dict[str, _Postings] = {}
        self._made: dict[str, tuple[Ints, Floats]] = {}
        self._sessions, self._whos, self._abouts, self._days = Column(), Column(), Column(), Column()
        parts = [self._sheet(*row) for row in rows("sheets", {"scope": area.no, "form": WORDS_FORM})]
        self._numbers: Ints = np.concatenate(parts, axis=1) if parts else np.zeros((_ROWS, 0), np.int64)
        self.advance(area, whole=True)

    @property
    def size(self) -> int:
        """How many passages there are."""
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
        """The rows of a sheet, its codes made those of the stack."""
        count = len(numbers) // _CARD_BYTES
        long = np.frombuffer(numbers, "<i8", 2 * count).reshape(2, count)
        short = np.frombuffer(numbers, "<u2", 7 * count, 16 * count).reshape(7, count).astype(np.int64)
        for row, column, given in zip(
            (2, 3, 4), (self._sessions, self._whos, self._abouts), json.loads(names), strict=True
        ):
            words = column is not self._sessions
            codes = [column.code(name, name if words else "") for name in given]
            short[row] = np.array(codes, np.int64)[short[row]]
        self._sheets[number] = self._settled
        self._settled += count
        return np.concatenate([long, short])

    def advance(self, area: Area, *, whole: bool = False) -> None:
        """Take in the units kept since."""
        if area.last <= self.last and not whole:
            return
        words = Words(
            (
                self._sessions.code,
                lambda name: self._whos.code(name, name),
                lambda name: self._abouts.code(name, name),
            ),
            self._tail,
        )
        for row in self._rows("after", {"scope": self._no, "seq": self.last, "limit": -1}):
            words.add(row, self.size)
        if words.numbers:
            self._numbers = np.concatenate([self._numbers, np.array(words.numbers, np.int64).T], axis=1)
        self._own.clear()
        self._made.clear()
        self._derive()

    def _derive(self) -> None:
        """Neighbours, days and lengths, from the numbers."""
        seq, moment, length, head, session, who, subject, _, long = self._numbers
        self._long = long.astype(np.bool_)
        self.before, self.after = _neighbours(session, self._sessions.codes.get("", -1), seq)
        self._starts = np.flatnonzero(np.diff(seq, prepend=-1))
        days, self._day = np.unique(moment // _DAY_MS, return_inverse=True)
        self._days = Column()
        for day in days.tolist():
            self._days.code(str(day), when_words(from_epoch(day * 86_400)) if day else "")
        beside = np.append(head.astype(np.float64), 0.0)
        self.lengths: Floats = length + beside[self.before] + beside[self.after]
        for column, codes in ((self._whos, who), (self._abouts, subject), (self._days, self._day)):
            if self.size:
                self.lengths += np.array(column.lengths)[codes]

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
        """Postings of terms that are not here yet."""
        if not terms:
            return
        found: dict[str, list[_Postings]] = {term: [] for term in terms}
        wanted: dict[str, object] = {"scope": self._no, "sheets": list(self._sheets), "terms": list(terms)}
        for term, sheet, packed, repeats, begun in self._rows("postings", wanted) if self._sheets else ():
            places = np.frombuffer(packed, "<u2").astype(np.int64)
            often = np.ones(len(places))
            if repeats:
                pairs = np.frombuffer(repeats, "<u2")
                often[pairs[::2]] = pairs[1::2]
            places += self._sheets[sheet]
            heads = np.frombuffer(begun, "<u2")
            found[term].append((places, often, places[heads[::2]], heads[1::2].astype(np.float64)))
        for term, parts in found.items():
            tail = self._tail.get(term)
            if tail is not None:
                places = np.array(list(tail), np.int64)
                heads = np.array(tail.heads, np.int64)
                parts.append((places, np.array(list(tail.values()), np.float64), places[heads[::2]], heads[1::2] * 1.0))
            self._own[term] = _joined(parts)

    def _weighted(self, term: str) -> tuple[Ints, Floats]:
        places, often, heads, counts = self._own[term]
        total = np.zeros(self.size + 1)  # the last is nobody's, for passages without a neighbour
        total[places] += often
        short = ~self._long[places]
        for there, count in ((places[short], often[short]), (heads, counts)):
            total[self.before[there]] += NEIGHBOUR_WEIGHT * count
            total[self.after[there]] += NEIGHBOUR_WEIGHT * count
        total = total[:-1]
        for column, codes, weight in (
            (self._whos, self._numbers[5], 1.0),
            (self._abouts, self._numbers[6], ABOUT_WEIGHT),
            (self._days, self._day, 1.0),
        ):
            weights = column.weights(term)
            if weights is not None:
                total += weight * weights[codes]
        held = np.flatnonzero(total)
        return held, total[held]

    def allowed(self, wanted: EvidenceFilter) -> NDArray[np.bool_] | None:
        """Which places a filter leaves; None for all."""
        _, moment, _, _, session, who, _, type_, _ = self._numbers
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

    def best(self, scores: Floats, limit: int) -> list[tuple[float, int, int]]:
        """Score, seq and best passage of the `limit` best units with a score; equal ones in order."""
        if not self.size:
            return []
        peaks = np.round(np.maximum.reduceat(scores, self._starts), 9)
        units = np.flatnonzero(peaks)
        if len(units) > limit:
            least = np.partition(peaks[units], len(units) - limit)[len(units) - limit]
            units = units[peaks[units] >= least]
        units = units[np.argsort(-peaks[units], kind="stable")[:limit]]
        starts = self._starts[units]
        ends = np.append(self._starts, self.size)[units + 1]
        passages = [
            int(np.argmax(scores[start:end])) if end - start > 1 else 0
            for start, end in zip(starts.tolist(), ends.tolist(), strict=True)
        ]
        return list(zip(peaks[units].tolist(), self._numbers[0][starts].tolist(), passages, strict=True))

    def passage(self, scores: Floats, seq: int) -> tuple[int, float]:
        """The best passage of a unit and its score."""
        start, end = np.searchsorted(self._numbers[0], [seq, seq + 1])
        if start == end:
            return 0, 0.0
        at = int(np.argmax(scores[start:end]))
        return at, float(scores[start + at])

    def beside(self, seqs: Sequence[int]) -> dict[int, tuple[int, int]]:
        """Of units the seqs of those before and after them in their session; 0 for none."""
        own = self._numbers[0]
        starts, ends = np.searchsorted(own, seqs), np.searchsorted(own, seqs, side="right")
        held = np.append(own, 0)
        before = held[self.before[np.minimum(starts, self.size - 1)]]
        after = held[self.after[ends - 1]]
        triples = zip(seqs, before.tolist(), after.tolist(), (ends > starts).tolist(), strict=True)
        return {seq: (one, two) for seq, one, two, there in triples if there}

    def share(self, held: Sequence[tuple[Ints, Floats]]) -> dict[str, float]:
        """Of each session, which share of the terms' rarity among sessions it holds anywhere."""
        names = list(self._sessions.codes)
        mass = np.zeros(len(names))
        full = 0.0
        for places, _ in held:
            holds = np.zeros(len(names), np.bool_)
            holds[self._numbers[4][places]] = True
            rare = idf(len(names), int(np.count_nonzero(holds)))
            full += rare
            mass[holds] += rare
        return dict(zip(names, (mass / (full or 1.0)).tolist(), strict=True))


def _joined(parts: Sequence[_Postings]) -> _Postings:
    if len(parts) == 1:
        return parts[0]
    if not parts:
        return np.zeros(0, np.int64), np.zeros(0), np.zeros(0, np.int64), np.zeros(0)
    places, often, heads, counts = zip(*parts, strict=True)
    return np.concatenate(places), np.concatenate(often), np.concatenate(heads), np.concatenate(counts)


def _neighbours(session: Ints, nobody: int, seq: Ints) -> tuple[Ints, Ints]:
    """Of each passage the one before and the one after in its session; -1 (the place past the end) for none.

    Where there is no session the passages of one unit are neighbours.
    """
    order = np.argsort(session, kind="stable")
    ordered = session[order]
    same = (ordered[1:] == ordered[:-1]) & ((ordered[1:] != nobody) | (seq[order][1:] == seq[order][:-1]))
    before, after = np.full((2, len(session)), -1, np.int64)
    before[order[1:][same]] = order[:-1][same]
    after[order[:-1][same]] = order[1:][same]
    return before, after


def idf(total: int, holders: int) -> float:
    """Rarity of a term that `holders` of `total` passages hold; above 0 for a term that all of them hold.

    Source: Lucene, BM25Similarity. The floor of FTS5 makes every common word worthless in a scope of a few passages.
    """
    return log(1 + (total - holders + 0.5) / (holders + 0.5))
