"""Forks and copies: every row is counted in exactly one file."""

from __future__ import annotations

import os

import pytest

from learnt.hosts.claude.reader import ClaudeReader
from learnt.model.session import Inherited, Prompt
from tests.hosts.rows import OTHER, SESSION, Script, events


def parent(count=10):
    """A session of so many prompts."""
    script = Script()
    script.rows.append({"type": "mode", "mode": "normal", "sessionId": SESSION})
    for number in range(count):
        script.prompt(f"prompt {number}")
    return script


def fork(of, at, new=0, session=OTHER, prefix="f", hour="12"):
    """A file that begins with the first `at` rows of another and adds `new` of its own."""
    script = Script(session, prefix)
    copied = [row for row in of.rows if "uuid" in row][:at]
    script.rows = [{**row, "sessionId": session} for row in copied]
    for number in range(new):
        row = script.prompt(f"{prefix} {number}")
        row["timestamp"] = row["timestamp"].replace("T10", f"T{hour}")
    return script


def counts(path):
    """(inherited records, own prompts, parent)"""
    reader = ClaudeReader(path)
    told = list(reader.events())
    inherited = sum(isinstance(event, Inherited) for event in told)
    return inherited, sum(isinstance(event, Prompt) for event in told), reader.header().parent_session_id


def test_a_fork_inherits(tmp_path):
    """The copied rows are the parent's, which keeps them."""
    old = parent()
    mother, child = old.write(tmp_path), fork(old, 6, new=3).write(tmp_path)
    assert counts(child) == (6, 3, SESSION)
    assert counts(mother) == (0, 10, "")


def test_a_fork_at_the_end_inherits(tmp_path):
    """Also when the parent did not go on."""
    old = parent()
    mother, child = old.write(tmp_path), fork(old, 10, new=2).write(tmp_path)
    assert counts(child) == (10, 2, SESSION)
    assert counts(mother) == (0, 10, "")


def test_a_fork_without_rows_of_its_own_inherits_everything(tmp_path):
    """It counts nothing."""
    old = parent()
    mother, child = old.write(tmp_path), fork(old, 4).write(tmp_path)
    assert counts(child) == (4, 0, SESSION)
    assert counts(mother) == (0, 10, "")


def test_a_session_that_is_resumed_after_its_fork_stays_the_parent(tmp_path):
    """What stands between its rows shows whose they are, even when its next own row is younger."""
    old = parent()
    child = fork(old, 10, new=1, hour="11").write(tmp_path)
    late = old.prompt("much later")
    late["timestamp"] = "2026-05-05T10:00:00.000Z"
    del old.rows[0]
    mother = old.write(tmp_path)
    total = [counts(child), counts(mother)]
    assert sum(inherited for inherited, _, _ in total) == 10
    assert sum(own for _, own, _ in total) == 12


def test_a_chain_of_forks(tmp_path):
    """A fork of a fork inherits from it; altogether every prompt is counted once."""
    old = parent(20)
    middle = fork(old, 10, new=5)
    last = fork(middle, 13, new=2, session="cccccccc-0000-4000-8000-000000000003", prefix="g", hour="14")
    paths = [script.write(tmp_path) for script in (old, middle, last)]
    assert [counts(path)[:2] for path in paths] == [(0, 20), (10, 5), (13, 2)]
    assert counts(paths[2])[2] == OTHER


def test_a_copy_of_the_same_session_is_counted_once(tmp_path):
    """Two files with the same rows: one inherits them all and names no parent."""
    old = parent()
    total = [counts(old.write(tmp_path)), counts(old.write(tmp_path, "copy of it"))]
    assert sorted(total) == [(0, 10, ""), (10, 0, "")]


def test_unrelated_files_beside_it_do_not_matter(tmp_path):
    """Other sessions, garbage, and files that cannot be read are passed over."""
    old = parent()
    path = old.write(tmp_path)
    Script(OTHER, "x").write(tmp_path)
    (tmp_path / "garbage.jsonl").write_bytes(b"\x00u-1\xff" * 100)
    (tmp_path / "folder.jsonl").mkdir()
    if os.geteuid():
        (tmp_path / "secret.jsonl").write_text("u-1")
        (tmp_path / "secret.jsonl").chmod(0)
    (tmp_path / "gone.jsonl").symlink_to(tmp_path / "nothing")
    assert counts(path) == (0, 10, "")


def test_lineage_can_be_left_alone(tmp_path):
    """Then a fork's copied rows count as its own."""
    old = parent()
    old.write(tmp_path)
    child = fork(old, 6, new=3).write(tmp_path)
    assert len(events(child, Prompt, lineage=False)) == 9


@pytest.mark.parametrize("shared", [1, 3])
def test_exactly_one_of_two_counts(tmp_path, shared):
    """Whatever the times say, the shared rows are counted in one of the files."""
    old = parent(5)
    for hour in ("09", "10", "11"):
        child = fork(old, shared, new=2, hour=hour).write(tmp_path)
        total = [counts(old.write(tmp_path)), counts(child)]
        assert sum(own for _, own, _ in total) == 7
        assert sum(inherited for inherited, _, _ in total) == shared
