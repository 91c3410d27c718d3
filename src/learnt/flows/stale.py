"""What could be cleared away, and what the code in the work tree no longer bears out."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from learnt.flows.fresh import Looks
from learnt.model.filter import MemoryFilter, ProposalFilter
from learnt.model.pin import KEY
from learnt.stale.report import Bounds, Report, reasons, recalls_of, roles_of, weigh
from learnt.stale.whole import folded

if TYPE_CHECKING:
    from collections.abc import Iterator

    from learnt.flows.means import Means
    from learnt.model.memory import Memory
    from learnt.model.pin import Freshness, Pin, State

PAGE = 1_000
MAX_RECEIPTS, MAX_REJECTED = 100_000, 1_000
"""The newest that are counted."""


@dataclass(frozen=True, slots=True)
class Checked:
    """One memory beside the work tree: its state, and that of each pin."""

    memory: Memory
    state: State
    pins: tuple[tuple[Pin, Freshness], ...]


@dataclass(frozen=True, slots=True)
class Staleness:
    """The report, and the active memories with pins where they were compared (None where not)."""

    report: Report
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
    looks = Looks(means)
    checked: list[Checked] = []
    for memory in _every(means, now):
        weigh(report, memory, now, bounds)
        if check and _stands(memory, now):
            pins = looks.compared(memory)
            whole = folded([fresh for _, fresh in pins])
            checked += [Checked(memory, whole.state, pins)] if whole else []
    return Staleness(report, tuple(checked) if check else None, now)


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
        by_role=roles_of(bundles),
        rejections=reasons([each.rejection_reason or "unknown" for each in rejected.values]),
        pending=store.proposals.count(sight).get("pending", 0),
        recall_events=len(bundles),
    )


def _every(means: Means, now: str) -> Iterator[Memory]:
    """Every memory in sight, whatever its status, latest change first."""
    after = ""
    while True:
        wanted = MemoryFilter(statuses=(), include_expired=True, limit=PAGE, after=after)
        page = means.store.memories.page(means.context.sight, wanted, now)
        yield from page.values
        if not page.next:
            return
        after = page.next


def _stands(memory: Memory, now: str) -> bool:
    return (
        memory.status == "active" and KEY in memory.metadata and (memory.expires_at is None or memory.expires_at > now)
    )
