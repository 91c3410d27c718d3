"""A Hypothesis machine that does at random what a store is for, beside a dictionary that says what is right."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING, ClassVar

from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from learnt.audit.chain import verify
from learnt.model.filter import MemoryFilter
from learnt.model.outcome import RESULTS
from learnt.model.scope import Sight
from learnt.model.tokens import query_terms
from learnt.testing import samples
from learnt.testing.base import OnPurposeError, undone
from learnt.testing.fakes import FixedClock

if TYPE_CHECKING:
    from collections.abc import Callable

    from learnt.model.memory import Memory
    from learnt.model.outcome import Result
    from learnt.ports.store import Store

SCOPES = (samples.repository("machine-a"), samples.repository("machine-b"), samples.user("machine-u"))
TEXTS = ("Alpha one.", "Beta two.", "Gamma three.", "日本語 alpha.", "")
scopes = st.sampled_from(SCOPES)
texts = st.sampled_from(TEXTS[:4])
statuses = st.sampled_from(["active", "superseded", "deleted", "quarantined"])


class Judging(RuleBasedStateMachine):
    """What readers say of memories, and take back: each memory counts exactly that."""

    clock: FixedClock
    model: dict[str, Memory]
    store: Store

    def __init__(self) -> None:
        super().__init__()
        self.said: dict[str, list[str]] = {}
        self.flags: dict[str, set[str]] = {}
        self.told = 0

    @precondition(lambda self: self.model)
    @rule(data=st.data(), result=st.sampled_from(RESULTS), kept=st.booleans())
    def judge(self, data: st.DataObject, result: Result, *, kept: bool) -> None:
        """Say what became of a memory, or begin to and fail."""
        memory = data.draw(st.sampled_from(sorted(self.model.values(), key=lambda each: each.id)))
        self.told += 1
        outcome = samples.outcome(memory, self.told, result=result)
        if not kept:
            with suppress(OnPurposeError):
                undone(self.store, lambda: self.store.outcomes.add(memory.scope, outcome))
            return
        with self.store.transaction():
            self.store.outcomes.add(memory.scope, outcome)
        self.said.setdefault(memory.id, []).append(result)

    @precondition(lambda self: self.model)
    @rule(
        data=st.data(), by=st.sampled_from(["a", "b", "c"]), what=st.sampled_from(["flag", "flag", "unflag", "clear"])
    )
    def flag(self, data: st.DataObject, by: str, what: str) -> None:
        """Flag a memory, withdraw a flag, clear them all."""
        memory = data.draw(st.sampled_from(sorted(self.model.values(), key=lambda each: each.id)))
        sight, open_ = Sight((memory.scope,)), self.flags.setdefault(memory.id, set())
        self.clock.advance(1)
        with self.store.transaction():
            if what == "flag":
                self.store.flags.put(memory.scope, samples.flag(memory, by))
                open_.add(by)
            elif what == "unflag":
                assert self.store.flags.withdraw(sight, memory.id, by) == (by in open_)
                open_.discard(by)
            else:
                assert self.store.flags.clear(sight, memory.id, self.clock.at, "boss") == len(open_)
                open_.clear()

    @invariant()
    def judgements(self) -> None:
        """Every memory counts exactly what was said of it, and what was said is there."""
        sight = Sight(SCOPES)
        for memory in self.store.memories.many(sight, sorted(self.model)):
            said, flags = self.said.get(memory.id, []), self.flags.get(memory.id, set())
            useful = said.count("useful")
            assert (memory.useful, memory.against, memory.flags) == (useful, len(said) - useful, len(flags))
            assert sorted(each.result for each in self.store.outcomes.of(sight, [memory.id])) == sorted(said)
            assert {each.by for each in self.store.flags.of(sight, [memory.id])} == flags
        assert self.store.flags.count(sight).flags == sum(map(len, self.flags.values()))


class StoreMachine(Judging):
    """Random writes, undone writes and reopenings; after each step the store says what the dictionary says.

    A subclass gives `opener`, which opens one and the same fresh store again and again.
    """

    opener: ClassVar[Callable[[StoreMachine], Store]]

    def __init__(self) -> None:
        super().__init__()
        self.clock = FixedClock()
        self.model: dict[str, Memory] = {}
        self.events = 0
        self.store = self.opener()

    @rule(scope=scopes, text=texts, status=statuses, tag=st.sampled_from(["", "red", "blue"]))
    def put(self, scope: object, text: str, status: str, tag: str) -> None:
        """Write a memory with its event."""
        memory = self._memory(scope, text, status, tag)
        with self.store.transaction():
            self._write(memory)
        old = self.model.get(memory.id, memory)
        self.model[memory.id] = replace(memory, created_at=old.created_at)

    @rule(scope=scopes, text=texts, status=statuses)
    def fail(self, scope: object, text: str, status: str) -> None:
        """Write, then fail: nothing of it remains."""
        events = self.events
        memory = self._memory(scope, text, status, "green")
        with suppress(OnPurposeError):
            undone(self.store, lambda: self._write(memory))
        self.events = events

    @precondition(lambda self: self.model)
    @rule(data=st.data())
    def remove(self, data: st.DataObject) -> None:
        """Take a memory away for good."""
        memory = data.draw(st.sampled_from(sorted(self.model.values(), key=lambda each: each.id)))
        with self.store.transaction():
            assert self.store.memories.remove(Sight((memory.scope,)), [memory.id]) == (memory.id,)
        del self.model[memory.id]
        self.said.pop(memory.id, None)
        self.flags.pop(memory.id, None)

    @rule(whole=st.booleans())
    def shrink(self, *, whole: bool) -> None:
        """Let go of what was left behind."""
        self.store.upkeep.shrink(whole=whole)

    @rule()
    def reopen(self) -> None:
        """Close and open again."""
        self.store.close()
        self.store = self.opener()

    @precondition(lambda self: self.model)
    @rule(data=st.data())
    def foreign(self, data: st.DataObject) -> None:
        """A memory is not given to a reader of the other scopes."""
        memory = data.draw(st.sampled_from(sorted(self.model.values(), key=lambda each: each.id)))
        sight = Sight(tuple(scope for scope in SCOPES if scope != memory.scope))
        assert self.store.memories.get(sight, memory.id) is None

    @invariant()
    def listing(self) -> None:
        """Every scope lists what the model holds, and counts it."""
        for scope in SCOPES:
            page = self.store.memories.page(Sight((scope,)), MemoryFilter(statuses=(), limit=100), self.clock.at)
            mine = [memory for memory in self.model.values() if memory.scope == scope]
            assert {memory.id: memory for memory in page.values} == {memory.id: memory for memory in mine}
            assert sum(self.store.memories.count(Sight((scope,))).values()) == len(mine)

    @invariant()
    def full_text(self) -> None:
        """In a set of scopes too large to take whole, words find exactly the active memories that hold them."""
        active = [memory for memory in self.model.values() if memory.status == "active"]
        limit = len(active) - 1
        for word in ("alpha", "red", "green") if limit > 0 else ():
            narrowed = self.store.lexicon.candidates(Sight(SCOPES), query_terms(word), limit)
            right = {memory.id for memory in active if self._holds(memory, word)}
            found = {each.id for each in narrowed.candidates} if narrowed.matched else set()
            assert found == right if len(right) <= limit else found < right

    @invariant()
    def chain(self) -> None:
        """The audit trail is whole."""
        head, rows = self.store.events.sealed()
        report = verify(rows, head)
        assert (report.verified, report.events) == (True, self.events)

    def teardown(self) -> None:
        """Give the store back."""
        self.store.close()

    def _memory(self, scope: object, text: str, status: str, tag: str) -> Memory:
        self.clock.advance(1)
        tags = (tag,) if tag else ()
        return samples.memory(scope, text, at=self.clock.at, status=status, tags=tags)  # type: ignore[arg-type]

    def _write(self, memory: Memory) -> None:
        self.store.memories.put(memory)
        self.events += 1
        self.store.events.append(samples.event(self.events, memory.id))

    @staticmethod
    def _holds(memory: Memory, word: str) -> bool:
        return word in memory.text.lower() or word in memory.tags
