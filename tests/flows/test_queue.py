"""What waits for a person, over the rooms."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

from learnt.errors import StoreReadOnlyError
from learnt.flows.decide import decide
from learnt.flows.queue import answer, expire, pending, sweep
from learnt.model.answer import Decided, Refusal
from learnt.model.filter import QueueFilter
from learnt.model.proposal import Decision
from learnt.testing.wrappers import Wrapper
from tests.flows.test_writing import asked, decided, state, wrote

if TYPE_CHECKING:
    from learnt.flows.means import Means

DAY_S = 86_400


def later(means: Means, days: float) -> None:
    means.clock.advance(days * DAY_S)  # type: ignore[attr-defined]


class TestExpiry:
    """What nobody answers."""

    def test_it_leaves_the_queue_and_is_kept(self, means: Means) -> None:
        """Counted, shown when asked for, still to be answered; one a day younger stays."""
        old = asked(means, "Old news.")
        later(means, 1)
        asked(means, "Young news.")
        later(means, 89.5)
        queue = pending(means)
        assert [each.text for each in queue.proposals.values] == ["Young news."]
        assert queue.expired == 1
        gone = pending(means, QueueFilter(expired=True))
        assert [each.status for each in gone.proposals.values] == ["expired"]
        assert decided(means, old).memory is not None
        assert pending(means).expired == 0

    def test_the_same_asked_again_waits_anew(self, means: Means) -> None:
        """Under a name of its own."""
        old = asked(means)
        later(means, 91)
        assert expire(means) == 1
        new = asked(means)
        assert new.id != old.id
        assert pending(means).proposals.total == 1

    def test_zero_days_keep_everything(self, means: Means) -> None:
        """For ever."""
        settings = replace(means.settings, proposals=replace(means.settings.proposals, expire_days=0))
        asked(means)
        later(means, 3_000)
        assert pending(replace(means, settings=settings)).proposals.total == 1
        assert expire(replace(means, settings=settings)) == 0

    def test_a_store_that_cannot_be_written_is_read(self, means: Means) -> None:
        """What is past its time is not shown, and keeps its status until somebody may write."""

        class _ReadOnly(Wrapper):
            def transaction(self) -> Any:
                raise StoreReadOnlyError

        asked(means)
        later(means, 91)
        assert pending(replace(means, store=_ReadOnly(means.store))).proposals.total == 0
        assert means.store.proposals.count(means.context.sight) == {"pending": 1}


class TestFilters:
    """Which proposals are meant."""

    @pytest.mark.parametrize(
        ("wanted", "found"),
        [
            ({}, {"Uses bun.", "Old way.", "Docs here."}),
            ({"kinds": ("project_fact",)}, {"Docs here."}),
            ({"operations": ("supersede",)}, {"Old way."}),
            ({"trusts": ("agent",)}, {"Docs here."}),
            ({"words": "BUN uses"}, {"Uses bun."}),
            ({"words": "bun docs"}, set()),
            ({"session": "sess-123"}, {"Docs here."}),
            ({"session": "sess"}, set()),
            ({"session": "other"}, set()),
        ],
    )
    def test_each_narrows(self, means: Means, agent: Means, wanted: dict[str, Any], found: set[str]) -> None:
        """Kind, operation, trust, words of text and rationale, session by its id or a beginning of it."""
        asked(means, "Uses bun.")
        asked(means, "Old way.", operation="supersede", target_id=wrote(means, "The way.").memory.id)
        session = replace(agent, context=replace(agent.context, session_id="sess-123456"))
        asked(session, "Docs here.", kind="project_fact")
        assert {each.text for each in pending(means, QueueFilter(**wanted)).proposals.values} == found


class TestAnswers:
    """One answer for all that ask for the same."""

    def test_all_are_answered_with_the_first(self, means: Means) -> None:
        """One memory with the evidence of both; each by an event of its own."""
        one, two = asked(means, "Uses bun."), asked(means, "This repo uses bun.", evidence=("Makefile",))
        given = answer(means, Decision(proposal_id=one.id, action="accept"))
        assert isinstance(given, Decided)
        assert given.folded == (two.id,)
        assert len(given.folded_events) == 1
        memory = given.memory
        assert memory is not None
        kept = means.store.memories.get(means.context.sight, memory.id)
        assert kept is not None
        assert {each.ref for each in kept.evidence} >= {"package.json", "Makefile"}
        assert means.store.memories.count(means.context.sight) == {"active": 1}
        assert pending(means).entries == 0

    def test_a_rejection_is_for_all(self, means: Means) -> None:
        """With the same reason."""
        one, _ = asked(means, "Uses bun."), asked(means, "This repo uses bun.")
        answer(means, Decision(proposal_id=one.id, action="reject", reason="no"))
        assert means.store.proposals.count(means.context.sight) == {"rejected": 2}

    def test_a_second_request_is_fulfilled_by_the_first(self, means: Means) -> None:
        """Two deletions of one memory: one is done, the other has nothing left to do."""
        target = wrote(means).memory.id
        one = asked(means, "", operation="delete", kind=None, target_id=target, rationale="r")
        with means.store.transaction():
            means.store.proposals.put(replace(one, id="prop_0000000000000001"))
        given = answer(means, Decision(proposal_id=one.id, action="accept"))
        assert isinstance(given, Decided)
        assert given.folded == ("prop_0000000000000001",)
        assert means.store.proposals.count(means.context.sight) == {"applied": 2}

    def test_what_fails_answers_nobody(self, means: Means) -> None:
        """A refused first answer leaves the others as they were."""
        one, _ = asked(means, "Uses bun."), asked(means, "This repo uses bun.")
        decide(means, Decision(proposal_id=one.id, action="reject", reason="no"))
        before = state(means)
        assert isinstance(answer(means, Decision(proposal_id=one.id, action="accept")), Refusal)
        assert state(means) == before

    def test_an_agent_answers_nothing(self, agent: Means) -> None:
        """Neither one nor many."""
        one = asked(agent)
        refused = answer(agent, Decision(proposal_id=one.id, action="accept"))
        assert isinstance(refused, Refusal)
        assert isinstance(sweep(agent, QueueFilter(), "accept"), Refusal)
        assert pending(agent).entries == 1
