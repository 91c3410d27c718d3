"""What was retired or ran out leaves for good: when a person says so, or, where one set it, now and then by itself.

In batches, each a transaction with its own event: others go on writing in between, and a crash leaves whole batches. A
memory that somebody took back since the batch was read stays.
"""

from __future__ import annotations

from collections import Counter
from contextlib import suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from learnt.errors import LearntError, StoreBusyError, StoreError
from learnt.flows import learned
from learnt.flows.decide import person_required
from learnt.model.instant import plus_days
from learnt.stale.leave import WHYS, why

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from learnt.flows.means import Means
    from learnt.model.answer import Refusal
    from learnt.model.memory import Memory

BATCH = 500
"""Memories of one transaction, and ids in one event: some 10 KB."""
_FAILED = ".failed"
MANUAL, RECALLS = "manual", "recalls"
"""What set a compaction off."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Compacted:
    """What a compaction took away, or would.

    Attributes:
        removed: How many for each reason of `learnt.stale.leave.WHYS`.
        inspected: How many memories were looked at.
        remaining: How many memories of any status are left, or would be.
        freed_bytes: By how much the store's file is smaller; 0 where the space is used again later.
        log_bytes: What still lies in a log, because somebody reads from it.
        shrunk: False where others were writing for too long: the room is given back by the next one.
        events: The events that tell of it.
    """

    dry_run: bool
    removed: Mapping[str, int]
    inspected: int
    remaining: int
    freed_bytes: int = 0
    log_bytes: int = 0
    shrunk: bool = True
    events: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Cleanup:
    """How what was retired leaves.

    Attributes:
        automatic: Whether it leaves by itself; if so after `every_recalls`, and `undo_days` after it was retired.
        counted_since: Since when recalls are counted; "" for the beginning.
        failure: Code and moment of the last run by itself, where that failed.
    """

    automatic: bool
    every_recalls: int
    undo_days: int
    counted_since: str = ""
    failure: str = ""


def cleanup(means: Means) -> Cleanup:
    """How what was retired leaves here."""
    wanted = means.settings.compaction
    automatic = wanted.enabled and wanted.every_recalls > 0
    return Cleanup(
        automatic=automatic,
        every_recalls=wanted.every_recalls,
        undo_days=wanted.undo_days,
        counted_since=_mark(means) if automatic else "",
        failure=means.store.meta.get(_row(means, _FAILED)) or "" if automatic else "",
    )


@dataclass(slots=True)
class _Run:
    """One compaction under way."""

    means: Means
    now: str
    before: str = ""
    trigger: str = MANUAL
    threshold: int = 0
    inspected: int = 0
    removed: Counter[str] = field(default_factory=Counter)
    events: list[str] = field(default_factory=list)


def compact(means: Means, *, confirm: bool = False) -> Compacted | Refusal:
    """Count what would leave everything in sight, or take it away.

    Args:
        confirm: Take it away: for a person alone.
    """
    if confirm and (refused := person_required(means, "compact")):
        return refused
    run = _Run(means, _sound_now(means))
    leaving = _looked(run)
    if confirm:
        _taken(run, leaving)
    else:
        run.removed.update(leaving.values())
    return _told(run, dry_run=not confirm, shrunk=_shrunk(means) if confirm else {})


def _sound_now(means: Means) -> str:
    """The present by the queue's clock, which nobody sets, where the wall clock is ahead: it removes nothing early."""
    return min(means.clock.now(), means.store.queue.backlog().now)


def _shrunk(means: Means) -> Mapping[str, int] | None:
    """What letting go of what is left behind came to; None where others were writing for too long."""
    try:
        return means.store.upkeep.shrink()
    except StoreBusyError:
        return None


def compact_if_due(means: Means) -> str:
    """Compact after so many recalls, where a person set it; gives "" or the code of what went wrong.

    Only expired scratch, and what was retired longer ago than the time in which it may be taken back. The count begins
    anew before anything is done, so that what fails is tried again after as many recalls, not at each.
    """
    wanted = means.settings.compaction
    if not wanted.enabled or not wanted.every_recalls:
        return ""
    try:
        now = _sound_now(means)
        if _is_due(means) and _begun(means, now):
            before = plus_days(now, -wanted.undo_days)
            run = _Run(means, now, before=before, trigger=RECALLS, threshold=wanted.every_recalls)
            _taken(run, _looked(run))
            _noted(run)
            _remember(means, "")
    except LearntError as error:
        with suppress(StoreError):  # it may be the store that fails
            _remember(means, f"{error.error_code} {means.clock.now()}")
        return error.error_code
    return ""


def _remember(means: Means, failure: str) -> None:
    """Write down how the last run by itself failed, for `learnt status`; "" for not at all."""
    if (means.store.meta.get(_row(means, _FAILED)) or "") != failure:
        with means.store.transaction():
            means.store.meta.put(_row(means, _FAILED), failure)


def _is_due(means: Means) -> bool:
    """Whether as many recalls were receipted since the mark, those of hooks included."""
    wanted = means.settings.compaction.every_recalls
    newest = means.store.usage.page(means.context.sight, "", wanted)
    return len(newest) >= wanted and newest[-1].timestamp > _mark(means)


def _begun(means: Means, now: str) -> bool:
    """Begin to count anew; False where another process just did."""
    with means.store.transaction():
        due = _is_due(means)
        if due:
            means.store.meta.put(_row(means), now)
    return due


def _noted(run: _Run) -> None:
    """One event tells of a run by itself also when nothing left; what left is gone from the file at last."""
    if run.events:
        run.means.store.upkeep.shrink(whole=False)
        return
    with run.means.store.transaction():
        _tell(run, {})


def _looked(run: _Run) -> dict[str, str]:
    """Look at every memory in sight; gives by id why it is to leave."""
    found: dict[str, str] = {}
    for memory in run.means.store.upkeep.survey(run.means.context.sight):
        run.inspected += 1
        if reason := why(memory, run.now, run.before):
            found[memory.id] = reason
    return found


def _taken(run: _Run, leaving: Iterable[str]) -> None:
    names = tuple(leaving)
    learned.leave(run.means)
    for begin in range(0, len(names), BATCH):
        _take(run, names[begin : begin + BATCH])


def _take(run: _Run, batch: Sequence[str]) -> None:
    """Remove a batch and tell of it, in one transaction."""
    means = run.means
    with means.store.transaction():
        held = means.store.memories.many(means.context.sight, batch)
        means.name_place()
        whys = _whys(run, held)
        gone = {name: whys[name] for name in means.store.memories.remove(means.context.sight, tuple(whys))}
        if gone:
            _tell(run, gone)
    if gone:
        learned.leave(means, [each for each in held if each.id in gone])
    run.removed.update(gone.values())


def _whys(run: _Run, memories: Sequence[Memory]) -> dict[str, str]:
    found = {each.id: why(each, run.now, run.before) for each in memories}
    return {name: each for name, each in found.items() if each}


def _tell(run: _Run, gone: Mapping[str, str]) -> None:
    detail = {
        "trigger": run.trigger,
        "threshold": run.threshold,
        "rowsInspected": run.inspected,
        "rowsPurged": len(gone),
        "removed": {each: [name for name, held in gone.items() if held == each] for each in WHYS},
    }
    event = run.means.event("compaction", "memories", run.now, detail)
    run.means.store.events.append(event)
    run.events.append(event.id)


def _told(run: _Run, *, dry_run: bool, shrunk: Mapping[str, int] | None) -> Compacted:
    held = sum(run.means.store.memories.count(run.means.context.sight).values())
    return Compacted(
        dry_run=dry_run,
        removed={each: run.removed[each] for each in WHYS},
        inspected=run.inspected,
        remaining=held - run.removed.total() if dry_run else held,
        freed_bytes=max(0, (shrunk or {}).get("freed_bytes", 0)),
        log_bytes=(shrunk or {}).get("log_bytes", 0),
        shrunk=shrunk is not None,
        events=tuple(run.events),
    )


def _mark(means: Means) -> str:
    return means.store.meta.get(_row(means)) or ""


def _row(means: Means, what: str = "") -> str:
    return f"compaction{what}.{means.identity.repository_id}"
