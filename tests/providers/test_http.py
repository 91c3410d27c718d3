"""Embedders behind a URL."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import pytest

from learnt.errors import EmbedderError
from learnt.providers.client import Client
from learnt.providers.http import BATCH, DIALECTS, HttpEmbedder
from learnt.testing.embedders import numbers
from tests.providers.server import Asked, Reply, Server, serving

WORDS = ("cache", "lock", "test")


def _row(text: str) -> list[float]:
    return [float(text.count(word)) for word in WORDS]


def _texts(asked: Asked) -> list[str]:
    return asked.body["inputs"] if "inputs" in asked.body else asked.body["input"]


def _openai(asked: Asked) -> Reply:
    entries = [{"object": "embedding", "index": at, "embedding": _row(text)} for at, text in enumerate(_texts(asked))]
    return Reply({"object": "list", "data": entries[::-1], "model": asked.body["model"]})


def _ollama(asked: Asked) -> Reply:
    return Reply({"model": asked.body["model"], "embeddings": [_row(text) for text in _texts(asked)]})


def _tei(asked: Asked) -> Reply:
    if asked.path == "/info":
        return Reply({"model_id": "BAAI/bge", "model_sha": "0123456789abcdef"})
    return Reply([_row(text) for text in _texts(asked)])


def _embedder(server: Server, name: str = "tei", model: str = "m", **told: Any) -> HttpEmbedder:
    return HttpEmbedder(Client(server.url, wait=lambda _: None, **told), DIALECTS[name], model)


@pytest.mark.parametrize(
    ("name", "answer", "path"),
    [("openai", _openai, "/embeddings"), ("ollama", _ollama, "/api/embed"), ("tei", _tei, "/embed")],
)
def test_a_server_embeds(name: str, answer: Callable[[Asked], Reply], path: str) -> None:
    """One normalised vector a text, in the texts' order whatever the answer's, blank texts left out."""
    with serving(answer) as server:
        embedder = _embedder(server, name)
        found = embedder.embed(["lock", " ", "cache test"])
        assert embedder.version == f"m@{name}:3"
    assert found[1] is None
    assert [numbers(each) for each in found if each] == [
        pytest.approx((0, 1, 0)),
        pytest.approx((math.sqrt(0.5), 0, math.sqrt(0.5))),
    ]
    assert [each.path for each in server.asked] == [path]
    assert _texts(server.asked[0]) == ["lock", "cache test"]


def test_making_one_asks_nothing() -> None:
    """A server that is down costs nothing until it is needed; asking for the version asks it once."""
    with serving(_ollama) as server:
        embedder = _embedder(server, "ollama")
        assert server.asked == []
        assert (embedder.version, embedder.dimension) == ("m@ollama:3", 3)
    assert len(server.asked) == 1


def test_a_server_of_one_model_says_which() -> None:
    """TEI without a model in the settings: the name and commit it tells, so another model is another version."""
    with serving(_tei) as server:
        assert _embedder(server, model="").version == "BAAI/bge@0123456789ab@tei:3"


@pytest.mark.parametrize("facts", [None, [], {}, {"model_id": 3}, {"model_id": ""}])
def test_a_server_that_does_not_say_is_no_embedder(facts: Any) -> None:
    """No name, no version: `bad_response`."""
    with serving([Reply(facts)]) as server, pytest.raises(EmbedderError) as caught:
        _ = _embedder(server, model="").version
    assert caught.value.error_code == "bad_response"


def test_many_texts_go_in_batches() -> None:
    """At most 32 a request."""
    with serving(_tei) as server:
        assert all(_embedder(server).embed(["lock"] * (2 * BATCH + 1)))
    assert [len(_texts(each)) for each in server.asked] == [BATCH, BATCH, 1]


def test_one_bad_text_does_not_take_the_others_with_it() -> None:
    """A request the server refuses is halved until the bad text stands alone."""

    def answer(asked: Asked) -> Reply:
        return Reply(status=422) if "poison lock" in _texts(asked) else _tei(asked)

    texts = ["lock"] * 6 + ["poison lock"] + ["cache"] * 4
    with serving(answer) as server:
        found = _embedder(server).embed(texts)
    assert [at for at, each in enumerate(found) if each is None] == [6]


def test_a_batch_too_large_is_made_smaller() -> None:
    """A server that takes two at a time."""
    with serving(lambda asked: Reply(status=413) if len(_texts(asked)) > 2 else _tei(asked)) as server:
        assert all(_embedder(server).embed(["lock"] * 7))


def test_a_text_too_long_for_the_model_does_not_take_the_others_with_it() -> None:
    """OpenAI's words for it, under 400: the text that does not fit stands alone."""

    def answer(asked: Asked) -> Reply:
        words = {"error": {"message": "This model's maximum context length is 8192 tokens"}}
        return Reply(words, 400) if "long lock" in _texts(asked) else _tei(asked)

    with serving(answer) as server:
        found = _embedder(server).embed(["lock", "long lock", "cache"])
    assert [at for at, each in enumerate(found) if each is None] == [1]


@pytest.mark.parametrize(
    "odd",
    [[0, 0, 0], [math.nan, 1, 0], [1, 0], [1, 0, 0, 0], [], None, "text", {"a": 1}, [None, 1, 0], [[1], [0], [0]]],
)
def test_an_odd_vector_is_none_and_the_others_stay(odd: Any) -> None:
    """Zeros, NaN, another length, another type, at any place, even the first."""
    for place in range(3):
        rows: list[Any] = [[1, 0, 0], [0, 1, 0], [0, 0, 1]]
        rows[place] = odd
        with serving([Reply(rows)]) as server:
            found = _embedder(server).embed(["a", "b", "c"])
        assert [at for at, each in enumerate(found) if each is None] == [place]


def test_the_dimension_stays_what_it_was() -> None:
    """A server whose model was changed under the same name gives vectors of no use, not of another version."""
    with serving([Reply([[1, 0, 0]]), Reply([[1, 0]])]) as server:
        embedder = _embedder(server)
        assert embedder.embed(["a"])[0] is not None
        assert embedder.embed(["b"]) == (None,)
        assert embedder.version == "m@tei:3"


@pytest.mark.parametrize(
    ("name", "answer"),
    [
        ("tei", {}),
        ("tei", []),
        ("tei", [[1, 0], [1, 0], [1, 0]]),
        ("tei", None),
        ("ollama", [[1, 0], [0, 1]]),
        ("ollama", {"embeddings": [[1, 0]]}),
        ("ollama", {"error": "no"}),
        ("openai", {"data": None}),
        ("openai", {"data": [1, 2]}),
        ("openai", {"data": [{"index": 0, "embedding": [1]}]}),
        ("openai", {"data": [{"index": 0, "embedding": [1]}, {"index": 0, "embedding": [1]}]}),
        ("openai", {"data": [{"index": 0, "embedding": [1]}, {"index": 2, "embedding": [1]}]}),
        ("openai", {"data": [{"index": "0", "embedding": [1]}, {"index": True, "embedding": [1]}]}),
        ("openai", {"data": [{"index": 0}, {"index": 1}]}),
    ],
)
def test_an_answer_that_does_not_fit_the_question(name: str, answer: Any) -> None:
    """Too few, too many, an index twice or unknown, no vectors at all: `bad_response`, nothing is guessed."""
    with serving([Reply(answer)]) as server, pytest.raises(EmbedderError) as caught:
        _embedder(server, name).embed(["a", "b"])
    assert caught.value.error_code == "bad_response"


def test_answers_without_index_keep_their_order() -> None:
    """Some servers of OpenAI's shape leave it out."""
    with serving([Reply({"data": [{"embedding": [1, 0]}, {"embedding": [0, 1]}]})]) as server:
        found = _embedder(server, "openai").embed(["a", "b"])
    assert [numbers(each) for each in found if each] == [(1, 0), (0, 1)]


@pytest.mark.parametrize(("status", "code", "retryable"), [(401, "unauthorized", False), (503, "server_error", True)])
def test_a_failing_server_is_an_error(status: int, code: str, retryable: bool) -> None:
    """The code says why, and whether waiting may help."""
    with serving([Reply(status=status)]) as server, pytest.raises(EmbedderError) as caught:
        _embedder(server).embed(["a"])
    assert (caught.value.error_code, caught.value.may_retry) == (code, retryable)


def test_what_was_embedded_before_a_failure_is_given() -> None:
    """The server stops after the first batch: its vectors, None for the rest, and no further request."""
    replies = [Reply([[1, 0]] * BATCH), Reply(status=401)]
    with serving(replies) as server:
        found = _embedder(server).embed(["a"] * (3 * BATCH))
    assert [each is None for each in found] == [False] * BATCH + [True] * (2 * BATCH)
    assert len(server.asked) == 2


def test_a_slow_server_is_a_timeout() -> None:
    """Within the time of the settings, retryable."""
    with serving([Reply([[1.0] * 2000], drip=True)]) as server, pytest.raises(EmbedderError) as caught:
        _embedder(server, timeout_ms=150).embed(["a"])
    assert (caught.value.error_code, caught.value.may_retry) == ("timeout", True)


def test_a_long_text_is_cut_before_it_is_sent() -> None:
    """A hundred kilobytes of query become sixteen."""
    with serving(_tei) as server:
        assert _embedder(server).embed(["lock " * 20_000])[0] is not None
    assert len(_texts(server.asked[0])[0]) == 16_384
