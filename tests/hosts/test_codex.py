"""Codex's rollouts: who said what, what failed, and nothing twice."""

from __future__ import annotations

from pathlib import Path

import pytest

from learnt.hosts import codex
from learnt.hosts.host import Asked
from tests.hosts.ground import MISSING, compare, expected, samples, told


@pytest.mark.skipif(not expected("codex"), reason=MISSING)
@pytest.mark.parametrize(("name", "truth"), expected("codex"), ids=[name[-30:] for name, _ in expected("codex")])
def test_every_value_of_the_ground_truth(monkeypatch, name, truth):
    """Counts, texts, failures, tokens, lineage, status."""
    monkeypatch.chdir(samples("codex"))
    assert codex.recognises(Path(name)) == "sure"
    compare(told(codex.HOST.reads(Asked(path=Path(name)))), truth, "usage_note")
