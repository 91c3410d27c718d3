"""What tests of writers share: a task, a meter that only counts, and what each provider says for a text."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

from learnt.errors import ProviderError
from learnt.model.ledger import Charge, Prices
from learnt.model.writer import NamedModel, Provider
from learnt.ports.writer import Task, Unwritten
from learnt.providers.writers.choose import model_of
from learnt.providers.writers.write import ModelWriter
from tests.providers.server import Reply

SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {
        "title": {"type": "string", "maxLength": 40},
        "slug": {"type": ["string", "null"]},
        "facts": {
            "type": "array",
            "maxItems": 3,
            "items": {
                "type": "object",
                "properties": {"text": {"type": "string"}, "speaker": {"enum": ["person", "agent"]}},
                "required": ["text", "speaker"],
                "additionalProperties": False,
            },
        },
    },
    "required": ["title", "slug", "facts"],
    "additionalProperties": False,
}
GOOD: dict[str, Any] = {"title": "Uses bun", "slug": None, "facts": [{"text": "bun", "speaker": "person"}]}
TASK = Task(purpose="extraction", name="extraction", system="Be brief.", material="<session>…</session>", schema=SCHEMA)
SERVED: tuple[Provider, ...] = ("openai", "openai-responses", "ollama", "anthropic")
KEY = "sk-" + "y" * 24


@dataclass
class Counting:
    """A meter without a ledger: what was reserved, and what became of it."""

    prices: Prices = field(default_factory=lambda: Prices(input_usd=1, output_usd=2))
    room: int = 100
    reserved: list[Charge] = field(default_factory=list)
    settled: list[Charge] = field(default_factory=list)

    def reserve(self, input_tokens: int, output_tokens: int) -> Charge:
        """See `Meter`."""
        if len(self.reserved) >= self.room:
            raise ProviderError("full", code="cap")
        charge = Charge(
            id=f"charge_{len(self.reserved)}",
            user_id="u",
            repository_id="",
            start="s",
            purpose="extraction",
            role="default",
            provider="p",
            model="m",
            at="",
            input_tokens=input_tokens,
            output_tokens=output_tokens,
        )
        self.reserved.append(charge)
        return charge

    def settle(
        self,
        charge: Charge,
        *,
        input_tokens: int,
        output_tokens: int,
        cost_usd: float | None = None,
        fault: str = "",
        remaining_percent: float | None = None,
        resets_in_s: float = 0.0,
    ) -> Charge:
        """See `Meter`."""
        cost = self.prices.cost_nano_usd(input_tokens, output_tokens) if cost_usd is None else round(cost_usd * 1e9)
        end = replace(
            charge,
            status="settled",
            input_tokens=input_tokens,
            output_tokens=output_tokens,
            cost_nano_usd=cost,
            fault=fault,
            remaining_percent=remaining_percent,
            resets_at=str(resets_in_s),
        )
        self.settled.append(end)
        return end


def writer(
    provider: Provider, url: str = "", meter: Counting | None = None, keyed: bool = True, **given: Any
) -> ModelWriter:
    """The writer of a provider whose server is at `url`."""
    fields: dict[str, Any] = {"timeout_ms": 3_000, "model": "m", **given}
    named = NamedModel(name="it", provider=provider, url=url, key_variable="KEY" if keyed else "", **fields)
    environment = {"KEY": KEY, "PATH": given.get("command", "")}
    model = model_of(named, environment)
    assert not isinstance(model, Unwritten)
    return ModelWriter(model, meter or Counting(), named.context_tokens or None, named.max_output_tokens)


def said(
    provider: Provider, text: str, stop: str = "", tokens: tuple[int, int] = (100, 20), headers: Any = None
) -> Reply:
    """How a provider says a text; `stop` is `truncated`, `refused` or `tool`."""
    read, written = tokens
    return Reply(_BODIES[provider](text, stop, read, written), headers=dict(headers or {}))


def _openai(text: str, stop: str, read: int, written: int) -> Any:
    message: dict[str, Any] = {"role": "assistant", "content": text}
    if stop == "refused":
        message |= {"content": None, "refusal": "I cannot help with that."}
    if stop == "tool":
        message |= {"content": None, "tool_calls": [{"function": {"name": "shell", "arguments": "{}"}}]}
    reason = {"truncated": "length", "tool": "tool_calls"}.get(stop, "stop")
    usage = {"prompt_tokens": read, "completion_tokens": written}
    return {"choices": [{"message": message, "finish_reason": reason}], "usage": usage}


def _responses(text: str, stop: str, read: int, written: int) -> Any:
    part: dict[str, Any] = {"type": "output_text", "text": text}
    if stop == "refused":
        part = {"type": "refusal", "refusal": "I cannot help with that."}
    items: list[Any] = [{"type": "reasoning", "summary": []}, {"type": "message", "content": [part]}]
    if stop == "tool":
        items = [{"type": "function_call", "name": "shell", "arguments": "{}"}]
    status = "incomplete" if stop == "truncated" else "completed"
    return {"status": status, "output": items, "usage": {"input_tokens": read, "output_tokens": written}}


def _ollama(text: str, stop: str, read: int, written: int) -> Any:
    message: dict[str, Any] = {"role": "assistant", "content": text}
    if stop == "tool":
        message = {"role": "assistant", "content": "", "tool_calls": [{"function": {"name": "shell"}}]}
    reason = "length" if stop == "truncated" else "stop"
    return {"message": message, "done_reason": reason, "prompt_eval_count": read, "eval_count": written}


def _anthropic(text: str, stop: str, read: int, written: int) -> Any:
    blocks: list[Any] = [{"type": "text", "text": text}]
    if stop == "tool":
        blocks = [{"type": "tool_use", "name": "shell", "input": {}}]
    reason = {"truncated": "max_tokens", "refused": "refusal", "tool": "tool_use"}.get(stop, "end_turn")
    usage = {"input_tokens": read - 10, "cache_read_input_tokens": 10, "output_tokens": written}
    return {"content": blocks, "stop_reason": reason, "usage": usage}


_BODIES: dict[str, Any] = {
    "openai": _openai,
    "openai-responses": _responses,
    "ollama": _ollama,
    "anthropic": _anthropic,
}
