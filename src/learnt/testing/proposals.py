"""How a store keeps the queue of proposals."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from learnt.errors import UsageError
from learnt.model.filter import ProposalFilter
from learnt.model.memory import Provenance, Reference, Source
from learnt.model.scope import Scope, Sight
from learnt.testing import samples
from learnt.testing.base import Base
from learnt.testing.fakes import NOON

if TYPE_CHECKING:
    from learnt.model.proposal import Proposal
    from learnt.ports.store import Store

LATER = "2026-05-25T12:00:00.000Z"


def put(store: Store, *proposals: Proposal) -> None:
    """Store some proposals in one transaction."""
    with store.transaction():
        for proposal in proposals:
            store.proposals.put(proposal)


class ProposalsSuite(Base):
    """Writing, reading, and the order of the queue."""

    def test_every_field_comes_back(self, store: Store, scope: Scope, sight: Sight) -> None:
        """A proposal with its references, triggers and metadata comes back equal."""
        proposal = samples.proposal(
            scope,
            related=("mem_a", "mem_b"),
            source=Source(type="web", url="https://example.org"),
            evidence=(Reference(type="transcript", ref="session:s#1", quote="it failed"),),
            provenance=Provenance(session_id="s"),
            reviewer="user",
            reviewed_at=NOON,
            observation=True,
            trigger=(("command", "=npm test"), ("file", "src/a.py")),
            metadata={"curatorDecision": {"action": "add"}},
        )
        put(store, proposal)
        assert store.proposals.get(sight, proposal.id) == proposal

    def test_a_foreign_reader_sees_nothing(self, store: Store, scope: Scope, foreign: Scope) -> None:
        """Neither by id nor listed nor counted."""
        proposal = samples.proposal(scope)
        put(store, proposal)
        sight = Sight((foreign,))
        assert store.proposals.get(sight, proposal.id) is None
        assert store.proposals.page(sight, ProposalFilter()).total == 0
        assert store.proposals.count(sight) == {}

    def test_the_most_valuable_comes_first(self, store: Store, scope: Scope, sight: Sight) -> None:
        """Expected value, then the newest, then id; or time alone."""
        low = samples.proposal(scope, "Low.", expected_value=0.1, created_at=LATER)
        old = samples.proposal(scope, "Old.", expected_value=0.9)
        new = samples.proposal(scope, "New.", expected_value=0.9, created_at=LATER)
        put(store, low, old, new)
        assert store.proposals.page(sight, ProposalFilter()).values == (new, old, low)
        by_time = store.proposals.page(sight, ProposalFilter(newest_first=True)).values
        assert by_time[-1] == old

    def test_a_page_counts_what_it_leaves_out(self, store: Store, scope: Scope, sight: Sight) -> None:
        """`total` counts all that match."""
        put(store, *(samples.proposal(scope, f"Number {n}.") for n in range(5)))
        page = store.proposals.page(sight, ProposalFilter(limit=2))
        assert (len(page.values), page.total) == (2, 5)

    def test_a_decision_replaces_the_row(self, store: Store, scope: Scope, sight: Sight) -> None:
        """The decided proposal leaves the queue and keeps its moment of creation."""
        proposal = samples.proposal(scope)
        put(store, proposal)
        put(store, replace(proposal, status="applied", created_at=LATER))
        assert store.proposals.page(sight, ProposalFilter()).values == ()
        assert store.proposals.get(sight, proposal.id) == replace(proposal, status="applied")
        assert store.proposals.count(sight) == {"applied": 1}

    def test_only_pending_observations_are_listed_as_such(self, store: Store, scope: Scope, sight: Sight) -> None:
        """What was decided is no observation any more."""
        seen = samples.proposal(scope, "Seen.", observation=True)
        done = samples.proposal(scope, "Done.", observation=True, status="rejected")
        put(store, seen, done, samples.proposal(scope, "Asked."))
        page = store.proposals.page(sight, ProposalFilter(statuses=(), observations_only=True))
        assert page.values == (seen,)

    def test_an_id_cannot_move_to_another_scope(self, store: Store, scope: Scope, foreign: Scope) -> None:
        """Writing a known id under another scope is refused."""
        proposal = samples.proposal(scope)
        put(store, proposal)
        with pytest.raises(UsageError):
            put(store, replace(proposal, scope=foreign))

    def test_the_same_words_are_found(self, store: Store, scope: Scope, foreign: Scope, sight: Sight) -> None:
        """Proposals of any status with exactly these words, by id, of the reader's scopes."""
        proposal = samples.proposal(scope, "Same.")
        decided = samples.proposal(scope, "Same.", status="rejected", created_at=LATER)
        put(store, proposal, decided, samples.proposal(foreign, "Same."), samples.proposal(scope, "Same. More."))
        assert store.proposals.saying(sight, "Same.") == tuple(sorted((proposal, decided), key=lambda each: each.id))

    def test_an_applied_merge_ties_its_memories(self, store: Store, scope: Scope, foreign: Scope, sight: Sight) -> None:
        """Both directions, each once, sorted; only for whoever sees the scope."""
        put(store, _merge(scope, "mem_b", "mem_a", "mem_c"), _merge(scope, "mem_a", "mem_b"))
        assert store.proposals.related(sight, ["mem_a", "mem_c", "mem_z"]) == {
            "mem_a": ("mem_b", "mem_c"),
            "mem_c": ("mem_a", "mem_b"),
        }
        assert store.proposals.related(Sight((foreign,)), ["mem_a"]) == {}
        assert store.proposals.related(sight, []) == {}

    def test_a_tie_leaves_with_its_merge(self, store: Store, scope: Scope, sight: Sight) -> None:
        """A merge that is taken back unties what no other merge ties."""
        first, second = _merge(scope, "mem_a", "mem_b", "mem_c"), _merge(scope, "mem_a", "mem_b")
        put(store, first, second)
        put(store, replace(first, status="pending", metadata={}))
        assert store.proposals.related(sight, ["mem_a", "mem_c"]) == {"mem_a": ("mem_b",)}

    def test_nothing_but_an_applied_merge_ties(self, store: Store, scope: Scope, sight: Sight) -> None:
        """Not one that waits, was rejected or was answered with noop, and no other operation."""
        merge = _merge(scope, "mem_a", "mem_b")
        noop = {"curatorDecision": {"action": "noop"}}
        put(
            store,
            replace(merge, id="prop_1", status="pending"),
            replace(merge, id="prop_2", status="rejected"),
            replace(merge, id="prop_3", metadata=noop),
            replace(merge, id="prop_4", operation="add"),
            replace(merge, id="prop_5", metadata={"related": ["mem_a", "mem_b"]}),
        )
        assert store.proposals.related(sight, ["mem_a", "mem_b"]) == {}


def _merge(scope: Scope, *related: str) -> Proposal:
    """An applied merge."""
    taken = {"curatorDecision": {"action": "merge"}}
    name = f"prop_{'_'.join(related)}"
    return samples.proposal(
        scope, "", id=name, operation="merge", kind=None, related=related, status="applied", metadata=taken
    )
