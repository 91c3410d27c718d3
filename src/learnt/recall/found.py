"""Search: what the arms found becomes one ranking of evidence and memories, with scores that can be compared.

Words count as a share of what a perfect match would score. Where vectors are there, the cosine leads, mixed with those
of the neighbours for a short turn, and the words add the more the sharper they tell: nothing when the tenth hit is as
good as the first. Source of the numbers: own measurement on conversations and code, docs/explanation/search.md.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

from learnt.model.search import SearchHit
from learnt.model.wording import folded, literals, passages, phrases, word_counts
from learnt.recall.fuse import WEIGHTS, K, fused

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from learnt.model.evidence import EvidenceUnit
    from learnt.model.kinds import Profile
    from learnt.model.memory import Memory
    from learnt.model.search import Match, Matches

WORDS_WEIGHT: Final = 0.7
"""Of the words beside 1 for the cosine, at their sharpest."""
SHARP_RANK: Final = 10
"""The hit whose distance from the first tells how sharp the words are."""
NEIGHBOURS_SHARE, NEIGHBOURS_CHARS = 0.25, 150
"""What the neighbours' cosines count beside a unit's own: less for a unit of more characters than these."""
PERSON_BONUS: Final = 0.05
"""Of what a person said."""
PHRASE_BONUS: Final = 0.5
"""Of a unit that holds every quoted phrase word for word, beside at most 1 for its words."""
LITERAL_BONUS: Final = 0.15
"""Of a unit that holds every path, dotted name or code as written."""
SESSION_WEIGHTS: Final = (1.0, 0.5, 0.25)
"""Of a session's best units in its score."""
SHARE_WEIGHT: Final = 0.5
"""Of the share of the question's words that stand anywhere in a session."""
HIGHEST: Final = 1 + WORDS_WEIGHT + PERSON_BONUS
"""What the best there can be adds up to; scores are told as a share of it."""
NOT_PERSONS: Final = frozenset({"", "agent", "assistant", "model", "tool", "system"})
_K1, _B = 1.2, 0.75


@dataclass(frozen=True, slots=True)
class Dense:
    """What the dense arm found, of units and of memories: cosines by id.

    Attributes:
        beside: Of units the ids of their neighbours.
    """

    units: Mapping[str, float]
    memories: Mapping[str, float]
    beside: Mapping[str, tuple[str, str]]


@dataclass(frozen=True, slots=True)
class _Piece:
    """One candidate: what its words and its likeness are worth by themselves."""

    hit: SearchHit
    words: float
    likeness: float | None


class Ask:
    """A question made ready: its profile, and what must stand there word for word."""

    __slots__ = ("literals", "phrases", "profile")

    def __init__(self, text: str, profile: Profile) -> None:
        self.profile = profile
        self.phrases = phrases(text)
        self.literals = literals(text)

    def words(self, coverage: float, text: str) -> dict[str, float]:
        """The parts of what the words are worth."""
        parts = {"coverage": coverage}
        plain = folded(text) if self.phrases or self.literals else ""
        if self.phrases:
            parts["phrase"] = _share(self.phrases, plain)
        if self.literals:
            parts["literal"] = _share(self.literals, plain)
        return parts


def _share(wanted: Sequence[str], text: str) -> float:
    return sum(each in text for each in wanted) / len(wanted)


def found(
    ask: Ask,
    matches: Matches,
    memories: Sequence[Memory],
    dense: Dense | None,
    *,
    evidence: bool = True,
) -> list[SearchHit]:
    """Every unit and memory that one of the arms found, best first; `dense` is None where that arm did not run."""
    pieces = [*_units(ask, matches, dense)] if evidence else []
    pieces += _memories(ask, memories, matches, dense)
    return ordered(hit for hit in _scored(ask, pieces, dense) if hit.score > 0)


def _units(ask: Ask, matches: Matches, dense: Dense | None) -> Iterable[_Piece]:
    every = {match.unit.id: match for match in (*matches.also, *matches.best)}
    floor = min(dense.units.values(), default=0.0) if dense else 0.0
    for match in every.values():
        coverage = match.score / matches.ceiling if matches.ceiling else 0.0
        yield _unit(ask, match, coverage, _likeness(match.unit, dense, floor) if dense else None)


def _unit(ask: Ask, match: Match, coverage: float, likeness: float | None) -> _Piece:
    unit = match.unit
    parts = passages(unit.text)
    signals = ask.words(coverage, unit.text)
    worth = _worth(signals)
    if likeness is not None:
        signals["likeness"] = likeness
        signals["person"] = 1.0 if _is_person(unit) else 0.0
    shown = parts[match.passage] if match.passage < len(parts) else unit.text
    return _Piece(SearchHit(score=0.0, unit=unit, signals=signals, passage=shown), worth, likeness)


def _worth(signals: Mapping[str, float]) -> float:
    extra = PHRASE_BONUS * signals.get("phrase", 0.0) + LITERAL_BONUS * signals.get("literal", 0.0)
    return signals["coverage"] + extra


def _likeness(unit: EvidenceUnit, dense: Dense, floor: float) -> float:
    """The cosine of a unit, mixed with those of its neighbours; where there is none, the lowest that was found."""
    own = dense.units.get(unit.id, floor)
    share = NEIGHBOURS_SHARE * min(1.0, NEIGHBOURS_CHARS / max(1, len(unit.text)))
    around = [dense.units.get(name, floor) if name else own for name in dense.beside.get(unit.id, ("", ""))]
    return (1 - share) * own + share * sum(around) / len(around)


def _is_person(unit: EvidenceUnit) -> bool:
    return unit.type in {"prompt", "note"} and unit.who.casefold() not in NOT_PERSONS


def _memories(ask: Ask, memories: Sequence[Memory], matches: Matches, dense: Dense | None) -> Iterable[_Piece]:
    """Memories, measured like the evidence beside them: by the same rarity of words."""
    texts = [_words_of(memory) for memory in memories]
    counts = [word_counts(text) for text in texts]
    mean = sum(sum(each.values()) for each in counts) / len(counts) if counts else 1.0
    floor = min(dense.memories.values(), default=0.0) if dense else 0.0
    for memory, text, count in zip(memories, texts, counts, strict=True):
        signals = ask.words(_coverage(count, matches.rarity, mean), text)
        worth = _worth(signals)
        likeness = dense.memories.get(memory.id, floor) if dense else None
        if likeness is not None:
            signals["likeness"] = likeness
        yield _Piece(SearchHit(score=0.0, memory=memory, signals=signals), worth, likeness)


def _words_of(memory: Memory) -> str:
    return "\n".join((memory.text, *memory.tags, *memory.symbols, *memory.files, memory.source.file_path))


def _coverage(counts: Mapping[str, int], rarity: Mapping[str, float], mean: float) -> float:
    """BM25 as a share of what a perfect match would score."""
    norm = _K1 * (1 - _B + _B * sum(counts.values()) / (mean or 1.0))
    full = sum(rarity.values())
    part = sum(rare * counts[term] / (counts[term] + norm) for term, rare in rarity.items() if term in counts)
    return part / full if full else 0.0


def _scored(ask: Ask, pieces: Sequence[_Piece], dense: Dense | None) -> Iterable[SearchHit]:
    if dense is None or ask.profile == "lexical":
        return (replace(piece.hit, score=piece.words) for piece in pieces)
    if ask.profile == "dense":
        cosines = {**dense.units, **dense.memories}
        return (replace(piece.hit, score=cosines.get(piece.hit.id, 0.0)) for piece in pieces)
    if ask.profile == "default":
        return _blended(pieces)
    return _by_rank(pieces, dense)


def _blended(pieces: Sequence[_Piece]) -> Iterable[SearchHit]:
    """Likeness, and words as far as they tell hits apart."""
    words = sorted((piece.words for piece in pieces), reverse=True)
    best = words[0] if words and words[0] > 0 else 1.0
    tenth = words[SHARP_RANK - 1] if len(words) >= SHARP_RANK else 0.0
    sharp = 1 - tenth / best
    for piece in pieces:
        score = (piece.likeness or 0.0) + WORDS_WEIGHT * sharp * piece.words / best
        score += PERSON_BONUS * piece.hit.signals.get("person", 0.0)
        yield replace(piece.hit, score=score / HIGHEST)


def _by_rank(pieces: Sequence[_Piece], dense: Dense) -> Iterable[SearchHit]:
    """Reciprocal rank fusion of words and cosine, without the metadata that evidence does not have."""
    by_id = {piece.hit.id: piece.hit for piece in pieces}
    words = [piece.hit.id for piece in sorted(pieces, key=lambda piece: -piece.words) if piece.words > 0]
    cosines = {**dense.units, **dense.memories}
    near = [name for name in sorted(cosines, key=lambda name: -cosines[name]) if name in by_id]
    return (replace(by_id[name], score=score) for name, score in fused((words, near), WEIGHTS, K))


def ordered(hits: Iterable[SearchHit]) -> list[SearchHit]:
    """Best first; of equal scores memories before evidence, newer evidence before older, then by id."""
    listed = sorted(hits, key=lambda hit: hit.id)
    listed.sort(key=lambda hit: hit.unit.at if hit.unit else "~", reverse=True)
    listed.sort(key=lambda hit: -round(hit.score, 9))
    return listed


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
