"""Merges: what they tie, what nobody can forge, and what stands beside a hit."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from learnt.errors import UsageError
from learnt.flows.decide import decide
from learnt.flows.recall import recall
from learnt.flows.undo import undo
from learnt.model.answer import Decided, Refusal
from learnt.model.memory import Reference
from learnt.model.proposal import Decision
from learnt.model.ranking import Query
from learnt.model.relation import MAX_RELATIONS
from tests.flows.test_writing import asked, decided, state, wrote

if TYPE_CHECKING:
    from learnt.flows.means import Means
    from learnt.model.ranking import Ranking


def fact(means: Means, text: str) -> str:
    """A memory's id."""
    return wrote(means, text, kind="project_fact").memory.id


def merged(means: Means, *ids: str) -> Decided:
    """An applied merge."""
    return decided(means, asked(means, "", operation="merge", kind=None, related=ids), reason="one thing")


def found(means: Means, text: str, **fields: object) -> Ranking:
    """The ranking, without what chance words add."""
    return recall(means, Query(text=text, **{"min_score": 0.3, "max_items": 3, **fields}))  # type: ignore[arg-type]


def pairs(ranking: Ranking) -> list[tuple[str, str | None]]:
    """The ids with what each stands beside."""
    return [(hit.memory.id, hit.related_to) for hit in ranking.hits]


@pytest.fixture
def trio(means: Means) -> tuple[str, str, str]:
    """A and B merged, B and C merged; only A has the words of the question."""
    names = tuple(fact(means, text) for text in ("zebra stripes render", "lion mane grows", "otter river swims"))
    one, two, three = names
    merged(means, one, two)
    merged(means, two, three)
    return one, two, three


class TestTies:
    """What an applied merge ties."""

    def test_ties_go_both_ways_and_leave_with_the_merge(self, means: Means) -> None:
        """Nothing before the decision, both directions after it, nothing after undo, again after the same decision."""
        one, two = fact(means, "One fact."), fact(means, "Another fact.")
        sight, related = means.context.sight, means.store.proposals.related
        proposal = asked(means, "", operation="merge", kind=None, related=(one, two))
        assert related(sight, [one, two]) == {}
        event = decided(means, proposal).event
        assert related(sight, [one, two]) == {one: (two,), two: (one,)}
        undo(means, event)
        assert related(sight, [one, two]) == {}
        decided(means, proposal)
        assert related(sight, [one]) == {one: (two,)}

    @pytest.mark.parametrize("action", ["noop", "reject"])
    def test_only_a_merge_ties(self, means: Means, action: str) -> None:
        """A merge answered with noop is applied, and a rejected one is closed: neither ties anything."""
        one, two = fact(means, "One fact."), fact(means, "Another fact.")
        proposal = asked(means, "", operation="merge", kind=None, related=(one, two))
        decided(means, proposal, action, reason="no")
        assert means.store.proposals.related(means.context.sight, [one, two]) == {}

    def test_the_thirty_third_is_refused(self, means: Means) -> None:
        """A memory is tied to 32 others at most; the merge too many changes nothing."""
        hub, *others = (fact(means, f"Fact number {number}.") for number in range(MAX_RELATIONS + 2))
        for at in range(0, MAX_RELATIONS, 4):
            merged(means, hub, *others[at : at + 4])
        assert len(means.store.proposals.related(means.context.sight, [hub])[hub]) == MAX_RELATIONS
        again = merged(means, hub, others[0], others[1])
        assert again.proposal.status == "applied"
        waiting = asked(means, "", operation="merge", kind=None, related=(hub, others[MAX_RELATIONS]))
        before = state(means)
        answer = decide(means, Decision(proposal_id=waiting.id, action="accept"))
        assert isinstance(answer, Refusal)
        assert answer.code == "conflict"
        assert state(means) == before

    def test_a_merge_is_of_one_scope(self, means: Means) -> None:
        """Memories of two scopes are not merged; those of a wider one are, and the proposal is that scope's."""
        own = wrote(means, "Prefers tabs.", kind="user_preference").memory.id
        too = wrote(means, "Prefers dark screens.", kind="user_preference").memory.id
        with pytest.raises(UsageError):
            asked(means, "", operation="merge", kind=None, related=(own, fact(means, "Here.")))
        assert merged(means, own, too).proposal.scope.type == "global_user"
        assert means.store.proposals.related(means.context.sight, [own]) == {own: (too,)}


class TestRecall:
    """What stands beside a hit."""

    def test_one_hop_with_its_source(self, means: Means, trio: tuple[str, str, str]) -> None:
        """A question for A gives A and B, never C; B says what it stands beside and why, in the block too."""
        one, two, _ = trio
        ranking = found(means, "zebra stripes render")
        assert pairs(ranking) == [(one, None), (two, one)]
        beside = ranking.hits[1]
        assert beside.relation == "merged_with"
        assert beside.score == ranking.hits[0].score
        assert f"related to {one}" in ranking.prompt_block

    def test_hits_come_first_and_nobody_twice(self, means: Means, trio: tuple[str, str, str]) -> None:
        """A hit of its own is no related one; where hits take every place nothing is added."""
        one, two, three = trio
        assert pairs(found(means, "zebra stripes render lion mane grows"))[2:] == [(three, two)]
        assert pairs(found(means, "zebra stripes render", max_items=1)) == [(one, None)]

    def test_at_most_two_of_one_hit(self, means: Means) -> None:
        """The better valued first."""
        hub, *others = (
            fact(means, text) for text in ("zebra stripes", "lion mane", "otter river", "eagle wing", "shark fin")
        )
        merged(means, hub, *others)
        assert len(pairs(found(means, "zebra stripes", max_items=8))) == 3

    @pytest.mark.parametrize("how", ["deleted", "expired", "low", "excluded", "foreign"])
    def test_what_may_not_be_shown_stands_beside_nothing(
        self, means: Means, trio: tuple[str, str, str], how: str
    ) -> None:
        """Deleted, expired, low valued, of an excluded kind, or out of sight."""
        one, two, _ = trio
        memory = means.store.memories.get(means.context.sight, two)
        assert memory is not None
        if how == "excluded":
            ranking = found(means, "zebra stripes render", kinds=("repo_convention",))
            assert pairs(ranking) == []
            return
        changes: dict[str, dict[str, object]] = {
            "deleted": {"status": "deleted"},
            "expired": {"expires_at": means.clock.now()},
            "low": {"q_value": 0.1},
            "foreign": {"status": "superseded"},
        }
        with means.store.transaction():
            means.store.memories.put(replace(memory, **changes[how]))  # type: ignore[arg-type]
        assert pairs(found(means, "zebra stripes render")) == [(one, None)]

    def test_a_past_moment_has_no_ties(self, means: Means, trio: tuple[str, str, str]) -> None:
        """When a merge was decided is not told, so an answer as of then leaves it out."""
        means.clock.advance(10)  # type: ignore[attr-defined]
        assert len(found(means, "zebra stripes render", as_of=means.clock.now()).hits) == 1

    def test_a_block_has_one_external_memory(self, means: Means) -> None:
        """The limits of an injected block count for what stands beside a hit, too."""
        hub, other = fact(means, "zebra stripes render"), fact(means, "lion mane grows")
        merged(means, hub, other)
        for name in (hub, other):
            memory = means.store.memories.get(means.context.sight, name)
            assert memory is not None
            url = Reference(type="url", ref="https://example.org", trust="external")
            with means.store.transaction():
                means.store.memories.put(replace(memory, trust="external", evidence=(url,)))
        assert pairs(found(means, "zebra stripes render", mode="injection")) == [(hub, None)]
