"""What could be cleared away, and what the code in the work tree no longer bears out."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from learnt.flows.fresh import Looks
from learnt.model.filter import MemoryFilter, ProposalFilter
from learnt.model.pin import KEY
from learnt.stale.report import Bounds, Chain, Report, reasons, recalls_of, roles_of, weigh
from learnt.stale.whole import folded

if TYPE_CHECKING:
    from collections.abc import Iterator

    from learnt.flows.means import Means
    from learnt.model.memory import Memory
    from learnt.model.pin import Freshness, Pin, State

PAGE = 1_000
MAX_RECEIPTS, MAX_REJECTED = 100_000, 1_000
"""The newest that are counted."""
ALL = 2**31 - 1


@dataclass(frozen=True, slots=True)
class Checked:
    """One memory beside the work tree: its state, and that of each pin."""

    memory: Memory
    state: State
    pins: tuple[tuple[Pin, Freshness], ...]


@dataclass(frozen=True, slots=True)
class Staleness:
    """The report, and the active memories with pins where they were compared (None where not).

    Attributes:
        chains: The first of those memories that replaced one another. `chain_count`: how many such chains there are.
    """

    report: Report
    chains: tuple[Chain, ...]
    chain_count: int
    checked: tuple[Checked, ...] | None
    now: str


def stale(means: Means, *, check: bool = False, limit: int = 20) -> Staleness:
    """The report over everything in sight; nothing is written.

    Args:
        check: Also compare every pin of every active memory with the work tree.
        limit: Most memories in one list of the report.
    """
    now = means.clock.now()
    learning = means.settings.learning
    bounds = Bounds(suppressed_below=learning.suppression_threshold, promoted_above=learning.promotion_threshold)
    report = _begun(means, limit)
    for memory in means.store.upkeep.survey(means.context.sight):
        weigh(report, memory, now, bounds)
    chains = report.chains
    shown = means.store.memories.many(means.context.sight, [each.ids[0] for each in chains[:limit]])
    reasons_of = {each.id: each.supersedes_reason for each in shown}
    told = tuple(replace(each, reason=reasons_of.get(each.ids[0], "")) for each in chains[:limit])
    checked = tuple(_checked(means, now)) if check else None
    return Staleness(report, told, len(chains), checked, now)


def _checked(means: Means, now: str) -> Iterator[Checked]:
    """Every active memory with pins, beside the work tree."""
    looks = Looks(means)
    for memory in _active(means, now):
        if KEY in memory.metadata:
            pins = looks.compared(memory)
            if whole := folded([fresh for _, fresh in pins]):
                yield Checked(memory, whole.state, pins)


def _begun(means: Means, limit: int) -> Report:
    """The report with all that does not come from the memories."""
    sight, store = means.context.sight, means.store
    bundles = store.usage.page(sight, "", MAX_RECEIPTS)
    rejected = store.proposals.page(
        sight, ProposalFilter(statuses=("rejected",), newest_first=True, limit=MAX_REJECTED)
    )
    return Report(
        limit=limit,
        recalls=recalls_of(bundles),
        never=frozenset(store.usage.unrecalled(sight, ALL)),
        by_role=roles_of(bundles),
        rejections=reasons([each.rejection_reason or "unknown" for each in rejected.values]),
        pending=store.proposals.count(sight).get("pending", 0),
        recall_events=len(bundles),
    )


def _active(means: Means, now: str) -> Iterator[Memory]:
    """Every memory in sight that holds now, latest change first."""
    after = ""
    while True:
        page = means.store.memories.page(means.context.sight, MemoryFilter(limit=PAGE, after=after), now)
        yield from page.values
        if not page.next:
            return
        after = page.next
