"""Hits beside the work tree and beside their flags.

What its code no longer bears out is labelled, ranked lower, or left out; what readers flagged is labelled and ranked
lower.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from learnt.model.pin import pins_of
from learnt.recall.factors import flag_label, flag_weight
from learnt.stale.match import compare
from learnt.stale.whole import WEIGHTS, folded, told

if TYPE_CHECKING:
    from learnt.flows.means import Means
    from learnt.model.memory import Memory
    from learnt.model.pin import Freshness, Pin
    from learnt.model.ranking import Hit, Query
    from learnt.model.view import Look

MAX_LOOKS = 64
"""Files one recall looks at; pins beyond them count as unknown."""


class Looks:
    """The files of one operation, each looked at once.

    Args:
        most: How many may be looked at; None for any number.
    """

    def __init__(self, means: Means, most: int | None = None) -> None:
        self._means = means
        self._most = most
        self._seen: dict[str, Look] = {}

    def compared(self, memory: Memory) -> tuple[tuple[Pin, Freshness], ...]:
        """Every pin of a memory with how it compares; unknown where the memory belongs to another repository."""
        here = memory.scope.repo_id == self._means.identity.repository_id
        return tuple(
            (pin, compare(pin, self._look(pin.path) if here else "unreadable")) for pin in pins_of(memory.metadata)
        )

    def _look(self, path: str) -> Look:
        if path not in self._seen:
            if self._most is not None and len(self._seen) >= self._most:
                return "unreadable"
            self._seen[path] = self._means.workplace.look(path)
        return self._seen[path]


def applies(query: Query) -> bool:
    """Whether a recall is held against the work tree: in our own profile, and not for a past moment."""
    return query.profile == "default" and query.as_of is None


def weighed(means: Means, query: Query, hits: tuple[Hit, ...]) -> tuple[tuple[Hit, ...], dict[str, int]]:
    """The hits in their new order, and how many were flagged, changed, moved, gone and hidden.

    Flags count in every profile; in the seed's they change the order of what was found. Hits that keep their score keep
    their order among themselves; the others fall behind those they are now below. Gone is hidden in injection.
    `min_score` was applied to the score before: a changed or flagged memory is shown lower, never lost.
    """
    looks = Looks(means, MAX_LOOKS)
    counts: dict[str, int] = {}
    kept: list[tuple[float, Hit]] = []
    least = float("inf")
    for found in hits:
        least = min(least, found.score + found.signals.get("ftsBonus", 0.0))
        hit, place = found, least
        if flags := hit.memory.flags:
            counts["flaggedCount"] = counts.get("flaggedCount", 0) + 1
            hit, place = _told(hit, flag_label(flags), flag_weight(flags)), place * flag_weight(flags)
        state = folded([compared for _, compared in looks.compared(hit.memory)]) if applies(query) else None
        label = told(state)
        if state is None or not label:
            kept.append((place, hit))
            continue
        hidden = state.state == "gone" and query.mode == "injection"
        name = "hiddenGoneCount" if hidden else f"{state.state}Count"
        counts[name] = counts.get(name, 0) + 1
        if not hidden:
            kept.append((place * WEIGHTS.get(state.state, 1.0), _told(hit, label, WEIGHTS.get(state.state))))
    kept.sort(key=lambda each: -round(each[0], 9))
    return tuple(hit for _, hit in kept), counts


def _told(hit: Hit, label: str, weight: float | None) -> Hit:
    """A hit that says what became of its code, or what readers have against it."""
    if weight is None:
        return replace(hit, labels=(*hit.labels, label))
    reason = f"{hit.reason}; {label}: score x {weight:g}"
    return replace(hit, score=hit.score * weight, labels=(*hit.labels, label), reason=reason)
