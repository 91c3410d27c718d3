"""opencode's sessions from its database, its exports and its older tree: the same events from each."""

from __future__ import annotations

import shutil
import sqlite3

import pytest

from learnt.hosts import opencode
from learnt.hosts.transcript import asked_of
from tests.hosts.ground import MISSING, compare, expected, samples, told

TRUTH = dict(expected("opencode"))


@pytest.fixture
def laid_out(tmp_path, monkeypatch):
    """The samples in a folder of their own, the database made from its text."""
    folder = shutil.copytree(samples("opencode"), tmp_path / "opencode", copy_function=shutil.copy)
    base = sqlite3.connect(folder / "opencode.db")
    base.executescript((folder / "opencode.sql").read_text("utf-8"))
    base.close()
    monkeypatch.chdir(folder)


@pytest.mark.skipif(not TRUTH, reason=MISSING)
@pytest.mark.parametrize("name", TRUTH, ids=[name[-30:] for name in TRUTH])
def test_every_value_of_the_ground_truth(laid_out, name):
    """Counts, texts, failures, tokens, sub-sessions, status, from all three storages."""
    truth = TRUTH[name]
    truth = {**TRUTH[truth["same_as"]], **truth["but"]} if "same_as" in truth else truth
    if "subagents" in truth:
        truth = {**truth, "subagents": [place.replace("opencode.sql", "opencode.db") for place in truth["subagents"]]}
    asked = asked_of(name.replace("opencode.sql", "opencode.db"))
    assert opencode.recognises(asked.path) == "sure"
    compare(told(opencode.HOST.reads(asked)), truth)
