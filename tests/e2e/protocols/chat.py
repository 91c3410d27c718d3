"""OpenAI Chat Completions: `POST /v1/chat/completions`."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from tests.e2e.protocols.replies import Message, Say, Spoken, texts

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

USAGE = {"prompt_tokens": 10, "completion_tokens": 10, "total_tokens": 20}
ABOVE = ("system", "developer")


class Chat:
    """What opencode, pi, oh-my-pi, Copilot CLI and aider speak to a provider of the person's own."""

    def system(self, body: Mapping[str, Any]) -> Iterator[str]:
        """The messages of the roles above the conversation."""
        for message in body["messages"]:
            if message["role"] in ABOVE:
                yield from texts(message.get("content"))

    def messages(self, body: Mapping[str, Any]) -> Iterator[Message]:
        """The other messages; a tool's result is one of its own."""
        for message in body["messages"]:
            if message["role"] not in ABOVE:
                yield Message(message["role"] == "assistant", tuple(texts(message.get("content"))))

    def tools(self, body: Mapping[str, Any]) -> Iterator[str]:
        """The functions by name."""
        return (str(tool["function"]["name"]) for tool in body.get("tools") or () if tool.get("type") == "function")

    def write(self, body: Mapping[str, Any], spoken: Spoken, ident: str) -> tuple[str, bytes]:
        """One choice, whole or in two chunks and the end."""
        message, finish = _message(spoken, ident)
        head = {"id": f"chatcmpl-{ident}", "created": 1_790_000_000, "model": body["model"]}
        if not body.get("stream"):
            choice = {"index": 0, "message": message, "finish_reason": finish}
            whole = head | {"object": "chat.completion", "choices": [choice], "usage": USAGE}
            return "application/json", json.dumps(whole).encode()
        chunk = head | {"object": "chat.completion.chunk"}
        lines = [json.dumps(chunk | part) for part in _chunks(message, finish)]
        return "text/event-stream", "".join(f"data: {line}\n\n" for line in [*lines, "[DONE]"]).encode()


def _message(spoken: Spoken, ident: str) -> tuple[dict[str, Any], str]:
    if isinstance(spoken, Say):
        return {"role": "assistant", "content": spoken.text}, "stop"
    function = {"name": spoken.tool, "arguments": json.dumps(spoken.arguments)}
    call = {"index": 0, "id": f"call_{ident}", "type": "function", "function": function}
    return {"role": "assistant", "content": None, "tool_calls": [call]}, "tool_calls"


def _chunks(message: dict[str, Any], finish: str) -> Iterator[dict[str, Any]]:
    yield {"choices": [{"index": 0, "delta": message, "finish_reason": None}]}
    yield {"choices": [{"index": 0, "delta": {}, "finish_reason": finish}]}
    yield {"choices": [], "usage": USAGE}
