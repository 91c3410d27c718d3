"""Gemini CLI's sessions: who said what, what failed, and nothing twice."""

from __future__ import annotations

from pathlib import Path

import pytest

from learnt.hosts import gemini
from learnt.hosts.host import Asked
from tests.hosts.ground import MISSING, compare, expected, samples, told


@pytest.mark.skipif(not expected("gemini-cli"), reason=MISSING)
@pytest.mark.parametrize(
    ("name", "truth"), expected("gemini-cli"), ids=[name[-30:] for name, _ in expected("gemini-cli")]
)
def test_every_value_of_the_ground_truth(monkeypatch, name, truth):
    """Counts, texts, failures, tokens, lineage, status."""
    monkeypatch.chdir(samples("gemini-cli"))
    assert gemini.recognises(Path(name)) == "sure"
    compare(told(gemini.HOST.reads(Asked(path=Path(name)))), truth, "usage_note")
