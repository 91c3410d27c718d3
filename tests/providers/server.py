"""A server on loopback that answers as a test tells it and keeps what it was asked."""

from __future__ import annotations

import json
import time
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Event, Thread
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator


@dataclass
class Reply:
    """One answer: JSON, or raw bytes; `drip` sends them byte by byte until the client is gone, `hangs_up` none."""

    content: Any = None
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    drip: bool = False
    hangs_up: bool = False

    @property
    def bytes(self) -> bytes:
        """The body."""
        return self.content if isinstance(self.content, bytes) else json.dumps(self.content).encode()


@dataclass
class Asked:
    """One request."""

    method: str
    path: str
    headers: dict[str, str]
    body: Any


class Server:
    """Give it a function from request to reply, or replies to give in turn (the last one again and again)."""

    def __init__(self, answer: Callable[[Asked], Reply] | list[Reply]) -> None:
        self.asked: list[Asked] = []
        self.over = Event()
        self._answer = answer
        self.url = ""

    def reply(self, asked: Asked) -> Reply:
        """The answer to a request."""
        self.asked.append(asked)
        if callable(self._answer):
            return self._answer(asked)
        return self._answer[min(len(self.asked), len(self._answer)) - 1]


class _Door(BaseHTTPRequestHandler):
    server: Any
    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        self._serve()

    def do_POST(self) -> None:
        self._serve()

    def _serve(self) -> None:
        content = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        asked = Asked(self.command, self.path, dict(self.headers), json.loads(content) if content else None)
        reply = self.server.told.reply(asked)
        if reply.hangs_up:
            self.close_connection = True
            return
        try:
            self.send_response(reply.status)
            for name, text in reply.headers.items():
                self.send_header(name, text)
            self.send_header("Content-Length", str(len(reply.bytes)))
            self.end_headers()
            self._send(reply)
        except OSError:
            self.close_connection = True

    def _send(self, reply: Reply) -> None:
        if not reply.drip:
            self.wfile.write(reply.bytes)
            return
        for place in range(len(reply.bytes)):
            if self.server.told.over.is_set():
                return
            self.wfile.write(reply.bytes[place : place + 1])
            self.wfile.flush()
            time.sleep(0.02)

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - the name of the standard library
        """Say nothing."""


@contextmanager
def serving(answer: Callable[[Asked], Reply] | list[Reply]) -> Iterator[Server]:
    """A running server; its `url` has no path."""
    told = Server(answer)
    httpd = ThreadingHTTPServer(("127.0.0.1", 0), _Door)
    httpd.told = told  # type: ignore[attr-defined]
    httpd.daemon_threads = True
    told.url = f"http://127.0.0.1:{httpd.server_address[1]}"
    thread = Thread(target=httpd.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    try:
        yield told
    finally:
        told.over.set()
        httpd.shutdown()
        httpd.server_close()
        thread.join()
