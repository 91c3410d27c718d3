"""`learnt search` and `learnt evidence` as a person and a script use them."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pytest

    from tests.cli.shell import Shell

TOKEN = "ghp_" + "a1B2" * 9


def test_a_document_is_kept_found_and_shown(learnt: Shell) -> None:
    """Its reference leads back to it; the listing has it; the search shows its words."""
    kept = learnt.json("evidence", "add", "Use --frozen-lockfile in CI.", "--title", "pnpm in CI")["evidence"]
    assert kept["ref"] == f"evidence-cache:{kept['id']}"
    assert kept["title"] == "pnpm in CI"
    (hit,) = learnt.json("search", "frozen lockfile")["hits"]
    assert (hit["id"], hit["type"], hit["text"]) == (kept["id"], "evidence", "Use --frozen-lockfile in CI.")
    assert hit["source"]["ref"] == kept["ref"]
    assert learnt.json("evidence", "show", kept["ref"])["evidence"] == kept
    listed = learnt.json("evidence", "list")
    assert (listed["total"], listed["evidence"][0]["id"]) == (1, kept["id"])
    assert "frozen-lockfile" in learnt("search", "lockfile").out


def test_memories_and_evidence_are_told_apart(learnt: Shell) -> None:
    """`--in` narrows; scores stand side by side."""
    learnt("remember", "This repository uses pnpm.", "--kind", "repo_convention")
    learnt("evidence", "add", "pnpm is faster than npm")
    assert {hit["type"] for hit in learnt.json("search", "pnpm")["hits"]} == {"memory", "evidence"}
    assert {hit["type"] for hit in learnt.json("search", "pnpm", "--in", "memories")["hits"]} == {"memory"}
    assert {hit["type"] for hit in learnt.json("search", "pnpm", "--in", "evidence")["hits"]} == {"evidence"}


def test_nothing_found_is_no_error(learnt: Shell) -> None:
    """Exit 0 with the reason, for scripts and for people."""
    assert learnt.json("search", "walrus")["diagnostics"]["reason"] == "no_results"
    assert learnt.json("search", "???")["diagnostics"]["reason"] == "no_signal"
    answer = learnt("search", "walrus")
    assert (answer.code, answer.out) == (0, "Nothing found.\n")
    assert learnt("search", "a question", "--limit", "2").code == 0  # as every other list takes it
    assert "No document" in learnt("evidence", "list").out


def test_bad_input_is_told(learnt: Shell) -> None:
    """Unknown evidence is exit 1, an impossible number or source exit 2, an empty document exit 3."""
    missing = learnt.json("evidence", "show", "evd_0", code=1)["error"]
    assert missing["code"] == "not_found"
    assert "evidence list" in missing["hint"]
    assert learnt("search", "x", "--k", "0").code == 2
    assert learnt("evidence", "add", "x", "--source", "rumour").code == 2
    assert learnt.json("evidence", "add", "  ", code=3)["error"]["code"] == "empty"


def test_standard_input_is_redacted(learnt: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    """`-` reads the document from standard input, and no secret of it is kept or shown."""
    monkeypatch.setattr("sys.stdin", io.StringIO(f"the deploy token is {TOKEN}\n"))
    kept = learnt.json("evidence", "add", "-")
    assert TOKEN not in str(kept)
    assert TOKEN not in learnt("search", "deploy token").out
