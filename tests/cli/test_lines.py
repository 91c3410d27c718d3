"""The commands over a store of JSON lines."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from learnt.stores.jsonl.log import FILE

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tests.cli.shell import Shell


@pytest.fixture
def lines(learnt: Shell) -> Path:
    """A folder that the environment names."""
    folder = learnt.root / "a folder" / "lines"
    learnt.monkeypatch.setenv("LEARNT_DATABASE_URL", f"jsonl://{str(folder).replace(' ', '%20')}")
    return folder


def test_the_commands_say_the_same_there(learnt: Shell, lines: Path) -> None:
    """From writing over asking and deciding to taking away; everything is in the one file."""
    memory = learnt.json("remember", "Tests run with bun here.", "--kind", "repo_convention")["memory"]["id"]
    assert learnt.json("recall", "how do tests run")["items"][0]["id"] == memory
    assert learnt.json("search", "bun tests")["hits"][0]["id"] == memory
    proposal = learnt.json("propose", "delete", "--target", memory, "--rationale", "gone")["proposal_id"]
    assert learnt.json("pending")["total"] == 1
    event = learnt.json("decide", proposal, "accept")["event"]
    assert learnt.json("list")["total"] == 0
    learnt.json("undo", event)
    assert learnt.json("explain", memory)["memory"]["status"] == "active"
    learnt.json("decide", proposal, "accept")
    assert learnt.json("compact", "--confirm")["removedDeleted"] == 1
    assert learnt("show", memory).code == 1
    assert memory in (lines / FILE).read_text()  # in events and receipts
    assert not any('"in":"memories"' in row for row in (lines / FILE).read_text().splitlines())
    assert not learnt.home.joinpath("memory.db").exists()


def test_sessions_are_read_into_it(learnt: Shell, lines: Path, transcript: Callable[[str], Path]) -> None:
    """Evidence, sessions and what they taught are in the file, and a second reading adds nothing."""
    path = transcript("one")
    told = learnt.json("sessions", "ingest", str(path))
    assert told["sessions"][0]["records"] > 0
    held = (lines / FILE).read_text()
    assert '"in":"units"' in held
    assert '"in":"sessions"' in held
    again = learnt.json("sessions", "ingest", str(path))
    assert again["sessions"][0]["proposals"] == 0
    assert learnt.json("sessions", "list")["total"] == 1


def test_it_says_what_it_leaves_to_databases(learnt: Shell, lines: Path) -> None:
    """The trail is not vouched for; vectors, jobs and hooks are refused, and `status` tells the arms."""
    learnt.remember()
    verified = learnt("audit", "verify", "--json")
    assert (verified.code, verified.document["supported"], verified.document["verified"]) == (1, False, False)
    audits = (["audit", "checkpoint"], ["audit", "rotate"], ["audit", "prove", "evt_0"], ["audit", "export", "out"])
    for command in (["reembed"], ["worker", "--once"], ["jobs"], ["init", "--yes"], *audits):
        answer = learnt(*command, "--json")
        assert (answer.code, answer.error["code"]) == (4, "unsupported"), command
    status = learnt.json("status")
    assert (status["provider"], status["arms"]["dense"]) == ("jsonl", "unsupported")
    assert status["store"]["path"] == str(lines / FILE)
    assert learnt("doctor").code == 0


def test_hybrid_equals_lexical_there(learnt: Shell, lines: Path) -> None:
    """Without vectors the fused profiles give what words give, and `dense` is an error."""
    del lines
    learnt.remember()
    words = learnt.json("recall", "run the tests", "--profile", "lexical")["items"]
    assert learnt.json("recall", "run the tests", "--profile", "hybrid")["items"] == words
    assert learnt("recall", "run the tests", "--profile", "dense").code == 4


def test_it_moves_into_a_file_and_back(learnt: Shell, lines: Path) -> None:
    """All of it arrives, the chain is whole there; on the way back it says what stays behind."""
    memory = learnt.remember()
    learnt.json("recall", "run the tests")
    file = learnt.root / "moved.db"
    moved = learnt.json("migrate", "--to", f"sqlite://{file}")
    assert (moved["verified"], moved["left_behind"], moved["audit"]["verified"]) == (True, {}, True)
    learnt.monkeypatch.setenv("LEARNT_DATABASE_URL", f"sqlite://{file}")
    assert learnt.json("audit", "verify")["verified"]
    assert learnt("show", memory).code == 0
    learnt("worker", "--once")
    back = learnt.json("migrate", "--to", f"jsonl://{learnt.root / 'back'}")
    assert back["verified"]
    assert back["left_behind"]["jobs"] > 0
    assert "memories" in {each["chapter"] for each in back["chapters"]}
    learnt.monkeypatch.setenv("LEARNT_DATABASE_URL", f"jsonl://{learnt.root / 'back'}")
    assert learnt.json("list")["total"] == 1
    assert lines.joinpath(FILE).exists()


def test_a_row_that_cannot_be_read_is_told_of(learnt: Shell, lines: Path) -> None:
    """The others are there, `status` counts it, and the older row does not come back."""
    kept, spoiled = learnt.remember(), learnt.json("remember", "Other.", "--kind", "todo")["memory"]["id"]
    with (lines / FILE).open("a") as file:
        file.write(json.dumps({"in": "memories", "key": spoiled, "row": {"text": ""}}) + "\n" + '{"torn": ')
    listed = learnt.json("list", "--status", "all")["memories"]
    assert [each["id"] for each in listed] == [kept]
    status = learnt.json("status")
    assert spoiled in str(status["store"]["unreadable"])
    assert any("could not be read" in each for each in status["gaps"])


@pytest.mark.parametrize("url", ["jsonl://", "jsonl:///", "jsonl://host/x", "jsonl:///x?y=1"])
def test_what_names_no_folder_is_refused(learnt: Shell, url: str) -> None:
    """Exit 4, and nothing is made."""
    learnt.monkeypatch.setenv("LEARNT_DATABASE_URL", url)
    answer = learnt("status", "--json")
    assert (answer.code, answer.error["code"]) == (4, "configuration")


def test_what_was_forgotten_is_in_no_line(learnt: Shell, lines: Path) -> None:
    """Neither in the file nor beside it; written again it is refused."""
    memory = learnt.json("remember", "Zeppelins moor at the eastern mast.", "--kind", "project_fact")["memory"]["id"]
    learnt.json("recall", "where do zeppelins moor")
    learnt.json("outcome", "useful", "--memory", memory)
    assert memory in learnt.json("forget", memory)["deleted"]
    assert not any(b"eastern mast" in path.read_bytes() for path in lines.rglob("*") if path.is_file())
    again = learnt("remember", "Zeppelins moor at the eastern mast.", "--kind", "project_fact", "--json")
    assert (again.code, again.error["code"]) == (3, "forgotten")


def test_outcomes_flags_and_rewards_are_kept(learnt: Shell, lines: Path) -> None:
    """By one command, and found by the next, which reads the file anew."""
    memory = learnt.remember()
    bundle = learnt.json("recall", "run the tests")["bundle_id"]
    learnt.json("reward", "APPROVE", "--bundle", bundle)
    learnt.json("outcome", "useful", "--memory", memory)
    learnt.json("flag", memory, "--reason", "Not on Windows.")
    held = learnt.json("list", "--flagged")["memories"]
    assert [(each["id"], each["q_value"]) for each in held] == [(memory, 0.55)]
    assert learnt.json("value-log")["entries"][0]["lastReward"] == 1.0
    assert '"in":"outcomes"' in (lines / FILE).read_text()


def test_an_export_of_it_is_read_by_a_database(learnt: Shell, lines: Path) -> None:
    """And the other way round."""
    memory = learnt.remember()
    learnt.json("export", str(learnt.root / "out"))
    learnt.monkeypatch.delenv("LEARNT_DATABASE_URL")
    learnt.json("import", str(learnt.root / "out"))
    assert learnt.json("list")["memories"][0]["id"] == memory
    learnt.monkeypatch.setenv("LEARNT_DATABASE_URL", f"jsonl://{lines.parent / 'other'}")
    learnt.json("import", str(learnt.root / "out"))
    assert learnt.json("list")["memories"][0]["id"] == memory
