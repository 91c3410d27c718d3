"""`learnt evaluate` from the command line: reports, exit codes, what goes together."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from learnt.evals.fence import SHIPPED
from tests.cli.shell import Shell
from tests.evals.test_golden import ADD, written
from tests.evals.test_heldout import manifest, put
from tests.evals.worlds import WORLDS


@pytest.fixture
def learnt(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Shell:
    """The command line of a person without an embedder."""
    shell = Shell(tmp_path, monkeypatch, capsys)
    shell.config.parent.mkdir()
    shell.config.write_text("[embeddings]\nenabled = false\n")
    return shell


def test_fixtures_of_the_project(learnt: Shell) -> None:
    """A relative path counts from the current folder, and the person's memory stays untouched."""
    written(learnt.project / "golden", ADD)
    made = learnt.json("evaluate", "--fixtures", "golden")
    assert made["summary"]["run_count"] == 6
    assert made["fixture_directory"] == str((learnt.project / "golden").resolve())
    assert not learnt.home.exists()


def test_what_ships_is_the_default(learnt: Shell) -> None:
    """Without options the fixtures of the package run, and a person reads the summary."""
    assert learnt.json("evaluate")["summary"]["fixture_count"] == 8
    assert "46 of 48 runs passed" in learnt("evaluate").out


def test_outside_is_refused(learnt: Shell) -> None:
    """Exit 3, the same for what is there and what is not; a folder missing inside is exit 2."""
    written(learnt.root / "project-golden", ADD)
    (learnt.project / "link").symlink_to(learnt.root / "project-golden")
    answers = [
        learnt.json("evaluate", "--fixtures", given, code=3)
        for given in ("../project-golden", "../nothing", "link", str(learnt.root / "project-golden"))
    ]
    assert all(each == answers[0] for each in answers)
    assert answers[0]["error"]["code"] == "outside_project"
    assert learnt.json("evaluate", "--fixtures", "nothing", code=2)["error"]["code"] == "no_fixtures"
    put(learnt.root / "corpus", manifest())
    assert learnt.json("evaluate", "--manifest", "../corpus/manifest.json", code=3)["error"] == answers[0]["error"]


def test_a_baseline_that_is_missed_is_exit_1(learnt: Shell) -> None:
    """`--update` pins, the gate then holds, and fails when precision was higher."""
    made = learnt.json("evaluate", "--baseline", "b.json", "--update")
    assert made["gate"]["passed"]
    pinned = json.loads((learnt.project / "b.json").read_text())
    pinned["metrics"]["precision@k"] = 0.9
    (learnt.project / "b.json").write_text(json.dumps(pinned))
    assert learnt.json("evaluate", "--baseline", "b.json", code=1)["gate"]["passed"] is False
    assert "Baseline missed" in learnt("evaluate", "--baseline", "b.json").out
    assert learnt("evaluate", "--baseline", "none.json").code == 2


def test_profiles_side_by_side(learnt: Shell) -> None:
    """Equal caps, honest costs, and a word about what is not there."""
    written(learnt.project / "golden", ADD)
    made = learnt.json("evaluate", "--fixtures", "golden", "--profiles", "lexical,hybrid,hybrid+rerank,dense,default")
    states = {name: (each["status"], each["reason"]) for name, each in made["profiles"].items()}
    off = "dense: off"
    assert states == {
        "lexical": ("ran", None),
        "hybrid": ("degraded", off),
        "hybrid+rerank": ("degraded", off),
        "dense": ("skipped", off),
        "default": ("degraded", off),
    }
    assert made["caps"]["candidate_cap"] == 20
    assert made["provenance"]["embedder"] is None
    assert made["provenance"]["cost"] == {"value": None, "source": "unavailable"}
    assert made["profiles"]["hybrid"]["runs"] == made["profiles"]["lexical"]["runs"]
    assert made["profiles"]["lexical"]["returned_token_estimate"] > 0
    assert learnt("evaluate", "--profiles", "best").code == 2


def test_a_manifest_of_the_project_and_the_shipped_one(learnt: Shell) -> None:
    """Both are read; a gate that is missed is exit 1."""
    put(learnt.project / "corpus", manifest())
    assert learnt.json("evaluate", "--manifest", "corpus/manifest.json")["passed"]
    put(learnt.project / "corpus", manifest(expected_symbols=["nobody"]))
    assert learnt.json("evaluate", "--manifest", "corpus/manifest.json", code=1)["passed"] is False
    answer = learnt("evaluate", "--manifest", str(SHIPPED / "corpus" / "manifest.json"), "--profiles", "lexical")
    assert answer.code == 0, answer
    assert "holds" in answer.out


def test_a_data_set_with_a_chart(learnt: Shell) -> None:
    """Data may lie anywhere; a must that is met is exit 0, one that is missed exit 1, and the chart is SVG."""
    for name in ("entire-anchors", "cosqa"):
        (learnt.root / name).mkdir()
        WORLDS[name](learnt.root / name)
    made = learnt.json("evaluate", "--dataset", "entire-anchors", "--data", "../entire-anchors", "--plot", "c.svg")
    assert [each["met"] for each in made["bars"]] == [True, True, True]
    assert (learnt.project / "c.svg").read_text().startswith("<svg ")
    told = learnt("evaluate", "--dataset", "cosqa", "--data", "../cosqa", "--profiles", "lexical,dense")
    assert "dense skipped" in told.out
    assert told.code == 0
    WORLDS["cosqa"](learnt.root / "cosqa")
    rows = (learnt.root / "cosqa" / "queries-x.jsonl").read_text().replace("python read all lines of a file", "zymurgy")
    (learnt.root / "cosqa" / "queries-x.jsonl").write_text(rows)
    assert learnt("evaluate", "--dataset", "cosqa", "--data", "../cosqa", "--profiles", "lexical").code == 1


@pytest.mark.parametrize(
    "options",
    [
        ["--update"],
        ["--dataset", "locomo"],
        ["--data", "."],
        ["--dataset", "locomo", "--data", ".", "--fixtures", "."],
        ["--manifest", "m", "--fixtures", "."],
        ["--dataset", "unknown", "--data", "."],
        ["--manifest", "m", "--baseline", "b"],
        ["--profiles", "lexical", "--baseline", "b"],
        ["--calibration"],
    ],
)
def test_options_that_do_not_go_together(learnt: Shell, options: list[str]) -> None:
    """A usage error, and nothing runs."""
    assert learnt("evaluate", *options).code == 2


def test_a_chart_that_cannot_be_written(learnt: Shell) -> None:
    """A folder that is not there is said."""
    assert learnt.json("evaluate", "--plot", "no/such/chart.svg", code=4)["error"]["code"] == "unwritable"
