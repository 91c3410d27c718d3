"""Memories pinned to code, and what recall does when the code is another."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

from learnt.bootstrap import GitWorkplace
from learnt.flows.decide import decide
from learnt.flows.propose import propose
from learnt.flows.recall import recall
from learnt.flows.remember import remember
from learnt.flows.stale import stale
from learnt.model.answer import Decided, Proposed, Written
from learnt.model.pin import pins_of
from learnt.model.place import Place
from learnt.model.proposal import Decision
from learnt.model.ranking import Query
from learnt.model.request import ProposalRequest, WriteRequest
from tests.flows.conftest import context_of

if TYPE_CHECKING:
    from pathlib import Path

    from learnt.flows.means import Means
    from learnt.model.memory import Memory
    from learnt.model.ranking import Ranking

CODE = "import os\n\n\ndef renew(lease):\n    lease.flush()\n    return lease\n\n\ndef other():\n    return 1\n"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A work tree with one module and one script."""
    folder = tmp_path / "tree"
    (folder / "src").mkdir(parents=True)
    (folder / "tools").mkdir()
    (folder / "src/lease.py").write_text(CODE)
    (folder / "tools/fmt.sh").write_text("gofmt -w .\n")
    return folder


@pytest.fixture
def here(means: Means, root: Path) -> Means:
    """The means of a person who works in it."""
    place = Place(str(root), "", "", str(root), str(root))
    context = replace(means.context, scopes=context_of().scopes, root=str(root))
    return replace(means, workplace=GitWorkplace(str(root)), place=place, context=context)


def write(means: Means, text: str, **facts: Any) -> Memory:
    """What a person's direct write stored."""
    answer = remember(means, WriteRequest(text=text, kind=facts.pop("kind", "project_fact"), **facts))
    assert isinstance(answer, Written)
    return answer.memory


def ask(means: Means, text: str, **facts: Any) -> Ranking:
    return recall(means, Query(text=text, **facts))


def labels(ranking: Ranking) -> list[tuple[str, ...]]:
    return [hit.labels for hit in ranking.hits]


def test_a_write_is_pinned_to_what_it_names(here: Means, root: Path) -> None:
    """Lines of references, symbols in named files, files as a whole; paths are relative to the root."""
    lines = write(here, "renew flushes the lease", evidence=("src/lease.py:4-6",))
    symbol = write(here, "other returns one", files=(f"{root}/src/lease.py",), symbols=("other",))
    whole = write(here, "format with the script", files=("./tools/fmt.sh",))
    mentioned = write(here, "the script tools/fmt.sh formats everything")
    nothing = write(here, "there is no src/none.py", files=("src/none.py", "../outside"))
    private = write(here, "I like src/lease.py", kind="user_preference", files=("src/lease.py",))
    assert [pin.place for pin in pins_of(lines.metadata)] == ["src/lease.py:4-6"]
    assert [(pin.place, pin.symbol) for pin in pins_of(symbol.metadata)] == [("src/lease.py:9-10", "other")]
    assert [pin.place for pin in pins_of(whole.metadata)] == ["tools/fmt.sh"]
    assert [pin.place for pin in pins_of(mentioned.metadata)] == ["tools/fmt.sh"]
    assert not pins_of(nothing.metadata)
    assert not pins_of(private.metadata)
    assert "flush" not in str(lines.metadata)


def test_lines_of_secrets_are_not_hashed(here: Means, root: Path) -> None:
    """Of a file of secrets only its being there is pinned; an excluded one is not looked at."""
    (root / "config").mkdir()
    for name in (".env", "server.pem"):
        (root / "config" / name).write_text("one\ntwo\n")
        found = write(here, f"the settings are in {name} of config", evidence=(f"config/{name}:1-2",))
        assert [pin.place for pin in pins_of(found.metadata)] == [f"config/{name}"]
    evidence = replace(here.settings.evidence, exclude=("src/*",))
    careful = replace(here, settings=replace(here.settings, evidence=evidence))
    assert not pins_of(write(careful, "renew is in lease", evidence=("src/lease.py:4-6",)).metadata)


def test_a_proposal_is_pinned_when_it_is_made(here: Means, root: Path) -> None:
    """What an agent saw counts, not what the person sees who decides later."""
    agent = replace(here, context=replace(here.context, person=False, agent_id="a1"))
    asked = ProposalRequest(
        operation="add", text="renew flushes the lease", kind="project_fact", evidence=("src/lease.py:4-6",)
    )
    proposed = propose(agent, asked)
    assert isinstance(proposed, Proposed)
    (root / "src/lease.py").write_text(CODE.replace("flush", "drop"))
    decided = decide(here, Decision(proposal_id=proposed.proposal.id, action="accept"))
    assert isinstance(decided, Decided)
    assert labels(ask(here, "what does renew do with the lease")) == [("changed since",)]


def test_an_update_keeps_what_it_does_not_name(here: Means, root: Path) -> None:
    """New words about the same lines rest on the same lines."""
    old = write(here, "renew flushes the lease", evidence=("src/lease.py:4-6",))
    asked = ProposalRequest(operation="update", text="renew always flushes the lease", target_id=old.id)
    proposed = propose(here, asked)
    assert isinstance(proposed, Proposed)
    decided = decide(here, Decision(proposal_id=proposed.proposal.id, action="accept"))
    assert isinstance(decided, Decided)
    (root / "src/lease.py").write_text(CODE.replace("flush", "drop"))
    assert labels(ask(here, "renew always flushes the lease")) == [("changed since",)]


def test_changed_is_labelled_and_lower_and_comes_back(here: Means, root: Path) -> None:
    """A changed memory falls behind a fresh one; the old text makes it what it was."""
    pinned = write(here, "renew flushes the lease", evidence=("src/lease.py:4-6",))
    other = write(here, "renew flushes a lease twice")
    before = ask(here, "renew flushes the lease")
    assert before.hits[0].memory.id == pinned.id
    (root / "src/lease.py").write_text(CODE.replace("flush()", "drop()"))
    after = ask(here, "renew flushes the lease")
    assert [hit.memory.id for hit in after.hits] == [other.id, pinned.id]
    assert after.hits[1].labels == ("changed since",)
    assert after.hits[1].score == pytest.approx(0.7 * before.hits[0].score)
    assert after.diagnostics["changedCount"] == 1
    assert "changed since" in after.prompt_block
    (root / "src/lease.py").write_text(CODE)
    again = ask(here, "renew flushes the lease")
    assert [(hit.memory.id, hit.score) for hit in again.hits] == [(hit.memory.id, hit.score) for hit in before.hits]


def test_moved_names_the_new_line(here: Means, root: Path) -> None:
    """Lines that only moved keep their score."""
    write(here, "renew flushes the lease", evidence=("src/lease.py:4-6",))
    score = ask(here, "renew flushes the lease").hits[0].score
    (root / "src/lease.py").write_text("# one\n# two\n" + CODE)
    hit = ask(here, "renew flushes the lease").hits[0]
    assert hit.labels == ("now at src/lease.py:6",)
    assert hit.score == score


def test_gone_is_labelled_and_hidden_in_injection(here: Means, root: Path) -> None:
    """A memory about a deleted script is shown to who asks, and never injected; another takes its place."""
    script = write(here, "format everything with tools/fmt.sh", files=("tools/fmt.sh",))
    fresh = write(here, "format everything before a commit")
    (root / "tools/fmt.sh").unlink()
    shown = ask(here, "format everything")
    assert [hit.memory.id for hit in shown.hits] == [fresh.id, script.id]
    assert shown.hits[1].labels == ("gone",)
    injected = ask(here, "format everything", mode="injection", max_items=1)
    assert [hit.memory.id for hit in injected.hits] == [fresh.id]
    assert ask(here, "format everything", mode="injection").diagnostics["hiddenGoneCount"] == 1
    (root / "tools/fmt.sh").write_text("gofmt\n")
    assert len(ask(here, "format everything", mode="injection").hits) == 2


def test_a_tree_that_cannot_be_read_changes_nothing(here: Means, root: Path) -> None:
    """Unknown is not broken: no label, no lower score, nothing hidden."""
    write(here, "format everything with tools/fmt.sh", files=("tools/fmt.sh",))
    elsewhere = replace(here, workplace=GitWorkplace(str(root / "not there")))
    assert labels(ask(elsewhere, "format everything", mode="injection")) == [()]
    checked = stale(elsewhere, check=True).checked
    assert checked is not None
    assert [each.state for each in checked] == ["unknown"]


@pytest.mark.parametrize("asked", [{"profile": "lexical"}, {"as_of": "2999-01-01T00:00:00.000Z"}])
def test_the_seeds_profiles_and_the_past_do_not_look(here: Means, root: Path, asked: dict[str, Any]) -> None:
    """The seed's arithmetic is as it was."""
    write(here, "renew flushes the lease", evidence=("src/lease.py:4-6",))
    (root / "src/lease.py").unlink()
    assert labels(ask(here, "renew flushes the lease", **asked)) == [()]


def test_saying_it_again_makes_it_fresh(here: Means, root: Path) -> None:
    """The same words, written again, are pinned to the code as it is now."""
    first = write(here, "renew flushes the lease", evidence=("src/lease.py:4-6",))
    (root / "src/lease.py").write_text(CODE.replace("flush()", "flush(1)"))
    again = write(here, "renew flushes the lease", evidence=("src/lease.py:4-6",))
    assert again.id == first.id
    assert labels(ask(here, "renew flushes the lease")) == [()]


def test_check_lists_every_pinned_memory(here: Means, root: Path) -> None:
    """Each state is found; memories without pins, and retired ones, are in no check."""
    write(here, "renew flushes the lease", evidence=("src/lease.py:4-6",))
    write(here, "other returns one", files=("src/lease.py",), symbols=("other",))
    write(here, "format with the script", files=("tools/fmt.sh",))
    write(here, "nothing is pinned here")
    (root / "tools/fmt.sh").unlink()
    (root / "src/lease.py").write_text("# new\n" + CODE.replace("return 1", "return 2"))
    found = stale(here, check=True)
    assert found.checked is not None
    assert {each.memory.text: each.state for each in found.checked} == {
        "renew flushes the lease": "moved",
        "other returns one": "changed",
        "format with the script": "gone",
    }
    assert found.report.active == 4
    assert stale(here).checked is None
