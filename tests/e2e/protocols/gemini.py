"""The Gemini API: `POST /v1beta/models/NAME:streamGenerateContent` and `:generateContent`."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from tests.e2e.protocols.replies import Message, Say, Spoken, texts

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

USAGE = {"promptTokenCount": 10, "candidatesTokenCount": 10, "totalTokenCount": 20}


class Gemini:
    """What Gemini CLI speaks."""

    def __init__(self, *, stream: bool) -> None:
        """Which of the two ways the path named."""
        self._stream = stream

    def system(self, body: Mapping[str, Any]) -> Iterator[str]:
        """The system instruction."""
        return texts((body.get("systemInstruction") or {}).get("parts"))

    def messages(self, body: Mapping[str, Any]) -> Iterator[Message]:
        """The contents; what a function answered is a part of a user's."""
        for content in body["contents"]:
            yield Message(content["role"] == "model", tuple(_parts(content["parts"])))

    def tools(self, body: Mapping[str, Any]) -> Iterator[str]:
        """The functions by name."""
        return (str(each["name"]) for tool in body.get("tools") or () for each in tool.get("functionDeclarations", ()))

    def write(self, body: Mapping[str, Any], spoken: Spoken, ident: str) -> tuple[str, bytes]:
        """One candidate."""
        del body
        part: dict[str, Any] = (
            {"text": spoken.text}
            if isinstance(spoken, Say)
            else {"functionCall": {"name": spoken.tool, "args": spoken.arguments}}
        )
        candidate = {"index": 0, "content": {"role": "model", "parts": [part]}, "finishReason": "STOP"}
        whole = json.dumps({"responseId": ident, "candidates": [candidate], "usageMetadata": USAGE})
        return ("text/event-stream", f"data: {whole}\r\n\r\n".encode()) if self._stream else (JSON, whole.encode())


JSON = "application/json"


def _parts(parts: list[dict[str, Any]]) -> Iterator[str]:
    for part in parts:
        yield from texts(part.get("text"))
        yield from texts(part.get("functionResponse", {}).get("response"))
