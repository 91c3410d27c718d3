"""Taking back: what an event changed is as it was, or a reason why not."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, precondition, rule

from learnt.errors import UsageError
from learnt.flows.conflict import Chosen, choose, conflicts, reconcile
from learnt.flows.decide import decide
from learnt.flows.forget import forget
from learnt.flows.propose import propose
from learnt.flows.remember import remember
from learnt.flows.undo import undo
from learnt.govern.meeting import UNDONE
from learnt.model.answer import Decided, Proposed, Refusal, Undone
from learnt.model.conflict import KEY
from learnt.model.filter import MemoryFilter
from learnt.model.proposal import Decision
from learnt.model.request import ProposalRequest, WriteRequest
from tests.flows.conftest import context_of, means_in
from tests.flows.test_truth import held, wrote
from tests.flows.test_writing import asked, decided

if TYPE_CHECKING:
    from learnt.flows.means import Means
    from learnt.model.memory import Memory


def events(means: Means, operation: str) -> list[str]:
    return [row.id for row in means.store.events.chain() if row.operation == operation]


def state(means: Means) -> dict[str, Any]:
    """Everything but events, times of change, and memories that were made and taken back."""
    memories: dict[str, Any] = {}
    for memory in means.store.memories.page(means.context.sight, MemoryFilter(statuses=(), limit=1_000), "").values:
        if memory.metadata.get("deleteReason") == UNDONE:
            continue
        rest = {name: value for name, value in memory.metadata.items() if name not in {KEY, "supersedeReason"}}
        memories[memory.id] = replace(memory, updated_at="", supersedes_reason="", metadata=rest)
    found = conflicts(means, every=True)
    pairs = {frozenset(each.id for each in pair.memories) for pair in (*found.disputes, *found.nominations)}
    open_proposals = dict(means.store.proposals.count(means.context.sight))
    return {"memories": memories, "conflicts": pairs, "proposals": open_proposals}


class TestRetirement:
    """A statement that was retired by another."""

    def test_it_is_active_again_and_disputed(self, means: Means) -> None:
        """The older one holds again; the newer one stays, and both are told of."""
        old = wrote(means, "Tests run with pytest -n 4")
        new = wrote(means, "Tests run with pytest -n 8")
        answer = undo(means, events(means, "supersede")[0])
        assert isinstance(answer, Undone)
        assert answer.restored == (old.memory.id,)
        assert (held(means, old).status, held(means, new).supersedes) == ("active", ())
        (pair,) = conflicts(means).disputes
        assert [each.id for each in pair.memories] == [new.memory.id, old.memory.id]

    def test_the_write_that_retired_names_it_too(self, means: Means) -> None:
        """The event of the write takes the retirement back; the statement it wrote stays."""
        old = wrote(means, "Use npm")
        new = wrote(means, "Use pnpm")
        assert isinstance(undo(means, new.event), Undone)
        assert (held(means, old).status, held(means, new).status) == ("active", "active")

    def test_an_ordinary_write_is_no_retirement(self, means: Means) -> None:
        """There is nothing to take back."""
        with pytest.raises(UsageError):
            undo(means, wrote(means, "Use npm").event)

    def test_what_came_later_stands_in_the_way(self, means: Means) -> None:
        """A statement that came back by itself was changed since."""
        wrote(means, "Use npm")
        wrote(means, "Use pnpm")
        first = events(means, "supersede")[0]
        wrote(means, "Use npm")
        answer = undo(means, first)
        assert isinstance(answer, Refusal)
        assert answer.code == "conflict"

    def test_what_was_forgotten_stays_so(self, means: Means) -> None:
        """No text that was forgotten comes back."""
        means = replace(means, digest_key=b"d" * 32)
        old = wrote(means, "Use npm")
        wrote(means, "Use pnpm")
        event = events(means, "supersede")[0]
        forget(means, [old.memory.id])
        answer = undo(means, event)
        assert isinstance(answer, Refusal)
        assert answer.code == "forgotten"

    def test_a_decision_that_went_with_a_forgotten_memory_stays_so(self, means: Means) -> None:
        """Forgetting takes the proposal too; the way back is refused for that reason, and not as unknown."""
        means = replace(means, digest_key=b"d" * 32)
        made = decided(means, asked(means, "Use npm"))
        assert made.memory is not None
        forget(means, [made.memory.id])
        answer = undo(means, made.event)
        assert isinstance(answer, Refusal)
        assert answer.code == "forgotten"

    def test_undo_is_not_undone(self, means: Means) -> None:
        """An undo is an event like a write."""
        wrote(means, "Use npm")
        wrote(means, "Use pnpm")
        answer = undo(means, events(means, "supersede")[0])
        assert isinstance(answer, Undone)
        with pytest.raises(UsageError):
            undo(means, answer.event)


class TestChoice:
    """A person's word on what disagrees."""

    def two(self, means: Means) -> tuple[Memory, Memory]:
        one = wrote(means, "Tests live in tests/unit").memory
        two = wrote(means, "Tests live in tests/integration").memory
        return one, two

    def test_the_one_that_holds_retires_the_other(self, means: Means) -> None:
        """And the event takes it back."""
        one, two = self.two(means)
        before = state(means)
        done = choose(means, one.id)
        assert isinstance(done, Chosen)
        assert done.superseded == (two.id,)
        assert not conflicts(means).total
        assert isinstance(undo(means, done.events[0]), Undone)
        assert state(means) == before

    def test_both_hold(self, means: Means) -> None:
        """They are no longer told of, also when one is said again; the event takes that back."""
        one, two = self.two(means)
        before = state(means)
        done = reconcile(means, [one.id, two.id])
        assert isinstance(done, Chosen)
        assert not conflicts(means).total
        assert isinstance(undo(means, done.events[0]), Undone)
        assert state(means) == before

    def test_an_agent_has_no_word(self, means: Means) -> None:
        """Which statement holds is a person's to say."""
        one, two = self.two(means)
        agent = replace(means, context=context_of(person=False, agent_id="a"))
        for done in (choose(agent, one.id), reconcile(agent, [one.id, two.id])):
            assert isinstance(done, Refusal)
            assert done.code == "person_required"


def test_a_decision_that_retired_is_taken_back_whole(means: Means) -> None:
    """The statement it made is hidden, and what that had retired holds again."""
    means = replace(means)
    old = decided(means, asked(means, "Use npm")).memory
    assert old is not None
    means.clock.advance(60)  # type: ignore[attr-defined]
    before = state(means)
    proposal = asked(means, "Use pnpm")
    waiting = state(means)["proposals"]
    means.clock.advance(60)  # type: ignore[attr-defined]
    made = decided(means, proposal)
    assert made.superseded == (old.id,)
    assert isinstance(undo(means, made.event), Undone)
    assert state(means) == {**before, "proposals": waiting}


def test_what_was_taken_back_replaced_nothing(means: Means) -> None:
    """Said again by itself, a statement whose replacing was undone stands beside what it had replaced."""
    old = wrote(means, "Never rebase").memory
    request = ProposalRequest(
        operation="supersede", text="Use npm", target_id=old.id, rationale="r", kind="repo_convention", evidence=("a",)
    )
    proposed = propose(means, request)
    assert isinstance(proposed, Proposed)
    means.clock.advance(60)  # type: ignore[attr-defined]
    made = decide(means, Decision(proposal_id=proposed.proposal.id, action="accept"))
    assert isinstance(made, Decided)
    means.clock.advance(60)  # type: ignore[attr-defined]
    assert isinstance(undo(means, made.event), Undone)
    means.clock.advance(60)  # type: ignore[attr-defined]
    assert wrote(means, "Use npm").memory.supersedes == ()


_TEXTS = (
    "Use npm",
    "Use pnpm",
    "Use yarn",
    "Never rebase",
    "Rebase",
    "Tests live in tests/unit",
    "Tests live in tests/integration",
    "Tests need Redis",
    "Tests need Redis 7",
    "Reviews are required",
)


class UndoMachine(RuleBasedStateMachine):
    """Any decision, taken back at once, leaves the store as it was but for the events."""

    @initialize()
    def begin(self) -> None:
        """An empty store and a clock that moves with every step."""
        self.means = means_in(Path(__file__).parent)

    def _later(self) -> None:
        self.means.clock.advance(1)  # type: ignore[attr-defined]

    @rule(text=st.sampled_from(_TEXTS))
    def write(self, text: str) -> None:
        """A person writes."""
        self._later()
        remember(self.means, WriteRequest(text=text, kind="repo_convention"))

    def _active(self) -> list[Memory]:
        page = self.means.store.memories.page(self.means.context.sight, MemoryFilter(limit=1_000), "")
        return sorted(page.values, key=lambda each: each.id)

    @rule(data=st.data(), operation=st.sampled_from(("add", "update", "supersede", "delete")), keep=st.booleans())
    def decide(self, data: st.DataObject, operation: str, keep: bool) -> None:
        """A proposal is decided; then the decision stays, or is taken back at once."""
        active = self._active()
        if operation != "add" and not active:
            return
        target = data.draw(st.sampled_from(active)).id if operation != "add" else ""
        text = data.draw(st.sampled_from(_TEXTS)) if operation != "delete" else ""
        self._later()
        given = {"kind": "repo_convention", "evidence": ("a.toml",)} if text else {}
        request = ProposalRequest(operation=operation, text=text, target_id=target, rationale="because", **given)  # type: ignore[arg-type]
        proposed = propose(self.means, request)
        assert isinstance(proposed, Proposed)
        if proposed.proposal.status != "pending":
            return
        before = state(self.means)
        self._later()
        try:
            answer = decide(self.means, Decision(proposal_id=proposed.proposal.id, action="accept", reason="yes"))
        except UsageError:
            return
        if keep or not isinstance(answer, Decided):
            return
        self._later()
        back = undo(self.means, answer.event)
        assert isinstance(back, Undone), back
        assert state(self.means) == before

    @rule(data=st.data())
    @precondition(lambda self: bool(self._active()))
    def take_back_a_retirement(self, data: st.DataObject) -> None:
        """Of any retirement: it is refused with a reason, or the statement holds again."""
        rows = [row for row in self.means.store.events.chain() if row.operation == "supersede"]
        if not rows:
            return
        row = data.draw(st.sampled_from(rows))
        self._later()
        answer = undo(self.means, row.id)
        if isinstance(answer, Refusal):
            assert answer.code == "conflict"
        else:
            memory = self.means.store.memories.get(self.means.context.sight, row.target_id)
            assert memory is not None
            assert memory.status == "active"


TestUndoMachine = UndoMachine.TestCase
TestUndoMachine.settings = settings(
    max_examples=30, stateful_step_count=15, deadline=None, suppress_health_check=list(HealthCheck)
)
