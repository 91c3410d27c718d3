"""The OpenAI Responses API: `POST /v1/responses`, always answered as a stream."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from tests.e2e.protocols.replies import Message, Say, Spoken, texts

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

USAGE = {
    "input_tokens": 10,
    "input_tokens_details": {"cached_tokens": 0},
    "output_tokens": 10,
    "output_tokens_details": {"reasoning_tokens": 0},
    "total_tokens": 20,
}
CALLS = ("function_call", "custom_tool_call", "reasoning")


class Responses:
    """What Codex speaks."""

    def system(self, body: Mapping[str, Any]) -> Iterator[str]:
        """The instructions."""
        return texts(body.get("instructions"))

    def messages(self, body: Mapping[str, Any]) -> Iterator[Message]:
        """The items of the input; developer messages stand among the user's."""
        for item in body["input"]:
            own = item.get("role") == "assistant" or item.get("type") in CALLS
            yield Message(own, tuple(texts(item)))

    def tools(self, body: Mapping[str, Any]) -> Iterator[str]:
        """The tools by name; one that stands in a namespace by both."""
        for tool in body.get("tools", ()):
            yield str(tool.get("name", tool["type"]))
            for inner in tool.get("tools", ()):
                yield f"{tool['name']}.{inner['name']}"

    def write(self, body: Mapping[str, Any], spoken: Spoken, ident: str) -> tuple[str, bytes]:
        """One item, added, told and done."""
        del body
        events = "".join(f"event: {event['type']}\ndata: {json.dumps(event)}\n\n" for event in _events(spoken, ident))
        return "text/event-stream", events.encode()


def _item(spoken: Spoken, ident: str) -> dict[str, Any]:
    if isinstance(spoken, Say):
        content = [{"type": "output_text", "text": spoken.text, "annotations": []}]
        return {"type": "message", "id": f"msg_{ident}", "status": "completed", "role": "assistant", "content": content}
    called = {"type": "function_call", "id": f"fc_{ident}", "call_id": f"call_{ident}", "status": "completed"}
    space, _, name = spoken.tool.rpartition(".")
    return called | ({"namespace": space} if space else {}) | {"name": name, "arguments": json.dumps(spoken.arguments)}


def _events(spoken: Spoken, ident: str) -> Iterator[dict[str, Any]]:
    item, response = _item(spoken, ident), {"id": f"resp_{ident}", "object": "response", "status": "in_progress"}
    yield {"type": "response.created", "response": response}
    yield {"type": "response.output_item.added", "output_index": 0, "item": item}
    if isinstance(spoken, Say):
        place = {"item_id": item["id"], "output_index": 0, "content_index": 0}
        yield {"type": "response.output_text.delta", "delta": spoken.text} | place
    yield {"type": "response.output_item.done", "output_index": 0, "item": item}
    ended = {"status": "completed", "output": [item], "usage": USAGE}
    yield {"type": "response.completed", "response": response | ended}
