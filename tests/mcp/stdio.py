"""A server process as a client sees it: one message a line. Without the SDK, so that anything can be sent."""

from __future__ import annotations

import json
import os
import select
import subprocess
import sys
import time
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

COMMAND = [sys.executable, "-I", "-m", "learnt.interfaces.cli.entry", "mcp"]
HELLO = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "tests", "version": "1"}}


@dataclass(slots=True)
class Process:
    """A running server. Every line it wrote to standard output is kept, and must be a message."""

    running: subprocess.Popen[bytes]
    received: list[dict[str, Any]] = field(default_factory=list)
    _number: int = 0
    _rest: bytes = b""

    def send(self, *lines: bytes | Mapping[str, Any]) -> None:
        """Messages, or any bytes, one a line."""
        assert self.running.stdin is not None
        for line in lines:
            told = line if isinstance(line, bytes) else json.dumps({"jsonrpc": "2.0", **line}).encode()
            self.running.stdin.write(told + b"\n")
        self.running.stdin.flush()

    def ask(self, method: str, params: Mapping[str, Any] | None = None) -> dict[str, Any]:
        """The answer to a request."""
        self._number += 1
        self.send({"id": self._number, "method": method, **({} if params is None else {"params": params})})
        return self.answer(self._number)

    def answer(self, number: object, within_s: float = 60) -> dict[str, Any]:
        """The answer to the request of this id."""
        limit_s = time.monotonic() + within_s
        while time.monotonic() < limit_s:
            for message in self.received:
                if message.get("id") == number and "method" not in message:
                    return message
            self.take(limit_s)
        raise AssertionError(f"no answer to {number}; received: {self.received[-3:]}")

    def take(self, limit_s: float) -> None:
        """Read what is there, at the latest at `limit_s`; each whole line is a message."""
        assert self.running.stdout is not None
        ready, _, _ = select.select([self.running.stdout], [], [], max(0.0, limit_s - time.monotonic()))
        if not ready:
            return
        piece = os.read(self.running.stdout.fileno(), 1 << 20)
        assert piece, "the server has ended"
        *whole, self._rest = (self._rest + piece).split(b"\n")
        for line in whole:
            message = json.loads(line)
            assert message["jsonrpc"] == "2.0"
            self.received.append(message)

    def hello(self, **changed: Any) -> dict[str, Any]:
        """The handshake."""
        told = self.ask("initialize", HELLO | changed)
        self.send({"method": "notifications/initialized"})
        return told

    def call(self, tool: str, **arguments: Any) -> dict[str, Any]:
        """The result of a tool."""
        found = self.ask("tools/call", {"name": tool, "arguments": arguments})
        assert "result" in found, found
        result: dict[str, Any] = found["result"]
        assert json.loads(result["content"][0]["text"]) == result["structuredContent"]
        return result

    def vanish(self) -> None:
        """Close both ends, as a client that was killed."""
        for end in (self.running.stdin, self.running.stdout):
            assert end is not None
            end.close()

    def leave(self, within_s: float = 20) -> tuple[int, str]:
        """Close its input; gives the exit status and what it wrote to standard error."""
        assert self.running.stdin is not None
        self.running.stdin.close()
        self.running.stdin = None  # `communicate` would flush it
        out, err = self.running.communicate(timeout=within_s)
        for line in (self._rest + out).splitlines():
            assert json.loads(line)["jsonrpc"] == "2.0"
        return self.running.returncode, err.decode()


@contextmanager
def serving(
    folder: Path, environment: Mapping[str, str], *options: str, command: tuple[str, ...] = ()
) -> Iterator[Process]:
    """A server of a folder; ended at the end of the test."""
    line = [*(command or COMMAND), *options]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    running = subprocess.Popen(line, cwd=folder, env=dict(environment), **pipes)  # type: ignore[call-overload]
    try:
        yield Process(running)
    finally:
        running.kill()
        running.wait()
        for end in (running.stdin, running.stdout, running.stderr):
            if end is not None:
                with suppress(OSError):
                    end.close()
