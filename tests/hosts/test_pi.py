"""Sessions of pi and oh-my-pi: one way through a tree of entries."""

from __future__ import annotations

from pathlib import Path

import pytest

from learnt.hosts import ohmypi, pi
from learnt.hosts.host import Asked
from tests.hosts.ground import MISSING, SHARED, compare, expected, samples, told

TRUTH = dict(expected("pi"))
LARGE = SHARED / "data" / "pi-sessions" / "large-session.jsonl"


@pytest.mark.skipif(not TRUTH, reason=MISSING)
@pytest.mark.parametrize("name", TRUTH, ids=[name[-30:] for name in TRUTH])
def test_every_value_of_the_ground_truth(monkeypatch, name):
    """Counts, texts, failures, tokens, lineage, status; what was abandoned is counted apart."""
    monkeypatch.chdir(samples("pi"))
    asked = Asked(path=Path(name))
    host = ohmypi.HOST if TRUTH[name]["agent"] == "oh-my-pi" else pi.HOST
    other = pi.HOST if host is ohmypi.HOST else ohmypi.HOST
    assert (host.recognises(asked.path), other.recognises(asked.path)) == ("sure", "no")
    compare(told(host.reads(asked)), TRUTH[name], "abandoned_branch")
    branch = told(pi.abandoned(asked))
    for key, value in TRUTH[name].get("abandoned_branch", {"writes_ok": {}}).items():
        assert branch[key] == value


@pytest.mark.skipif(not LARGE.is_file(), reason="the real sessions are not at hand (LEARNT_SHARED)")
def test_a_real_session_of_the_first_version_loses_no_record():
    """Every line is a known record, every prompt, reply, call and answer is told."""
    found = told(pi.HOST.reads(Asked(path=LARGE)))
    assert (found["malformed_lines"], found["unknown_records"], found["inherited_records"]) == (0, 0, 0)
    assert (found["tool_calls"], len(found["human_prompts"])) == (391, 88)
    assert len(found["failed_commands"]) == 17
