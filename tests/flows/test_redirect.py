"""Superseded memories lead to what replaced them."""

from __future__ import annotations

from dataclasses import replace

import pytest

from learnt.flows.decide import decide
from learnt.flows.means import Means
from learnt.flows.propose import propose
from learnt.flows.recall import recall
from learnt.flows.remember import remember
from learnt.flows.undo import undo
from learnt.model.answer import Decided, Proposed, Written
from learnt.model.memory import Memory
from learnt.model.proposal import Decision
from learnt.model.ranking import Query
from learnt.model.request import ProposalRequest, WriteRequest
from learnt.stores.sqlite.store import SqliteStore


@pytest.fixture(params=["ephemeral", "sqlite"])
def desk(means: Means, request, tmp_path):
    """The means over either store."""
    if request.param == "ephemeral":
        yield means
        return
    store = SqliteStore.open(tmp_path / "memory.db", now=means.clock.now)
    yield replace(means, store=store)
    store.close()


def wrote(means: Means, text: str) -> Memory:
    answer = remember(means, WriteRequest(text=text, kind="repo_convention"))
    assert isinstance(answer, Written)
    return answer.memory


def replaced(means: Means, old: Memory, text: str) -> Decided:
    asked = propose(means, ProposalRequest(operation="supersede", text=text, kind="repo_convention", target_id=old.id))
    assert isinstance(asked, Proposed)
    answer = decide(means, Decision(proposal_id=asked.proposal.id, action="accept"))
    assert isinstance(answer, Decided)
    return answer


def ids(means: Means, text: str, **fields: object) -> list[str]:
    return [hit.memory.id for hit in recall(means, Query(text=text, **fields)).hits]  # type: ignore[arg-type]


def test_asked_in_the_old_words_the_successor_comes_first(desk: Means) -> None:
    """Above memories that share a word by chance, in manual and in injection; the old one never shows."""
    old = wrote(desk, "Releases go through the Jenkins pipeline.")
    wrote(desk, "The pipeline dashboard is public.")
    new = replaced(desk, old, "Deploys run on Buildkite.").memory
    assert new is not None
    for mode in ("manual", "injection"):
        found = ids(desk, "releases jenkins pipeline", mode=mode)
        assert found[0] == new.id
        assert old.id not in found
    hit = recall(desk, Query(text="releases jenkins pipeline")).hits[0]
    assert old.id in hit.reason


def test_the_end_of_the_chain_is_found(desk: Means) -> None:
    """Two replacements later the first words still lead to the last statement."""
    first = wrote(desk, "Lint with flake8 alone.")
    second = replaced(desk, first, "Check style by pylint.").memory
    assert second is not None
    third = replaced(desk, second, "Ruff guards the code.").memory
    assert third is not None
    assert ids(desk, "flake8 lint", mode="injection") == [third.id]


def test_the_seeds_profiles_only_drop_what_is_superseded(desk: Means) -> None:
    """`lexical` and `hybrid` know no redirect."""
    old = wrote(desk, "Releases go through the Jenkins pipeline.")
    replaced(desk, old, "Deploys run on Buildkite.")
    for profile in ("lexical", "hybrid"):
        assert ids(desk, "releases jenkins pipeline", mode="injection", profile=profile) == []


def test_undone_or_deleted_nothing_is_redirected(desk: Means) -> None:
    """After undo the old one answers for itself."""
    old = wrote(desk, "Releases go through the Jenkins pipeline.")
    decided = replaced(desk, old, "Deploys run on Buildkite.")
    undo(desk, decided.event)
    assert ids(desk, "releases jenkins pipeline", mode="injection") == [old.id]


def test_retired_facts_take_no_slots(desk: Means) -> None:
    """One fact corrected forty times and ten other current ones: only current ones come, each once."""
    last = wrote(desk, "The parser port is 4000.")
    for number in range(1, 41):
        made = replaced(desk, last, f"The parser port is {4000 + number}.").memory
        assert made is not None
        last = made
    for number in range(10):
        wrote(desk, f"The parser fact number {number}.")
    found = recall(desk, Query(text="the parser port", max_items=6)).hits
    assert len(found) == 6
    assert all(hit.memory.status == "active" for hit in found)
    assert found[0].memory.id == last.id
