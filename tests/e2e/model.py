"""A scripted model: answers four protocols on loopback from one script, and keeps every request it was sent.

The client's main thread is known by the tools it offers (a shell among them); its turns are answered from the script,
in order. Everything else the client asks for (a title, a token count) gets a short fixed answer, so that a version that
asks for one thing more does not shift the script. A request for any other place, for instance through the proxy
variables that point here, is kept in `strays`: a run that stayed on loopback has none.
"""

from __future__ import annotations

import json
import re
import threading
from collections import deque
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING, Any, Self

from tests.e2e.protocols.chat import Chat
from tests.e2e.protocols.gemini import Gemini
from tests.e2e.protocols.messages import Messages
from tests.e2e.protocols.replies import Dialect, Reply, Run, Say, Spoken, Use
from tests.e2e.protocols.responses import Responses

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from types import TracebackType

__all__ = ["Model", "Reply", "Run", "Say", "Turn", "Use"]

PLACES: tuple[tuple[str, Dialect], ...] = (
    ("/messages", Messages()),
    ("/responses", Responses()),
    ("/chat/completions", Chat()),
    (":streamGenerateContent", Gemini(stream=True)),
    (":generateContent", Gemini(stream=False)),
)
"""How a path ends, and what is spoken there."""
COUNTS = ("/messages/count_tokens", ":countTokens")
"""Places that count tokens."""


@dataclass(frozen=True, slots=True)
class Turn:
    """One request of the main thread, as it came over the wire."""

    body: Mapping[str, Any]
    dialect: Dialect

    def system(self) -> str:
        """What stands before the conversation: the system prompt, or the instructions."""
        return "\n".join(self.dialect.system(self.body))

    def texts(self) -> list[str]:
        """Every text the model is shown as messages, in order: prompts, reminders, tool results; no system prompt."""
        return [text for message in self.dialect.messages(self.body) for text in message.texts]

    def everything(self) -> list[str]:
        """Both."""
        return [self.system(), *self.texts()]

    def latest(self) -> list[str]:
        """Of those, what came after the model's last reply."""
        messages = list(self.dialect.messages(self.body))
        last = max((n for n, message in enumerate(messages) if message.own), default=-1)
        return [text for message in messages[last + 1 :] for text in message.texts]

    def tools(self) -> list[str]:
        """The tools the model may call."""
        return list(self.dialect.tools(self.body))

    def context(self, event: str) -> str:
        """What hooks of one event of Claude Code added since the model's last reply; "" for nothing.

        The client joins all of an event's context under one heading, which names the tool for tool events, and ends it
        by a blank line or the close of its reminder. A tool's context comes in the turn that brings its result.
        """
        heading = re.compile(rf"{event}(?::\w+)? hook additional context: ")
        parts = [heading.split(text)[1:] for text in self.latest()]
        until = re.compile(r"\n\n\w+(?::\w+)? hook additional context: |\n# Environment\n|</system-reminder>")
        return "\n".join(until.split(part)[0] for found in parts for part in found)


def _bash(command: str) -> Use:
    """The shell as Claude Code calls it."""
    return Use("Bash", {"command": command, "description": "as scripted"})


@dataclass(slots=True)
class Model:
    """A context: inside it the model is served on a free port of 127.0.0.1.

    Attributes:
        shell: How the client's shell tool is called; None for a client without tools, each of whose requests is a turn.
        turns: The requests of the main thread since `script`.
        asides: The other requests to the model.
        strays: Requests for any other place.
    """

    shell: Callable[[str], Use] | None = _bash
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

    def answer(self, body: Mapping[str, Any], dialect: Dialect) -> tuple[str, bytes]:
        """Media type and content of the next reply; a turn past the end of the script gets `Say("done")`.

        An id is never given twice: a resumed session in which one comes back takes the earlier call for broken off.
        """
        with self._lock:
            self._answers += 1
            ident = f"{self._answers:04d}"
            if self._aside(body, dialect):
                self.asides.append(body)
                return dialect.write(body, Say("ok"), ident)
            self.turns.append(Turn(body, dialect))
            reply = self._script.popleft() if self._script else Say("done")
        return dialect.write(body, self._spoken(reply), ident)

    def _aside(self, body: Mapping[str, Any], dialect: Dialect) -> bool:
        return self.shell is not None and self.shell("").tool not in dialect.tools(body)

    def _spoken(self, reply: Reply) -> Spoken:
        if not isinstance(reply, Run):
            return reply
        if self.shell is None:
            raise RuntimeError("this client has no shell tool")
        return self.shell(reply.command)


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
        place = self.path.partition("?")[0]
        dialect = next((each for end, each in PLACES if place.endswith(end)), None)
        if self.path.startswith("http"):
            self._stray()
        elif dialect is not None:
            self._send(200, *self.server.model.answer(json.loads(sent), dialect))
        elif place.endswith(COUNTS):
            self._send(200, "application/json", b'{"input_tokens": 1, "totalTokens": 1}')
        else:
            self._stray()

    def do_HEAD(self) -> None:
        """Be there: the client only looks whether the model can be reached."""
        self._send(200, "application/json", b"")

    def do_GET(self) -> None:
        """Refuse: nothing is to be had here."""
        self._stray()

    def do_CONNECT(self) -> None:
        """Refuse: somebody wanted to go out."""
        self._stray()

    def _stray(self) -> None:
        self.server.model.strays.append(f"{self.command} {self.path}")
        refusal = b'{"type": "error", "error": {"type": "not_found_error", "message": "no"}}'
        self._send(404, "application/json", refusal, "close")

    def _send(self, status: int, media: str, content: bytes, connection: str = "keep-alive") -> None:
        self.send_response(status)
        self.send_header("connection", connection)
        self.send_header("content-type", media)
        self.send_header("content-length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the name of the standard library
        """Say nothing: the record is what counts."""
