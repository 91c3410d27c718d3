"""At a prompt: what matches it, as the engine ranks it in injection mode, less what this context already has.

Pending observations that match follow the memories, at most two. No match shows nothing.
"""

from __future__ import annotations

from learnt.hosts.dialect import machine_made
from learnt.inject.block import Shown, render
from learnt.interfaces.hook.known import MAX_ITEMS, Known, allowed, cleared, memory_of, observations
from learnt.interfaces.hook.pinned import Looks
from learnt.interfaces.hook.receipt import Offer
from learnt.model.candidate import Candidate
from learnt.model.tokens import query_terms, unpack
from learnt.recall.factors import (
    Asked,
    Overlaps,
    barred,
    bonus,
    candidate_sets,
    flag_weight,
    has_signal,
    is_telling,
    labels,
    places,
    score,
)
from learnt.stores.sqlite.narrow import listed, narrow

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import Any

    from learnt.interfaces.hook.visit import Visit

    Scored = tuple[float, float, Candidate]
    """Score, full-text bonus, candidate."""

    Held = tuple[float, Shown, float]
    """Place in the order, item, what its flags leave of both."""

MOMENT = "prompt"
_MAX_OBSERVATIONS = 2
_MIN_CHARS = 3
_SAME = 1e-9
RETIRED = 500
"""Superseded memories whose words lead to their successors; a test holds it equal to the engine's."""


class Counts:
    """Why candidates were left out, for the reason of an empty answer."""

    __slots__ = ("met", "no_signal")

    def __init__(self) -> None:
        self.met = 0
        self.no_signal = 0

    def skip(self) -> str:
        """Why nothing is shown. Source: swarm-memory seed, injection skip reasons."""
        if self.met:
            return "below_threshold"
        return "no_signal" if self.no_signal else "no_results"


def offer(visit: Visit) -> Offer | None:
    """What a prompt gets; None for a prompt that no person wrote."""
    text = visit.payload.text("prompt")
    if machine_made(text) or not text.strip():
        return None
    made = Offer(visit, MOMENT, text, visit.context())
    if text.isascii() and len(text.strip()) < _MIN_CHARS:
        made.skip = "no_signal"
        return made
    limits, counts = visit.limits, Counts()
    asked = Asked(
        text,
        at=visit.now,
        mode="injection",
        signal=limits.signal,
        q_weight=limits.q_weight,
        suppressed_below=limits.suppressed_below,
    )
    given = visit.shown(made.context)
    terms = query_terms(text)
    if not asked.side and not terms:  # nothing to search for is not a wish for everything
        made.skip = "no_signal"
        return made
    order = _meant(visit, made, given, counts) if limits.warm else None
    if order is None:
        order = _worded(visit, asked, _pool(visit, terms), given, counts)
    if order and (disputes := visit.about("disputes", [item.id for _, item in order])):
        from learnt.interfaces.hook.dispute import told

        order = told(order, disputes)
    if order and len(order) < limits.max_items and (pairs := visit.about("tied", [item.id for _, item in order])):
        from learnt.interfaces.hook.beside import tied

        order += tied(visit, order, pairs, given)
    order += _observed(visit, asked, given, counts)[: max(0, min(_MAX_OBSERVATIONS, limits.max_items - len(order)))]
    _render(visit, made, order)
    made.skip = "" if made.ids else ("budget" if order else counts.skip())
    return made


def _worded(
    visit: Visit, asked: Asked, pool: Sequence[Candidate], given: dict[str, bool], counts: Counts
) -> list[tuple[float, Shown]]:
    """The memories that the words find."""
    found = [each for each in _ordered(_scored(visit, asked, pool, counts)) if each[2].id not in given]
    if old := _retired(visit):  # most stores have none, and a module costs a third of a millisecond
        from learnt.interfaces.hook.redirect import redirected

        found = redirected(visit, asked, found, old, given)
    return _chosen(visit, found)


def _retired(visit: Visit) -> list[tuple[Any, ...]]:
    """The superseded memories retired last, with what bounds their scores."""
    return visit.rows("retired", {"scopes": listed(scope.no for scope in visit.scopes), "limit": RETIRED})


def _meant(visit: Visit, made: Offer, given: dict[str, bool], counts: Counts) -> list[tuple[float, Shown]] | None:
    """The memories that the engine in the warm process finds; None where the words must do."""
    from learnt.interfaces.hook.warm import RAN, heard

    answer = heard(visit, made.query)
    made.dense = answer.arm
    if answer.arm != RAN:
        return None
    counts.met = len(answer.hits) or int(answer.skip == "below_threshold")
    counts.no_signal = int(answer.skip == "no_signal")
    items: dict[str, tuple[float, Shown]] = {}
    pool = _told(visit, [hit for hit in answer.hits if hit[0] not in given], items)
    kept: Sequence[Known] = places(pool, visit.limits.max_items)  # type: ignore[arg-type,assignment]
    return [items[known.id] for known in kept]


def _told(
    visit: Visit, hits: Sequence[tuple[str, float, list[str]]], items: dict[str, tuple[float, Shown]]
) -> Iterator[Known]:
    """Those of the hits that this store holds in these scopes, cleared; only ids and scores are another's word."""
    for memory_id, value, said in hits:
        for scope in visit.scopes:
            row = visit.row("warning", (memory_id, scope.no))
            known = memory_of(row, scope) if row else None
            if known is not None and allowed(visit, known):
                shown = known.shown(visit, value)
                shown.labels = tuple(said)
                items[known.id] = (value, shown)
                yield known


def _pool(visit: Visit, terms: Sequence[str]) -> Sequence[Candidate]:
    """The memories to score, by the engine's own full-text stage; none where it finds none in a large scope."""
    limit = max(100, 20 * visit.limits.max_items)
    run = visit.connection.execute
    answer = narrow(
        lambda sql, values: run(sql, values).fetchall(),
        [scope.no for scope in visit.scopes],
        terms,
        limit,
        now=visit.now,
    )
    return answer.candidates if answer.matched else ()


def _scored(visit: Visit, asked: Asked, pool: Sequence[Candidate], counts: Counts) -> Iterator[Scored]:
    """Those that pass the filters, the signal test and the threshold, with their scores."""
    ranked = sum(1 for one in pool if one.position >= 0)
    for one in pool:
        if one.kind in visit.limits.exclude_kinds or barred(asked, one):
            continue
        overlaps = Overlaps(asked, one)
        if asked.signal and not has_signal(asked, overlaps):
            counts.no_signal += 1
            continue
        counts.met += 1
        value = score(asked, one, overlaps)
        if value + _SAME >= visit.limits.min_score and is_telling(asked, one, overlaps):
            yield value, bonus(one.position, ranked), one


def _ordered(found: Iterator[Scored]) -> list[Scored]:
    """Score plus full-text bonus descending, then id."""
    return sorted(found, key=lambda each: (-round(each[0] + each[1], 9), each[2].id))


def _chosen(visit: Visit, found: list[Scored]) -> list[tuple[float, Shown]]:
    """Those that have a place in the block, held against the work tree as the engine holds them.

    Where none of the first has lost anything by that, those after them cannot come before them and are not read.
    """
    looks, most, uncleared = Looks(visit), visit.limits.max_items, visit.uncleared
    items: dict[str, Held] = {}
    kept = places(_showable(visit, found, items), most)
    order, lost = _weighed(looks, [items[one.id] for one in kept], most)
    if lost:
        visit.uncleared = uncleared  # those are met once more
        kept = places(_showable(visit, found, items), MAX_ITEMS)
        order, _ = _weighed(looks, [items[one.id] for one in kept], most)
    return order[:most]


def _weighed(looks: Looks, kept: list[Held], most: int) -> tuple[list[tuple[float, Shown]], bool]:
    """The items in their order beside the work tree and their flags, and whether any was hidden or fell.

    See `learnt.flows.fresh`. Ends as soon as `most` of them stand above whatever comes.
    """
    order: list[tuple[float, Shown]] = []
    least, lost = float("inf"), False
    for value, item, flagged in kept:
        least = min(least, value)
        if sum(key >= least for key, _ in order) >= most:
            break
        lost = lost or flagged != 1.0
        place, item.score = least * flagged, (item.score or 0.0) * flagged
        whole = looks.whole(item.id)
        if whole is None:
            order.append((place, item))
            continue
        from learnt.stale.whole import WEIGHTS, told

        weight = WEIGHTS.get(whole.state)
        lost = lost or weight is not None
        if whole.state == "gone":
            continue
        item.labels = (*item.labels, *filter(None, (told(whole),)))
        item.score *= weight or 1.0
        order.append((place * (weight or 1.0), item))
    order.sort(key=lambda each: -round(each[0], 9))
    return [(item.score or 0.0, item) for _, item in order], lost


def _showable(visit: Visit, found: list[Scored], items: dict[str, Held]) -> Iterator[Candidate]:
    """Those that the present pattern set cleared; reads the text of no other."""
    for value, extra, one in found:
        row = visit.row("detail", (one.id,))
        if row is None or not cleared(visit, row[0]):
            continue
        items[one.id] = (value + extra, _item(one, value, row), flag_weight(row[2]))
        yield one


def _item(one: Candidate, value: float, row: tuple[Any, ...]) -> Shown:
    """The item for the block, by the row of `detail`."""
    _, text, flags, source = row
    return Shown(
        id=one.id,
        kind=one.kind,
        scope=one.scope_type,
        trust=one.trust,
        confidence=one.confidence,
        updated_at=one.updated_at,
        text=text,
        score=value,
        source=source,
        labels=labels(one.confidence, flagged=flags),
    )


def _observed(visit: Visit, asked: Asked, given: dict[str, bool], counts: Counts) -> list[tuple[float, Shown]]:
    """Pending observations that match, best first."""
    pool = {known.id: known for known in observations(visit) if known.id not in given}
    found = _ordered(_scored(visit, asked, [_candidate(known) for known in pool.values()], counts))
    return [(value, pool[one.id].shown(visit, value)) for value, _, one in found]


def _candidate(known: Known) -> Candidate:
    """An observation as the scorer sees it: what nobody reviewed counts as live here, and only here."""
    one = Candidate()
    one.id, one.kind, one.trust, one.status = known.id, known.kind, known.trust, "active"
    one.scope_type, one.scope_key = known.scope.type, known.scope.key
    one.confidence, one.q_value, one.run = known.confidence, known.q_value, known.run
    one.updated_at, one.valid_from, one.expires_at = known.updated_at, known.valid_from, known.expires_at
    one.position = -1
    candidate_sets(one, unpack(known.signals))
    return one


def _render(visit: Visit, made: Offer, order: list[tuple[float, Shown]]) -> None:
    if visit.label:
        for _, item in order:
            item.labels = tuple(dict.fromkeys((*item.labels, visit.label)))
    text, kept, made.tokens = render(
        [item for _, item in order],
        bundle_id=made.bundle,
        marker=made.marker,
        now=visit.now,
        budget_tokens=visit.limits.budget_tokens,
        max_chars=visit.most_chars,
    )
    made.text = text if kept else ""
    made.tokens = made.tokens if kept else 0
    made.ids = [item.id for _, item in order[:kept]]
    made.scores = [value for value, _ in order[:kept]]
