"""Copilot CLI's sessions: who said what, what failed, and nothing twice."""

from __future__ import annotations

from pathlib import Path

import pytest

from learnt.hosts import copilot
from learnt.hosts.host import Asked
from tests.hosts.ground import MISSING, compare, expected, samples, told


@pytest.mark.skipif(not expected("copilot-cli"), reason=MISSING)
@pytest.mark.parametrize(("name", "truth"), expected("copilot-cli"), ids=[name for name, _ in expected("copilot-cli")])
def test_every_value_of_the_ground_truth(monkeypatch, name, truth):
    """Counts, texts, failures, tokens, sub-agents, status."""
    monkeypatch.chdir(samples("copilot-cli"))
    assert copilot.recognises(Path(name)) == copilot.recognises(Path(name).parent) == "sure"
    found = told(copilot.HOST.reads(Asked(path=Path(name))))
    compare(found, truth, "usage_note", "subagents")
    for agent, wanted in zip(found["subagents"], truth["subagents"], strict=True):
        assert (agent["agent_id"], agent["final_note"]) == (wanted["agent_id"], wanted["final_note"])
        compare(
            {"failed_commands": agent["failed_commands"], "failed_tools": []},
            {"failed_commands": wanted["failed_commands"], "failed_tools": []},
        )
