"""What could be cleared away: the maintenance report of the swarm-memory seed.

One pass over the memories in any order; of each list those changed last are kept and all are counted, so that a hundred
thousand memories cost no more room than twenty.
"""

from __future__ import annotations

from bisect import insort
from collections import Counter
from dataclasses import dataclass, field
from math import exp, log
from typing import TYPE_CHECKING

from learnt.model.instant import to_epoch
from learnt.model.reward import is_promotable

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from learnt.model.brief import Brief
    from learnt.model.ranking import Bundle

LOW_UTILITY = 0.2
"""Importance below which a memory that was never recalled is of low utility. Source: swarm-memory seed."""
LISTS = (
    "deleted",
    "expiredScratch",
    "superseded",
    "lowUtility",
    "neverRecalled",
    "lowQValue",
    "promotionCandidates",
)
_DAY_S = 86_400


@dataclass(frozen=True, slots=True, kw_only=True)
class Recalled:
    """How often a memory was given to somebody.

    Attributes:
        score: The mean of its scores.
    """

    count: int = 0
    last_at: str = ""
    roles: tuple[str, ...] = ()
    score: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Chain:
    """Memories that replaced one another, oldest first.

    Attributes:
        reason: Why the first was replaced.
    """

    ids: tuple[str, ...]
    reason: str = ""


@dataclass(slots=True)
class Report:
    """The report while it is made, and when it is done.

    Attributes:
        lists: Of each list the memories changed last, then by id.
        totals: How many each list would hold.
        recalls: Of the memories that were recalled.
        never: Ids of active memories that are in no receipt at all, however old, and whoever's.
        links: Of what was replaced its successor. `chains` follow from them.
        rejections: Reason and how often it was given.
    """

    limit: int
    total: int = 0
    active: int = 0
    lists: dict[str, list[Brief]] = field(default_factory=lambda: {name: [] for name in LISTS})
    totals: Counter[str] = field(default_factory=Counter)
    recalls: Mapping[str, Recalled] = field(default_factory=dict)
    never: frozenset[str] = frozenset()
    by_role: Mapping[str, tuple[int, tuple[str, ...]]] = field(default_factory=dict)
    links: dict[str, str] = field(default_factory=dict)
    rejections: tuple[tuple[str, int], ...] = ()
    pending: int = 0
    recall_events: int = 0

    def put(self, name: str, memory: Brief) -> None:
        """Count a memory in a list, and keep it while it is among those changed last."""
        self.totals[name] += 1
        held = self.lists[name]
        if len(held) < self.limit or memory.updated_at >= held[-1].updated_at:
            insort(held, memory, key=_order)
            del held[self.limit :]

    @property
    def chains(self) -> tuple[Chain, ...]:
        """The superseded chains, by their oldest memory; a circle is cut where it closes."""
        later = set(self.links.values())
        return tuple(Chain(ids=self._from(root)) for root in sorted(old for old in self.links if old not in later))

    def _from(self, root: str) -> tuple[str, ...]:
        ids = {root: None}
        last = root
        while (last := self.links.get(last, root)) not in ids:
            ids[last] = None
        return tuple(ids)


def _order(memory: Brief) -> tuple[int, str]:
    """Latest change first, then by id."""
    return -int("".join(filter(str.isdigit, memory.updated_at))), memory.id


@dataclass(frozen=True, slots=True, kw_only=True)
class Bounds:
    """Where a learned value suppresses and where it promotes; both bounds are outside."""

    suppressed_below: float = 0.15
    promoted_above: float = 0.85


def importance(*, confidence: float, created_days: float, recalled: Recalled, recalled_days: float) -> float:
    """How much a memory is worth keeping, 0 to about 0.8.

    0.2 e^(-0.05 d_recall) + 0.2 ln(1 + n) / ln 51 + 0.15 e^(-0.01 d_created) + 0.25 confidence; the first two are 0 for
    a memory that was never recalled. Source: swarm-memory seed, maintenance.
    """
    used = 0.2 * exp(-0.05 * recalled_days) + 0.2 * log(1 + recalled.count) / log(51) if recalled.count else 0.0
    return used + 0.15 * exp(-0.01 * created_days) + 0.25 * confidence


def weigh(report: Report, memory: Brief, now: str, bounds: Bounds) -> None:
    """Put one memory into the lists it belongs to."""
    report.total += 1
    if memory.superseded_by:
        report.links[memory.id] = memory.superseded_by
    if memory.status in {"deleted", "superseded"}:
        report.put(memory.status, memory)
        return
    if memory.expires_at is not None and memory.expires_at <= now:
        if memory.kind == "scratch":
            report.put("expiredScratch", memory)
        return
    if memory.status == "active":
        _living(report, memory, now, bounds)


def _living(report: Report, memory: Brief, now: str, bounds: Bounds) -> None:
    report.active += 1
    recalled = report.recalls.get(memory.id, Recalled())
    if memory.id in report.never:
        report.put("neverRecalled", memory)
        if value_of(memory, recalled, now) < LOW_UTILITY:
            report.put("lowUtility", memory)
    if memory.q_value < bounds.suppressed_below:
        report.put("lowQValue", memory)
    if is_promotable(memory.q_value, recalled.count, bounds.promoted_above):
        report.put("promotionCandidates", memory)


def value_of(memory: Brief, recalled: Recalled, now: str) -> float:
    """The importance of a memory at an instant."""
    return importance(
        confidence=memory.confidence,
        created_days=_days(memory.created_at, now),
        recalled=recalled,
        recalled_days=_days(recalled.last_at, now) if recalled.count else 0.0,
    )


def _days(at: str, now: str) -> float:
    return max(0.0, (to_epoch(now) - to_epoch(at)) / _DAY_S)


def recalls_of(bundles: Iterable[Bundle]) -> Mapping[str, Recalled]:
    """How often, when last, for whom and how well each memory was recalled."""
    times: Counter[str] = Counter()
    last: dict[str, str] = {}
    roles: dict[str, dict[str, None]] = {}
    scores: Counter[str] = Counter()
    for bundle in bundles:
        for memory_id, score in zip(bundle.memory_ids, bundle.scores, strict=False):
            times[memory_id] += 1
            scores[memory_id] += score  # type: ignore[assignment]
            last[memory_id] = max(last.get(memory_id, ""), bundle.timestamp)
            roles.setdefault(memory_id, {})[bundle.agent_role] = None
    return {
        name: Recalled(count=count, last_at=last[name], roles=tuple(sorted(roles[name])), score=scores[name] / count)
        for name, count in times.items()
    }


def roles_of(bundles: Iterable[Bundle]) -> Mapping[str, tuple[int, tuple[str, ...]]]:
    """How many recalls each role asked for, and which memories they gave."""
    times: Counter[str] = Counter()
    given: dict[str, dict[str, None]] = {}
    for bundle in bundles:
        times[bundle.agent_role] += 1
        given.setdefault(bundle.agent_role, {}).update(dict.fromkeys(bundle.memory_ids))
    return {role: (count, tuple(given[role])) for role, count in times.most_common()}


def reasons(given: Sequence[str]) -> tuple[tuple[str, int], ...]:
    """Reasons of rejections, most frequent first, then by letter."""
    return tuple(sorted(Counter(given).items(), key=lambda each: (-each[1], each[0])))
