"""OpenAI's two ways, of which most servers speak the first: llama.cpp, vLLM, LM Studio, OpenRouter, Ollama's `/v1`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from learnt.providers.writers.schema import sendable
from learnt.providers.writers.turn import Said, Stop, count

if TYPE_CHECKING:
    from learnt.providers.writers.served import Frill
    from learnt.providers.writers.turn import Turn


@dataclass(frozen=True, slots=True)
class Chat:
    """Chat Completions; without strict schemas an object, or any text, is asked for, and the schema in the prompt."""

    name: str = "openai"
    path: str = "/chat/completions"
    listing: str = "/models"
    frills: tuple[Frill, ...] = ("temperature", "effort", "schema", "object")

    def body(self, model: str, turn: Turn, frills: frozenset[Frill], effort: str) -> dict[str, Any]:
        """See `learnt.providers.writers.served.Dialect`."""
        strict = "schema" in frills
        system = turn.system if strict else with_schema(turn)
        messages = [{"role": "system", "content": system}, *messages_of(turn)]
        longest = "max_completion_tokens" if "limit" in frills else "max_tokens"
        body: dict[str, Any] = {"model": model, "messages": messages, "stream": False}
        body[longest] = turn.max_output_tokens
        shape = {"name": turn.name, "schema": sendable(turn.schema), "strict": True}
        if strict or "object" in frills:
            form = {"type": "json_schema", "json_schema": shape} if strict else {"type": "json_object"}
            body["response_format"] = form
        if "temperature" in frills:
            body["temperature"] = 0
        if "effort" in frills:
            body["reasoning_effort"] = effort
        return body

    def read(self, answer: Any, turn: Turn) -> Said | None:
        """See `learnt.providers.writers.served.Dialect`."""
        del turn
        try:
            choice = answer["choices"][0]
            message = choice["message"]
            text, refusal, tools = (message.get(name) for name in ("content", "refusal", "tool_calls"))
            end = choice.get("finish_reason")
        except (TypeError, KeyError, IndexError, AttributeError):
            return None
        stop: Stop = "truncated" if end == "length" else ""
        if refusal or end == "content_filter":
            stop = "refused"
        elif not text and tools:
            stop = "tool"
        usage = answer.get("usage") if isinstance(answer.get("usage"), dict) else {}
        cost = usage.get("cost")  # OpenRouter's
        return Said(
            text=_text(text),
            stop=stop,
            input_tokens=count(usage.get("prompt_tokens")),
            output_tokens=count(usage.get("completion_tokens")),
            cost_usd=float(cost) if isinstance(cost, int | float) and 0 < cost < 1e6 else None,
        )


@dataclass(frozen=True, slots=True)
class Own(Chat):
    """Chat Completions of OpenAI itself, whose newer models know another name for the longest answer."""

    frills: tuple[Frill, ...] = ("temperature", "effort", "limit", "schema", "object")


@dataclass(frozen=True, slots=True)
class Responses:
    """The Responses API; nothing is stored there."""

    name: str = "openai-responses"
    path: str = "/responses"
    listing: str = "/models"
    frills: tuple[Frill, ...] = ("temperature", "effort", "schema")

    def body(self, model: str, turn: Turn, frills: frozenset[Frill], effort: str) -> dict[str, Any]:
        """See `learnt.providers.writers.served.Dialect`."""
        strict = "schema" in frills
        shape = {"type": "json_schema", "name": turn.name, "schema": sendable(turn.schema), "strict": True}
        body: dict[str, Any] = {
            "model": model,
            "instructions": turn.system if strict else with_schema(turn),
            "input": messages_of(turn),
            "text": {"format": shape if strict else {"type": "json_object"}},
            "max_output_tokens": turn.max_output_tokens,
            "store": False,
        }
        if "temperature" in frills:
            body["temperature"] = 0
        if "effort" in frills:
            body["reasoning"] = {"effort": effort}
        return body

    def read(self, answer: Any, turn: Turn) -> Said | None:
        """See `learnt.providers.writers.served.Dialect`."""
        del turn
        items = answer.get("output") if isinstance(answer, dict) and answer.get("status") != "failed" else None
        if not isinstance(items, list) or not all(isinstance(each, dict) for each in items):
            return None
        parts = [part for each in items for part in each.get("content") or [] if isinstance(part, dict)]
        text = "".join(str(part.get("text", "")) for part in parts if part.get("type") == "output_text")
        stop: Stop = "truncated" if answer.get("status") == "incomplete" else ""
        if any(part.get("type") == "refusal" for part in parts) or _is_filtered(answer):
            stop = "refused"
        elif not text and any(each.get("type") == "function_call" for each in items):
            stop = "tool"
        usage = answer.get("usage") if isinstance(answer.get("usage"), dict) else {}
        return Said(
            text=text,
            stop=stop,
            input_tokens=count(usage.get("input_tokens")),
            output_tokens=count(usage.get("output_tokens")),
        )


def _is_filtered(answer: Any) -> bool:
    """Whether a filter ended it, and not its length."""
    why = answer.get("incomplete_details")
    return isinstance(why, dict) and why.get("reason") == "content_filter"


def _text(content: Any) -> str:
    """A message's text: a string, or parts of which some are text."""
    if isinstance(content, list):
        parts = (each.get("text") for each in content if isinstance(each, dict) and each.get("type") == "text")
        return "".join(part for part in parts if isinstance(part, str))
    return content if isinstance(content, str) else ""


def messages_of(turn: Turn) -> list[dict[str, str]]:
    """What was said in turn."""
    return [{"role": role, "content": text} for role, text in turn.said]


def with_schema(turn: Turn) -> str:
    """The system prompt with the schema in words, for servers that take none."""
    import json

    return f"{turn.system}\n\nAnswer with one JSON object that meets this JSON Schema:\n{json.dumps(turn.schema)}"
