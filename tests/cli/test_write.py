"""remember, propose, pending, decide, undo."""

from __future__ import annotations

import pytest

from learnt.model.kinds import KINDS
from tests.cli.shell import Shell

SECRET = "ghp_" + "a1B2c3D4e5" * 4

MEMORY_KEYS = {
    *("id", "kind", "scope", "text", "rationale", "tags", "files", "symbols", "confidence", "trust", "status"),
    *("q_value", "evidence", "provenance", "created_at", "updated_at", "valid_from", "expires_at", "superseded_by"),
    *("supersedes_reason", "consolidated_at", "embedding_model", "reviewed_by", "metadata"),
}


def test_a_memory_is_written_and_shown(learnt: Shell) -> None:
    """Remember answers the memory with every key, its event, and nothing superseded."""
    answer = learnt.json(
        *("remember", "Tables are made with make tables.", "--kind", "repo_convention", "--tag", "Tables"),
        *("--tag", "make", "--file", "Makefile", "--symbol", "tables", "--rationale", "Edits are lost."),
        *("--confidence", "0.8", "--expires", "2099-01-01T00:00:00+02:00"),
    )
    assert answer.keys() >= {"memory", "existing", "superseded", "nominated", "event"}
    memory = answer["memory"]
    assert memory.keys() >= MEMORY_KEYS
    assert answer["existing"] is False
    assert memory["trust"] == "person"
    assert memory["scope"] == "repository"
    assert memory["confidence"] == 0.8
    assert memory["expires_at"] == "2098-12-31T22:00:00.000Z"
    assert set(memory["tags"]) >= {"tables", "make"}
    assert learnt.json("show", memory["id"]) == memory


def test_the_same_again_is_the_same_memory(learnt: Shell) -> None:
    """A statement that is known answers the existing memory."""
    first = learnt.remember()
    again = learnt.json("remember", "Run the tests with TZ=UTC.", "--kind", "repo_convention")
    assert again["existing"] is True
    assert again["memory"]["id"] == first
    assert "Known already" in learnt("remember", "Run the tests with TZ=UTC.", "--kind", "repo_convention").out


def test_preferences_belong_to_the_user(learnt: Shell) -> None:
    """user_preference goes to global_user, and a person may pass a scope."""
    preference = learnt.json("remember", "Answer in short sentences.", "--kind", "user_preference")
    assert preference["memory"]["scope"] == "global_user"
    passed = learnt.json("remember", "We use tabs.", "--kind", "repo_convention", "--scope", "global_user")
    assert passed["memory"]["scope"] == "global_user"
    foreign = learnt.json("remember", "We use tabs.", "--kind", "repo_convention", "--scope", "team", code=2)
    assert foreign["error"]["code"] == "scope_foreign"


def test_a_secret_is_refused_and_never_shown(learnt: Shell) -> None:
    """Exit 3 with classes in the details; the text is in neither stream."""
    answer = learnt("remember", f"The token is {SECRET}", "--kind", "project_fact", "--json")
    assert answer.code == 3
    assert answer.error["code"] == "secret"
    assert answer.error["details"]["classes"]
    plain = learnt("remember", f"The token is {SECRET}", "--kind", "project_fact")
    assert plain.code == 3
    assert SECRET not in answer.out + answer.err + plain.out + plain.err
    assert learnt.json("list", "--status", "all")["total"] == 0


def test_a_proposal_waits_and_is_accepted(learnt: Shell) -> None:
    """propose, pending, decide accept, undo: each shows the next step, and the memory comes and goes."""
    proposed = learnt.json("propose", "add", "Use uv.", "--kind", "repo_convention", "--evidence", "a.toml")
    assert proposed["status"] == "pending"
    assert proposed.keys() >= {"proposal_id", "status", "rejection_reason", "event"}
    name = proposed["proposal_id"]
    queue = learnt.json("pending")
    assert queue.keys() >= {"proposals", "total", "rejected", "promotion_candidates"}
    assert [each["id"] for each in queue["proposals"]] == [name]
    assert f"learnt decide {name} accept" in learnt("pending").out
    decided = learnt.json("decide", name, "accept")
    assert decided.keys() >= {"memory", "existing", "superseded", "nominated", "event"}
    assert decided["memory"]["status"] == "active"
    assert learnt.json("pending")["total"] == 0
    undone = learnt.json("undo", decided["event"])
    assert undone["hidden"] == [decided["memory"]["id"]]
    assert learnt.json("list")["total"] == 0


def test_a_rejection_is_kept_with_its_reason(learnt: Shell) -> None:
    """A rejected proposal is shown among the rejected ones."""
    name = learnt.json("propose", "add", "Use pip.", "--kind", "repo_convention", "--evidence", "a.toml")["proposal_id"]
    assert learnt.json("decide", name, "reject", "--reason", "We do not.")["memory"] is None
    assert learnt.json("pending")["rejected"][0]["rejection_reason"] == "We do not."
    assert "We do not." in learnt("pending").out


def test_a_decision_may_change_what_is_stored(learnt: Shell) -> None:
    """--text, --kind, --confidence and --tag replace what was proposed."""
    name = learnt.json("propose", "add", "Use pip.", "--kind", "todo", "--evidence", "a.toml")["proposal_id"]
    memory = learnt.json(
        *("decide", name, "accept", "--text", "Use uv."),
        *("--kind", "repo_convention", "--confidence", "0.7", "--tag", "uv"),
    )["memory"]
    assert (memory["text"], memory["kind"], memory["confidence"], memory["tags"]) == (
        "Use uv.",
        "repo_convention",
        0.7,
        ["uv"],
    )


def test_updates_merges_and_retirements_are_proposed(learnt: Shell) -> None:
    """Every operation can be asked for; ids are checked."""
    one, two = learnt.remember("Lint with ruff check."), learnt.remember("Format with ruff format.")
    supersede = ("propose", "supersede", "Lint with just lint.", "--target", one, "--rationale", "New recipe.")
    assert learnt.json(*supersede, "--evidence", "justfile", "--kind", "repo_convention")["status"] == "pending"
    merge = ("propose", "merge", "--related", one, "--related", two, "--rationale", "One rule.")
    assert learnt.json(*merge)["status"] in {"pending", "rejected"}
    assert learnt.json("propose", "delete", "--target", two, "--rationale", "Gone.")["status"] == "pending"
    unknown = learnt("propose", "delete", "--target", "mem_" + "0" * 16, "--rationale", "Gone.", "--json")
    assert unknown.code in {0, 1}


def test_unknown_ids_are_not_found(learnt: Shell) -> None:
    """decide, undo, show and explain answer exit 1 with not_found for what is not there."""
    for words in (
        ("decide", "prop_" + "0" * 16, "accept"),
        ("undo", "evt_" + "0" * 16),
        ("show", "mem_" + "0" * 16),
        ("explain", "mem_" + "0" * 16),
    ):
        assert learnt.json(*words, code=1)["error"]["code"] == "not_found"


def test_an_agent_proposes_and_does_not_decide(learnt: Shell) -> None:
    """In an agent's process remember becomes a proposal and says so; decisions are refused with exit 3."""
    learnt.agent()
    words = ("remember", "Use uv.", "--kind", "repo_convention", "--evidence", "pyproject.toml")
    answer = learnt.json(*words)
    assert answer["redirected"] is True
    assert answer["status"] == "pending"
    assert "a person decides" in learnt(*words).out
    decide = learnt.json("decide", answer["proposal_id"], "accept", code=3)
    assert decide["error"]["code"] == "person_required"
    learnt.person()
    assert learnt.json("decide", answer["proposal_id"], "accept")["memory"]["text"] == "Use uv."


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_can_be_written(learnt: Shell, kind: str) -> None:
    """A person may write each kind, with a reference."""
    answer = learnt.json(
        "remember", "A statement worth keeping.", "--kind", kind, "--evidence", "https://example.org/a"
    )
    assert answer["memory"]["kind"] == kind
