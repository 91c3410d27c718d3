"""outcome, flag, unflag, flags, and what listings make of them."""

from __future__ import annotations

import json
import subprocess
from typing import TYPE_CHECKING

import pytest

from tests.cli.shell import COMMAND

if TYPE_CHECKING:
    from tests.cli.shell import Shell

QUESTION = "how do I run the tests"
EMAIL = "ada.lovelace" + "@" + "example.org"


def test_an_outcome_of_a_memory(learnt: Shell) -> None:
    """What was kept, what it is about, and that the digest is new."""
    memory = learnt.remember()
    done = learnt.json("outcome", "--memory", memory, "corrected", "--correction", "With TZ=UTC0.", "--anchor", "a#b")
    assert (done["memory_id"], done["existing"], done["question_recorded"]) == (memory, False, False)
    assert (done["reflectionUpdated"], done["error"]) == (True, None)
    told = done["outcome"]
    assert (told["outcome"], told["correction"], told["anchors"]) == (
        "corrected",
        "With TZ=UTC0.",
        [{"file": "a", "symbol": "b"}],
    )
    assert learnt.json("show", memory)["outcomes"] == {"useful": 0, "against": 1}
    explained = learnt.json("explain", memory)
    assert done["event"] in [each["id"] for each in explained["events"]]
    assert explained["outcomes"] == [told]
    assert "With TZ=UTC0." in learnt("explain", memory).out
    (digest,) = learnt.home.glob("reflections/*/lessons.json")
    assert json.loads(digest.read_text())["deadAnchorMemoryIds"] == [memory]
    assert learnt.json("audit", "verify")["verified"]


def test_an_outcome_of_a_question(learnt: Shell) -> None:
    """A record is kept, and found like any memory; 1,970 characters are too many."""
    done = learnt.json("outcome", "--question", "Which parser entrypoint is current?", "dead_end")
    assert done["question_recorded"]
    assert (done["memory"]["kind"], done["memory"]["confidence"]) == ("evidence", 0.5)
    found = learnt.json("recall", "which parser entrypoint is current")
    assert [each["id"] for each in found["items"]] == [done["memory_id"]]
    assert learnt.json("outcome", "--question", "x" * 1970, "useful", code=2)["error"]["code"] == "too_long"
    assert learnt.json("list")["total"] == 1
    assert learnt.json("outcome", "--question", "x" * 1969, "useful")["memory"]["text"].endswith("x" * 1969)


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (["useful"], "outcome_target"),
        (["--memory", "mem_a", "--question", "q", "useful"], "outcome_target"),
        (["--memory", "mem_a", "corrected"], "correction"),
        (["--memory", "mem_a", "useful", "--correction", "c"], "correction"),
        (["--memory", "mem_a", "useful", "--anchor", "/etc/x"], "anchors"),
        (["--memory", "mem_a", "useful", "--anchor", "a/../../x"], "anchors"),
        (["--memory", "mem_a", "useful", *(["--anchor", "a"] * 21)], "anchors"),
        (["--memory", "mem_a", "great"], "usage"),
    ],
)
def test_what_breaks_a_rule_is_exit_two(learnt: Shell, arguments: list[str], code: str) -> None:
    """With its code."""
    assert learnt.json("outcome", *arguments, code=2)["error"]["code"] == code


def test_who_is_not_there(learnt: Shell) -> None:
    """Exit 1 for an unknown memory, in every command."""
    for words in (("outcome", "--memory", "mem_a", "useful"), ("flag", "mem_a", "--reason", "x"), ("unflag", "mem_a")):
        assert learnt.json(*words, code=1)["error"]["code"] == "not_found"
    assert learnt.json("flags", "--clear", "mem_a", code=1)["error"]["code"] == "not_found"


def test_personal_data_is_refused_where_a_person_wants_that(learnt: Shell) -> None:
    """In a correction, a question and a reason; the event names neither the memory nor the address."""
    memory = learnt.remember()
    learnt.config.parent.mkdir(exist_ok=True)
    learnt.config.write_text("[gate]\ndetect_pii = true\nreject_durable_pii = true\n")
    for words in (
        ("outcome", "--memory", memory, "corrected", "--correction", f"Ask {EMAIL}."),
        ("outcome", "--question", f"Does {EMAIL} know?", "useful"),
        ("flag", memory, "--reason", f"{EMAIL} says no."),
    ):
        answer = learnt(*words, "--json")
        assert (answer.code, answer.error["code"]) == (3, "pii")
        assert EMAIL not in answer.out
    assert learnt.json("show", memory)["outcomes"] == {"useful": 0, "against": 0}
    assert learnt.json("list")["total"] == 1
    told = learnt.json("audit", "list", "--type", "pii_rejected")["events"]
    assert len(told) == 3
    assert memory not in json.dumps(told)


def test_a_folder_in_the_way_fails_the_digest_alone(learnt: Shell) -> None:
    """The outcome is kept, exit 0; the answer says what went wrong, on the screen too."""
    memory = learnt.remember()
    (learnt.home / "reflections").write_text("in the way")
    done = learnt.json("outcome", "--memory", memory, "useful")
    assert done["reflectionUpdated"] is False
    assert "lessons.json" in done["error"]
    assert done["memory"]["outcomes"]["useful"] == 1
    assert "was not made anew" in learnt("outcome", "--memory", memory, "useful").out


def test_a_report_sent_again(learnt: Shell) -> None:
    """Counts once; with other words it is an error."""
    memory = learnt.remember()
    first = learnt.json("outcome", "--memory", memory, "useful", "--id", "run-1.3")
    again = learnt.json("outcome", "--memory", memory, "useful", "--id", "run-1.3")
    assert (again["existing"], again["outcome"]["at"]) == (True, first["outcome"]["at"])
    differs = learnt.json("outcome", "--memory", memory, "dead_end", "--id", "run-1.3", code=2)
    assert differs["error"]["code"] == "outcome_id"


def test_outcomes_of_processes_at_once_are_all_in_the_digest(learnt: Shell) -> None:
    """Whoever writes the file last has seen every outcome."""
    memory = learnt.remember()
    command = [*COMMAND, "outcome", "--memory", memory, "useful"]
    running = [subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE) for _ in range(6)]
    assert [(each.wait(60), each.communicate()[1]) for each in running] == [(0, b"")] * 6
    (digest,) = learnt.home.glob("reflections/*/lessons.json")
    assert json.loads(digest.read_text())["preferred"][0]["positiveOutcomes"] == 6
    assert [each.name for each in digest.parent.iterdir() if each.name.startswith(".")] == []
    assert learnt.json("show", memory)["outcomes"]["useful"] == 6
    assert learnt.json("audit", "verify")["verified"]


def test_an_agent_says_what_became_of_it(learnt: Shell) -> None:
    """Outcomes and flags are an agent's too; clearing is not."""
    memory = learnt.remember()
    learnt.agent()
    assert learnt.json("outcome", "--memory", memory, "useful")["outcome"]["by"].startswith("agent:")
    assert learnt.json("flag", memory, "--reason", "Not so.")["flags"] == 1
    assert learnt.json("flags", "--clear", memory, code=3)["error"]["code"] == "person_required"
    assert learnt.json("unflag", memory)["flags"] == 0


def test_a_flag_from_beginning_to_end(learnt: Shell) -> None:
    """Given, replaced, listed, counted, labelled, cleared; who and why stay in the history."""
    memory = learnt.remember()
    assert learnt.json("flag", memory, "--reason", "Wrong since May.")["replaced"] is False
    assert learnt.json("flag", memory, "--reason", "Wrong since June.")["replaced"] is True
    (shown,) = learnt.json("flags")["flags"]
    assert (shown["memory_id"], shown["flags"], shown["reasons"][0]["reason"]) == (memory, 1, "Wrong since June.")
    assert [each["id"] for each in learnt.json("list", "--flagged")["memories"]] == [memory]
    assert learnt.json("status")["flags"] == {"open": 1, "memories": 1}
    assert learnt.json("pending")["flags"] == {"open": 1, "memories": 1}
    assert "learnt flags" in learnt("pending").out
    assert learnt.json("recall", QUESTION)["items"][0]["labels"] == ["flagged by a reader"]
    assert learnt.json("show", memory)["flags"] == 1
    done = learnt.json("flags", "--clear", memory)
    assert (done["cleared"], done["restored"], done["flags"]) == (1, False, 0)
    assert learnt.json("list", "--flagged")["total"] == 0
    learnt("flag", memory, "--reason", "Once more.")
    (shown,) = learnt.json("flags")["flags"]
    assert [each["reason"] for each in shown["history"]] == ["Wrong since June."]
    assert learnt.json("unflag", memory)["flags"] == 0
    assert learnt.json("flags") == {"flags": [], "total": 0}


def test_what_a_person_reads(learnt: Shell) -> None:
    """One screen each."""
    memory = learnt.remember()
    assert "Noted: useful" in learnt("outcome", "--memory", memory, "useful").out
    assert "1 useful, 0 against" in learnt("show", memory).out
    assert "Flagged:" in learnt("flag", memory, "--reason", "Wrong.").out
    listed = learnt("flags").out
    assert "Wrong." in listed
    assert memory in listed
    assert "Cleared: 1 flag" in learnt("flags", "--clear", memory).out
    assert "No memory here is flagged." in learnt("flags").out
    assert "No memory here fits." in learnt("list", "--flagged").out
