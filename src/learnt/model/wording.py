"""What a piece of evidence is found by: stemmed words for full text, whole sentences for an embedder.

A long unit is found by its passages, cut at ends of sentences or lines. Five fields make the words of a passage: its
own text, the beginnings of its two neighbours in the session at half the weight, who said it, when, and what it is
about (title, files) at half the weight. The neighbours are not written into the index; who ranks reads them through
their places, so that nothing has to be indexed again when the next unit arrives. An embedder gets the passage alone,
as a sentence with its subject. Source of all of it: own measurement on conversations, docs/explanation/search.md.
"""

from __future__ import annotations

import re
from collections import Counter
from itertools import chain
from typing import TYPE_CHECKING, Final

from learnt.model.code import code_of
from learnt.model.stem import stem
from learnt.model.tokens import bounded, index_terms, query_terms

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from learnt.model.code import Code

WORDS_FORM: Final = "words-4"
"""Name of the rules by which text becomes words; an index made by other rules is made anew."""

NEIGHBOUR_WEIGHT: Final = 0.5
"""What a word of a neighbour counts beside one of the passage itself. Source: own measurement, turn recall."""
ABOUT_WEIGHT: Final = 0.5
"""What a word of its title or files counts."""
OPENING_CHARS, OPENING_WEIGHT = 100, 2
"""A document says first what it is: so much of its beginning counts once more, so often. Source: own measurement."""
CODE_NAMES, CODE_PROSE = 2, 1
"""What a word of a program's names and of its prose counts beside 1 for being there. Questions of the web about 6,267
functions, words alone, mean reciprocal rank: .362 by repeats, .375 with 1 and 1, .384 with 2 and 1, .379 with 3 and 3.
"""
HEAD_CHARS: Final = 200
"""What of a neighbour counts: long replies drown what stands beside them otherwise. Source: own measurement."""

MAX_QUESTION_TERMS: Final = 60
LONG_WORD_CHARS: Final = 64
"""A longer word is a digest or an encoding: it counts whole, not by its parts."""

LONG_TEXT_CHARS: Final = 1_100
PASSAGE_CHARS: Final = 900
"""A longer text is found by passages of at most so much, each ending with a sentence or line where it can."""

_CASED = {code: chr(code) if chr(code).isalnum() or chr(code) == "_" else " " for code in range(128)}
_MONTHS: Final = (
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
)
_DAYS: Final = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
_QUOTED = re.compile(r'"([^"\n]{2,200})"|“([^”\n]{2,200})”|`([^`\n]{2,200})`')
_FILE = re.compile(r"(?:[\w.\-]+/)*[\w\-][\w.\-]*\.[a-z][a-z0-9]{0,9}(?::\d+)?")
_LITERAL = re.compile(r"[^\s\"“”`()\[\]{}<>,;]*\w[/._:@#\-]\w[^\s\"“”`()\[\]{}<>,;]*")
_END = re.compile(r"[.!?]\s+|\n+")


_MOST_KEPT: Final = 16_384


class _Kept(dict[str, tuple[str, ...]]):
    """The terms of words: whole and by parts, stemmed, without stop words; those of a short word are remembered."""

    def __missing__(self, word: str) -> tuple[str, ...]:
        if len(word) > LONG_WORD_CHARS:
            return (word.lower(),) if word.isascii() else tuple(map(stem, index_terms(word)))
        if len(self) >= _MOST_KEPT:
            self.clear()
        found = self[word] = tuple(map(stem, index_terms(word)))
        return found


_terms_of = _Kept().__getitem__


def word_counts(text: str) -> Mapping[str, int]:
    """How often each term occurs in a text."""
    words = text.translate(_CASED).split() if text.isascii() else text.split()
    return Counter(chain.from_iterable(map(_terms_of, words)))


def own_counts(passage: str, *, opens: bool = False) -> tuple[Mapping[str, int], int]:
    """How often each term counts in a passage by itself, and its length; `opens` for the first one of a document."""
    if opens and (code := code_of(passage)):
        return _code_counts(passage, code)
    counts = word_counts(passage)
    length = sum(counts.values())
    if not opens:
        return counts, length
    opening = word_counts(passage[:OPENING_CHARS])
    both = {term: counts.get(term, 0) + OPENING_WEIGHT * opening.get(term, 0) for term in (*counts, *opening)}
    return both, length + sum(opening.values())


def _code_counts(passage: str, code: Code) -> tuple[Mapping[str, int], int]:
    """The same of a program: each word once, and once more for each field that tells what the program is for."""
    counts = dict.fromkeys((*word_counts(passage), *word_counts(code.language)), 1)
    for text, weight in ((code.names, CODE_NAMES), (code.prose, CODE_PROSE)):
        for term in word_counts(text):
            counts[term] = counts.get(term, 0) + weight
    return counts, sum(counts.values())


def question_terms(text: str) -> tuple[str, ...]:
    """The terms a question looks up, each once, in order; of a very long one those of its head and tail."""
    short = (term for term in index_terms(bounded(text)) if len(term) == 2 and term.isascii())
    found = dict.fromkeys(stem(term) for term in (*query_terms(text), *short))
    return tuple(found)[:MAX_QUESTION_TERMS]


def when_words(at: str) -> str:
    """The day of a canonical instant as people say it: `7 May 2023 Sunday`; "" for no instant."""
    try:
        year, month, day = int(at[:4]), int(at[5:7]), int(at[8:10])
        return f"{day} {_MONTHS[month - 1]} {year} {_DAYS[_weekday(year, month, day)]}"
    except (ValueError, IndexError):
        return ""


def _weekday(year: int, month: int, day: int) -> int:
    """0 for Monday. Source: Sakamoto's method."""
    year -= month < 3
    shift = (0, 3, 2, 5, 0, 3, 5, 1, 4, 6, 2, 4)[month - 1]
    return (year + year // 4 - year // 100 + year // 400 + shift + day + 6) % 7


def phrases(query: str) -> tuple[str, ...]:
    """What a question puts into quotation marks or backticks, folded for comparison."""
    found = (folded(next(filter(None, match.groups()))) for match in _QUOTED.finditer(bounded(query)))
    return tuple(dict.fromkeys(each for each in found if each))


def literals(query: str) -> tuple[str, ...]:
    """Paths, dotted names, flags and codes of a question (`src/a.py`, `half-open`, `E-1042`), folded."""
    found = (folded(match.group().strip(".:-?!'")) for match in _LITERAL.finditer(bounded(query)))
    return tuple(dict.fromkeys(each for each in found if len(each) > 2))


def paths(query: str) -> tuple[str, ...]:
    """The files a question names (`src/a.py`, `state.go`), folded; no URLs, no numbers with a point."""
    found = (each.removeprefix("./") for each in literals(query) if "://" not in each and "@" not in each)
    return tuple(each for each in found if _FILE.fullmatch(each))


def folded(text: str) -> str:
    """`text` in one case, its white space collapsed."""
    return " ".join(text.casefold().split())


def sentences(who: str, text: str) -> tuple[str, ...]:
    """What an embedder gets of a unit: `WHO said, "PASSAGE"`, one a passage; the passage alone when nobody said it."""
    return tuple(f'{who} said, "{part}"' if who else part for part in passages(text))


def passages(text: str) -> tuple[str, ...]:
    """The passages of a text, verbatim; one for a short text, none for a blank one."""
    if len(text) <= LONG_TEXT_CHARS:
        return (text,) if text.strip() else ()
    return tuple(part for start, end in _cuts(text) if (part := text[start:end].strip()))


def _cuts(text: str) -> Iterator[tuple[int, int]]:
    start = end = 0
    for stop in (*(match.end() for match in _END.finditer(text)), len(text)):
        if stop - start > PASSAGE_CHARS and end > start:
            yield start, end
            start = end
        while stop - start > PASSAGE_CHARS:
            yield start, start + PASSAGE_CHARS
            start += PASSAGE_CHARS
        end = stop
    if end > start:
        yield start, end


def beginning(passage: str) -> str:
    """What of a passage counts for its neighbours: its first words."""
    if len(passage) <= HEAD_CHARS or passage[HEAD_CHARS].isspace():
        return passage[:HEAD_CHARS]
    words = passage[:HEAD_CHARS].rsplit(None, 1)
    return words[0] if len(words) > 1 else ""


def about(detail: Iterable[tuple[str, str]]) -> str:
    """What a unit is about by its detail: its title and files."""
    return " ".join(value for name, value in detail if name in {"title", "files"})
