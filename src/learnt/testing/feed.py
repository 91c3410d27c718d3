"""How a store tells what changed."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING

from learnt.testing import samples
from learnt.testing.base import Base, OnPurposeError, undone

if TYPE_CHECKING:
    from collections.abc import Callable

    from learnt.model.memory import Memory
    from learnt.model.proposal import Proposal
    from learnt.model.scope import Scope, Sight
    from learnt.ports.store import Store


def put(store: Store, *values: Memory | Proposal) -> None:
    """Store some values, a transaction each, beside somebody who follows the feed."""
    store.feed.last(values[0].scope)
    for value in values:
        with store.transaction():
            if value.id.startswith("prop_"):
                store.proposals.put(value)  # type: ignore[arg-type]
            else:
                store.memories.put(value)  # type: ignore[arg-type]


def told(store: Store, scope: Scope, after: int = 0, limit: int = 100) -> list[str]:
    """The ids of the feed after a place."""
    return [each.target_id for each in store.feed.changes(scope, after, limit)]


class FeedSuite(Base):
    """The feed of changes."""

    def test_every_write_of_a_memory_is_told(self, store: Store, scope: Scope) -> None:
        """New, changed or retired: in order of the commits, numbered from 1 without a gap."""
        one, two = samples.memory(scope, "one"), samples.memory(scope, "two")
        put(store, one, two, replace(one, status="superseded"))
        assert told(store, scope) == [one.id, two.id, one.id]
        assert [each.number for each in store.feed.changes(scope, 0, 100)] == [1, 2, 3]
        assert store.feed.last(scope) == 3

    def test_what_was_there_before_is_told(self, store: Store, scope: Scope) -> None:
        """Also when nobody had asked for the feed when it was written."""
        memory, seen = samples.memory(scope), samples.proposal(scope, "seen once", observation=True)
        with store.transaction():
            store.memories.put(memory)
            store.proposals.put(seen)
            store.proposals.put(samples.proposal(scope, "asked for"))
        assert sorted(told(store, scope)) == sorted([memory.id, seen.id])

    def test_it_goes_on_from_a_place(self, store: Store, scope: Scope) -> None:
        """After a number, at most as many as asked for; nothing after the last."""
        made = [samples.memory(scope, f"fact {number}") for number in range(5)]
        put(store, *made)
        assert told(store, scope, after=1, limit=2) == [made[1].id, made[2].id]
        assert told(store, scope, after=5) == []

    def test_an_empty_scope_tells_nothing(self, store: Store, scope: Scope, foreign: Scope) -> None:
        """What happens in one scope is not told in another."""
        put(store, samples.memory(foreign))
        assert told(store, scope) == []
        assert store.feed.last(scope) == 0

    def test_observations_are_told_until_they_are_decided(self, store: Store, scope: Scope) -> None:
        """When they come and when they go; a proposal nobody is shown is nobody's matter."""
        seen = samples.proposal(scope, "seen once", observation=True)
        asked = samples.proposal(scope, "asked for")
        put(store, seen, asked, replace(seen, status="rejected"), replace(seen, status="rejected"))
        assert told(store, scope) == [seen.id, seen.id]

    def test_what_a_memory_proved_worth_is_told(self, store: Store, scope: Scope, sight: Sight) -> None:
        """A learned value is a change like any other."""
        memory = samples.memory(scope)
        put(store, memory)
        with store.transaction():
            store.usage.reward(sight, (), {memory.id: 0.25})
        assert told(store, scope) == [memory.id, memory.id]

    def test_what_was_undone_is_not_told(self, store: Store, scope: Scope) -> None:
        """A number is given to what was committed."""
        with suppress(OnPurposeError):
            undone(store, lambda: store.memories.put(samples.memory(scope, "never")))
        kept = samples.memory(scope, "kept")
        put(store, kept)
        assert [(each.number, each.target_id) for each in store.feed.changes(scope, 0, 9)] == [(1, kept.id)]

    def test_no_number_is_late(self, reopen: Callable[[], Store], store: Store, scope: Scope) -> None:
        """Beside several writers a reader that follows the numbers misses nothing."""

        def write(writer: int) -> None:
            own = reopen()
            put(own, *(samples.memory(scope, f"fact {writer} {number}") for number in range(15)))
            if own is not store:
                own.close()

        seen: list[int] = []
        with ThreadPoolExecutor() as pool:
            writers = [pool.submit(write, writer) for writer in range(3)]
            writing = True
            while writing:
                writing = not all(each.done() for each in writers)
                seen += [each.number for each in store.feed.changes(scope, seen[-1] if seen else 0, 50)]
        assert [each.exception() for each in writers] == [None] * 3
        assert seen == list(range(1, 46))
