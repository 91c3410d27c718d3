"""learnt audit: verify, checkpoint, rotate, prove, export."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pathlib import Path

    from tests.cli.shell import Shell


def said(learnt: Shell, count: int = 3) -> None:
    """Some memories, each an event."""
    for number in range(count):
        learnt.json("remember", f"Fact number {number} of this repository is here.", "--kind", "project_fact")


def spoiled(learnt: Shell, statement: str) -> None:
    """The table changed past the store, where `status` says it lies."""
    where = learnt.json("status")["audit"]
    path = learnt.json("status")["store"]["path"]
    with closing(sqlite3.connect(path)) as raw, raw:
        raw.execute(statement.format(**where))


@pytest.mark.parametrize(
    ("statement", "kind", "position"),
    [
        ("UPDATE {table} SET reason = 'x' WHERE {order_by} = 2", "tampered", 2),
        ("UPDATE {table} SET event_json = NULL WHERE {order_by} = 1", "tampered", 1),
        ("DELETE FROM {table} WHERE {order_by} = 2", "tampered", 2),
        ("DELETE FROM {table} WHERE {order_by} = 3", "truncated", 3),
        ("UPDATE {table} SET prev_hash = NULL WHERE {order_by} = 2", "tampered", 2),
    ],
)
def test_a_changed_table_is_named(learnt: Shell, statement: str, kind: str, position: int) -> None:
    """Exit 1, with kind and place."""
    said(learnt)
    assert learnt.json("audit", "verify")["divergence"] is None
    spoiled(learnt, statement)
    first = learnt.json("audit", "verify", code=1)["divergence"]
    assert (first["kind"], first["position"]) == (kind, position)
    assert learnt.json("audit", "checkpoint", code=1)["checkpoint"] is None


def test_a_checkpoint_is_made_put_and_proven(learnt: Shell, tmp_path: Path) -> None:
    """Into a file of the user's configuration; told in words and as JSON."""
    said(learnt)
    anchor = tmp_path / "elsewhere" / "anchor.jsonl"
    config = learnt.config
    config.parent.mkdir(parents=True, exist_ok=True)
    config.write_text(f"[audit]\nfile = {json.dumps(str(anchor))}\n", "utf-8")
    made = learnt.json("audit", "checkpoint")
    assert (made["checkpoint"]["size"], made["anchors"][0]["fault"], made["removed"]) == (4, None, 0)
    assert json.loads(anchor.read_text("utf-8"))["statement"] == made["checkpoint"]
    found = learnt.json("audit", "verify")
    assert (found["verified"], found["checkpoints"], found["vouched"]) == (True, 1, 4)
    assert "Signed before" in learnt("audit", "checkpoint").out
    event = learnt.json("remember", "One more fact of this place.", "--kind", "project_fact")["event"]
    assert learnt("audit", "prove", event).code == 1
    learnt.json("audit", "checkpoint")
    assert learnt.json("audit", "prove", event)["holds"]
    assert "is one of 6" in learnt("audit", "prove", event).out
    out = tmp_path / "trail.jsonl"
    assert learnt.json("audit", "export", str(out))["lines"] == len(out.read_text("utf-8").splitlines())
    assert out.stat().st_mode & 0o777 == 0o600
    assert learnt("audit", "export", str(out)).code == 2
    assert learnt("audit", "export").out.startswith('{"type":"trail"')
    rotated = learnt.json("audit", "rotate")
    assert rotated["from"] != rotated["to"]
    assert learnt.json("audit", "verify")["verified"]


def test_an_anchor_that_does_not_take_it(learnt: Shell) -> None:
    """Exit 1; the checkpoint stands."""
    said(learnt, 1)
    config = learnt.config
    config.parent.mkdir(parents=True, exist_ok=True)
    config.write_text('[audit]\ncommand = ["/no/such/program"]\n', "utf-8")
    made = learnt.json("audit", "checkpoint", code=1)
    assert made["anchors"][0]["fault"]
    assert learnt.json("audit", "verify")["checkpoints"] == 1


def test_old_events_are_removed(learnt: Shell) -> None:
    """And what does not hold is taken as it is, by a person."""
    said(learnt)
    assert learnt.json("audit", "checkpoint", "--cut-before", "2999-01-01")["removed"] == 3
    assert learnt.json("audit", "verify")["cut"] == 3
    said(learnt, 2)
    spoiled(learnt, "UPDATE {table} SET reason = 'x' WHERE {order_by} = 4")
    assert learnt("audit", "verify").code == 1
    learnt.json("audit", "checkpoint", "--accept")
    found = learnt.json("audit", "verify")
    assert (found["verified"], "accepted" in {each["kind"] for each in found["notices"]}) == (True, True)
