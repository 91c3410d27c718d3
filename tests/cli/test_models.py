"""What a person is told of models that do not answer."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from tests.providers.server import Asked, Reply, serving
from tests.providers.writers.scene import said

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


NAMED = """
[embeddings]
enabled = false
[models.named.small]
provider = "openai"
url = "{url}"
model = "s"
[models.named.big]
provider = "anthropic"
model = "b"
key_variable = "NO_SUCH_KEY"
input_usd = 1
[models.roles]
default = "big"
smol = "small"
"""


def test_models_say_who_writes_or_how_to_let_one(learnt: Shell) -> None:
    """Nothing is named; named and not enabled, with the lines to add; enabled, each with its reason."""
    assert "none is named" in learnt("models").out
    _set(learnt, NAMED.format(url="http://127.0.0.1:9/v1"))
    shown = learnt("models", "list")
    place = learnt.json("status")["repository"]["value"]
    assert f'"{place}" = true' in shown.out
    assert [each["reason"] for each in learnt.json("models")["writers"]] == ["not enabled"] * 2
    _set(learnt, f'{learnt.config.read_text()}[models.repositories]\n"{place}" = true\n')
    found = learnt.json("models")
    assert [(each["name"], each["reason"]) for each in found["writers"]] == [("big", "no cap: usd"), ("small", None)]
    assert found["external"] == ["api.anthropic.com (anthropic: b) for extraction"]
    shown = learnt("status")
    assert "api.anthropic.com" in shown.out
    assert "127.0.0.1 (local)" in shown.out
    assert "no cap: usd" in " ".join(shown.out.split())


def test_a_check_looks_for_models_and_asks_them_nothing(learnt: Shell) -> None:
    """One is there, one lacks its key: exit 1, with what to do; only lists of models were asked for."""
    with serving([Reply({"data": [{"id": "s"}]})]) as server:
        _set(learnt, NAMED.format(url=server.url) + "[models.caps]\nday_usd = 1\n")
        place = learnt.json("status")["repository"]["value"]
        _set(learnt, f'{learnt.config.read_text()}[models.repositories]\n"{place}" = true\n')
        shown = learnt("models", "check", "--json")
        doctor = [each for each in learnt("doctor", "--json").document["checks"] if each["name"] == "models"]
    by_part = {each["part"]: each for each in shown.document["models"]}
    assert shown.code == 1
    assert by_part["writer of extraction"]["word"] == "failed: no_key"
    assert "NO_SUCH_KEY" in by_part["writer of extraction"]["hint"]
    assert "1 models, s among them" in by_part["writer of consolidation"]["found"]
    assert {each.method for each in server.asked} == {"GET"}
    assert [each["result"] for each in doctor] == ["ok", "ok", "problem", "ok"]
    assert learnt("models", "check").code == 1


def test_where_no_model_is_named_the_check_says_where_to(learnt: Shell) -> None:
    """Asking none is no failure, and leads on."""
    shown = learnt("models", "check", "--ask")
    assert shown.code == 0
    assert "no writer" in shown.out
    assert "[models.named]" in shown.out


def test_a_misspelled_model_is_told(learnt: Shell) -> None:
    """Where models are listed and looked for, not in `doctor` alone."""
    _set(learnt, '[models.named.here]\nprovider = "ollama"\nmodle = "m"\ncontext_tokens = 9000\n')
    for words in ((), ("check",)):
        assert "models.named.here is ignored: there is no such setting: modle" in learnt("models", *words).err


def test_a_model_is_asked_one_word_where_a_person_wants_it(learnt: Shell) -> None:
    """It stands in the ledger; a model that answers otherwise is told; an agent may not."""
    answers = ["yes", "yes", "no", "no", "no", "no"]

    def answer(asked: Asked) -> Reply:
        assert asked.body["response_format"]["json_schema"]["name"] == "trial"
        return said("openai", json.dumps({"answer": answers.pop(0)}))

    with serving(answer) as server:
        named = NAMED.format(url=server.url).replace('default = "big"', 'default = "small"')
        _set(learnt, named)
        place = learnt.json("status")["repository"]["value"]
        _set(learnt, f'{named}[models.repositories]\n"{place}" = true\n')
        shown = learnt("models", "check", "--ask", "--json")
        assert (shown.code, [each["word"] for each in shown.document["models"]]) == (0, ["ran", "ran"])
        assert "answered: 120 tokens" in shown.document["models"][0]["found"]
        assert [each["purpose"] for each in learnt.json("models")["charges"]] == ["trial", "trial"]
        again = learnt("models", "check", "--ask")
        assert again.code == 1
        assert "failed: bad_response" in again.out
        learnt.monkeypatch.setenv("LEARNT_AGENT", "a")
        assert learnt("models", "check", "--ask", "--json").error["code"] == "person_required"
    assert len(server.asked) == 6
