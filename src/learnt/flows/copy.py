"""The copy that hooks read beside a store that is elsewhere: kept current, and its receipts sent on.

A hook asks nobody: it reads the copy. Whoever has the store open brings the copy up to it: an engine when it opens and
after what it wrote, a worker every now and then. What was taken over and how far that went are one transaction of the
copy, so that a process that dies in between leaves it as it was after some earlier step; and a step is refused when
another process was quicker, so that nothing that left can come back with an older answer.

The copy holds what a hook may show: active memories that the present pattern set cleared, superseded ones that lead to
their successors, observations that wait for a decision; of this user, and of the repositories used on this machine.
Nothing of that fails a command: the copy is then older, and says so.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from learnt.errors import LearntError, StoreError
from learnt.flows.receipt import disclosed
from learnt.gate.clearance import PATTERN_SET
from learnt.model.change import Batch
from learnt.model.scope import Scope, Sight

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from learnt.flows.means import Means
    from learnt.model.memory import Memory
    from learnt.model.proposal import Proposal
    from learnt.model.thread import Summary
    from learnt.ports.copy import Copy

BATCH = 100
"""Changes a step takes over: some 30 ms, in which a hook's receipt waits (it waits for 150 at most)."""

SWEPT = 2_000
SENT = 200
WITHIN_S = 0.5
"""What a command spends on the copy before it leaves the rest to the next one, or to a worker."""

FAULT, PERSON = "copy.fault", "hook.person"
_SHOWN = frozenset(("active", "superseded"))


@dataclass(frozen=True, slots=True, kw_only=True)
class Followed:
    """What was done for the copy.

    Attributes:
        taken, dropped, sent: Memories and observations that came and left, receipts that went.
        complete: Whether the copy is now equal to the store.
        fault: The code of what went wrong; "" for nothing.
    """

    taken: int = 0
    dropped: int = 0
    sent: int = 0
    complete: bool = True
    fault: str = ""


def follow(means: Means, *, everywhere: bool = False, within_s: float = WITHIN_S) -> Followed:
    """Bring the copy up to the store and send its receipts, as far as `within_s` allows; never fails.

    Args:
        everywhere: All repositories used on this machine, not this one alone.
    """
    copy = means.copy
    if copy is None:
        return Followed()
    until_s = means.monotonic_s() + within_s
    try:
        copy.begin(PATTERN_SET)
        _named(means, copy, everywhere=everywhere)
        done = Followed()
        for scope in _scopes(means, copy, everywhere=everywhere):
            done = _taken(means, copy, scope, until_s, done)
        done = replace(done, sent=_sent(means, copy))
        copy.record({FAULT: ""}, {})
    except LearntError as error:
        return _failed(means, copy, error)
    return done


def _failed(means: Means, copy: Copy, error: LearntError) -> Followed:
    """The fault, written down where `status` and `doctor` find it, if the copy can be written at all."""
    try:
        copy.record({FAULT: f"{error.error_code} {means.clock.now()}"}, {})
    except StoreError as second:
        return Followed(complete=False, fault=second.error_code)
    return Followed(complete=False, fault=error.error_code)


def _named(means: Means, copy: Copy, *, everywhere: bool) -> None:
    """Write down that this place is used here, and what the places of this machine are called by now."""
    names = {means.place.value: means.identity.repository_id}
    if everywhere:
        known = {**copy.places(), **names}
        names = {value: means.store.meta.alias(value) or held for value, held in known.items()}
    copy.record({PERSON: means.context.user_id}, names)


def _scopes(means: Means, copy: Copy, *, everywhere: bool) -> Iterable[Scope]:
    """Whose memories the hooks of this machine may show: this user's first."""
    own = [each for each in means.context.scopes if each.type == "global_user"]
    if not everywhere:
        return (*own, *(each for each in means.context.scopes if each.type == "repository"))
    return (*own, *(Scope(type="repository", repo_id=each) for each in sorted(set(copy.places().values()))))


def _taken(means: Means, copy: Copy, scope: Scope, until_s: float, done: Followed) -> Followed:
    """One scope brought up to its feed, step by step. What leaves does not wait for what comes."""
    taken = copy.mark(scope).number  # read first: the end of the feed is at least there
    behind = means.store.feed.last(scope) - taken
    if behind < 0:  # a store restored from an older backup, or another one: nothing of the copy can be relied on
        copy.begin("")
        copy.begin(PATTERN_SET)
        behind = 1
    elif behind > BATCH:
        done = replace(done, dropped=done.dropped + _swept(means, copy, scope))
    while True:
        batch = _batch(means, copy, scope, behind)
        if copy.take(batch):
            came = len(batch.memories) + len(batch.observations)
            done = replace(done, taken=done.taken + came, dropped=done.dropped + len(batch.gone))
            if batch.at:
                return done
        behind = 1
        if means.monotonic_s() > until_s:
            return replace(done, complete=False)


def _batch(means: Means, copy: Copy, scope: Scope, behind: int) -> Batch:
    """What the next entries of the feed come to. Order matters: the mark, the entries, what they name."""
    mark, now = copy.mark(scope), means.clock.now()
    entries = means.store.feed.changes(scope, mark.number, BATCH) if behind else ()
    ids = tuple(dict.fromkeys(entry.target_id for entry in entries))
    memories, observations = _shown(means, scope, ids)
    there = {memory.id for memory in memories} | {proposal.id for proposal in observations}
    return Batch(
        scope=scope,
        mark=mark,
        until=entries[-1].number if entries else mark.number,
        memories=memories,
        observations=observations,
        ties=means.store.proposals.related(Sight((scope,)), [memory.id for memory in memories]) if memories else {},
        gone=tuple(each for each in copy.held(ids) if each not in there),
        summary=_summary(means, scope),
        at=now if len(entries) < BATCH else "",
    )


def _summary(means: Means, scope: Scope) -> Summary | None:
    """What sessions are told at their start, where the present pattern set cleared it."""
    held = means.store.summaries.current(Sight((scope,))) if scope.type == "repository" else None
    return held if held is not None and held.clearance == PATTERN_SET else None


def _shown(means: Means, scope: Scope, ids: Sequence[str]) -> tuple[tuple[Memory, ...], tuple[Proposal, ...]]:
    """Those of the ids that a hook may show."""
    sight = Sight((scope,))
    named = [each for each in ids if each.startswith("prop_")]
    memories = means.store.memories.many(sight, [each for each in ids if not each.startswith("prop_")])
    proposals = [found for each in named if (found := means.store.proposals.get(sight, each)) is not None]
    return tuple(filter(_may_show, memories)), tuple(filter(_may_mention, proposals))


def _may_show(memory: Memory) -> bool:
    return memory.status in _SHOWN and memory.clearance == PATTERN_SET


def _may_mention(proposal: Proposal) -> bool:
    return proposal.observation and proposal.status == "pending" and proposal.clearance == PATTERN_SET


def _swept(means: Means, copy: Copy, scope: Scope) -> int:
    """Let everything leave that the feed takes away, before the rest is taken over; gives how much that was."""
    dropped, after = 0, copy.mark(scope).number
    while True:
        mark = copy.mark(scope)
        entries = means.store.feed.changes(scope, after, SWEPT)
        if not entries:
            return dropped
        held = copy.held(tuple(dict.fromkeys(entry.target_id for entry in entries)))
        memories, observations = _shown(means, scope, held)
        there = {memory.id for memory in memories} | {proposal.id for proposal in observations}
        gone = tuple(each for each in held if each not in there)
        if gone and not copy.take(
            Batch(scope=scope, mark=mark, until=mark.number, gone=gone, summary=_summary(means, scope))
        ):
            continue
        dropped += len(gone)
        after = entries[-1].number


def _sent(means: Means, copy: Copy) -> int:
    """Hand the receipts of hooks on, each once; gives how many.

    How far that went stands in the store, in the transaction that takes them in, so that neither a lost answer nor a
    second sender puts one in twice.
    """
    outbox, sent = copy.outbox, 0
    while outbox.waiting(0, SENT):
        with means.store.transaction():
            done, count = _handed(means, copy)
        outbox.sent(done, means.clock.now())
        sent += count
    return sent


def _handed(means: Means, copy: Copy) -> tuple[int, int]:
    """One transaction of the store: the number of the last receipt it has, and how many it took now."""
    outbox, store = copy.outbox, means.store
    row = f"copy.{outbox.name}"
    store.meta.put(f"{row}.turn", means.clock.now())  # written first: two senders of one copy take turns from here on
    done = int(store.meta.get(row) or "0")
    receipts = outbox.waiting(done, SENT)
    for _, bundle in receipts:
        store.usage.put(bundle)
        if bundle.memory_ids:
            store.events.append(disclosed(means, bundle, means.clock.now(), "hook"))
    if receipts:
        done = receipts[-1][0]
        store.meta.put(row, str(done))
    return done, len(receipts)
