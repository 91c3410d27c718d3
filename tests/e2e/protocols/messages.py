"""The Anthropic Messages API: `POST /v1/messages`."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from tests.e2e.protocols.replies import Message, Say, Spoken, texts

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

USAGE = {"input_tokens": 10, "output_tokens": 10, "cache_creation_input_tokens": 0, "cache_read_input_tokens": 0}


class Messages:
    """What Claude Code speaks."""

    def system(self, body: Mapping[str, Any]) -> Iterator[str]:
        """The system prompt."""
        return texts(body.get("system"))

    def messages(self, body: Mapping[str, Any]) -> Iterator[Message]:
        """The conversation; a tool's result is a block of a user's message."""
        for message in body["messages"]:
            yield Message(message["role"] == "assistant", tuple(texts(message["content"])))

    def tools(self, body: Mapping[str, Any]) -> Iterator[str]:
        """The tools by name."""
        return (str(tool.get("name")) for tool in body.get("tools", ()))

    def write(self, body: Mapping[str, Any], spoken: Spoken, ident: str) -> tuple[str, bytes]:
        """One message, whole or as the events of a stream."""
        whole = _whole(spoken, ident, body["model"])
        if not body.get("stream"):
            return "application/json", json.dumps(whole).encode()
        events = "".join(f"event: {event['type']}\ndata: {json.dumps(event)}\n\n" for event in _events(whole))
        return "text/event-stream", events.encode()


def _whole(spoken: Spoken, ident: str, model: str) -> dict[str, Any]:
    """The answer in one piece."""
    block: dict[str, Any]
    if isinstance(spoken, Say):
        block, stop = {"type": "text", "text": spoken.text}, "end_turn"
    else:
        block = {"type": "tool_use", "id": f"toolu_{ident}", "name": spoken.tool, "input": spoken.arguments}
        stop = "tool_use"
    return {
        "id": f"msg_{ident}",
        "type": "message",
        "role": "assistant",
        "model": model,
        "content": [block],
        "stop_reason": stop,
        "stop_sequence": None,
        "usage": USAGE,
    }


def _events(whole: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """The same answer as a stream's events, in the order the API sends them."""
    block = whole["content"][0]
    empty: dict[str, Any]
    if block["type"] == "text":
        empty, delta = {"text": ""}, {"type": "text_delta", "text": block["text"]}
    else:
        empty, delta = {"input": {}}, {"type": "input_json_delta", "partial_json": json.dumps(block["input"])}
    yield {"type": "message_start", "message": whole | {"content": [], "stop_reason": None}}
    yield {"type": "content_block_start", "index": 0, "content_block": block | empty}
    yield {"type": "content_block_delta", "index": 0, "delta": delta}
    yield {"type": "content_block_stop", "index": 0}
    stop = {"stop_reason": whole["stop_reason"], "stop_sequence": None}
    yield {"type": "message_delta", "delta": stop, "usage": {"output_tokens": USAGE["output_tokens"]}}
    yield {"type": "message_stop"}
