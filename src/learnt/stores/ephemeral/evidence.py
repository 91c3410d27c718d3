"""Searching evidence in dictionaries: plain BM25 over what a reader may see."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from learnt.model.filter import Page
from learnt.model.search import Match, Matches
from learnt.model.wording import about, beginning, own_counts, passages, when_words, word_counts

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from learnt.model.evidence import EvidenceUnit
    from learnt.model.scope import Scope, Sight
    from learnt.model.search import EvidenceFilter
    from learnt.stores.ephemeral.tables import Guard, Tables

    _Place = tuple[EvidenceUnit, int, str]
    """A unit, the number of one of its passages, and that passage."""

_K1, _B = 1.2, 0.75
"""Constants of BM25. Source: SQLite FTS5, `bm25()`."""


class EphemeralEvidence:
    """See `learnt.ports.evidence.Evidence`. Reads everything in sight each time."""

    def __init__(self, tables: Tables, guard: Guard) -> None:
        self._tables = tables
        self._guard = guard

    def match(
        self, sight: Sight, terms: Sequence[str], wanted: EvidenceFilter, limit: int, also: Sequence[str] = ()
    ) -> Matches:
        """The best units by BM25, and those `also` asked for."""
        asked = list(dict.fromkeys(terms))
        units = self._seen(sight)
        places = [(unit, number, passage) for unit in units for number, passage in enumerate(passages(unit.text))]
        counted = list(_counted(places))
        lengths = [length for _, length in counted]
        mean = sum(lengths) / len(lengths) if lengths else 1.0
        rarity = {term: _idf(len(places), sum(term in counts for counts, _ in counted)) for term in asked}
        found: dict[tuple[str, str], Match] = {}
        for (unit, number, _), (counts, length) in zip(places, counted, strict=True):
            match = Match(unit, round(_bm25(counts, length / (mean or 1.0), rarity), 9), number)
            before = found.get((unit.scope.key, unit.ref))
            if _allowed(unit, wanted) and (before is None or before.score < match.score):
                found[unit.scope.key, unit.ref] = match
        order = {(unit.scope.key, unit.ref): at for at, unit in enumerate(units)}
        matches = sorted(found.values(), key=lambda match: order[match.unit.scope.key, match.unit.ref])
        best = sorted((match for match in matches if match.score), key=lambda match: -match.score)[:limit]
        share = _shares(places, counted, asked)
        return Matches(
            best=tuple(best),
            also=tuple(match for match in matches if match.unit.id in also),
            ceiling=(_K1 + 1) * sum(rarity.values()),
            rarity=rarity,
            mean=mean,
            units=len(places),
            sessions={match.unit.session_id: share[match.unit.session_id] for match in best},
        )

    def beside(self, sight: Sight, ids: Sequence[str]) -> Mapping[str, tuple[str, str]]:
        """Of each unit the ids of those before and after it in its session."""
        sessions: dict[tuple[str, str], list[str]] = {}
        for unit in self._seen(sight):
            if unit.text.strip():
                sessions.setdefault((unit.scope.key, unit.session_id or unit.ref), []).append(unit.id)
        found = {
            name: (before, after)
            for session in sessions.values()
            for before, name, after in zip(["", *session], session, [*session[1:], ""], strict=False)
        }
        return {name: found[name] for name in ids if name in found}

    def units(self, sight: Sight, names: Sequence[str]) -> tuple[EvidenceUnit, ...]:
        """The units with these ids or references, in the order asked for."""
        mine = self._seen(sight)
        found = (unit for name in names for unit in mine if name in {unit.id, unit.ref})
        return tuple({(unit.scope.key, unit.ref): unit for unit in found}.values())

    def documents(self, sight: Sight, limit: int) -> Page[EvidenceUnit]:
        """Evidence documents, newest first."""
        mine = [unit for unit in self._seen(sight) if unit.type == "document"]
        mine.sort(key=lambda unit: unit.id)
        mine.sort(key=lambda unit: unit.at, reverse=True)
        return Page(tuple(mine[:limit]), len(mine))

    def trim(self, scope: Scope, max_bytes: int, max_records: int) -> int:
        """Remove the oldest uncited documents until the rest fits."""
        with self._guard.writing():
            held = [
                (place, unit)
                for place, unit in self._tables.units.items()
                if unit.scope.key == scope.key and unit.type == "document"
            ]
            held.sort(key=lambda each: each[1].at)
            size_bytes, records = sum(len(unit.text.encode()) for _, unit in held), len(held)
            before = records
            for place, unit in held:
                if (not max_bytes or size_bytes <= max_bytes) and (not max_records or records <= max_records):
                    break
                if not unit.cited:
                    del self._tables.units[place]
                    size_bytes, records = size_bytes - len(unit.text.encode()), records - 1
        return before - records

    def next_number(self, scope: Scope, session_id: str) -> int:
        """One more than the highest number in a reference of this session."""
        start = f"session:{session_id}#"
        with self._guard.reading():
            tails = [
                unit.ref[len(start) :]
                for unit in self._tables.units.values()
                if unit.scope.key == scope.key and unit.session_id == session_id
            ]
        return max((int(tail) for tail in tails if tail.isdecimal()), default=-1) + 1

    def backlog(self, sight: Sight) -> int:
        """There is no index, so nothing waits for it."""
        del sight
        return 0

    def settle(self, sight: Sight) -> bool:
        """There is no index, so nothing is ever left to do."""
        del sight
        with self._guard.writing():
            return False

    def _seen(self, sight: Sight) -> list[EvidenceUnit]:
        with self._guard.reading():
            return [unit for unit in self._tables.units.values() if unit.scope in sight]


def _counted(places: Sequence[_Place]) -> Iterable[tuple[dict[str, float], int]]:
    """Of each passage the weighted count of each term in its five fields, and the length of these together."""
    own = [own_counts(passage, opens=unit.type == "document" and not number) for unit, number, passage in places]
    heads = [word_counts(beginning(passage)) for _, _, passage in places]
    neighbours: list[list[int]] = [[] for _ in places]
    last: dict[tuple[str, str], int] = {}
    for at, (unit, _, _) in enumerate(places):
        session = (unit.scope.key, unit.session_id or unit.ref)
        before = last.get(session)
        if before is not None:
            neighbours[at].append(before)
            neighbours[before].append(at)
        last[session] = at
    for at, (unit, _, _) in enumerate(places):
        counts: dict[str, float] = dict(own[at][0])
        length = own[at][1]
        fields = [(word_counts(unit.who), 1.0), (word_counts(when_words(unit.at)), 1.0)]
        fields.append((word_counts(about(unit.detail)), 0.5))
        for field, weight in (*fields, *((heads[other], 0.5) for other in neighbours[at])):
            length += sum(field.values())
            for term, often in field.items():
                counts[term] = counts.get(term, 0.0) + weight * often
        yield counts, length


def _shares(
    places: Sequence[_Place], counted: Sequence[tuple[Mapping[str, float], int]], terms: Sequence[str]
) -> dict[str, float]:
    """Of each session, which share of the terms' rarity among sessions it holds anywhere."""
    sessions: dict[str, set[str]] = {}
    for (unit, _, _), (counts, _) in zip(places, counted, strict=True):
        sessions.setdefault(unit.session_id, set()).update(term for term in terms if term in counts)
    rarity = {term: _idf(len(sessions), sum(term in held for held in sessions.values())) for term in terms}
    full = sum(rarity.values()) or 1.0
    return {name: sum(rarity[term] for term in held) / full for name, held in sessions.items()}


def _bm25(counts: Mapping[str, float], share: float, rarity: Mapping[str, float]) -> float:
    """BM25 of one unit, its length as a share of the average."""
    score = 0.0
    for term, rare in rarity.items():
        often = counts.get(term, 0)
        if often:
            score += rare * often * (_K1 + 1) / (often + _K1 * (1 - _B + _B * share))
    return score


def _idf(total: int, holders: int) -> float:
    """Rarity of a term. Source: Lucene, BM25Similarity."""
    return math.log(1 + (total - holders + 0.5) / (holders + 0.5))


def _allowed(unit: EvidenceUnit, wanted: EvidenceFilter) -> bool:
    return (
        (not wanted.types or unit.type in wanted.types)
        and wanted.who in {"", unit.who}
        and wanted.session in {"", unit.session_id}
        and (not wanted.since or unit.at >= wanted.since)
        and (not wanted.until or "" < unit.at <= wanted.until)
    )
