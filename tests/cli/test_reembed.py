"""The command that gives vectors, beside a server that counts words instead of understanding them."""

from __future__ import annotations

import pytest

from learnt.testing.embedders import FailingEmbedder, HashEmbedder, SilentEmbedder
from tests.cli.shell import Shell


@pytest.fixture
def model(monkeypatch: pytest.MonkeyPatch) -> list[object]:
    """The embedder that the next engine gets is the last of this list."""
    chosen: list[object] = [HashEmbedder()]
    monkeypatch.setattr("learnt.bootstrap.models.embedder_of", lambda settings, environment: chosen[-1])
    return chosen


def test_written_memories_have_their_vector(learnt: Shell, model: list[object]) -> None:
    """Nothing is left to do, status counts them, and recall says that the arm ran."""
    learnt.remember()
    assert learnt.json("reembed")["totals"] == {"wanted": 0, "done": 0, "failed": 0}
    status = learnt.json("status")
    assert status["arms"]["dense"] == "ran"
    assert [(each["model"], each["status"], each["embedded"]) for each in status["vectors"]] == [
        ("hash:64", "current", 1)
    ]
    assert learnt.json("recall", "run the tests")["diagnostics"]["arms"]["dense"] == "ran"


def test_another_model_asks_for_the_command(learnt: Shell, model: list[object]) -> None:
    """Status and recall say that vectors are missing; afterwards they are searched."""
    learnt.remember()
    model.append(HashEmbedder(name="other"))
    assert learnt.json("recall", "run the tests")["diagnostics"]["arms"]["dense"] == "stale generation"
    assert any("learnt reembed" in gap for gap in learnt.json("status")["gaps"])
    assert learnt.json("reembed", "--dry-run")["totals"]["wanted"] == 1
    (memory, _) = learnt.json("reembed")["targets"]
    assert (memory["model"], memory["done"], memory["current"]) == ("other:64", 1, True)
    assert learnt.json("recall", "run the tests")["diagnostics"]["arms"]["dense"] == "ran"


def test_what_failed_is_told(learnt: Shell, model: list[object]) -> None:
    """Exit 1, with how many; the memory is there and found by its words."""
    model.append(FailingEmbedder())
    learnt.remember()
    model.append(SilentEmbedder(1))
    assert learnt.json("reembed", code=1)["totals"] == {"wanted": 1, "done": 0, "failed": 1}
    assert learnt.json("recall", "run the tests")["total"] == 1
    assert "1 failed" in learnt("reembed").out


def test_without_an_embedder_it_says_so(learnt: Shell) -> None:
    """Exit 4."""
    learnt.config.parent.mkdir(exist_ok=True)
    learnt.config.write_text("[embeddings]\nenabled = false\n", "utf-8")
    assert learnt.json("reembed", code=4)["error"]["code"] == "no_embedder"
