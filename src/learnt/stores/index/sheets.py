"""The stored form of the full text of evidence: sheets of 1,024 units of a scope each, and the words of passages."""

from __future__ import annotations

import json
from array import array
from itertools import chain
from struct import pack
from sys import byteorder
from typing import TYPE_CHECKING, Any, Final

from learnt.errors import StoreCorruptError
from learnt.model.evidence import UNIT_TYPES
from learnt.model.instant import to_epoch
from learnt.model.wording import HEAD_CHARS, about, beginning, own_counts, passages, word_counts

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

SHEET: Final = 1_024
"""Units of a sheet: what a search reads whole beyond them takes some 50 ms at worst."""

_LONGEST: Final = 65_535
_MOST_PASSAGES: Final = 4_096


class Area:
    """One scope in sight, as it is now."""

    __slots__ = ("key", "last", "no", "settled", "version")

    def __init__(self, row: tuple[Any, ...]) -> None:
        self.no, self.key, self.version, self.last, self.settled = row


def moment_ms(at: str) -> int:
    """A canonical instant in milliseconds since 1970; 0 for none."""
    try:
        return round(to_epoch(at) * 1000)
    except (ValueError, IndexError):
        return 0


class Held(dict[int, int]):
    """Where one term stands, ascending, and how often at each.

    Attributes:
        heads: Pairs, of the long passages whose beginning holds it: which of the places, and how often.
    """

    __slots__ = ("heads",)

    def __init__(self) -> None:
        super().__init__()
        self.heads: list[int] = []


class Terms(dict[str, Held]):
    """Where each term stands; one that was never met stands nowhere."""

    __slots__ = ()

    def __missing__(self, term: str) -> Held:
        found = self[term] = Held()
        return found


class Words:
    """The terms of passages, gathered one after the other.

    Attributes:
        numbers: A row a passage: seq, moment, length, length of its beginning, session, who, about, type, whether it
            is long.
        held: Of each term where it stands.
    """

    __slots__ = ("_columns", "held", "numbers")

    def __init__(
        self,
        columns: tuple[Callable[[str], int], Callable[[str], int], Callable[[str], int]],
        held: Terms | None = None,
    ) -> None:
        self._columns = columns
        self.numbers: list[tuple[int, ...]] = []
        self.held = Terms() if held is None else held

    def add(self, row: Sequence[Any], first: int = 0) -> None:
        """Take in a unit; `first` is the place of the first passage ever added."""
        seq, session, who, type_, at, detail, text = row
        if type_ not in UNIT_TYPES or type(text) is not str or type(who) is not str:
            raise StoreCorruptError(details={"unit": seq})  # a damaged head of a row makes bytes of a text
        sessions, whos, abouts = self._columns
        subject = about(json.loads(detail)) if detail else ""
        codes = (sessions(session), whos(who), abouts(subject), UNIT_TYPES.index(type_))
        moment = moment_ms(at)
        for nth, passage in enumerate(passages(text)):
            counts, length = own_counts(passage, opens=type_ == "document" and not nth)
            self._hold(first + len(self.numbers), counts)
            head = length
            if len(passage) > HEAD_CHARS:
                head = self._begin(word_counts(beginning(passage)))
            short = (min(length, _LONGEST), min(head, _LONGEST))
            self.numbers.append((seq, moment, *short, *codes, len(passage) > HEAD_CHARS))

    def _hold(self, place: int, counts: Mapping[str, int]) -> None:
        for one, often in zip(map(self.held.__getitem__, counts), counts.values(), strict=True):
            one[place] = often

    def _begin(self, counts: Mapping[str, int]) -> int:
        """The beginning of the passage just held; gives its length."""
        for one, often in zip(map(self.held.__getitem__, counts), counts.values(), strict=True):
            one.heads += (len(one) - 1, often)
        return sum(counts.values())


class Sheet:
    """A sheet made of units: the columns of the statement that keeps it, and its postings.

    Attributes:
        taken: How many units it holds; fewer than given where these have very many passages.
    """

    __slots__ = ("_names", "_words", "first", "last", "taken")

    def __init__(self, units: Iterable[tuple[Any, ...]]) -> None:
        self._names: tuple[dict[str, int], ...] = ({}, {}, {})
        sessions, whos, abouts = ((lambda name, known=each: known.setdefault(name, len(known))) for each in self._names)
        self._words = Words((sessions, whos, abouts))
        self.taken = self.first = self.last = 0
        for row in units:
            self._words.add(row)
            self.first, self.last = self.first or row[0], row[0]
            self.taken += 1
            if len(self._words.numbers) >= _MOST_PASSAGES:
                break

    def postings(self) -> Iterable[tuple[str, bytes, bytes, bytes]]:
        """Term, `places`, `repeats` and `heads`, by term."""
        return ((term, *_packed(held)) for term, held in sorted(self._words.held.items(), key=_term))

    @property
    def numbers(self) -> bytes:
        """The column `numbers`."""
        return _card(self._words.numbers)

    @property
    def names(self) -> str:
        """The column `names`."""
        return json.dumps([list(each) for each in self._names], ensure_ascii=False)


def _term(pair: tuple[str, Held]) -> str:
    return pair[0]


def _packed(held: Held) -> tuple[bytes, bytes, bytes]:
    """The columns `places`, `repeats` and `heads`."""
    often = list(held.values())
    if max(often) > _LONGEST:
        often = [min(count, _LONGEST) for count in often]
    repeats = [] if often.count(1) == len(often) else [*chain(*(pair for pair in enumerate(often) if pair[1] > 1))]
    return _shorts(list(held)), _shorts(repeats), _shorts(held.heads)


def _shorts(numbers: Sequence[int]) -> bytes:
    """Numbers of 16 bits, the low byte first."""
    packed = array("H", numbers)
    if byteorder == "big":
        packed.byteswap()
    return packed.tobytes()


def _card(numbers: Sequence[tuple[int, ...]]) -> bytes:
    """The column `numbers`: two rows of 64 bits, seven of 16."""
    columns = list(zip(*numbers, strict=True)) or [()] * 9
    count = len(numbers)
    long = (pack(f"<{count}q", *column) for column in columns[:2])
    short = (pack(f"<{count}H", *column) for column in columns[2:])
    return b"".join((*long, *short))
