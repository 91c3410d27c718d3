"""Golden fixtures: what they may hold, the run matrix, and the report of schema 1."""

from __future__ import annotations

import copy
import json
from pathlib import Path
from typing import Any

import pytest

from learnt.errors import UsageError
from learnt.evals import golden, matrix, regress
from learnt.evals.fence import SHIPPED

SEED = Path(__file__).parents[3] / "shared" / "data" / "seed-fixtures"
REPO = {"type": "repository", "repoId": "r"}
ADD = {
    "name": "add",
    "query": "release notes fragment",
    "task": "Write the release notes fragment.",
    "agentRole": "coder",
    "scopes": [REPO],
    "kinds": ["repo_convention"],
    "k": 2,
    "expectedLabels": ["fragment"],
    "records": [
        {"label": "fragment", "scope": REPO, "kind": "repo_convention", "text": "Release notes come from a fragment."},
        {"label": "noise", "scope": REPO, "kind": "repo_convention", "text": "Prefer small functions."},
        {
            "label": "elsewhere",
            "scope": {"type": "repository", "repoId": "s"},
            "kind": "repo_convention",
            "text": "Release notes fragment.",
        },
        {
            "label": "old",
            "scope": REPO,
            "kind": "repo_convention",
            "text": "Release notes fragments are gone.",
            "state": {"supersededByLabel": "fragment"},
        },
    ],
}


def written(folder: Path, fixture: dict[str, Any], name: str = "one.json") -> Path:
    """A folder with this fixture."""
    folder.mkdir(exist_ok=True)
    (folder / name).write_text(json.dumps(fixture), encoding="utf-8")
    return folder


def report(folder: Path) -> dict[str, Any]:
    """The report on a folder of the project `folder.parent`."""
    return matrix.report(golden.load(folder, str(folder.parent)), str(folder), "now")


def test_one_fixture_in_every_store_and_mode(tmp_path: Path) -> None:
    """Two stores and three modes make six runs; the retired and the foreign memory are in none of them."""
    made = report(written(tmp_path / "f", ADD))
    assert [(each["provider"], each["mode"]) for each in made["runs"]] == [
        (provider, mode) for provider in ("local-jsonl", "sqlite") for mode in ("manual", "injection", "curator")
    ]
    for each in made["runs"]:
        noise = [] if each["mode"] == "injection" else ["noise"]
        assert each["retrieved_labels"] == ["fragment", *noise]
        assert each["metrics"]["precision@k"] == 0.5
        assert each["passed"]
    assert made["summary"]["same_scope_noise_count"] == 4
    assert made["summary"]["injection_count"] == 2


def test_a_run_that_finds_too_little_does_not_pass(tmp_path: Path) -> None:
    """Recall below one fails a run, and noise fails an injection."""
    fixture = {**ADD, "expectedLabels": ["fragment", "noise"]}
    made = report(written(tmp_path / "f", fixture))
    assert {each["mode"] for each in made["runs"] if not each["passed"]} == {"injection"}
    fixture = {**ADD, "expectedLabels": []}
    made = report(written(tmp_path / "g", fixture))
    assert {each["mode"] for each in made["runs"] if not each["passed"]} == {"injection"}
    assert made["summary"]["noisy_injection_count"] == 2


def test_the_report_has_the_names_of_the_seed(tmp_path: Path) -> None:
    """Every key of schema 1 is there."""
    made = report(written(tmp_path / "f", ADD))
    assert set(made) == {
        *("schema_version", "generated_at", "fixture_directory", "providers", "modes", "summary", "runs"),
    }
    counts = ("injection_count", "noisy_injection_count", "same_scope_noise_count", "cross_scope_leak_count")
    metrics = {"precision@k", "recall@k", *counts, "stale_memory_count"}
    assert set(made["summary"]) == metrics | {"fixture_count", "run_count", "passed_run_count"}
    assert set(made["runs"][0]["metrics"]) == metrics
    assert {"fixture", "provider", "mode", "k", "query", "expected_labels", "expected_ids", "passed"} <= set(
        made["runs"][0]
    )


def test_an_empty_folder_has_no_runs(tmp_path: Path) -> None:
    """Nothing to run is a report of zero runs; no folder at all is an error."""
    (tmp_path / "f").mkdir()
    made = report(tmp_path / "f")
    assert (made["summary"]["run_count"], made["summary"]["precision@k"], made["runs"]) == (0, 0.0, [])
    with pytest.raises(UsageError, match="no such directory"):
        report(tmp_path / "missing")


def changed(*path: Any, to: Any) -> dict[str, Any]:
    """The fixture with one value replaced."""
    made: Any = copy.deepcopy(ADD)
    at = made
    for key in path[:-1]:
        at = at[key]
    at[path[-1]] = to
    return made


@pytest.mark.parametrize(
    ("fixture", "record", "field"),
    [
        (changed("records", 1, "kind", to="opinion"), "noise", "kind"),
        (changed("records", 1, "text", to=""), "noise", "text"),
        (changed("records", 1, "text", to="a" * 2001), "noise", "text"),
        (changed("records", 1, "text", to="nul \0 inside"), "noise", "text"),
        (changed("records", 1, "text", to=7), "noise", "text"),
        (changed("records", 1, "text", to="the bundle_ marker of recalled memory"), "noise", "text"),
        (changed("records", 1, "scope", to={"type": "planet"}), "noise", "scope"),
        (changed("records", 1, "confidence", to=1.5), "noise", "confidence"),
        (changed("records", 1, "confidence", to="high"), "noise", "confidence"),
        (changed("records", 1, "stability", to="forever"), "noise", "stability"),
        (changed("records", 1, "tags", to="x"), "noise", "tags"),
        (changed("records", 1, "source", to={"type": "rumour"}), "noise", "source.type"),
        (changed("records", 3, "state", to={"supersededByLabel": "nobody"}), "old", "state.supersededByLabel"),
        (changed("records", 1, "state", to={"expiresAt": 3}), "noise", "state.expiresAt"),
        (changed("kinds", to=["opinion"]), None, "kinds"),
        (changed("query", to="x"), None, "query"),
        (changed("scopes", to=[]), None, "scopes"),
        (changed("records", 1, "state", to={"expiresAt": "soon"}), "noise", "state.expiresAt"),
        (changed("records", 1, "confidence", to=float("nan")), "noise", "confidence"),
        (changed("k", to=0), None, "k"),
        (changed("k", to=10**30), None, "k"),
        (changed("tokenBudget", to=True), None, "tokenBudget"),
        (changed("expectedLabels", to=["nobody"]), None, "expectedLabels"),
        (changed("records", to="none"), None, "records"),
        (changed("records", 1, "label", to="fragment"), None, "records"),
    ],
)
def test_a_broken_fixture_is_named(tmp_path: Path, fixture: dict[str, Any], record: str | None, field: str) -> None:
    """The error names file, record and field, and nothing runs."""
    with pytest.raises(UsageError) as caught:
        report(written(tmp_path / "f", fixture))
    assert caught.value.details == {"file": "one.json", "record": record, "field": field}


@pytest.mark.parametrize("content", [b"{", b"[]", b"\xff\xfe", b"[" * 100_000, b" " * 1_100_000])
def test_a_file_that_is_no_fixture_is_named(tmp_path: Path, content: bytes) -> None:
    """What is no JSON object, or far too large, is an error about that file."""
    (tmp_path / "f").mkdir()
    (tmp_path / "f" / "one.json").write_bytes(content)
    with pytest.raises(UsageError) as caught:
        report(tmp_path / "f")
    assert caught.value.details["file"] == "one.json"


def test_the_shipped_fixtures_hold_their_baseline() -> None:
    """The regression gate of this repository: precision on the shipped fixtures is what was pinned."""
    first, second = (matrix.report(golden.load(SHIPPED / "fixtures", "."), "", "now") for _ in range(2))
    found = regress.gate(first, second, regress.read(Path(__file__).with_name("baseline.json")))
    assert found["passed"], found


def test_the_shipped_fixtures_do_what_they_are_meant_to() -> None:
    """All pass but the paraphrase under injection, which words alone cannot find."""
    made = matrix.report(golden.load(SHIPPED / "fixtures", "."), "", "now")
    failed = {(each["fixture"], each["mode"]) for each in made["runs"] if not each["passed"]}
    assert failed == {("paraphrase", "injection")}
    assert made["summary"]["cross_scope_leak_count"] == made["summary"]["stale_memory_count"] == 0


@pytest.mark.skipif(not SEED.exists(), reason="the seed's fixtures are not beside this checkout")
def test_the_seeds_fixtures_give_the_seeds_baseline() -> None:
    """48 runs, 30 passed, precision .2083, recall .625, and every recorded ranking with its scores."""
    made = matrix.report(golden.load(SEED / "memory-recall", str(SEED)), "", "now")
    baseline = json.loads((SEED / "memory-recall-baseline.json").read_text("utf-8"))
    assert {name: made["summary"][name] for name in baseline["metrics"]} == baseline["metrics"]
    recorded = {
        (each["fixture"], each["mode"]): [(hit["label"], hit["id"], hit["score"]) for hit in each["ranking"]]
        for each in json.loads((SEED / "golden-scores.json").read_text("utf-8"))["runs"]
    }
    for each in made["runs"]:
        found = zip(each["retrieved_labels"], each["retrieved_ids"], each["retrieved_scores"], strict=True)
        assert list(found) == recorded[each["fixture"], each["mode"]], (each["fixture"], each["provider"])


def test_the_gate_compares_two_passes_with_the_baseline(tmp_path: Path) -> None:
    """A drop of the tolerance holds, more does not, and a second pass that differs fails whatever the figures."""
    made = report(written(tmp_path / "f", ADD))
    again = report(tmp_path / "f") | {"generated_at": "later"}
    precision = made["summary"]["precision@k"]
    assert regress.gate(made, again, regress.Baseline(precision + 0.05))["passed"]
    assert not regress.gate(made, again, regress.Baseline(precision + 0.0501))["passed"]
    assert regress.gate(made, again, regress.Baseline(0.0))["passed"]
    again["runs"][0]["retrieved_ids"] = ["mem_other"]
    assert not regress.gate(made, again, regress.Baseline(0.0))["passed"]


def test_a_baseline_is_written_and_read(tmp_path: Path) -> None:
    """What `--update` pins is what the gate reads; anything else is refused."""
    made = report(written(tmp_path / "f", ADD))
    path = tmp_path / "baseline.json"
    regress.write(path, regress.pinned(made))
    assert regress.read(path) == regress.Baseline(made["summary"]["precision@k"], 0.05)
    assert [each.name for each in tmp_path.iterdir() if each.name.startswith(".")] == []
    for broken in ("", "{}", '{"metrics": {"precision@k": 2}}', '{"metrics": {"precision@k": 0}, "tolerance": "x"}'):
        path.write_text(broken)
        with pytest.raises(UsageError):
            regress.read(path)
    with pytest.raises(UsageError, match="does not exist"):
        regress.read(tmp_path / "none.json")
