"""Search: what the arms found becomes one ranking of evidence and memories, with scores that can be compared.

A unit's words count as a share of what a perfect match would score, its likeness as the cosine; both add up with the
words at three times the weight. Source: own measurement on conversations and code, docs/explanation/search.md.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from learnt.model.search import SearchHit
from learnt.model.wording import folded, literals, passages, phrases, word_counts

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from learnt.model.evidence import EvidenceUnit
    from learnt.model.kinds import Profile
    from learnt.model.memory import Memory
    from learnt.model.search import Match, Matches

WORDS_WEIGHT: Final = 3.0
"""Of coverage, beside 1 for the cosine."""
PHRASE_BONUS: Final = 0.5
"""Of a unit that holds every quoted phrase word for word, beside at most 1 for its words."""
LITERAL_BONUS: Final = 0.15
"""Of a unit that holds every path, dotted name or code as written."""
SESSION_WEIGHTS: Final = (1.0, 0.5, 0.25)
"""Of a session's best units in its score."""
SHARE_WEIGHT: Final = 0.5
"""Of the share of the question's words that stand anywhere in a session."""
_K1, _B = 1.2, 0.75


class Ask:
    """A question made ready: what must stand there word for word, and which arms count."""

    __slots__ = ("dense", "lexical", "literals", "phrases")

    def __init__(self, text: str, profile: Profile, *, dense: bool) -> None:
        self.phrases = phrases(text)
        self.literals = literals(text)
        self.dense = dense and profile != "lexical"
        self.lexical = not (profile == "dense" and dense)

    def signals(self, coverage: float, cosine: float | None, text: str) -> dict[str, float]:
        """The parts of a score that are there."""
        parts: dict[str, float] = {}
        if self.lexical:
            parts["coverage"] = coverage
            plain = folded(text) if self.phrases or self.literals else ""
            if self.phrases:
                parts["phrase"] = _share(self.phrases, plain)
            if self.literals:
                parts["literal"] = _share(self.literals, plain)
        if self.dense and cosine is not None:
            parts["cosine"] = cosine
        return parts

    def score(self, signals: Mapping[str, float]) -> float:
        """One number of the parts."""
        words = signals.get("coverage", 0.0)
        words += PHRASE_BONUS * signals.get("phrase", 0.0) + LITERAL_BONUS * signals.get("literal", 0.0)
        if not self.dense:
            return words
        cosine = signals.get("cosine", 0.0)
        return (WORDS_WEIGHT * words + cosine) / (WORDS_WEIGHT + 1) if self.lexical else cosine


def _share(wanted: Sequence[str], text: str) -> float:
    return sum(each in text for each in wanted) / len(wanted)


def units_found(ask: Ask, matches: Matches, cosines: Mapping[str, float]) -> list[SearchHit]:
    """Every unit one of the arms found, best first."""
    every = {match.unit.id: match for match in (*matches.also, *matches.best)}
    hits = (_unit_hit(ask, match, matches.ceiling, cosines.get(match.unit.id)) for match in every.values())
    return ordered(hit for hit in hits if hit.score > 0)


def _unit_hit(ask: Ask, match: Match, ceiling: float, cosine: float | None) -> SearchHit:
    signals = ask.signals(match.score / ceiling if ceiling else 0.0, cosine, match.unit.text)
    parts = passages(match.unit.text)
    shown = parts[match.passage] if match.passage < len(parts) else match.unit.text
    return SearchHit(score=ask.score(signals), unit=match.unit, signals=signals, passage=shown)


def memories_found(
    ask: Ask, memories: Sequence[Memory], terms: Sequence[str], matches: Matches, cosines: Mapping[str, float]
) -> list[SearchHit]:
    """Every memory one of the arms found, best first, measured like the evidence beside it."""
    texts = [_words_of(memory) for memory in memories]
    counts = [word_counts(text) for text in texts]
    mean = sum(sum(each.values()) for each in counts) / len(counts) if counts else 1.0
    rarity = {term: matches.rarity.get(term, 1.0) if matches.units else 1.0 for term in terms}
    hits = []
    for memory, text, count in zip(memories, texts, counts, strict=True):
        signals = ask.signals(_coverage(count, rarity, mean), cosines.get(memory.id), text)
        hits.append(SearchHit(score=ask.score(signals), memory=memory, signals=signals))
    return ordered(hit for hit in hits if hit.score > 0)


def _words_of(memory: Memory) -> str:
    return "\n".join((memory.text, *memory.tags, *memory.symbols, *memory.files, memory.source.file_path))


def _coverage(counts: Mapping[str, int], rarity: Mapping[str, float], mean: float) -> float:
    """BM25 as a share of what a perfect match would score."""
    norm = _K1 * (1 - _B + _B * sum(counts.values()) / (mean or 1.0))
    full = sum(rarity.values())
    part = sum(rare * counts[term] / (counts[term] + norm) for term, rare in rarity.items() if term in counts)
    return part / full if full else 0.0


def ordered(hits: Iterable[SearchHit]) -> list[SearchHit]:
    """Best first; of equal scores memories before evidence, newer evidence before older, then by id."""
    found = sorted(hits, key=lambda hit: hit.id)
    found.sort(key=lambda hit: hit.unit.at if hit.unit else "~", reverse=True)
    found.sort(key=lambda hit: -round(hit.score, 9))
    return found


def sessions_found(hits: Sequence[SearchHit], shares: Mapping[str, float]) -> list[SearchHit]:
    """One hit a session: its best unit, scored by its three best; what belongs to no session stands for itself."""
    groups: defaultdict[tuple[str, str], list[SearchHit]] = defaultdict(list)
    for hit in hits:
        groups[_session(hit.unit) if hit.unit else ("", hit.id)].append(hit)
    return ordered(_grouped(group, shares) for group in groups.values())


def _session(unit: EvidenceUnit) -> tuple[str, str]:
    return (unit.scope.key, unit.session_id) if unit.session_id else ("", unit.id)


def _grouped(group: Sequence[SearchHit], shares: Mapping[str, float]) -> SearchHit:
    best, counted = group[0], group[: len(SESSION_WEIGHTS)]
    score = sum(weight * hit.score for weight, hit in zip(SESSION_WEIGHTS, counted, strict=False))
    share = shares.get(best.unit.session_id, 0.0) if best.unit else 0.0
    return replace(
        best,
        score=(score + SHARE_WEIGHT * share) / (sum(SESSION_WEIGHTS) + SHARE_WEIGHT),
        signals={**best.signals, "sessionShare": share},
        others=tuple(hit.id for hit in counted[1:]),
    )
