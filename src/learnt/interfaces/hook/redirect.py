"""A prompt in the old words finds what holds now, as the engine redirects it (see `learnt.flows.redirect`).

A store without superseded memories pays one look into an index, and never loads this. Of the others a bound is worked
out from the words they share with the prompt; only those whose successor could still have a place are read and scored.
"""

from __future__ import annotations

from learnt.interfaces.hook.known import MAX_ITEMS
from learnt.recall.factors import (
    CONFIDENCE_WEIGHT,
    FILE_WEIGHT,
    FTS_BONUS,
    KIND_WEIGHT,
    SCOPE_WEIGHT,
    SPECIFICITY,
    SYMBOL_WEIGHT,
    TAG_WEIGHT,
    TEXT_WEIGHT,
    Overlaps,
    barred,
    has_signal,
    is_telling,
    places,
    score,
)
from learnt.stores.index.narrow import candidate
from learnt.stores.sqlite.narrow import listed

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import Any

    from learnt.interfaces.hook.visit import Visit
    from learnt.model.candidate import Candidate
    from learnt.recall.factors import Asked

    Scored = tuple[float, float, Candidate]
    """Score, full-text bonus, candidate."""

_SAME = 1e-9
_BARE = "\n\n\n\n\n"
"""How the token sets of a memory end that has a text and nothing else."""


def redirected(
    visit: Visit, asked: Asked, found: list[Scored], old: Sequence[tuple[Any, ...]], given: dict[str, bool]
) -> list[Scored]:
    """`found` with the successors of those superseded memories that answer the prompt, best first.

    Args:
        found: Best first, without what was given.
        old: Rows of superseded memories (the statement `retired`).
    """
    kept: Sequence[Candidate] = places((one for _, _, one in found), MAX_ITEMS)
    names = {one.id for one in kept}
    own = {each[2].id: each for each in found if each[2].id in names}
    floor = visit.limits.min_score
    if len(own) == MAX_ITEMS:  # a successor below the last of these has no place, with a bonus of its own or without
        floor = max(floor, min(value + extra for value, extra, _ in own.values()) - FTS_BONUS)
    best = _answering(visit, asked, list(_possible(visit, asked, old, floor - _SAME)))
    successors = _successors(visit, asked, best, given) if best else []
    if not successors:
        return found
    for one, value in successors:
        held = own.get(one.id)
        if held is None:
            own[one.id] = (value, 0.0, one)
        elif held[0] < value:
            own[one.id] = (value, held[1], held[2])
    return sorted(own.values(), key=lambda each: (-round(each[0] + each[1], 9), each[2].id))


def _possible(visit: Visit, asked: Asked, old: Sequence[tuple[Any, ...]], floor: float) -> Iterator[int]:
    """Rows of those that share a word of text or tags with the prompt, and may score as much as `floor`."""
    shared, size, q_weight = asked.side.intersection, len(asked.side) or 1, asked.q_weight
    fixed = {scope.no: SCOPE_WEIGHT * SPECIFICITY[scope.type] + KIND_WEIGHT / 2 for scope in visit.scopes}
    for row, no, confidence, q_value, signals in old:
        text, _, rest = signals.partition("\n")
        hits = len(shared(text.split(" ")))
        bare = signals.endswith(_BARE)
        if not hits and (bare or not shared(rest.partition("\n")[0].split(" "))):
            continue
        most = TEXT_WEIGHT * hits / size + (0.0 if bare else TAG_WEIGHT + FILE_WEIGHT + SYMBOL_WEIGHT)
        if most + fixed[no] + CONFIDENCE_WEIGHT * confidence + q_weight * (q_value - 0.5) >= floor:
            yield row


def _answering(visit: Visit, asked: Asked, rows: list[int]) -> dict[str, float]:
    """The superseded memories that would be shown if they still held, with their scores, best first."""
    if not rows:
        return {}
    scopes = {scope.no: (scope.key, scope.type) for scope in visit.scopes}
    read = visit.rows("retired_rows", {"rows": listed(rows), "scopes": listed(scopes)})
    scored = [
        (value, one)
        for one in (candidate(row, scopes[row[2]]) for row in read)
        if one.kind not in visit.limits.exclude_kinds and not barred(asked, one)
        for value in _worth(visit, asked, one)
    ]
    scored.sort(key=lambda each: (-round(each[0], 9), each[1].id))
    names = {one.id for one in places((one for _, one in scored), MAX_ITEMS)}
    return {one.id: value for value, one in scored if one.id in names}


def _worth(visit: Visit, asked: Asked, one: Candidate) -> Iterator[float]:
    """Its score, where it would be shown."""
    overlaps = Overlaps(asked, one)
    if asked.signal and not has_signal(asked, overlaps):
        return
    value = score(asked, one, overlaps)
    if value + _SAME >= visit.limits.min_score and is_telling(asked, one, overlaps):
        yield value


def _successors(
    visit: Visit, asked: Asked, best: dict[str, float], given: dict[str, bool]
) -> list[tuple[Candidate, float]]:
    """The live end of each chain that may be shown, with the best score that led there."""
    scopes = {scope.no: (scope.key, scope.type) for scope in visit.scopes}
    values: dict[str, object] = {"ids": "[" + ",".join(f'"{name}"' for name in best) + "]", "scopes": listed(scopes)}
    found: dict[str, tuple[Candidate, float]] = {}
    for origin, *row in visit.rows("successors", values):
        one = candidate(tuple(row), scopes[row[2]])
        if one.id in given or one.kind in visit.limits.exclude_kinds or barred(asked, one):
            continue
        if one.id not in found or found[one.id][1] < best[origin]:
            found[one.id] = (one, best[origin])
    return list(found.values())
