"""Rerankers: an ONNX cross-encoder directory, and servers that score (Cohere's or TEI's shape)."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from learnt.errors import RerankerError
from learnt.providers.faults import broken, told_as
from learnt.providers.once import Once
from learnt.providers.onnx import (
    CONFIGURATION,
    Network,
    batches,
    existing,
    facts_of,
    named,
    network,
    tokenizer_in,
    whole,
)
from learnt.providers.vectors import readable

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from learnt.providers.client import Client

_UNKNOWN_TOKENS = 512
_MOST_TOKENS = 8192


@dataclass(frozen=True, slots=True)
class Judge:
    """A loaded cross-encoder and its name."""

    network: Network
    name: str


class OnnxReranker:
    """See `learnt.ports.embedder.Reranker`: `model.onnx` or `onnx/model.onnx`, and `tokenizer.json`, in a directory.

    One number a pair becomes its sigmoid, two the softmax of the second ("relevant"): scores lie between 0 and 1. Pairs
    are cut, the longer side first, where `config.json` says, else at 512 tokens. The version is the model's hash.
    """

    def __init__(self, folder: Path, threads: int = 1) -> None:
        self._judge = Once(lambda: _loaded(folder, threads))

    @property
    def version(self) -> str:
        """`directory@hash`."""
        with told_as(RerankerError):
            return self._judge.get().name

    def score(self, query: str, texts: Sequence[str]) -> tuple[float, ...]:
        """Pairs of like length run together."""
        with told_as(RerankerError):
            judge = self._judge.get()
            encode = judge.network.tokenizer.encode
            encodings = {place: encode(readable(query), readable(text)) for place, text in enumerate(texts)}
            found: dict[int, float] = {}
            for places in batches(encodings):
                logits, _ = judge.network.run([encodings[place] for place in places])
                found.update(zip(places, _shares(logits, len(places)), strict=True))
        return tuple(found[place] for place in range(len(texts)))


def _loaded(folder: Path, threads: int) -> Judge:
    model = existing(folder, "model.onnx", "onnx/model.onnx")
    most_tokens = whole(facts_of(folder, CONFIGURATION[0]), "max_position_embeddings", _UNKNOWN_TOKENS, _MOST_TOKENS)
    loaded = network(model, tokenizer_in(folder, most_tokens), threads, ("logits", "scores"))
    return Judge(loaded, named(folder, model))


def _shares(logits: Any, pairs: int) -> list[float]:
    """One score a pair from logits of shape (n,), (n, 1) or (n, 2)."""
    import numpy as np

    rows = np.asarray(logits, dtype=np.float64).reshape(pairs, -1) if len(logits) == pairs else np.empty((0, 0))
    if rows.shape not in {(pairs, 1), (pairs, 2)} or not np.isfinite(rows).all():
        raise broken(f"The model gives no usable scores (shape {np.shape(logits)}).")
    margins = rows[:, 0] if rows.shape[1] == 1 else rows[:, 1] - rows[:, 0]
    return [float(each) for each in 0.5 * (1 + np.tanh(margins / 2))]


@dataclass(frozen=True, slots=True)
class Dialect:
    """One server's way: the endpoint, the body, where the list of results lies, and the name of a score in it."""

    name: str
    path: str
    body: Callable[[str, str, Sequence[str]], object]
    results: Callable[[Any], Any]
    score: str


def _cohere_body(model: str, query: str, texts: Sequence[str]) -> object:
    return {"model": model, "query": query, "documents": list(texts), "top_n": len(texts)}


def _tei_body(_model: str, query: str, texts: Sequence[str]) -> object:
    return {"query": query, "texts": list(texts), "truncate": True, "raw_scores": False}


DIALECTS = {
    each.name: each
    for each in (
        Dialect(
            "cohere",
            "/rerank",
            _cohere_body,
            lambda answer: answer.get("results") if isinstance(answer, dict) else None,
            "relevance_score",
        ),
        Dialect("tei", "/rerank", _tei_body, lambda answer: answer, "score"),
    )
}


class HttpReranker:
    """See `learnt.ports.embedder.Reranker`: one request for all texts; all scores or none."""

    def __init__(self, client: Client, dialect: Dialect, model: str) -> None:
        self._client = client
        self._dialect = dialect
        self._model = model

    @property
    def version(self) -> str:
        """`model@dialect`."""
        return f"{self._model}@{self._dialect.name}"

    def score(self, query: str, texts: Sequence[str]) -> tuple[float, ...]:
        """As the server gives them."""
        if not texts:
            return ()
        with told_as(RerankerError):
            body = self._dialect.body(self._model, readable(query), [readable(text) for text in texts])
            results = self._dialect.results(self._client.post(self._dialect.path, body))
            found = scores_of(results, len(texts), self._dialect.score)
            if isinstance(found, str):
                raise self._client.error("bad_response", f"The server's answer cannot be used: {found}.")
            return found


def scores_of(results: Any, count: int, name: str) -> tuple[float, ...] | str:
    """The scores in the order of their `index`, each index once; else what is wrong with them."""
    if not isinstance(results, list) or not all(isinstance(each, dict) for each in results):
        return "no list of results"
    found: dict[int, float] = {}
    for each in results:
        index, score = each.get("index"), each.get(name)
        if type(index) is not int or not 0 <= index < count or index in found:
            return "an index is missing, unknown or there twice"
        if isinstance(score, bool) or not isinstance(score, int | float) or not math.isfinite(score):
            return "a score is no finite number"
        found[index] = float(score)
    return tuple(found[place] for place in range(count)) if len(found) == count else "an index is missing"
