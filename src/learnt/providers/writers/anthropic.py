"""Anthropic's Messages: a schema for the output, or where that is refused a tool that must be called."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from learnt.providers.writers.openai import messages_of
from learnt.providers.writers.schema import sendable
from learnt.providers.writers.turn import Said, Stop, count

if TYPE_CHECKING:
    from learnt.providers.writers.served import Frill
    from learnt.providers.writers.turn import Turn

VERSION: Final = "2023-06-01"
_STOPS: Final[dict[str, Stop]] = {
    "refusal": "refused",
    "max_tokens": "truncated",
    "model_context_window_exceeded": "truncated",
}
_READ: Final = ("input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens")


@dataclass(frozen=True, slots=True)
class Messages:
    """`/v1/messages`."""

    name: str = "anthropic"
    path: str = "/v1/messages"
    listing: str = "/v1/models"
    frills: tuple[Frill, ...] = ("temperature", "effort", "schema")

    def body(self, model: str, turn: Turn, frills: frozenset[Frill], effort: str) -> dict[str, Any]:
        """See `learnt.providers.writers.served.Dialect`."""
        schema = sendable(turn.schema)
        body: dict[str, Any] = {
            "model": model,
            "max_tokens": turn.max_output_tokens,
            "system": turn.system,
            "messages": messages_of(turn),
        }
        config: dict[str, Any] = {"effort": effort} if "effort" in frills else {}
        if "schema" in frills:
            config["format"] = {"type": "json_schema", "schema": schema}
        else:
            body["tools"] = [{"name": turn.name, "description": "Gives the answer.", "input_schema": schema}]
            body["tool_choice"] = {"type": "tool", "name": turn.name}
        if config:
            body["output_config"] = config
        if "temperature" in frills:
            body["temperature"] = 0
        return body

    def read(self, answer: Any, turn: Turn) -> Said | None:
        """See `learnt.providers.writers.served.Dialect`."""
        blocks = answer.get("content") if isinstance(answer, dict) else None
        if not isinstance(blocks, list) or not all(isinstance(each, dict) for each in blocks):
            return None
        text = "".join(str(each.get("text", "")) for each in blocks if each.get("type") == "text")
        calls = [each for each in blocks if each.get("type") == "tool_use"]
        given = next((each.get("input") for each in calls if each.get("name") == turn.name), None)
        stop: Stop = _STOPS.get(str(answer.get("stop_reason")), "")
        if not stop and calls and not isinstance(given, dict) and not text:
            stop = "tool"
        usage = answer.get("usage") if isinstance(answer.get("usage"), dict) else {}
        return Said(
            text=text,
            value=given if isinstance(given, dict) else None,
            stop=stop,
            input_tokens=sum(count(usage.get(name)) for name in _READ),
            output_tokens=count(usage.get("output_tokens")),
        )
