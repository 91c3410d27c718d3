"""Rerankers: a tiny ONNX cross-encoder, and servers."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import pytest

from learnt.errors import RerankerError
from learnt.providers.client import Client
from learnt.providers.rerank import DIALECTS, HttpReranker, OnnxReranker
from tests.providers import tiny
from tests.providers.server import Reply, Server, serving

NEEDS = "needs the extra `local`"


def _tiny(folder: Path) -> OnnxReranker:
    pytest.importorskip("onnxruntime", reason=NEEDS)
    pytest.importorskip("tokenizers", reason=NEEDS)
    return OnnxReranker(tiny.cross_encoder(folder / "judge"))


def test_a_cross_encoder_reads_query_and_text_together(tmp_path: Path) -> None:
    """The tiny model's logit counts shared words; the score is its sigmoid, in the texts' order."""
    reranker = _tiny(tmp_path)
    found = reranker.score("the cache lock", ["deploy", "cache", "lock the cache", "test " * 40, ""])
    assert found == pytest.approx([0.5, 1 / (1 + math.exp(-1)), 1 / (1 + math.exp(-3)), 0.5, 0.5])
    assert reranker.score("cache", []) == ()
    assert reranker.version.startswith("judge@")


def test_many_texts_keep_their_places(tmp_path: Path) -> None:
    """More than one batch, of mixed lengths: each score is the one of its text alone."""
    reranker = _tiny(tmp_path)
    texts = [" ".join(["cache"] * (at % 5) + ["run"] * (at % 3)) for at in range(20)]
    assert reranker.score("cache", texts) == tuple(reranker.score("cache", [text])[0] for text in texts)


def test_two_logits_are_a_share(tmp_path: Path) -> None:
    """A model with two classes: the softmax of the second."""
    pytest.importorskip("onnxruntime", reason=NEEDS)
    rows = [[1.0, 3.0]] * (len(tiny.SPECIAL) + len(tiny.WORDS))
    nodes = [
        tiny.node("Gather", ["table", "input_ids"], "tokens"),
        tiny.node("ReduceMean", ["tokens"], "logits", axes=[1], keepdims=0),
    ]
    content = tiny.model(
        nodes,
        [tiny.tensor("table", rows)],
        [tiny.value("input_ids", tiny.INT64, "n", "s")],
        [tiny.value("logits", tiny.FLOAT, "n", 2)],
    )
    reranker = OnnxReranker(tiny.directory(tmp_path / "judge", content))
    assert reranker.score("cache", ["lock"]) == pytest.approx([1 / (1 + math.exp(-2))])


def test_a_model_without_scores_is_refused(tmp_path: Path) -> None:
    """An encoder's output is no score: `model_broken`."""
    pytest.importorskip("onnxruntime", reason=NEEDS)
    with pytest.raises(RerankerError) as caught:
        OnnxReranker(tiny.encoder(tmp_path / "judge")).score("cache", ["lock"])
    assert caught.value.error_code == "model_broken"


def test_a_missing_model_is_said(tmp_path: Path) -> None:
    """An empty directory: `model_missing`, for version and scores alike."""
    pytest.importorskip("onnxruntime", reason=NEEDS)
    reranker = OnnxReranker(tmp_path)
    with pytest.raises(RerankerError) as caught:
        reranker.score("cache", ["lock"])
    assert caught.value.error_code == "model_missing"
    with pytest.raises(RerankerError):
        _ = reranker.version


def _remote(server: Server, name: str) -> HttpReranker:
    return HttpReranker(Client(server.url), DIALECTS[name], "m")


def test_cohere_shape() -> None:
    """Documents out, scores back by index."""
    results = [{"index": 1, "relevance_score": 0.9}, {"index": 0, "relevance_score": 0.2}]
    with serving([Reply({"id": "1", "results": results})]) as server:
        reranker = _remote(server, "cohere")
        assert reranker.score("q", ["a", "b"]) == (0.2, 0.9)
        assert reranker.version == "m@cohere"
        assert reranker.score("q", []) == ()
    assert [(each.path, each.body) for each in server.asked] == [
        ("/rerank", {"model": "m", "query": "q", "documents": ["a", "b"], "top_n": 2})
    ]


def test_tei_shape() -> None:
    """A bare list back."""
    with serving([Reply([{"index": 1, "score": 1}, {"index": 0, "score": 0.5}])]) as server:
        assert _remote(server, "tei").score("q", ["a", "b"]) == (0.5, 1.0)
    assert server.asked[0].body == {"query": "q", "texts": ["a", "b"], "truncate": True, "raw_scores": False}


@pytest.mark.parametrize(
    "results",
    [
        None,
        {},
        [],
        [1, 2],
        [{"index": 0, "score": 1}],
        [{"index": 0, "score": 1}, {"index": 0, "score": 1}],
        [{"index": 0, "score": 1}, {"index": 2, "score": 1}],
        [{"index": 0, "score": 1}, {"index": -1, "score": 1}],
        [{"index": 0, "score": 1}, {"index": 1.0, "score": 1}],
        [{"index": 0, "score": 1}, {"index": 1, "score": None}],
        [{"index": 0, "score": 1}, {"index": 1, "score": True}],
        [{"index": 0, "score": 1}, {"index": 1, "score": math.nan}],
        [{"index": 0, "score": 1}, {"index": 1, "score": "1"}],
        [{"index": at, "score": 1} for at in range(3)],
    ],
)
def test_scores_are_all_there_or_none_is(results: Any) -> None:
    """Missing, doubled, unknown or no numbers: `bad_response`; the order stays what it was."""
    with serving([Reply(results)]) as server, pytest.raises(RerankerError) as caught:
        _remote(server, "tei").score("q", ["a", "b"])
    assert caught.value.error_code == "bad_response"


@pytest.mark.parametrize(("status", "code"), [(401, "unauthorized"), (400, "bad_request"), (500, "server_error")])
def test_a_failing_server_is_an_error(status: int, code: str) -> None:
    """With the client's code."""
    with serving([Reply(status=status)]) as server, pytest.raises(RerankerError) as caught:
        _remote(server, "cohere").score("q", ["a"])
    assert caught.value.error_code == code
