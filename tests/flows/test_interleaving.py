"""Proposals, decisions and merges by two processes in any order, beside a dictionary that says what is right.

A decision reads before its transaction and again inside it. Everything another process can do to it happens between the
two, so that is where the machine lets the other one act.
"""

from __future__ import annotations

import tempfile
from collections import Counter
from contextlib import contextmanager
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule, run_state_machine_as_test

from learnt.audit.chain import verify
from learnt.errors import NotFoundError, UsageError
from learnt.flows.decide import decide
from learnt.flows.propose import propose
from learnt.flows.undo import undo
from learnt.model.answer import Decided, Proposed, Refusal, Undone
from learnt.model.proposal import Decision
from learnt.model.request import ProposalRequest
from learnt.stores.ephemeral import EphemeralStore
from learnt.stores.postgres.store import PostgresStore
from learnt.stores.sqlite.store import SqliteStore
from learnt.testing.fakes import FixedClock
from learnt.testing.wrappers import Wrapper
from tests.faults.world import means_over
from tests.stores.roles import as_role, prepare

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from learnt.flows.means import Means
    from learnt.ports.store import Store
    from tests.server import Server

TEXTS = ("Tests need TZ=UTC.", "Builds need Node 20.", "Lint runs in CI.", "The cache is off.")
KINDS = ("repo_convention", "project_fact")
ACTIONS = ("accept", "reject", "noop", "add", "merge")
hands = st.sampled_from([0, 1])


class _Between(Wrapper):
    """Lets somebody else act right before the next transaction begins."""

    def __init__(self, inner: Store) -> None:
        super().__init__(inner)
        self.act: Callable[[], object] | None = None

    @contextmanager
    def transaction(self) -> Iterator[None]:
        act, self.act = self.act, None
        if act:
            act()
        with self._inner.transaction():
            yield


class TwoHands(RuleBasedStateMachine):
    """Two open stores on one and the same data. A subclass gives `opener`."""

    opener: ClassVar[Callable[[TwoHands, int], Store]]

    def __init__(self) -> None:
        super().__init__()
        self.folder = tempfile.TemporaryDirectory()
        self.clock = FixedClock()
        self.stores = [_Between(self.opener(number)) for number in (0, 1)]
        self.means: list[Means] = [
            means_over(store, Path(self.folder.name), self.clock, name=f"p{number}")
            for number, store in enumerate(self.stores)
        ]
        self.status: dict[str, str] = {}
        self.taken: Counter[str] = Counter()
        self.events: list[str] = []
        self.merges: dict[str, tuple[str, ...]] = {}
        self.memories: list[str] = []

    @rule(hand=hands, text=st.sampled_from(TEXTS), kind=st.sampled_from(KINDS), tick=st.booleans())
    def ask(self, hand: int, text: str, kind: Any, tick: bool) -> None:
        """Propose an addition, now and then in the same millisecond as the one before."""
        self.clock.advance(float(tick))
        self._asked(hand, ProposalRequest(operation="add", text=text, kind=kind, evidence=("package.json",)))

    @precondition(lambda self: len(self.memories) > 1)
    @rule(hand=hands, data=st.data())
    def ask_to_merge(self, hand: int, data: st.DataObject) -> None:
        """Propose to merge two or three memories, active or not."""
        names = st.lists(st.sampled_from(self.memories), min_size=2, max_size=3, unique=True)
        self._asked(hand, ProposalRequest(operation="merge", related=tuple(data.draw(names)), rationale="r"))

    @precondition(lambda self: self.status)
    @rule(hand=hands, data=st.data(), action=st.sampled_from(ACTIONS), other=st.sampled_from((*ACTIONS, "")))
    def answer(self, hand: int, data: st.DataObject, action: Any, other: Any) -> None:
        """Decide; between reading and writing the other process decides something, perhaps the same proposal."""
        names = st.sampled_from(sorted(self.status))
        mine = data.draw(names)
        if other:
            theirs = data.draw(st.one_of(st.just(mine), names))
            self.stores[hand].act = lambda: self._decided(1 - hand, theirs, other)
        self._decided(hand, mine, action)
        self.stores[hand].act = None

    @precondition(lambda self: self.events)
    @rule(hand=hands, data=st.data(), other=st.booleans())
    def take_back(self, hand: int, data: st.DataObject, other: bool) -> None:
        """Undo a decision; between reading and writing the other process undoes the same."""
        event = data.draw(st.sampled_from(self.events))
        if other:
            self.stores[hand].act = lambda: self._undone(1 - hand, event)
        self._undone(hand, event)
        self.stores[hand].act = None

    @invariant()
    def every_proposal_is_where_it_should_be(self) -> None:
        """Both handles see the status the answers told of."""
        for means in self.means:
            held = {name: means.store.proposals.get(means.context.sight, name) for name in self.status}
            assert {name: each.status for name, each in held.items() if each} == self.status

    @invariant()
    def nothing_is_decided_twice(self) -> None:
        """One event a decision, and no more decisions than were answered with one."""
        store, counted = self.means[0].store, Counter[str]()
        head, rows = store.events.sealed()
        chain = list(rows)
        assert verify(iter(chain), head).verified
        counted.update(row.operation for row in chain if row.operation == "curator_decision")
        assert counted["curator_decision"] == self.taken.total()

    @invariant()
    def ties_are_those_of_the_applied_merges(self) -> None:
        """Symmetric, of nothing but merges that stand."""
        right: dict[str, set[str]] = {}
        for name, related in self.merges.items():
            if self.status[name] == "applied":
                for one in related:
                    right.setdefault(one, set()).update(set(related) - {one})
        for means in self.means:
            found = means.store.proposals.related(means.context.sight, self.memories) if self.memories else {}
            assert {one: set(others) for one, others in found.items()} == right

    def teardown(self) -> None:
        for store in self.stores:
            store.close()
        self.folder.cleanup()

    def _asked(self, hand: int, request: ProposalRequest) -> None:
        answer = propose(self.means[hand], request)
        assert isinstance(answer, Proposed)
        assert answer.proposal.status == "pending"
        assert answer.existing == (answer.proposal.id in self.status)
        self.status[answer.proposal.id] = "pending"

    def _decided(self, hand: int, name: str, action: Any) -> None:
        try:
            answer = decide(self.means[hand], Decision(proposal_id=name, action=action, reason="r"))
        except UsageError:
            return
        if isinstance(answer, Refusal):
            return
        assert isinstance(answer, Decided)
        assert self.status[name] == "pending", "decided a second time"
        self.status[name] = answer.proposal.status
        self.taken[name] += 1
        self.events.append(answer.event)
        if answer.memory is not None and answer.memory.id not in self.memories:
            self.memories.append(answer.memory.id)
        told = answer.proposal.metadata["curatorDecision"]
        if told["action"] == "merge":  # type: ignore[index]
            self.merges[name] = answer.proposal.related

    def _undone(self, hand: int, event: str) -> None:
        try:
            answer = undo(self.means[hand], event)
        except (UsageError, NotFoundError):
            return
        if isinstance(answer, Undone) and answer.proposal_id:
            assert self.status[answer.proposal_id] in {"applied", "rejected"}, "taken back a second time"
            self.status[answer.proposal_id] = "pending"
            self.merges.pop(answer.proposal_id, None)


class _SqliteHands(TwoHands):
    def opener(self, number: int) -> SqliteStore:
        del number
        return SqliteStore.open(Path(self.folder.name) / "memory.db", now=FixedClock())


class _EphemeralHands(TwoHands):
    def opener(self, number: int) -> EphemeralStore:
        del number
        self.kept = getattr(self, "kept", None) or EphemeralStore()
        return self.kept


TestSqlite = _SqliteHands.TestCase
TestSqlite.settings = settings(max_examples=40, stateful_step_count=25)
TestEphemeral = _EphemeralHands.TestCase
TestEphemeral.settings = settings(max_examples=60, stateful_step_count=30)


def test_postgres(server: Server) -> None:
    """On a server, each machine in a tenant of its own."""
    tenants = count(1)
    with server.database(prepare) as url:

        class Hands(TwoHands):
            def opener(self, number: int) -> PostgresStore:
                del number
                self.tenant = getattr(self, "tenant", None) or f"hands-{next(tenants)}"
                return PostgresStore.open(as_role(url, tenant=self.tenant), now=FixedClock())

        run_state_machine_as_test(Hands, settings=settings(max_examples=15, stateful_step_count=20))
