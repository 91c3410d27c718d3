"""Embedders behind a URL: OpenAI-compatible servers, Ollama, TEI."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from learnt.errors import EmbedderError, ProviderError
from learnt.providers.faults import told_as
from learnt.providers.once import Once
from learnt.providers.vectors import packed, readable, spread

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from learnt.providers.client import Client

BATCH = 32
"""Texts in one request. Source: TEI's own default of `--max-client-batch-size`."""

_PROBE = "dimension"


@dataclass(frozen=True, slots=True)
class Dialect:
    """One server's way: the endpoint, the body for model and texts, and the rows of an answer (None: not its shape)."""

    name: str
    path: str
    body: Callable[[str, Sequence[str]], object]
    rows: Callable[[Any], list[Any] | None]


def _openai_body(model: str, texts: Sequence[str]) -> object:
    return {"model": model, "input": list(texts), "encoding_format": "float"}


def _openai_rows(answer: Any) -> list[Any] | None:
    """By `index`, which the specification promises no order of; by place for servers that leave it out."""
    entries = answer.get("data") if isinstance(answer, dict) else None
    if not isinstance(entries, list) or not all(isinstance(each, dict) for each in entries):
        return None
    indexes = [each.get("index", place) for place, each in enumerate(entries)]
    if not all(type(each) is int for each in indexes) or sorted(indexes) != list(range(len(entries))):
        return None
    return [entries[indexes.index(place)].get("embedding") for place in range(len(entries))]


def _ollama_body(model: str, texts: Sequence[str]) -> object:
    return {"model": model, "input": list(texts), "truncate": True}


def _ollama_rows(answer: Any) -> list[Any] | None:
    rows = answer.get("embeddings") if isinstance(answer, dict) else None
    return rows if isinstance(rows, list) else None


def _tei_body(_model: str, texts: Sequence[str]) -> object:
    return {"inputs": list(texts), "normalize": True, "truncate": True}


def _tei_rows(answer: Any) -> list[Any] | None:
    return answer if isinstance(answer, list) else None


DIALECTS = {
    each.name: each
    for each in (
        Dialect("openai", "/embeddings", _openai_body, _openai_rows),
        Dialect("ollama", "/api/embed", _ollama_body, _ollama_rows),
        Dialect("tei", "/embed", _tei_body, _tei_rows),
    )
}


class HttpEmbedder:
    """See `learnt.ports.embedder.Embedder`.

    The dimension is what the first answer gives; asking for `version` before that costs a request of its own. A request
    the server finds bad is halved until the bad text stands alone. Any other failure ends the call: what was embedded
    before it is given, the rest is None; when nothing was, it raises.
    """

    def __init__(self, client: Client, dialect: Dialect, model: str) -> None:
        self._client = client
        self._dialect = dialect
        self._model = Once(lambda: model or self._served())
        self._dimension = 0

    @property
    def version(self) -> str:
        """`model@dialect:dimension`: one model's vectors differ between servers that quantise it differently."""
        with told_as(EmbedderError):
            return f"{self._model.get()}@{self._dialect.name}:{self.dimension}"

    @property
    def dimension(self) -> int:
        """Numbers in one vector."""
        if not self._dimension:
            with told_as(EmbedderError):
                self._learn(self._asked([_PROBE]))
        return self._dimension

    def embed(self, texts: Sequence[str]) -> tuple[bytes | None, ...]:
        """In requests of at most `BATCH` texts."""
        wanted = [(place, text) for place, each in enumerate(texts) if (text := readable(each))]
        found: dict[int, bytes | None] = {}
        for start in range(0, len(wanted), BATCH):
            batch = wanted[start : start + BATCH]
            try:
                with told_as(EmbedderError):
                    rows = self._halved([text for _, text in batch])
                    self._learn(rows)
            except EmbedderError:
                if not any(found.values()):
                    raise
                break
            found.update((place, packed(row, self._dimension)) for (place, _), row in zip(batch, rows, strict=True))
        return spread(texts, found)

    def _halved(self, texts: Sequence[str]) -> list[Any]:
        try:
            return self._asked(texts)
        except ProviderError as error:
            if error.error_code not in {"bad_request", "too_long"}:
                raise
            if len(texts) == 1:
                return [None]
        middle = len(texts) // 2
        return self._halved(texts[:middle]) + self._halved(texts[middle:])

    def _asked(self, texts: Sequence[str]) -> list[Any]:
        answer = self._client.post(self._dialect.path, self._dialect.body(self._model.get(), texts))
        rows = self._dialect.rows(answer)
        if rows is None or len(rows) != len(texts):
            raise self._client.error("bad_response", "The server's answer is not one vector a text.")
        return rows

    def _learn(self, rows: Sequence[Any]) -> None:
        """The dimension: the commonest length of the first rows, so that one odd vector does not decide."""
        if not self._dimension:
            lengths = Counter(len(row) for row in rows if isinstance(row, list) and row)
            if not lengths:
                raise self._client.error("bad_response", "The server's answer holds no vector.")
            self._dimension = lengths.most_common(1)[0][0]

    def _served(self) -> str:
        """The model a TEI server says it serves."""
        facts = self._client.get("/info")
        name, mark = (facts.get(key) if isinstance(facts, dict) else None for key in ("model_id", "model_sha"))
        if not isinstance(name, str) or not name:
            raise self._client.error("bad_response", "The server does not say which model it serves.")
        return f"{name}@{mark[:12]}" if isinstance(mark, str) and mark else name
