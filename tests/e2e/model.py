"""A scripted model: answers the Anthropic Messages API on loopback and keeps every request it was sent.

The client's main thread is known by the tools it offers (a shell among them); its turns are answered from the script,
in order. Everything else the client asks for (a title, a token count) gets a short fixed answer, so that a version that
asks for one thing more does not shift the script. A request for any other place, for instance through the proxy
variables that `client.Client` points here, is kept in `strays`: a run that stayed on loopback has none.
"""

from __future__ import annotations

import json
import re
import threading
from collections import deque
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING, Any, Self, assert_never

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from types import TracebackType

SHELL = "Bash"
USAGE = {"input_tokens": 10, "output_tokens": 10, "cache_creation_input_tokens": 0, "cache_read_input_tokens": 0}


@dataclass(frozen=True, slots=True)
class Say:
    """The model ends its turn with this text."""

    text: str


@dataclass(frozen=True, slots=True)
class Run:
    """The model runs a shell command."""

    command: str

    @property
    def arguments(self) -> dict[str, str]:
        """The tool's input."""
        return {"command": self.command, "description": "as scripted"}


@dataclass(frozen=True, slots=True)
class Use:
    """The model calls another tool."""

    tool: str
    arguments: Mapping[str, Any]


Reply = Say | Run | Use


@dataclass(frozen=True, slots=True)
class Turn:
    """One request of the main thread, as it came over the wire."""

    body: Mapping[str, Any]

    def texts(self) -> list[str]:
        """Every text the model is shown as messages, in order: prompts, reminders, tool results; no system prompt."""
        return [text for message in self.body["messages"] for text in _texts(message["content"])]

    def latest(self) -> list[str]:
        """Of those, what came after the model's last reply."""
        messages = self.body["messages"]
        last = max((n for n, message in enumerate(messages) if message["role"] == "assistant"), default=-1)
        return [text for message in messages[last + 1 :] for text in _texts(message["content"])]

    def tools(self) -> list[str]:
        """The tools the model may call."""
        return [tool["name"] for tool in self.body["tools"]]

    def context(self, event: str) -> str:
        """What hooks of one event added since the model's last reply; "" for nothing.

        The client joins all of an event's context under one heading, which names the tool for tool events, and ends it
        by a blank line or the close of its reminder. A tool's context comes in the turn that brings its result.
        """
        heading = re.compile(rf"{event}(?::\w+)? hook additional context: ")
        parts = [heading.split(text)[1:] for text in self.latest()]
        until = re.compile(r"\n\n\w+(?::\w+)? hook additional context: |\n# Environment\n|</system-reminder>")
        return "\n".join(until.split(part)[0] for found in parts for part in found)


def _texts(content: object) -> Iterator[str]:
    """The texts of a message's content, those of tool results included."""
    if isinstance(content, str):
        yield content
    elif isinstance(content, list):
        for block in content:
            yield from _texts(block.get("text", block.get("content", "")))


@dataclass(slots=True)
class Model:
    """A context: inside it the model is served on a free port of 127.0.0.1."""

    turns: list[Turn] = field(default_factory=list)
    asides: list[Mapping[str, Any]] = field(default_factory=list)
    strays: list[str] = field(default_factory=list)
    _answers: int = 0
    _script: deque[Reply] = field(default_factory=deque)
    _lock: threading.Lock = field(default_factory=threading.Lock)
    _server: _Server | None = None

    def __enter__(self) -> Self:
        """Serve."""
        self._server = _Server(self)
        threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True).start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        """Stop."""
        if self._server is not None:
            self._server.shutdown()
            self._server.server_close()

    @property
    def url(self) -> str:
        """Where the model is served."""
        if self._server is None:
            raise RuntimeError("the model is served only inside its context")
        return f"http://127.0.0.1:{self._server.server_address[1]}"

    def script(self, *replies: Reply) -> None:
        """Begin a session: these replies, in order, and no turn recorded yet."""
        with self._lock:
            self._script = deque(replies)
            self.turns = []

    def unsaid(self) -> int:
        """How many scripted replies nobody has asked for."""
        return len(self._script)

    def answer(self, body: Mapping[str, Any]) -> tuple[Reply, str]:
        """The next reply and its id; a turn past the end of the script gets `Say("done")`.

        An id is never given twice: a resumed session in which one comes back takes the earlier call for broken off.
        """
        with self._lock:
            self._answers += 1
            if not any(tool.get("name") == SHELL for tool in body.get("tools", ())):
                self.asides.append(body)
                return Say("ok"), f"{self._answers:04d}"
            self.turns.append(Turn(body))
            return (self._script.popleft() if self._script else Say("done")), f"{self._answers:04d}"


class _Server(ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self, model: Model) -> None:
        super().__init__(("127.0.0.1", 0), _Exchange)
        self.model = model

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Say nothing: a client that ends while a connection is open is no fault of the model."""


class _Exchange(BaseHTTPRequestHandler):
    """One HTTP exchange."""

    protocol_version = "HTTP/1.1"
    server: _Server

    def do_POST(self) -> None:
        """Answer a message, or a count of tokens."""
        sent = self.rfile.read(int(self.headers.get("content-length", 0)))
        match self.path.partition("?")[0]:
            case "/v1/messages":
                self._message(json.loads(sent))
            case "/v1/messages/count_tokens":
                self._send(200, "application/json", b'{"input_tokens": 1}')
            case _:
                self._stray()

    def do_HEAD(self) -> None:
        """Answer the client's question whether anybody is there."""
        self._send(200, "text/plain", b"")

    def do_GET(self) -> None:
        """Refuse: nothing is to be had here."""
        self._stray()

    def do_CONNECT(self) -> None:
        """Refuse: somebody wanted to go out."""
        self._stray()

    def _stray(self) -> None:
        self.server.model.strays.append(f"{self.command} {self.path}")
        self.close_connection = True
        self._send(404, "application/json", b'{"type": "error", "error": {"type": "not_found_error", "message": "no"}}')

    def _message(self, body: Mapping[str, Any]) -> None:
        reply, ident = self.server.model.answer(body)
        whole = _whole(reply, ident, body["model"])
        if body.get("stream"):
            events = "".join(f"event: {event['type']}\ndata: {json.dumps(event)}\n\n" for event in _events(whole))
            self._send(200, "text/event-stream", events.encode())
        else:
            self._send(200, "application/json", json.dumps(whole).encode())

    def _send(self, status: int, media: str, content: bytes) -> None:
        self.send_response(status)
        self.send_header("content-type", media)
        self.send_header("content-length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the name of the standard library
        """Say nothing: the record is what counts."""


def _whole(reply: Reply, ident: str, model: str) -> dict[str, Any]:
    """The answer in one piece."""
    block: dict[str, Any]
    match reply:
        case Say(text):
            block, stop = {"type": "text", "text": text}, "end_turn"
        case Run() | Use():
            tool = SHELL if isinstance(reply, Run) else reply.tool
            block = {"type": "tool_use", "id": f"toolu_{ident}", "name": tool, "input": reply.arguments}
            stop = "tool_use"
        case _:
            assert_never(reply)
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
