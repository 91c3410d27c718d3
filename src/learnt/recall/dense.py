"""Rankings in which vectors have a say: the seed's hybrid, the default's blend, and cosine alone for measuring."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from learnt.recall import telling
from learnt.recall.abstain import names_something
from learnt.recall.factors import TEXT_WEIGHT, Overlaps, bonus, has_signal, is_telling, places
from learnt.recall.fuse import WEIGHTS, K, fused, metadata_order
from learnt.recall.rank import (
    MAX_ITEMS,
    MIN_ITEMS,
    SAME,
    Ranked,
    asked_of,
    clamped,
    diagnosed,
    hit_of,
    let_through,
    met,
    skip_of,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from learnt.model.candidate import Candidate
    from learnt.model.ranking import Query
    from learnt.recall.factors import Asked
    from learnt.recall.rank import Dials, Scored

MOST_HEARD = 40
"""So many of the nearest are added by the default profile to what the words found: twice what an answer may hold."""


@dataclass(frozen=True, slots=True)
class Found:
    """What both arms brought.

    Attributes:
        candidates: The full-text stage's, none where it found nothing and that counts. `others`: what only the
            vectors found, without token sets where `needs_words` says so.
        near: (id, cosine), nearest first; of both kinds.
        retired: What was superseded, as if it still held. `near_retired`: the nearest of it.
        every: Whether `near` holds all that have a vector.
    """

    candidates: Sequence[Candidate]
    others: Sequence[Candidate]
    near: Sequence[tuple[str, float]]
    retired: Sequence[Candidate] = ()
    near_retired: Sequence[tuple[str, float]] = ()
    every: bool = False


@dataclass(frozen=True, slots=True)
class Entry:
    """One candidate on its way into a ranking.

    Attributes:
        value: The nine factors and the q term; `extra` the full-text bonus. Both 0 for what only vectors found.
        overlaps: None for what only vectors found, where nobody asks for it.
    """

    candidate: Candidate
    overlaps: Overlaps | None
    value: float = 0.0
    extra: float = 0.0
    cosine: float | None = None
    only_dense: bool = False


@dataclass(frozen=True, slots=True)
class Order:
    """Everything that was scored and passed the threshold, best first, with the score thresholds act on.

    `scored` counts what was scored, `counts` what was not and why. `retired` is the same of what was superseded.
    `idle`: the prompt is small talk.
    """

    asked: Asked
    entries: tuple[tuple[float, Entry], ...]
    scored: int
    counts: dict[str, int]
    retired: tuple[tuple[float, Entry], ...] = ()
    idle: bool = False


def needs_words(query: Query) -> bool:
    """Whether the token sets of what only vectors found are read at all: `hybrid` gives such hits no signals."""
    return query.profile == "default" or (query.mode == "injection" and query.require_query_signal)


def worth_reading(query: Query, near: Sequence[tuple[str, float]]) -> Sequence[tuple[str, float]]:
    """Those of the nearest that are ranked though no word found them: the default adds only the best that are alike."""
    if query.profile != "default":
        return near
    return [(name, cosine) for name, cosine in near[:MOST_HEARD] if cosine > telling.WEAK_COSINE]


def _gathered(
    query: Query, found: Found, now: str, dials: Dials, scope_keys: Iterable[str], *, placed: bool = True
) -> tuple[Asked, list[Entry], dict[str, int]]:
    """Every candidate that passes the filters, the full-text stage's and then the others'.

    Args:
        placed: Whether the full-text rank counts: its bonus is given, and its candidates stand in their order.
    """
    asked = asked_of(query, now, dials, scope_keys)
    excluded = frozenset(dials.exclude_kinds)
    counts = {"preScoredFilteredCount": 0, "noSignalCount": 0, "suppressedLowQCount": 0}
    counts["candidateCount"] = len(found.candidates) + len(found.others)
    ranked = sum(1 for each in found.candidates if each.position >= 0) if placed else 0
    cosines = dict(found.near)
    lexical = [
        Entry(one, overlaps, value, bonus(one.position, ranked), cosines.get(one.id))
        for value, one, overlaps in met(asked, found.candidates, excluded, counts)
    ]
    if placed:
        lexical.sort(key=lambda each: (-round(each.value + each.extra, 9), each.candidate.id))
    if needs_words(query):
        scored = met(asked, found.others, excluded, counts)
        others = [Entry(one, overlaps, value, 0.0, cosines.get(one.id), True) for value, one, overlaps in scored]
    else:
        passed = let_through(asked, found.others, excluded, counts)
        others = [Entry(one, None, 0.0, 0.0, cosines.get(one.id), True) for one in passed]
    return asked, [*lexical, *others], counts


def hybrid(
    query: Query,
    found: Found,
    *,
    now: str,
    dials: Dials,
    scope_keys: Iterable[str] = (),
    weights: Sequence[float] = WEIGHTS,
    k: int = K,
) -> Order:
    """Ranks of words, vectors and metadata fused. Source: swarm-memory seed, hybrid recall.

    Args:
        weights: Of the lexical, the dense and the metadata ranking. `k`: what flattens ranks.
    """
    asked, gathered, counts = _gathered(query, found, now, dials, scope_keys)
    by_id = {each.candidate.id: each for each in gathered}
    lexical = [each for each in gathered if not each.only_dense]
    rankings = (
        [each.candidate.id for each in lexical],
        [name for name, _ in found.near if name in by_id],
        metadata_order((each.candidate.id, True, _kind_fits(query, each)) for each in lexical),
    )
    scores = fused(rankings, weights, k, _threshold(query, dials) - SAME)
    return Order(asked, tuple((score, by_id[name]) for name, score in scores), len(gathered), counts)


def _kind_fits(query: Query, entry: Entry) -> bool:
    return entry.candidate.kind in query.kinds or bool(entry.overlaps and entry.overlaps.kind)


def alone(query: Query, found: Found, *, now: str, dials: Dials, scope_keys: Iterable[str] = ()) -> Order:
    """Cosine and nothing else, for measuring."""
    asked, gathered, counts = _gathered(query, found, now, dials, scope_keys)
    near = [(each.cosine, each) for each in gathered if each.cosine is not None]
    return _sorted(asked, near, _threshold(query, dials), counts)


def default(query: Query, found: Found, *, now: str, dials: Dials, scope_keys: Iterable[str] = ()) -> Order:
    """The nine factors, in which likeness and telling words together stand for the overlap of the texts.

    What was superseded is measured beside what holds, by the same rarity of words. A near one is a query signal. The
    full-text bonus is not added: the words have counted.
    """
    signal = query.mode == "injection" and query.require_query_signal
    any_signal = replace(query, require_query_signal=False)
    asked, gathered, counts = _gathered(any_signal, found, now, dials, scope_keys, placed=False)
    passed = met(asked, found.retired, frozenset(dials.exclude_kinds), dict.fromkeys(counts, 0))
    near = dict(found.near_retired)
    retired = [Entry(one, overlaps, value, 0.0, near.get(one.id)) for value, one, overlaps in passed]
    scores, words = _blended(asked, query, [*gathered, *retired], every=found.every)
    asked.signal = signal
    if signal and telling.is_idle(_said(query), words, max((each.cosine or 0.0 for _, each in scores), default=0.0)):
        return Order(asked, (), 0, {**counts, "noSignalCount": len(gathered)}, idle=True)
    live = [pair for pair in scores[: len(gathered)] if not signal or _speaks(asked, pair[1])]
    old = [pair for pair in scores[len(gathered) :] if _answers(pair[1]) and (not signal or _speaks(asked, pair[1]))]
    counts["noSignalCount"] += len(gathered) - len(live)
    order = _sorted(asked, live, _threshold(query, dials), counts)
    return replace(order, retired=_sorted(asked, old, _threshold(query, dials), counts).entries)


def _said(query: Query) -> str:
    return query.task if query.mode == "injection" and query.task else query.text


def _blended(
    asked: Asked, query: Query, entries: Sequence[Entry], *, every: bool
) -> tuple[list[tuple[float, Entry]], telling.Words]:
    """Each with its score, in their order, and what its words are worth."""
    words = telling.words_of(
        asked, [each.overlaps for each in entries], narrowed=any(each.candidate.position >= 0 for each in entries)
    )
    floor = min((each.cosine for each in entries if each.cosine is not None), default=None)
    cosines = [floor if each.cosine is None and not every else each.cosine for each in entries]
    shares = telling.text_shares(words.worth, cosines, named=names_something(_said(query)))
    found = []
    for each, share, own in zip(entries, shares, words.worth, strict=True):
        known = own if share is None else share if each.cosine is not None else max(share, _sameness(asked, each))
        text = each.overlaps.text if each.overlaps is not None else 0.0
        found.append((each.value + TEXT_WEIGHT * (known - text), each))
    return found, words


def _sameness(asked: Asked, entry: Entry) -> float:
    """What share of all words of the question and the memory they have in common; stands in for an unknown cosine."""
    both = len(entry.overlaps.sets[0] if entry.overlaps else asked.side.intersection(entry.candidate.text))
    return both / max(1, len(asked.side) + len(entry.candidate.text) - both)


def _answers(entry: Entry) -> bool:
    """Whether something superseded meets the question at all."""
    overlaps = entry.overlaps
    alike = entry.cosine is not None and entry.cosine > telling.WEAK_COSINE
    return alike or bool(overlaps and (overlaps.text or overlaps.tag))


def _sorted(asked: Asked, scored: Sequence[tuple[float, Entry]], least: float, counts: dict[str, int]) -> Order:
    """What reaches the threshold: score plus full-text bonus descending, then id."""
    kept = [each for each in scored if each[0] + SAME >= least]
    kept.sort(key=lambda each: (-round(each[0] + each[1].extra, 9), each[1].candidate.id))
    return Order(asked, tuple(kept), len(scored), counts)


def _speaks(asked: Asked, entry: Entry) -> bool:
    if entry.cosine is not None and entry.cosine >= telling.SIGNAL_COSINE:
        return True
    overlaps = entry.overlaps
    return overlaps is not None and has_signal(asked, overlaps) and is_telling(asked, entry.candidate, overlaps)


def _threshold(query: Query, dials: Dials) -> float:
    return dials.min_score if query.min_score is None else query.min_score


def cut(order: Order, query: Query, dials: Dials, *, fused: bool) -> Ranked:
    """The first that find a place, with their signals and reasons.

    What only the vectors found carries zero signals. Source: swarm-memory seed, hybrid recall.
    """
    most = clamped(query.max_items, dials.max_items, MIN_ITEMS, MAX_ITEMS)
    candidates = [each.candidate for _, each in order.entries]
    kept = places(candidates, most, at_start=dials.at_start) if query.mode == "injection" else candidates[:most]
    chosen = frozenset(map(id, kept))
    hits = tuple(
        _scored(order.asked, query, score, each) for score, each in order.entries if id(each.candidate) in chosen
    )
    counts = {**order.counts}
    diagnostics = diagnosed(query, counts, order.scored, len(order.entries), len(hits))
    if fused:
        diagnostics["fusionActive"] = True
    skip = "no_signal" if order.idle else skip_of(hits, range(order.scored), counts)
    return Ranked(hits, len(order.entries), skip, diagnostics)


def replaced(order: Order, query: Query) -> tuple[Scored, ...]:
    """The best of what was superseded, for its successors to inherit."""
    return tuple(_scored(order.asked, query, score, each) for score, each in order.retired[:MAX_ITEMS])


def _scored(asked: Asked, query: Query, score: float, entry: Entry) -> Scored:
    overlaps = entry.overlaps or Overlaps(asked, entry.candidate)
    made = hit_of(asked, query, score, entry.extra, entry.candidate, overlaps)
    if entry.only_dense:
        made = replace(made, signals=dict.fromkeys(made.signals, 0.0))
    if entry.cosine is not None:
        made = replace(made, reason=f"{made.reason}, cosine {entry.cosine:.2f}")
    return made
