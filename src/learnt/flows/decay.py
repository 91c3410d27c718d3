"""What grows old by its kind is given the day on which it stops holding. Nothing is removed or hidden by that."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from learnt.flows.trade import Trade, known
from learnt.jobs.schedule import period, period_s
from learnt.model.filter import MemoryFilter
from learnt.model.job import Done, JobRequest, Released
from learnt.model.keys import short_id
from learnt.model.scope import Sight, scope_of
from learnt.stale.decay import HALF_LIFE_DAYS, expiry

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from learnt.flows.lease import Grip
    from learnt.flows.means import Means
    from learnt.model.job import Ending

BATCH = 500
_KINDS = tuple(sorted(HALF_LIFE_DAYS))
_LASTING = frozenset({"global_user", "workspace", "project", "repository", "channel", "team", "organization"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Decayed:
    """How many memories were looked at, how many were given an expiry, and the events that tell of it."""

    inspected: int = 0
    changed: int = 0
    events: tuple[str, ...] = ()


def decay(means: Means) -> Decayed:
    """Give everything in sight that grows old by its kind its expiry."""
    sight, changed, events = means.context.sight, 0, []
    inspected, aging = _looked(means, sight)
    for batch in _batches(aging):
        event, number = _age(means, sight, batch, lambda: None)
        changed += number
        events += [event] if event else []
    return Decayed(inspected=inspected, changed=changed, events=tuple(events))


def _looked(means: Means, sight: Sight) -> tuple[int, tuple[str, ...]]:
    """How many memories were looked at, and the ids of those that are to be given an expiry."""
    now, inspected, aging = means.clock.now(), 0, []
    for memory in means.store.upkeep.survey(sight):
        inspected += 1
        if expiry(memory, now):
            aging.append(memory.id)
    return inspected, tuple(aging)


def _batches(names: tuple[str, ...]) -> Iterator[tuple[str, ...]]:
    return (names[begin : begin + BATCH] for begin in range(0, len(names), BATCH))


def _age(means: Means, sight: Sight, batch: tuple[str, ...], hold: Callable[[], None]) -> tuple[str, int]:
    """Change what is to change of a batch, and tell of it; gives the event ("" for none) and how many."""
    now, before = means.clock.now(), {}
    with means.store.transaction():
        hold()
        held = means.store.memories.many(sight, batch)
        means.name_place()
        for memory in held:
            if end := expiry(memory, now):
                means.store.memories.put(replace(memory, expires_at=end))
                before[memory.id] = memory.expires_at
        if not before:
            return "", 0
        event = means.event("decay", "memories", now, {"memories_decayed": len(before), "before": before})
        means.store.events.append(event)
    return event.id, len(before)


def _run(grip: Grip) -> Ending:
    sight, done = Sight((scope_of(grip.job.scope_key),)), 0
    for batch in _batches(_looked(grip.means, sight)[1]):
        if grip.ends:
            return Released()
        done += _age(grip.means, sight, batch, grip.hold)[1]
        grip.tell(done, 0)
    return Done()


def _wanted(means: Means) -> tuple[JobRequest, ...]:
    """One job for each lasting scope of this context, as often as memories are consolidated."""
    wanted = means.settings.consolidation
    if not (wanted.enabled and wanted.decay):
        return ()
    number = period(period_s("30d" if wanted.cron == "monthly" else wanted.cron), means.store.queue.backlog().now)
    found = []
    for scope in means.context.sight:
        key = short_id(scope.key)
        job = known(means, "decay", key)
        asked = job is not None and job.watermark >= number
        if scope.type in _LASTING and not asked and _any(means, Sight((scope,))):
            name = means.ids.new("job")
            found.append(JobRequest(id=name, kind="decay", key=key, scope_key=scope.key, watermark=number))
    return tuple(found)


def _any(means: Means, sight: Sight) -> bool:
    """Whether there is anything that grows old."""
    return bool(means.store.memories.page(sight, MemoryFilter(kinds=_KINDS, limit=1), means.clock.now()).values)


DECAY = Trade(kind="decay", run=_run, wanted=_wanted)
