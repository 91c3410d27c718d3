"""`learnt compact`."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pytest

    from tests.cli.shell import Shell

KEYS = ("dryRun", "removedDeleted", "removedSuperseded", "removedExpiredScratch", "remaining")
SECRETLY = "zeppelins moor at the eastern mast"


def _deleted(learnt: Shell) -> str:
    """A memory that was deleted."""
    memory: str = learnt.json("remember", SECRETLY, "--kind", "project_fact")["memory"]["id"]
    asked = learnt.json("propose", "delete", "--target", memory, "--rationale", "no longer")
    learnt.json("decide", asked["proposal_id"], "accept")
    return memory


def test_it_counts_until_it_is_confirmed(learnt: Shell) -> None:
    """The report has the seed's keys; what left is not found any more, and the chain holds."""
    learnt.remember()
    memory = _deleted(learnt)
    report = learnt.json("compact")
    assert [report[key] for key in KEYS] == [True, 1, 0, 0, 1]
    assert learnt("show", memory).code == 0
    assert "learnt compact --confirm" in learnt("compact").out
    report = learnt.json("compact", "--confirm")
    assert [report[key] for key in KEYS] == [False, 1, 0, 0, 1]
    assert learnt("show", memory).code == 1
    assert learnt.json("audit", "verify")["verified"]
    assert "Nothing to take away" in learnt("compact", "--confirm").out
    assert learnt.json("list", "--status", "all")["total"] == 1


def test_its_words_leave_the_file(learnt: Shell) -> None:
    """Neither the database nor its log holds the memory's text or one of its rare words; the chain has its id."""
    memory = learnt.json("remember", SECRETLY, "--kind", "scratch")["memory"]["id"]
    with closing(sqlite3.connect(learnt.home / "memory.db")) as other, other:
        other.execute("UPDATE memory_items SET expires_at = '2020-01-01T00:00:00.000Z'")
    assert learnt.json("compact", "--confirm")["removedExpiredScratch"] == 1
    held = b"".join(path.read_bytes() for path in sorted(learnt.home.glob("memory.db*")))
    assert b"zeppelins" not in held
    assert memory.encode() in held


def test_an_agent_may_count_and_no_more(learnt: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    """Exit 3 for what only a person may do."""
    memory = _deleted(learnt)
    monkeypatch.setenv("LEARNT_AGENT", "a-1")
    assert learnt.json("compact")["removedDeleted"] == 1
    refused = learnt("compact", "--confirm", "--json")
    assert (refused.code, refused.error["code"]) == (3, "person_required")
    assert learnt("show", memory).code == 0


def test_erasing_nobody_says_that_nothing_is_theirs(learnt: Shell) -> None:
    """A name that nothing here knows is told plainly, and nothing is asked about."""
    learnt.remember()
    assert "Nothing here is theirs" in learnt("erase", "--person", "Nobody Known", "--dry-run").out
