"""The held-out corpus: what a manifest may hold, and the gate over two passes."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

import pytest

from learnt.errors import RefusedError, UsageError
from learnt.evals import gate, heldout
from learnt.evals.fence import SHIPPED

SHIPPED_MANIFEST = SHIPPED / "corpus" / "manifest.json"
OFF = {"LEARNT_CONFIG": "/nowhere/config.toml", "HOME": "/nowhere"}
SOURCE = b"# Waits for the tide.\ndef wait(hours):\n    return hours\n"


def manifest(**changes: Any) -> dict[str, Any]:
    """A corpus of one case."""
    case = {
        "id": "python-wait",
        "language": "python",
        "source_path": "wait.txt",
        "content_hash": hashlib.sha256(SOURCE).hexdigest().upper(),
        "expected_symbols": ["wait", "hours"],
        "expected_edges": ["wait -> hours"],
        "known_misses": [],
        "spurious_edges": [],
        "paraphrase": "wait for the tide",
        "analyzer_id": "any",
    }
    top: dict[str, Any] = {key: changes.pop(key) for key in ("thresholds", "corpus_id", "k") if key in changes}
    hits = {"direct_source_positive_hits": 1}
    return {"corpus_id": "one", "version": "1", "thresholds": hits, "cases": [{**case, **changes}], **top}


def put(folder: Path, value: Any, name: str = "manifest.json") -> Path:
    """The manifest and its source."""
    folder.mkdir(exist_ok=True)
    (folder / "wait.txt").write_bytes(SOURCE)
    (folder / name).write_text(json.dumps(value), encoding="utf-8")
    return folder / name


def test_a_corpus_is_read(tmp_path: Path) -> None:
    """Its case holds the source, and the seed's thresholds where none are named."""
    corpus = heldout.load(str(put(tmp_path / "c", manifest())), str(tmp_path))
    assert corpus.cases[0].memory.text == SOURCE.decode()
    assert corpus.thresholds == heldout.Thresholds(direct_source_positive_hits=1)
    assert corpus.cases[0].missed == ()


@pytest.mark.parametrize(
    "changes",
    [
        {"content_hash": "0" * 64},
        {"content_hash": hashlib.sha256(SOURCE).hexdigest()},
        {"content_hash": 7},
        {"paraphrase": ""},
        {"expected_symbols": "wait"},
        {"id": ""},
        {"source_path": "none.txt"},
        {"thresholds": {"precision_at_k": 2}},
        {"thresholds": []},
        {"corpus_id": None},
    ],
)
def test_a_manifest_that_lies_is_refused(tmp_path: Path, changes: dict[str, Any]) -> None:
    """A wrong or lower-case hash, a missing source, a field of the wrong sort: an error, and nothing runs."""
    with pytest.raises(UsageError):
        heldout.load(str(put(tmp_path / "c", manifest(**changes))), str(tmp_path))


@pytest.mark.parametrize("source", ["../../secret.txt", "/etc/hostname", "..", "link.txt"])
def test_a_source_outside_is_refused(tmp_path: Path, source: str) -> None:
    """A source is read from the project only, whatever its path looks like."""
    (tmp_path / "secret.txt").write_bytes(SOURCE)
    project = tmp_path / "project"
    project.mkdir()
    path = put(project / "c", manifest(source_path=source))
    (project / "c" / "link.txt").symlink_to(tmp_path / "secret.txt")
    with pytest.raises((RefusedError, UsageError)):
        heldout.load(str(path), str(project))


def test_only_a_manifest_inside_the_project_is_read(tmp_path: Path) -> None:
    """Another name is refused, another place too, and so is one that is too large."""
    project = tmp_path / "project"
    project.mkdir()
    with pytest.raises(UsageError, match=r"manifest\.json"):
        heldout.load(str(put(project / "c", manifest(), "corpus.json")), str(project))
    with pytest.raises(RefusedError):
        heldout.load(str(put(tmp_path / "c", manifest())), str(project))
    large = put(project / "d", manifest())
    large.write_text(large.read_text() + " " * heldout.MAX_MANIFEST_BYTES)
    with pytest.raises(UsageError, match="larger"):
        heldout.load(str(large), str(project))


def test_sources_have_byte_caps(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """One source, and all of them together, have a cap."""
    path = str(put(tmp_path / "c", manifest()))
    monkeypatch.setattr(heldout, "MAX_SOURCE_BYTES", 10)
    with pytest.raises(UsageError, match="source is larger"):
        heldout.load(path, str(tmp_path))
    monkeypatch.undo()
    monkeypatch.setattr(heldout, "MAX_SOURCES_BYTES", 10)
    with pytest.raises(UsageError, match="All sources"):
        heldout.load(path, str(tmp_path))


def test_the_gate_judges_content_and_rankings(tmp_path: Path) -> None:
    """One case found first holds; an expected symbol that is not there, or too many known misses, do not."""
    made = gate.report(heldout.load(str(put(tmp_path / "c", manifest())), str(tmp_path)), ["lexical"], OFF, "now")
    assert made["passed"]
    assert made["profiles"]["lexical"]["precision@k"] == 1.0
    wrong = {"expected_symbols": ["sleep"]}, {"known_misses": ["a", "b", "c"]}, {"spurious_edges": ["a", "b", "c"]}
    for changes in wrong:
        corpus = heldout.load(str(put(tmp_path / "c", manifest(**changes))), str(tmp_path))
        made = gate.report(corpus, ["lexical"], OFF, "now")
        assert [each["met"] for each in made["gates"]].count(False) == 1
        assert not made["passed"]


@pytest.mark.slow
def test_the_shipped_corpus_holds() -> None:
    """Twenty languages, one case each; words alone pass every gate, and what is not there is said."""
    corpus = heldout.load(str(SHIPPED_MANIFEST), ".")
    assert len({case.language for case in corpus.cases}) == len(corpus.cases) == 20
    made = gate.report(corpus, gate.GATED, OFF, "now")
    assert made["passed"]
    assert made["deterministic"]
    assert made["profiles"]["lexical"]["status"] == "ran"
    assert made["profiles"]["hybrid+rerank"]["status"] == "degraded"
    assert made["profiles"]["lexical"]["direct_source_positive_hits"] >= 14
