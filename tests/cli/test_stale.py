"""`learnt stale`."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tests.cli.shell import Shell


def test_an_empty_report_is_done(learnt: Shell) -> None:
    """Nothing stale is exit 0, with every key of the report."""
    answer = learnt("stale", "--json")
    assert answer.code == 0
    assert answer.document["totalMemories"] == 0
    assert "check" not in answer.document
    assert set(answer.document["totals"].values()) == {0}
    assert len(answer.document["totals"]) == 8


def test_the_report_and_the_check(learnt: Shell) -> None:
    """What is worth little is listed; a file that is gone is named with the memory that rests on it."""
    (learnt.project / "fmt.sh").write_text("gofmt\n")
    learnt("remember", "format with the script", "--kind", "repo_convention", "--file", "fmt.sh")
    learnt("recall", "format with the script")
    learnt("remember", "a doubtful guess", "--kind", "project_fact", "--confidence", "0.1")
    assert "1 intact" in learnt("stale", "--check").out
    (learnt.project / "fmt.sh").unlink()
    document = learnt("stale", "--check", "--json").document
    assert [each["text"] for each in document["lowUtility"]] == ["a doubtful guess"]
    assert document["mostRecalled"][0]["count"] == 1
    assert document["check"]["counts"] == {"intact": 0, "moved": 0, "changed": 0, "gone": 1, "unknown": 0}
    assert document["check"]["memories"][0]["pins"][0]["path"] == "fmt.sh"
    shown = learnt("stale", "--check").out
    assert "low utility" in shown
    assert "fmt.sh · gone" in shown


def test_the_limit_is_moved_into_its_range(learnt: Shell) -> None:
    """0 means 1, a thousand means a hundred, as in the seed."""
    for number in range(3):
        learnt("remember", f"statement number {number}", "--kind", "project_fact")
    document = learnt("stale", "--limit", "0", "--json").document
    assert len(document["neverRecalled"]) == 1
    assert document["totals"]["neverRecalled"] == 3
    assert len(learnt("stale", "--limit", "1000", "--json").document["neverRecalled"]) == 3
