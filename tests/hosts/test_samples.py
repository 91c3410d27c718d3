"""Transcripts from outside the project, where they are at hand: every value of their ground truth comes out equal.

They are looked for in `LEARNT_SHARED`, else in a folder `shared` beside the checkout; without them these tests are
skipped and the rules are covered by the sessions written in the other tests.
"""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from learnt.capture.digest import digest
from learnt.hosts.claude.reader import ClaudeReader
from learnt.wire.digest import digest as as_json

SHARED = Path(os.environ.get("LEARNT_SHARED") or Path(__file__).resolve().parents[3] / "shared")
SAMPLES = SHARED / "reference" / "samples" / "claude-code"
REAL = SHARED / "data" / "entire-sessions" / "transcripts"

NOT_IN_THE_FILE = {"started_at", "notes"}
"""`notes` are remarks of whoever wrote the samples. `started_at` is when their generator's clock began: up to three
seconds before the first time that stands in the file, which is what the reader gives."""


def expected():
    """The ground truth, one entry a file; none where the samples are not at hand."""
    path = SAMPLES / "expected.json"
    return sorted(json.loads(path.read_text("utf-8")).items()) if path.is_file() else []


def real():
    """Real sessions."""
    return sorted(REAL.glob("*.jsonl")) if REAL.is_dir() else []


@pytest.mark.skipif(not expected(), reason="the transcript samples are not at hand (LEARNT_SHARED)")
@pytest.mark.parametrize(("name", "truth"), expected(), ids=[name[-30:] for name, _ in expected()])
def test_every_value_of_the_ground_truth(monkeypatch, name, truth):
    """Counts, texts, failures, tokens, lineage, status."""
    monkeypatch.chdir(SAMPLES)
    shape = as_json(digest(ClaudeReader(Path(name)), lambda text: text, full=True))
    told = {**shape["session"], "failed_commands": shape["failed_commands"], "failed_tools": shape["failed_tools"]}
    for key in truth.keys() - NOT_IN_THE_FILE - {"failed_commands", "failed_tools"}:
        assert told[key] == truth[key], key
    for kind in ("failed_commands", "failed_tools"):
        assert len(told[kind]) == len(truth[kind])
        for entry, wanted in zip(told[kind], truth[kind], strict=True):
            for key, value in wanted.items():
                field = key.removesuffix("_contains")
                assert value in entry[field] if field != key else entry[field] == value
    assert truth["started_at"] <= told["started_at"] <= told["ended_at"]


@pytest.mark.skipif(not real(), reason="the real sessions are not at hand (LEARNT_SHARED)")
@pytest.mark.parametrize("path", real(), ids=[path.stem for path in real()])
def test_real_sessions_are_understood(path):
    """Every line is a known record, and every answer finds its call."""
    found = digest(ClaudeReader(path), lambda text: text)
    assert (found.stats.malformed_lines, found.header.unknown) == (0, 0)
    assert found.header.records == len(path.read_bytes().splitlines())
    assert found.stats.tool_calls > 0
    assert found.final_notes
