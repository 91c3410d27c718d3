"""reward, value-log, and what pending and recall make of them."""

from __future__ import annotations

import json
import subprocess
from typing import TYPE_CHECKING

import pytest

from tests.cli.shell import COMMAND

if TYPE_CHECKING:
    from tests.cli.shell import Shell

QUESTION = "how do I run the tests"
KEYS = {"applied", "memories", "propagated", "reason"}


def test_a_reward_has_the_shape_of_the_contract(learnt: Shell) -> None:
    """Applied, memories with their values before and after, propagated, reason; the second time exit 1."""
    memory = learnt.remember()
    bundle = learnt.json("recall", QUESTION)["bundle_id"]
    done = learnt.json("reward", "APPROVE", "--bundle", bundle)
    assert {name: done[name] for name in KEYS} == {
        "applied": 1,
        "memories": [{"id": memory, "q_before": 0.5, "q_after": 0.55}],
        "propagated": 0,
        "reason": None,
    }
    again = learnt.json("reward", "REJECT", "--bundle", bundle, code=1)
    assert (again["applied"], again["memories"], again["reason"]) == (0, [], "already_rewarded")
    assert learnt.json("show", memory)["q_value"] == 0.55
    told = learnt.json("recall-log")["entries"][0]["metadata"]
    assert (told["taskOutcome"], told["lastReward"]) == ("APPROVE", 1.0)
    assert learnt.json("audit", "verify")["verified"]


def test_a_run_a_unit_and_a_round(learnt: Shell) -> None:
    """Of a run only what was named; an unknown one rewards nothing, and says so."""
    memory = learnt.remember()
    learnt.monkeypatch.setenv("LEARNT_RUN", "run-1")
    for unit, number in (("a", "1"), ("a", "2"), ("b", "1")):
        learnt.json("recall", QUESTION, "--unit", unit, "--round", number)
    done = learnt.json("reward", "approve", "--run", "run-1", "--unit", "a", "--round", "2")
    assert (done["applied"], len(done["bundles"])) == (1, 1)
    assert learnt.json("reward", "APPROVE", "--run", "run-1", "--unit", "a", "--round", "2", code=1)["applied"] == 0
    for words in (
        ("--run", "run-2"),
        ("--run", "run-1", "--unit", "c"),
        ("--bundle", "bundle_20260101000000_00000000"),
    ):
        assert learnt.json("reward", "REJECT", *words, code=1)["reason"] == "no_recall_usage_for_run"
    assert learnt.json("show", memory)["q_value"] == 0.55
    assert "Rewarded" in learnt("reward", "REJECT", "--run", "run-1").out
    assert "already" in learnt("reward", "REJECT", "--run", "run-1").out


@pytest.mark.parametrize("words", [(), ("--bundle", "b", "--run", "r"), ("--bundle", "b", "--unit", "u")])
def test_a_reward_names_one_thing(learnt: Shell, words: tuple[str, ...]) -> None:
    """Neither, or both, is a mistake of the caller's; so is a verdict that does not exist."""
    assert learnt("reward", "APPROVE", *words).code == 2
    assert learnt("reward", "FINE", "--run", "r").code == 2


def test_where_the_memory_is_off(learnt: Shell) -> None:
    """It says so, with exit code 1."""
    learnt.config.parent.mkdir(parents=True)
    learnt.config.write_text("[memory]\nenabled = false\n", "utf-8")
    assert learnt.json("reward", "APPROVE", "--run", "r", code=1)["reason"] == "memory_disabled"


def test_rejected_until_it_is_hidden(learnt: Shell) -> None:
    """Suppressed below .15, shown on demand, listed as stale; the value log tells the whole story."""
    memory = learnt.remember()
    for _ in range(3):
        bundle = learnt.json("recall", QUESTION)["bundle_id"]
        learnt.json("reward", "REJECT", "--bundle", bundle)
    hidden = learnt.json("recall", QUESTION)
    assert (hidden["items"], hidden["diagnostics"]["suppressedLowQCount"]) == ([], 1)
    (item,) = learnt.json("recall", QUESTION, "--include-low-q")["items"]
    assert (item["confidence"], item["belief"]) == (0.9, pytest.approx(3.6 / 7, abs=1e-6))
    assert [each["id"] for each in learnt.json("stale")["lowQValue"]] == [memory]
    (entry,) = learnt.json("value-log")["entries"]
    assert entry["memoryId"] == memory
    assert (entry["recallCount"], entry["lastReward"], entry["taskOutcome"]) == (4, -1.0, "REJECT")
    assert (entry["promotionCandidate"], entry["suppressionCandidate"]) == (False, True)
    assert [each["q_after"] for each in entry["history"]] == pytest.approx([0.35, 0.215, 0.0935])
    assert "suppressed" in learnt("value-log").out
    assert "believed 0.51, written 0.9" in learnt("explain", memory).out


def test_approved_until_it_is_a_candidate(learnt: Shell) -> None:
    """Above .85 and recalled more than five times it stands in pending."""
    memory = learnt.remember()
    for number in range(12):
        assert learnt.json("pending")["promotion_candidates"] == [], number
        bundle = learnt.json("recall", QUESTION)["bundle_id"]
        learnt.json("reward", "APPROVE", "--bundle", bundle)
    assert [each["id"] for each in learnt.json("pending")["promotion_candidates"]] == [memory]


def test_logs_before_anything_was_recalled(learnt: Shell) -> None:
    """Nothing yet, and everything never."""
    memory = learnt.remember()
    assert learnt.json("value-log") == {"entries": [], "total": 0}
    log = learnt.json("recall-log")
    assert (log["recallEventCount"], log["neverRecalled"]) == (0, [memory])
    assert learnt("value-log").out.strip()


def test_two_councils_at_once(learnt: Shell) -> None:
    """Of two processes with one verdict one applies it, the other says that it was; different work both count."""
    memory = learnt.remember()
    learnt.monkeypatch.setenv("LEARNT_RUN", "run-1")
    for unit in ("a", "b"):
        learnt.json("recall", QUESTION, "--unit", unit)
    words = [*COMMAND, "reward", "APPROVE", "--run", "run-1", "--json", "--unit"]
    started = [
        subprocess.Popen([*words, unit], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        for unit in ("a", "a", "b", "b")
    ]
    answers = [(process.communicate(timeout=60)[0], process.returncode) for process in started]
    reasons = [json.loads(out)["reason"] for out, _ in answers]
    assert sorted(map(str, reasons)) == ["None", "None", "already_rewarded", "already_rewarded"]
    assert sorted(code for _, code in answers) == [0, 0, 1, 1]
    assert learnt.json("show", memory)["q_value"] == 0.595
    assert learnt.json("audit", "verify")["verified"]
