"""Search: what the arms found becomes one ranking of evidence and memories, with scores that can be compared.

Words count as a share of what a perfect match would score, likeness as a cosine; `blend` makes one score of both,
`session` one of a session's, `order` moves what the question's intent asks for.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

from learnt.model.evidence import is_persons
from learnt.model.instant import to_epoch
from learnt.model.search import SearchHit
from learnt.model.wording import folded, literals, passages, phrases, word_counts
from learnt.recall.abstain import names_something
from learnt.recall.blend import HIGHEST, Given, blended, likeness
from learnt.recall.dates import periods
from learnt.recall.factors import flag_weight
from learnt.recall.fuse import WEIGHTS, K, fused
from learnt.recall.intent import is_question, is_standing, is_task, wants_overview, wants_present
from learnt.recall.order import OF_SESSIONS, OF_TURNS, SAME_SESSION_COST, Placed, newer_first, spread
from learnt.recall.session import UNIT_WEIGHTS, session_score

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from learnt.model.evidence import EvidenceUnit
    from learnt.model.kinds import Profile
    from learnt.model.memory import Memory
    from learnt.model.search import Match, Matches

PHRASE_BONUS: Final = 0.5
"""Of a unit that holds every quoted phrase word for word, beside at most 1 for its words."""
LITERAL_BONUS: Final = 0.15
"""Of a unit that holds every path, dotted name or code as written."""
PERIOD_BONUS: Final = 0.1
"""Of a unit from a period the question names, beside at most 1 for its words."""
_K1, _B = 1.2, 0.75
DAY_S: Final = 86_400
MOST_DIGITS: Final = 18


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
    """One candidate: what its words are worth, and its likeness."""

    hit: SearchHit
    words: float
    likeness: float | None


class Ask:
    """A question made ready: its profile, what must stand there word for word, and when it speaks of."""

    __slots__ = ("literals", "periods", "phrases", "profile", "text")

    def __init__(self, text: str, profile: Profile, now: str) -> None:
        self.text = text
        self.profile = profile
        self.phrases = phrases(text)
        self.literals = literals(text)
        self.periods = periods(text, now)

    def words(self, coverage: float, text: str, at: str) -> dict[str, float]:
        """The parts of what the words are worth."""
        parts = {"coverage": coverage}
        plain = folded(text) if self.phrases or self.literals else ""
        if self.phrases:
            parts["phrase"] = _share(self.phrases, plain)
        if self.literals:
            parts["literal"] = _share(self.literals, plain)
        if self.periods:
            parts["period"] = 1.0 if any(period.holds(at) for period in self.periods) else 0.0
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
    scored = (hit for hit in _scored(ask, pieces, dense) if hit.score > 0)
    flags = {memory.id: memory.flags for memory in memories if memory.flags}  # lower, as in a recall
    return ordered(_rated(hit, hit.score * flag_weight(flags.get(hit.id, 0))) if flags else hit for hit in scored)


def _units(ask: Ask, matches: Matches, dense: Dense | None) -> Iterable[_Piece]:
    every = {match.unit.id: match for match in (*matches.also, *matches.best)}
    floor = min(dense.units.values(), default=0.0) if dense else 0.0
    for match in every.values():
        coverage = match.score / matches.ceiling if matches.ceiling else 0.0
        yield _unit(ask, match, coverage, _likeness(match.unit, dense, floor) if dense else None)


def _unit(ask: Ask, match: Match, coverage: float, alike: float | None) -> _Piece:
    unit = match.unit
    parts = passages(unit.text)
    signals = ask.words(coverage, unit.text, unit.at)
    worth = _worth(signals, dated=alike is None)
    if alike is not None:
        signals["likeness"] = alike
    shown = parts[match.passage] if match.passage < len(parts) else unit.text
    return _Piece(SearchHit(score=0.0, unit=unit, signals=signals, passage=shown), worth, alike)


def _worth(signals: Mapping[str, float], *, dated: bool) -> float:
    """What the words are worth; with the period where no likeness stands beside them, which adds it itself."""
    if not signals["coverage"]:
        return 0.0
    weights = (("phrase", PHRASE_BONUS), ("literal", LITERAL_BONUS), ("period", PERIOD_BONUS * dated))
    return signals["coverage"] + sum(weight * signals.get(name, 0.0) for name, weight in weights)


def _likeness(unit: EvidenceUnit, dense: Dense, floor: float) -> float:
    """The cosine of a unit mixed with those of its neighbours; where there is none, the lowest that was found."""
    around = [dense.units.get(name, floor) for name in dense.beside.get(unit.id, ()) if name]
    return likeness(dense.units.get(unit.id, floor), around, len(unit.text))


def _memories(ask: Ask, memories: Sequence[Memory], matches: Matches, dense: Dense | None) -> Iterable[_Piece]:
    """Memories, measured like the evidence beside them: by the same rarity of words."""
    texts = [_words_of(memory) for memory in memories]
    counts = [word_counts(text) for text in texts]
    lengths = [sum(each.values()) for each in counts]
    mean = sum(lengths) / len(counts) if counts else 1.0
    full = sum(matches.rarity.values())
    floor = min(dense.memories.values(), default=0.0) if dense else 0.0
    for memory, text, count, length in zip(memories, texts, counts, lengths, strict=True):
        norm = _K1 * (1 - _B + _B * length / (mean or 1.0))
        covered = _coverage(count, matches.rarity, norm) / full if full else 0.0
        signals = ask.words(covered, text, memory.updated_at)
        alike = dense.memories.get(memory.id, floor) if dense else None
        worth = _worth(signals, dated=alike is None)
        if alike is not None:
            signals["likeness"] = alike
        yield _Piece(SearchHit(score=0.0, memory=memory, signals=signals), worth, alike)


def _words_of(memory: Memory) -> str:
    return "\n".join((memory.text, *memory.tags, *memory.symbols, *memory.files, memory.source.file_path))


def _coverage(counts: Mapping[str, int], rarity: Mapping[str, float], norm: float) -> float:
    """BM25; as a share of the sum of all rarities it is a share of what a perfect match would score."""
    return sum(rare * counts[term] / (counts[term] + norm) for term, rare in rarity.items() if term in counts)


def _scored(ask: Ask, pieces: Sequence[_Piece], dense: Dense | None) -> Iterable[SearchHit]:
    if dense is None or ask.profile == "lexical":
        return (replace(piece.hit, score=piece.words) for piece in pieces)
    if ask.profile == "dense":
        cosines = {**dense.units, **dense.memories}
        return (replace(piece.hit, score=cosines.get(piece.hit.id, 0.0)) for piece in pieces)
    if ask.profile == "default":
        return _blended(ask, pieces)
    return _by_rank(pieces, dense)


def _blended(ask: Ask, pieces: Sequence[_Piece]) -> Iterable[SearchHit]:
    task = is_task(ask.text)
    given = [
        Given(
            id=piece.hit.id,
            words=piece.words,
            likeness=piece.likeness,
            person=_by_person(piece.hit),
            standing=task and _stands(piece.hit),
            dated=piece.hit.signals.get("period", 0.0) > 0,
        )
        for piece in pieces
    ]
    by_id = {piece.hit.id: piece.hit for piece in pieces}
    ranked = blended(given, named=names_something(ask.text), task=task)
    return (_rated(by_id[name], score) for name, score in ranked)


def _by_person(hit: SearchHit) -> bool:
    return hit.unit is not None and is_persons(hit.unit.type, hit.unit.who)


def _stands(hit: SearchHit) -> bool:
    """Whether it is a standing instruction: a memory, or a person's own words."""
    return is_standing(hit.memory.text) if hit.memory is not None else _by_person(hit) and is_standing(hit.passage)


def _rated(hit: SearchHit, score: float) -> SearchHit:
    """A hit with its score; `dataclasses.replace` takes twice as long, and there are hundreds of them."""
    return SearchHit(score=score, unit=hit.unit, memory=hit.memory, signals=hit.signals, passage=hit.passage)


def _by_rank(pieces: Sequence[_Piece], dense: Dense) -> Iterable[SearchHit]:
    """Reciprocal rank fusion of words and cosine, without the metadata that evidence does not have."""
    by_id = {piece.hit.id: piece.hit for piece in pieces}
    ordered_by_words = sorted(pieces, key=lambda piece: (-round(piece.words, 9), piece.hit.id))
    words = [piece.hit.id for piece in ordered_by_words if piece.words > 0]
    cosines = {**dense.units, **dense.memories}
    near = [name for name in sorted(cosines, key=lambda name: -cosines[name]) if name in by_id]
    return (replace(by_id[name], score=score) for name, score in fused((words, near), WEIGHTS, K))


def ordered(hits: Iterable[SearchHit]) -> list[SearchHit]:
    """Best first; of equal scores memories before evidence, newer evidence before older, then by id."""
    listed = sorted(hits, key=lambda hit: hit.id)
    listed.sort(key=lambda hit: hit.unit.at if hit.unit else "~", reverse=True)
    listed.sort(key=lambda hit: -round(hit.score, 9))
    return listed


def arranged(
    ask: Ask, hits: Sequence[SearchHit], alike: Callable[[SearchHit, SearchHit], float], *, sessions: bool = False
) -> list[SearchHit]:
    """`hits` (best first), the newer of two statements first or the sessions spread out, as the question asks for.

    Where it asks how things stood at some time, what is from another time is not newer, only elsewhere.

    Args:
        alike: How like two hits are, as a cosine.
        sessions: Whether each hit stands for its session.
    """
    by_id = {hit.id: hit for hit in hits}
    placed = [_placed(hit) for hit in hits]
    if wants_present(ask.text):
        then = [_untimed(each) if _is_beside(ask, each.when[0]) else each for each in placed]
        order = newer_first(then, lambda one, two: alike(by_id[one], by_id[two]), OF_SESSIONS if sessions else OF_TURNS)
    elif wants_overview(ask.text):
        order = spread(placed, SAME_SESSION_COST / HIGHEST)
    else:
        return list(hits)
    return [replace(by_id[name], score=score) for name, score in order]


def _is_beside(ask: Ask, at: str) -> bool:
    return bool(ask.periods) and not any(period.holds(at) for period in ask.periods)


def _untimed(placed: Placed) -> Placed:
    return replace(placed, when=("", 0))


def _placed(hit: SearchHit) -> Placed:
    unit, memory = hit.unit, hit.memory
    if unit is None:
        return Placed(hit.id, hit.score, (memory.updated_at if memory else "", 0))
    record = unit.span.record if unit.span else _number(unit.ref)
    return Placed(hit.id, hit.score, (unit.at, record), unit.who, "" if hit.others else unit.session_id)


def _number(ref: str) -> int:
    """The place within its session that a reference ends with; 0 for none: nothing is later than it at its time."""
    key = ref.rpartition("#")[2]
    return int(key) if key.isascii() and key.isdigit() and len(key) <= MOST_DIGITS else 0


def sessions_found(ask: Ask, hits: Sequence[SearchHit], shares: Mapping[str, float]) -> list[SearchHit]:
    """One hit a session: its best unit, scored by its five best; what belongs to no session stands for itself."""
    groups: defaultdict[tuple[str, str], list[SearchHit]] = defaultdict(list)
    for hit in hits:
        groups[_session(hit.unit) if hit.unit else ("", hit.id)].append(hit)
    latest = max((hit.unit.at for hit in hits if hit.unit), default="") if not is_question(ask.text) else ""
    return ordered(_grouped(group, shares, latest) for group in groups.values())


def _session(unit: EvidenceUnit) -> tuple[str, str]:
    return (unit.scope.key, unit.session_id) if unit.session_id else ("", unit.id)


def _grouped(group: Sequence[SearchHit], shares: Mapping[str, float], latest: str) -> SearchHit:
    best = group[0]
    share = shares.get(best.unit.session_id, 0.0) if best.unit else 0.0
    last = max((hit.unit.at for hit in group if hit.unit), default="")
    age_days = (to_epoch(latest) - to_epoch(last)) / DAY_S if latest and last else None
    score = session_score([hit.score for hit in group], share, age_days)
    others = tuple(hit.id for hit in group[1 : len(UNIT_WEIGHTS)])
    return replace(best, score=score, signals={**best.signals, "sessionShare": share}, others=others)
