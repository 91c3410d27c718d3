"""Where personal data of a fixed shape stand in a text: addresses, numbers of phones, cards, accounts, machines.

`find` is for looking: exports, erasure and evidence call it whatever the settings say, and it never refuses anything.
Whether a write is refused for what is found is decided by the flow, from `score` and the settings. Nothing here keeps
or gives out the data themselves.
"""

from __future__ import annotations

import re
import tomllib
from collections import Counter
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from learnt.errors import GateError
from learnt.gate.disguise import rewritten
from learnt.gate.identity import CHECKS
from learnt.gate.linear import broken, compiled
from learnt.gate.normal import View, fold, is_plain, mend, view
from learnt.gate.patterns import Automaton, Pattern, loosen
from learnt.model.verdict import Finding

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

FILE: Final = Path(__file__).with_name("personal.toml")
_KEYS: Final = frozenset({"name", "score", "regex", "check", "trigger"})
# What takes out what data may be spaced, broken or set with, where the text bears the mark of it.
_BREAK: Final = re.compile(r"(?<=[\w.@+-])\r?\n(?=[\w.@-])")
_SPACED: Final = re.compile(r"(?:[\d+().@-] {1,3}){7,}[\d.-]")
_LOOSE: Final = re.compile(r"(?<=[\w)]) {1,3}([-.@]) {1,3}(?=[\w(])")
_EMPHASIS: Final = re.compile(
    r"(?<=[\w.@:+-])(?:\*{1,3}|_{2}|~~|`)(?= ?[\w.@:+-])|(?<=[\w.@]) ?(?:\*{2,3}|~~)(?=[\d\s.,;)]|$)"
)


@dataclass(frozen=True, slots=True)
class _Datum:
    """One entry of the file: a pattern, how sure it is, and what its match must satisfy."""

    pattern: Pattern
    score: float
    check: Callable[[str, str], bool]


@dataclass(frozen=True, slots=True)
class Summary:
    """What a text holds, without the data: the surest score, and how many of each type."""

    score: float
    counts: Mapping[str, int]


class _Set:
    """The patterns and their automaton."""

    __slots__ = ("automaton", "by_pattern")

    def __init__(self, data: Iterable[_Datum], marks: Iterable[Pattern]) -> None:
        self.by_pattern = {id(datum.pattern): datum for datum in data}
        self.automaton = Automaton((*(datum.pattern for datum in self.by_pattern.values()), *marks))


@cache
def _set() -> _Set:
    try:
        table = tomllib.loads(FILE.read_text(encoding="utf-8"))
        return _Set(map(_datum, table["datum"]), map(_mark, table["mark"]))
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise broken(error, FILE.name) from error


def _datum(entry: dict[str, Any]) -> _Datum:
    if unknown := set(entry) - _KEYS:
        raise GateError(details={"reason": "unknown key", "keys": sorted(unknown)})
    trigger = entry.get("trigger") or loosen(entry["regex"])
    pattern = Pattern(name=entry["name"], family="pii", trigger=trigger, regex=entry["regex"])
    return _Datum(pattern, float(entry["score"]), CHECKS[entry["check"]])


def _mark(entry: dict[str, Any]) -> Pattern:
    return Pattern(name=entry["name"], family="view", trigger=entry["regex"], regex="")


def find(text: str, *, field: str = "text") -> tuple[Finding, ...]:
    """The places of personal data in the text as stored, in order, none inside another.

    Raises:
        GateError: The patterns cannot be loaded.
    """
    found = sorted(_all(text), key=lambda each: (each[1], -each[2]))
    kept: list[Finding] = []
    for name, start, end, _ in found:
        if not kept or start >= kept[-1].end:
            kept.append(Finding(family="pii", name=name, field=field, start=start, end=end))
    return tuple(kept)


def summary(texts: Iterable[str]) -> Summary:
    """The surest score and the counts by type of several texts together.

    Raises:
        GateError: The patterns cannot be loaded.
    """
    surest = 0.0
    counts: Counter[str] = Counter()
    for text in texts:
        surest = max((surest, *(score for _, _, _, score in _all(text))))
        counts.update(finding.name for finding in find(text))
    return Summary(surest, dict(counts))


def _all(text: str) -> list[tuple[str, int, int, float]]:
    """Every place, by every reading that the text calls for; those of later readings only where they tell more."""
    stored = mend(text)
    folded = _dashed(stored if is_plain(stored) else fold(stored))
    hit = _set().automaton.hits(folded.encode())
    found = list(_read(folded, hit, lambda: _view(stored))) if hit else []
    for pattern, meaning in _readings([each.name for each in hit if each.family == "view"]):
        copy = pattern.sub(meaning, folded)
        if copy != folded:
            way = partial(_rewritten, stored, pattern, meaning)
            further = _read(copy, _set().automaton.hits(copy.encode()), way)
            found += [each for each in further if not _covered(each, found)]
    return found


def _rewritten(stored: str, pattern: re.Pattern[str], meaning: Callable[[re.Match[str]], str]) -> View:
    return _view(stored).rewritten(pattern, meaning)


def _dashed(text: str) -> str:
    """Dashes of every length as hyphens, character for character."""
    return text if text.isascii() else text.replace("–", "-").replace("—", "-").replace("‑", "-")


def _view(stored: str) -> View:
    seen = view(stored)
    return View(_dashed(seen.text), seen.starts, seen.ends)


def _readings(marks: Iterable[str]) -> Iterator[tuple[re.Pattern[str], Callable[[re.Match[str]], str]]]:
    for mark in marks:
        yield rewritten("escapes") if mark == "escapes" else _REWRITES[mark]


_REWRITES: Final[dict[str, tuple[re.Pattern[str], Callable[[re.Match[str]], str]]]] = {
    "broken": (_BREAK, lambda match: match.group()[:0]),
    "spaced": (_SPACED, lambda match: match.group().replace(" ", "")),
    "loose": (_LOOSE, lambda match: match.group(1)),
    "emphasis": (_EMPHASIS, lambda match: match.group()[:0]),
}


def _covered(place: tuple[str, int, int, float], among: Iterable[tuple[str, int, int, float]]) -> bool:
    return any(place[1] < end and start < place[2] for _, start, end, _ in among)


def _read(copy: str, hit: Iterable[Pattern], way: Callable[[], View]) -> Iterator[tuple[str, int, int, float]]:
    data = _set()
    shown = [pattern for pattern in hit if pattern.family == "pii"]
    places = [(data.by_pattern[id(pattern)], *place) for pattern in shown for place in _places(data, pattern, copy)]
    if not places:
        return
    back = way()
    for datum, start, end in places:
        if back.text == copy:
            yield datum.pattern.name, *back.span(start, end), datum.score


def _places(data: _Set, pattern: Pattern, copy: str) -> Iterator[tuple[int, int]]:
    check = data.by_pattern[id(pattern)].check
    at = 0
    regex = compiled(pattern.regex)
    content: Any = copy.encode() if copy.isascii() else copy
    while (match := regex.search(content, at)) is not None:
        start, end = match.span(1)
        line = copy.rfind("\n", 0, start) + 1
        if check(copy[start:end], copy[max(line, start - 80) : start]):
            yield start, end
        at = max(end, at + 1)
