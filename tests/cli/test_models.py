"""What a person is told of models that do not answer."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tests.cli.shell import Shell


def _set(learnt: Shell, text: str) -> None:
    learnt.config.parent.mkdir(parents=True, exist_ok=True)
    learnt.config.write_text(text)


def test_a_model_that_fails_is_a_problem_of_doctor_and_no_empty_answer(learnt: Shell) -> None:
    """`doctor` names it with what to do; recall and search say that this arm did not run, with and without hits."""
    learnt.remember()
    _set(learnt, '[embeddings]\nprovider = "openai"\nurl = "http://127.0.0.1:9/v1"\nmodel = "m"\ntimeout_ms = 300\n')
    checks = [each for each in learnt("doctor", "--json").document["checks"] if each["name"] == "models"]
    assert [each["result"] for each in checks] == ["problem", "ok"]
    assert "failed: unreachable" in checks[0]["found"]
    for command in (
        ["recall", "how do I run the tests"],
        ["search", "zebra"],
        ["recall", "zebra", "--mode", "injection"],
    ):
        shown = learnt(*command)
        assert (shown.code, "dense arm did not run (failed: unreachable)" in " ".join(shown.out.split())) == (0, True)


def test_an_empty_store_lacks_no_vectors(learnt: Shell) -> None:
    """Nothing is said of missing vectors where there is nothing to embed."""
    arms = learnt.json("recall", "how do I run the tests")["diagnostics"]["arms"]
    assert arms["dense"] in {"ran", "no embedder", "off"}
    assert "reembed" not in learnt("recall", "how do I run the tests").out
