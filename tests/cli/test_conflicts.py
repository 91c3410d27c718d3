"""What disagrees, what is taken back, and what held at a moment, at the command line."""

from __future__ import annotations

import os
import subprocess
import time
from typing import TYPE_CHECKING, Any

from learnt.model.instant import from_epoch

if TYPE_CHECKING:
    from tests.cli.shell import Shell

UNIT, WHOLE = "Tests live in tests/unit", "Tests live in tests/integration"


def wrote(learnt: Shell, text: str, *more: str) -> Any:
    return learnt.json("remember", text, "--kind", "project_fact", *more)


def committed(learnt: Shell, at: str) -> str:
    """A commit of the project, made at a moment."""
    who = ["-c", "user.name=a", "-c", "user.email=a@example.org"]
    dated = {**os.environ, "GIT_COMMITTER_DATE": at, "GIT_AUTHOR_DATE": at}
    for command in (["init", "-q"], [*who, "commit", "-q", "--allow-empty", "-m", "x"]):
        subprocess.run(["git", *command], cwd=learnt.project, env=dated, check=True)
    told = subprocess.run(["git", "rev-parse", "HEAD"], cwd=learnt.project, capture_output=True, text=True, check=True)
    return told.stdout.strip()


def test_nothing_disagrees(learnt: Shell) -> None:
    """An empty answer is an answer."""
    assert learnt.json("conflicts") == {"conflicts": [], "nominations": [], "total": 0, "nominated_total": 0}
    assert learnt("conflicts").out == "Nothing disagrees.\n"


def test_what_disagrees_is_shown_and_settled(learnt: Shell) -> None:
    """Both sides, the newer first, labelled in recall; a person's word retires one, and undo brings it back."""
    older, newer = wrote(learnt, UNIT)["memory"]["id"], wrote(learnt, WHOLE)["memory"]["id"]
    (pair,) = learnt.json("conflicts")["conflicts"]
    assert [each["id"] for each in pair["memories"]] == [newer, older]
    assert pair["reason"] == "disputes"
    assert "Both cannot hold" in learnt("conflicts").out
    items = learnt.json("recall", "where do the tests live")["items"]
    labels = {each["id"]: each["labels"] for each in items}
    assert (labels[newer], labels[older]) == (["disputed, newer evidence"], ["disputed, older evidence"])
    assert [each["id"] for each in items][:2] == [newer, older]
    done = learnt.json("conflicts", "--keep", older)
    assert done["superseded"] == [newer]
    assert learnt.json("conflicts")["total"] == 0
    assert learnt.json("undo", done["events"][0])["restored"] == [newer]
    assert learnt.json("conflicts", "--both", older, "--both", newer)["kept"] == [older, newer]
    assert learnt.json("conflicts")["total"] == 0


def test_half_an_answer_is_refused(learnt: Shell) -> None:
    """One statement holds together with nothing."""
    memory = wrote(learnt, UNIT)["memory"]["id"]
    for wrong in (["--both", memory], ["--over", memory], ["--keep", memory, "--both", memory, "--both", memory]):
        assert learnt("conflicts", *wrong, "--json").code == 2
    assert learnt("conflicts", "--keep", "mem_0000000000000000", "--json").code == 1


def test_a_replaced_statement_has_its_time(learnt: Shell) -> None:
    """The write says what it replaced and how to take that back; a moment before shows the older one alone."""
    older = wrote(learnt, "Use npm")["memory"]["id"]
    between = from_epoch(time.time())
    time.sleep(0.01)
    newer = wrote(learnt, "Use pnpm, not npm")
    assert newer["superseded"] == [older]
    then = [each["id"] for each in learnt.json("recall", "use npm or pnpm", "--as-of", between)["items"]]
    assert then == [older]
    assert [each["id"] for each in learnt.json("list", "--as-of", between)["memories"]] == [older]
    assert learnt.json("show", older, "--as-of", between)["status"] == "active"
    assert learnt.json("show", older)["status"] == "superseded"
    assert learnt("show", newer["memory"]["id"], "--as-of", between, "--json").code == 1
    assert learnt.json("undo", newer["event"])["restored"] == [older]


def test_older_evidence_is_told_to_come_late(learnt: Shell) -> None:
    """What a person writes from an old commit is kept as what held before, and said so."""
    commit = committed(learnt, "2020-01-01T00:00:00Z")
    newer = wrote(learnt, "Tests run with pytest -n 8")["memory"]["id"]
    late = wrote(learnt, "Tests run with pytest -n 4", "--evidence", commit)["memory"]
    assert (late["status"], late["superseded_by"]) == ("superseded", newer)
    told = learnt("remember", "Tests run with pytest -n 2", "--kind", "project_fact", "--evidence", commit)
    assert "held before" in told.out
