"""Models behind a URL, whatever dialect they speak: one request, and what a server may refuse given up step by step."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, Literal, Protocol

from learnt.errors import ProviderError
from learnt.providers.writers.rates import remaining

if TYPE_CHECKING:
    from learnt.providers.client import Client
    from learnt.providers.writers.turn import Said, Turn

Frill = Literal["temperature", "effort", "limit", "schema", "object"]
"""What a request can do without: temperature 0, a reasoning effort, the newer name of the longest answer, the strict
form of the schema, any form at all. In this order they are given up when a server does not say which it refuses."""

_REFUSED: dict[str, Frill] = {
    "temperature": "temperature",
    "reasoning": "effort",
    "max_tokens": "limit",
    "response_format": "schema",
    "json_schema": "schema",
    "output_config": "schema",
}


class Dialect(Protocol):
    """One server's way."""

    @property
    def name(self) -> str:
        """As it stands in the settings."""
        ...

    @property
    def path(self) -> str:
        """Of the endpoint."""
        ...

    @property
    def listing(self) -> str:
        """The path that lists models, for a check that costs nothing."""
        ...

    @property
    def frills(self) -> tuple[Frill, ...]:
        """What a request has at first and can do without."""
        ...

    def body(self, model: str, turn: Turn, frills: frozenset[Frill], effort: str) -> dict[str, Any]:
        """The request, with these frills and no others."""
        ...

    def read(self, answer: Any, turn: Turn) -> Said | None:
        """What was said; None for an answer of another shape."""
        ...


class ServedModel:
    """See `learnt.providers.writers.turn.Model`. What a server refused once is not sent to it again."""

    def __init__(self, client: Client, dialect: Dialect, model: str, effort: str = "") -> None:
        self._client = client
        self._dialect = dialect
        self._effort = effort
        self._frills = frozenset(each for each in dialect.frills if effort or each != "effort")
        self.model = model

    @property
    def provider(self) -> str:
        """The dialect's name."""
        return self._dialect.name

    def ask(self, turn: Turn) -> Said:
        """One answer; as many requests as there are frills to give up, at most."""
        while True:
            try:
                body = self._dialect.body(self.model, turn, self._frills, self._effort)
                reply = self._client.ask(self._dialect.path, body)
            except ProviderError as error:
                self._frills -= {self._given_up(error)}
                continue
            said = self._dialect.read(reply.content, turn)
            if said is None:
                raise self._none(reply.content)
            percent, resets_in_s = remaining(reply.headers)
            return replace(said, remaining_percent=percent, resets_in_s=resets_in_s)

    def _none(self, content: Any) -> ProviderError:
        """The error of an answer without a message.

        Source: OpenRouter, whose 200 may hold an error and its status; OpenAI's Responses, which may have failed.
        """
        told = content.get("error") if isinstance(content, dict) else None
        if not told:
            return self._client.error("bad_response", "The server's answer holds no message.")
        code = (told.get("code") or told.get("type")) if isinstance(told, dict) else None
        if isinstance(code, int) and 400 <= code < 600:
            return self._client.refusal(code)
        if "rate_limit" in str(code):
            return self._client.refusal(429)
        return self._client.error("server_error", "The server says that it failed.", retryable=True)

    def _given_up(self, error: ProviderError) -> Frill:
        """What to ask without from now on; the error itself where that would not help."""
        if error.error_code != "bad_request":
            raise error
        named = _REFUSED.get(str(error.details.get("reason", "")))
        if named in self._frills:
            return named
        found: Frill | None = next((each for each in self._dialect.frills if each in self._frills), None)
        if found is None:
            raise error
        return found

    def check(self) -> str:
        """How many models the server lists, and whether this one is among them."""
        names = list(_names(self._client.get(self._dialect.listing)))
        return f"{len(names)} models, {self.model} among them" if self.model in names else f"{len(names)} models"


def _names(listed: Any) -> list[str]:
    """The names in a list of models: OpenAI's and Anthropic's `data[].id`, Ollama's `models[].name`."""
    found = (listed.get("data") or listed.get("models") or []) if isinstance(listed, dict) else []
    named = [each.get("id") or each.get("name") for each in found if isinstance(each, dict)]
    return [name for name in named if isinstance(name, str)]
