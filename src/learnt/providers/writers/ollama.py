"""Ollama's own way, whose `format` holds a model to a schema word by word."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from learnt.providers.writers.openai import messages_of, with_schema
from learnt.providers.writers.schema import sendable
from learnt.providers.writers.turn import Said, Stop, count

if TYPE_CHECKING:
    from learnt.providers.writers.served import Frill
    from learnt.providers.writers.turn import Turn


@dataclass(frozen=True, slots=True)
class Ollama:
    """`/api/chat`.

    Attributes:
        context_tokens: Asked for with each request; without that Ollama cuts a long prompt in silence to its default.
    """

    context_tokens: int = 0
    name: str = "ollama"
    path: str = "/api/chat"
    listing: str = "/api/tags"
    frills: tuple[Frill, ...] = ("schema",)

    def body(self, model: str, turn: Turn, frills: frozenset[Frill], effort: str) -> dict[str, Any]:
        """See `learnt.providers.writers.served.Dialect`."""
        del effort
        strict = "schema" in frills
        system = {"role": "system", "content": turn.system if strict else with_schema(turn)}
        options: dict[str, Any] = {"temperature": 0, "num_predict": turn.max_output_tokens}
        if self.context_tokens:
            options["num_ctx"] = self.context_tokens
        return {
            "model": model,
            "messages": [system, *messages_of(turn)],
            "format": sendable(turn.schema) if strict else "json",
            "stream": False,
            "options": options,
        }

    def read(self, answer: Any, turn: Turn) -> Said | None:
        """See `learnt.providers.writers.served.Dialect`."""
        del turn
        message = answer.get("message") if isinstance(answer, dict) else None
        if not isinstance(message, dict):
            return None
        text = message.get("content")
        stop: Stop = "truncated" if answer.get("done_reason") == "length" else ""
        if not text and message.get("tool_calls"):
            stop = "tool"
        return Said(
            text=text if isinstance(text, str) else "",
            stop=stop,
            input_tokens=count(answer.get("prompt_eval_count")),
            output_tokens=count(answer.get("eval_count")),
        )
