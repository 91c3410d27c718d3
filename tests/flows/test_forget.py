"""A memory forgotten through every copy."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from learnt.errors import NotFoundError, RefusedError, UsageError
from learnt.flows.decide import decide
from learnt.flows.forget import forget
from learnt.flows.observe import observe
from learnt.flows.propose import propose
from learnt.flows.recall import recall
from learnt.flows.reembed import reembed
from learnt.flows.remember import remember
from learnt.flows.undo import undo
from learnt.model.answer import Decided, Proposed, Refusal, Written
from learnt.model.evidence import Turn
from learnt.model.filter import MemoryFilter
from learnt.model.forget import Forgotten
from learnt.model.proposal import Decision
from learnt.model.ranking import Query
from learnt.model.request import ProposalRequest, WriteRequest
from learnt.stores.rows import memory_anchors
from learnt.testing.embedders import HashEmbedder
from learnt.testing.fakes import NOON

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from learnt.flows.means import Means
    from learnt.model.memory import Memory

SECRET = "The zanzibar bastion holds the deploy keys."


@pytest.fixture
def keyed(means: Means) -> Means:
    """A person whose installation has a key for digests."""
    return replace(means, digest_key=b"d" * 32)


def wrote(means: Means, text: str = SECRET, **fields: object) -> Memory:
    answer = remember(means, WriteRequest(text=text, **{"kind": "repo_convention", **fields}))  # type: ignore[arg-type]
    assert isinstance(answer, Written)
    return answer.memory


def gone(means: Means, *ids: str, **fields: object) -> Forgotten:
    answer = forget(means, ids, **fields)  # type: ignore[arg-type]
    assert isinstance(answer, Forgotten)
    return answer


def put(means: Means, *memories: Memory) -> None:
    with means.store.transaction():
        for memory in memories:
            means.store.memories.put(memory)


class TestForget:
    """What goes, what comes back, and what is told."""

    def test_it_is_gone_and_stays_away(self, keyed: Means) -> None:
        """I01: unknown by id, in no recall, and in other spelling refused; a person repeats it on purpose."""
        memory = wrote(keyed)
        done = gone(keyed, memory.id)
        assert (done.deleted, done.digests) == ((memory.id,), 2)
        assert keyed.store.memories.get(keyed.context.sight, memory.id) is None
        assert not recall(keyed, Query(text=SECRET)).hits
        request = WriteRequest(text=" the ZANZIBAR bastion holds the deploy keys", kind="project_fact")
        refused = remember(keyed, request)
        assert isinstance(refused, Refusal)
        assert refused.code == "forgotten"
        assert isinstance(remember(keyed, replace(request, again=True)), Written)
        assert isinstance(remember(keyed, replace(request, kind="lesson")), Written)

    def test_an_agent_neither_forgets_nor_repeats(self, keyed: Means, agent: Means) -> None:
        """Only a person forgets; an agent's proposal of forgotten text is refused."""
        memory = wrote(keyed)
        agent = replace(agent, digest_key=keyed.digest_key)
        refused = forget(agent, [memory.id])
        assert isinstance(refused, Refusal)
        assert refused.code == "person_required"
        gone(keyed, memory.id)
        request = WriteRequest(text=SECRET, kind="repo_convention", evidence=("Makefile",), rationale="r", again=True)
        answer = remember(agent, request)
        assert isinstance(answer, Refusal)
        assert answer.code == "forgotten"

    def test_unknown_ids_change_nothing(self, keyed: Means) -> None:
        """I02: one unknown id among known ones, or none at all, and nothing is forgotten."""
        memory = wrote(keyed)
        with pytest.raises(NotFoundError):
            forget(keyed, [memory.id, "mem_0000000000000000"])
        with pytest.raises(UsageError):
            forget(keyed, [])
        assert keyed.store.memories.get(keyed.context.sight, memory.id) == memory

    def test_twice_is_told_apart(self, keyed: Means) -> None:
        """I02: what was forgotten already is not unknown."""
        memory = wrote(keyed)
        gone(keyed, memory.id)
        with pytest.raises(RefusedError) as caught:
            forget(keyed, [memory.id])
        assert caught.value.error_code == "forgotten"

    def test_a_dry_run_tells_the_same_and_does_nothing(self, keyed: Means) -> None:
        """What would go is what goes."""
        old = wrote(keyed, "Old.")
        new = wrote(keyed)
        put(keyed, replace(old, status="superseded", superseded_by=new.id))
        told = gone(keyed, new.id, dry_run=True)
        assert keyed.store.memories.get(keyed.context.sight, new.id) == new
        done = gone(keyed, new.id)
        assert (told.deleted, told.restored) == (done.deleted, done.restored) == ((new.id,), (old.id,))
        assert (told.event, bool(done.event)) == ("", True)

    def test_what_it_shared_stays_with_others(self, keyed: Means) -> None:
        """I04: another memory of the same file, tag and words is found by all of them as before."""
        shared: dict[str, object] = {"kind": "failure_pattern", "files": ("src/a.py",), "tags": ("harbour",)}
        one = wrote(keyed, "The zanzibar bastion is built with make.", **shared)
        other = wrote(keyed, "The zanzibar bastion is tested with tox.", **shared)
        store, sight, anchors = keyed.store, keyed.context.sight, memory_anchors(other)
        assert set(store.lexicon.anchored(sight, anchors)) == {one.id, other.id}
        gone(keyed, one.id)
        assert store.lexicon.anchored(sight, anchors) == (other.id,)
        assert [each.id for each in store.memories.page(sight, MemoryFilter(tag="harbour"), NOON).values] == [other.id]
        assert [hit.memory.id for hit in recall(keyed, Query(text="zanzibar bastion")).hits] == [other.id]

    def test_what_was_made_of_it_goes_and_others_come_back(self, keyed: Means) -> None:
        """I03: the merged memory goes; its other source is active again, without a trace of the merge."""
        one, other = wrote(keyed), wrote(keyed, "Deploys are announced.")
        merged = wrote(keyed, "Deploys are announced and run from zanzibar.")
        put(
            keyed,
            replace(merged, metadata={"consolidatedFrom": [one.id, other.id]}),
            *(replace(each, status="consolidated", consolidated_at=NOON) for each in (one, other)),
        )
        done = gone(keyed, one.id)
        assert (set(done.deleted), done.restored) == ({one.id, merged.id}, (other.id,))
        back = keyed.store.memories.get(keyed.context.sight, other.id)
        assert back is not None
        assert (back.status, back.consolidated_at) == ("active", None)

    def test_the_words_it_rests_on_are_erased(self, keyed: Means) -> None:
        """A cited span is blanked; another memory that cites it lives on, marked; the reply names the transcript."""
        (ref,) = observe(keyed, [Turn(text=SECRET, session="s1", who="ann")])
        memory, other = wrote(keyed, evidence=(ref,)), wrote(keyed, "Ann knows the hosts.", evidence=(ref,))
        done = gone(keyed, memory.id)
        assert (done.blanked, done.marked) == ((ref,), (other.id,))
        unit = keyed.store.archive.unit(keyed.context.sight, ref)
        assert unit is not None
        assert unit.text == ""
        kept = keyed.store.memories.get(keyed.context.sight, other.id)
        assert kept is not None
        assert kept.metadata["evidenceErased"] == [ref]
        assert observe(keyed, [Turn(text="Said otherwise.", session="s1", key="0")]) == (ref,)
        again = keyed.store.archive.unit(keyed.context.sight, ref)
        assert again == unit

    def test_evidence_that_says_it_is_not_kept_again(self, keyed: Means) -> None:
        """The same words in another session do not come back as evidence."""
        gone(keyed, wrote(keyed).id)
        (ref,) = observe(keyed, [Turn(text=SECRET, session="s2")])
        assert keyed.store.archive.unit(keyed.context.sight, ref) is None

    def test_proposals_that_asked_for_it_go(self, keyed: Means) -> None:
        """The applied one, a pending twin in other spelling, and what asks something of it; others stay."""
        request = ProposalRequest(
            operation="add", text=SECRET, kind="repo_convention", evidence=("Makefile",), rationale="r"
        )
        asked = propose(keyed, request)
        assert isinstance(asked, Proposed)
        taken = decide(keyed, Decision(proposal_id=asked.proposal.id, action="accept"))
        assert isinstance(taken, Decided)
        assert taken.memory is not None
        twin = propose(keyed, replace(request, text=SECRET.upper()))
        delete = propose(keyed, ProposalRequest(operation="delete", target_id=taken.memory.id, rationale="old"))
        stays = propose(keyed, replace(request, text="Deploys are announced."))
        assert isinstance(twin, Proposed)
        assert isinstance(delete, Proposed)
        assert isinstance(stays, Proposed)
        done = gone(keyed, taken.memory.id)
        assert set(done.proposals) == {asked.proposal.id, twin.proposal.id, delete.proposal.id}
        assert keyed.store.proposals.get(keyed.context.sight, stays.proposal.id) == stays.proposal
        refused = undo(keyed, taken.event)
        assert isinstance(refused, Refusal)
        assert refused.code == "forgotten"

    def test_restatements_are_shown_and_go_on_demand(self, keyed: Means) -> None:
        """Without the option they stay; with it they go; what has another number is no restatement."""
        memory = wrote(keyed, "Deploys run from the zanzibar bastion host on port 22.")
        same = wrote(keyed, "Run deploys on port 22 from the zanzibar bastion host.", kind="project_fact")
        other = wrote(
            keyed, "Nightly deploys run from the zanzibar bastion host on port 23 since March.", kind="lesson"
        )
        assert gone(keyed, memory.id, dry_run=True).restatements == ()
        assert gone(keyed, memory.id, dry_run=True, restatements=True).restatements == (same.id,)
        done = gone(keyed, memory.id, restatements=True)
        assert set(done.deleted) == {memory.id, same.id}
        assert keyed.store.memories.get(keyed.context.sight, other.id) is not None

    def test_events_hold_no_text(self, keyed: Means) -> None:
        """I07: no event says what was forgotten, a reason that repeats it included; the chain goes on."""
        memory = wrote(keyed)
        gone(keyed, memory.id, reason=f"because {SECRET}")
        trail = json.dumps([(row.reason, row.event_json) for row in keyed.store.events.chain()])
        assert "zanzibar" not in trail
        assert memory.id in trail

    def test_receipts_no_longer_list_it(self, keyed: Means) -> None:
        """A receipt keeps its seal and the rest of what it gave."""
        memory, other = wrote(keyed), wrote(keyed, "The bastion keys rotate weekly.")
        given = recall(keyed, Query(text="bastion keys"))
        assert {hit.memory.id for hit in given.hits} == {memory.id, other.id}
        gone(keyed, memory.id)
        (left,) = keyed.store.usage.find(keyed.context.sight, given.bundle_id)
        assert left.memory_ids == (other.id,)
        assert len(left.scores) == 1
        assert left.signature

    def test_without_a_key_it_goes_all_the_same(self, means: Means) -> None:
        """Where no key can be kept, nothing keeps it away, and the answer says so."""
        memory = wrote(means)
        assert gone(means, memory.id).digests == 0
        assert isinstance(remember(means, WriteRequest(text=SECRET, kind="repo_convention")), Written)

    def test_on_a_server_all_machines_know(self, keyed: Means) -> None:
        """The key of the digests is then the store's."""
        served = replace(keyed, served=True, digest_key=b"a" * 32)
        gone(served, wrote(served).id)
        answer = remember(replace(served, digest_key=b"b" * 32), WriteRequest(text=SECRET, kind="repo_convention"))
        assert isinstance(answer, Refusal)
        assert answer.code == "forgotten"

    def test_work_in_flight_does_not_bring_it_back(self, keyed: Means) -> None:
        """I05: the embedder was handed the text before it was forgotten; what it gives afterwards is thrown away."""
        late = Late()
        here = replace(keyed, embedder=late, asking=late)
        memory = wrote(keyed)
        late.meanwhile = lambda: gone(keyed, memory.id)
        assert not isinstance(reembed(here), Refusal)
        state = here.store.vectors.state("memory")
        assert [(era.embedded, era.missing) for era in state] == [(0, 0)]
        assert not recall(here, Query(text=SECRET)).hits


class Late(HashEmbedder):
    """Something happens while it thinks, once."""

    meanwhile: Callable[[], object] = staticmethod(lambda: None)

    def embed(self, texts: Sequence[str]) -> tuple[bytes | None, ...]:
        """What the other does, later."""
        meanwhile, self.meanwhile = self.meanwhile, lambda: None
        meanwhile()
        return super().embed(texts)
