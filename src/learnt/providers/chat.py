"""A language model as reranker, over the chat endpoint of an OpenAI-compatible server."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from learnt.errors import ProviderError, RerankerError
from learnt.providers.faults import told_as
from learnt.providers.rerank import scores_of
from learnt.providers.vectors import readable

if TYPE_CHECKING:
    from collections.abc import Sequence

    from learnt.providers.client import Client

HIGHEST = 10
_PATH = "/chat/completions"
_MOST_CHARACTERS = 2000
"""Of the query and of each passage. Source: the longest memory."""

_SCORE = {
    "type": "object",
    "properties": {"index": {"type": "integer"}, "score": {"type": "number"}},
    "required": ["index", "score"],
    "additionalProperties": False,
}
_SCHEMA = {
    "type": "object",
    "properties": {"scores": {"type": "array", "items": _SCORE}},
    "required": ["scores"],
    "additionalProperties": False,
}


class ChatReranker:
    """See `learnt.ports.embedder.Reranker`: scores from 0 to 1, the model's 0 to 10 by ten.

    Query and passages go as one JSON object, which the prompt calls material. An answer that does not follow the schema
    is sent back once with what is wrong with it. A server without schemas is asked for any JSON object.
    """

    def __init__(self, client: Client, model: str) -> None:
        self._client = client
        self._model = model
        self._plain = False

    @property
    def version(self) -> str:
        """`model@chat`."""
        return f"{self._model}@chat"

    def score(self, query: str, texts: Sequence[str]) -> tuple[float, ...]:
        """One request, or two."""
        if not texts:
            return ()
        passages = [{"index": place, "text": _cut(text)} for place, text in enumerate(texts)]
        asked = json.dumps({"query": _cut(query), "passages": passages}, ensure_ascii=False)
        messages = [{"role": "system", "content": _prompt("rerank")}, {"role": "user", "content": asked}]
        with told_as(RerankerError):
            answer = self._answer(messages)
            found = _scores(answer, len(texts))
            if isinstance(found, str):
                messages.append({"role": "assistant", "content": answer[: 100 * len(texts) + 1000]})
                repair = _prompt("repair").format(fault=found, last=len(texts) - 1)
                messages.append({"role": "user", "content": repair})
                found = _scores(self._answer(messages), len(texts))
            if isinstance(found, str):
                raise self._client.error("bad_response", f"The model's answer cannot be used: {found}.")
            return found

    def _answer(self, messages: list[dict[str, str]]) -> str:
        """The text of the model's message; "" for one without text (a refusal)."""
        try:
            answer = self._client.post(_PATH, self._body(messages))
        except ProviderError as error:
            if self._plain or error.error_code != "bad_request":
                raise
            self._plain = True
            answer = self._client.post(_PATH, self._body(messages))
        try:
            content = answer["choices"][0]["message"]["content"]
        except (TypeError, KeyError, IndexError) as error:
            raise self._client.error("bad_response", "The server's answer holds no message.") from error
        return content if isinstance(content, str) else ""

    def _body(self, messages: list[dict[str, str]]) -> dict[str, Any]:
        body: dict[str, Any] = {"model": self._model, "messages": messages, "stream": False}
        if self._plain:
            return body | {"response_format": {"type": "json_object"}}
        shape = {"name": "scores", "schema": _SCHEMA, "strict": True}
        return body | {"temperature": 0, "response_format": {"type": "json_schema", "json_schema": shape}}


def _cut(text: str) -> str:
    return readable(text)[:_MOST_CHARACTERS]


def _scores(answer: str, count: int) -> tuple[float, ...] | str:
    """The scores by ten, or what is wrong with the answer."""
    try:
        found = json.loads(answer)
    except (ValueError, RecursionError):
        return "it is no JSON"
    scores = scores_of(found.get("scores") if isinstance(found, dict) else None, count, "score")
    if isinstance(scores, str):
        return scores
    if not all(0 <= each <= HIGHEST for each in scores):
        return "a score is not between 0 and 10"
    return tuple(each / HIGHEST for each in scores)


@cache
def _prompt(name: str) -> str:
    return Path(__file__).with_name("prompts").joinpath(f"{name}.md").read_text("utf-8")
