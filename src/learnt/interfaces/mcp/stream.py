"""Standard input and output, hardened: messages of bounded size, and a wire that nothing else writes to.

The SDK points file descriptor 1 at standard error while it serves. Here that happens before the SDK is even imported,
because a library may print on import; the wire is a duplicate that only the transport knows.
"""

from __future__ import annotations

import json
import os
import select
import sys
import threading
import time
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from typing import BinaryIO

MOST_BYTES: Final = 4 * 1024 * 1024
"""Longest message that is read; a longer one is passed over to its end without being held."""
_PIECE: Final = 64 * 1024
_LOOK_S: Final = 0.05
_NO_JSON, _NO_MESSAGE, _NO_PARAMETERS = -32700, -32600, -32602
"""Codes of JSON-RPC 2.0."""


def claim() -> tuple[BinaryIO, BinaryIO]:
    """What to read from and what to write to.

    From here on this process and those it starts print to standard error, and find nothing on standard input.
    """
    sys.stdout.flush()
    source, wire, nothing = os.dup(0), os.dup(1), os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.dup2(2, 1)
    os.close(nothing)
    return os.fdopen(source, "rb", closefd=False), os.fdopen(wire, "wb", closefd=False)


def leave() -> None:
    """End the process now: a thread that waits for input, or in a call, must not keep it."""
    for stream in (sys.stdout, sys.stderr):
        with suppress(OSError, ValueError):
            stream.flush()
    os._exit(0)


class Stream:
    """One client's messages in and ours out, and which of its requests are not answered yet. Calls block.

    Attributes:
        begins: Whether the message read last opens a connection in the manner of the versions before 2026-07-28.
    """

    def __init__(self, source: BinaryIO, wire: BinaryIO) -> None:
        self._source = source
        self._wire = wire
        self._owed: set[str] = set()
        self._changed = threading.Condition()
        self._broken = False
        self.begins = False

    def next(self) -> str:
        """The next message, with its line end; "" at the end of the input.

        What is no message is answered here, because the SDK passes over it in silence and a client would wait.
        """
        while line := self._line():
            try:
                message = json.loads(line)
            except (ValueError, RecursionError):
                if line.strip():
                    self._refuse(None, _NO_JSON, "This is no JSON.")
                continue
            if self._is_message(message):
                self._note(message)
                self.begins = message.get("method") == "initialize"
                return json.dumps(_whole(message)) + "\n" if "\\ud" in line.lower() else line
        return ""

    def _line(self) -> str:
        """The next line; one that is too long is passed over to its end."""
        while True:
            line = self._source.readline(MOST_BYTES)
            if len(line) < MOST_BYTES or line.endswith(b"\n"):
                return line.decode("utf-8", "replace")
            while line and not line.endswith(b"\n"):
                line = self._source.readline(_PIECE)
            self._refuse(None, _NO_MESSAGE, f"A message has at most {MOST_BYTES >> 20} MB.")

    def _is_message(self, message: Any) -> bool:
        """Whether the SDK can read it; what it cannot is answered."""
        if not isinstance(message, dict) or message.get("jsonrpc") != "2.0":
            self._refuse(None, _NO_MESSAGE, "This is no message of JSON-RPC 2.0, one a line.")
            return False
        if isinstance(message.get("params", {}), dict):
            return True
        self._refuse(message.get("id"), _NO_PARAMETERS, "Parameters are an object.")
        return False

    def _note(self, message: dict[str, Any]) -> None:
        with self._changed:
            if "method" in message and "id" in message:
                self._owed.add(repr(message["id"]))
            elif message.get("method") == "notifications/cancelled":
                self._owed.discard(repr(message.get("params", {}).get("requestId")))

    def _refuse(self, number: Any, code: int, why: str) -> None:
        error = {"code": code, "message": why}
        known = number if isinstance(number, int | str) else None
        self.write(json.dumps({"jsonrpc": "2.0", "id": known, "error": error}) + "\n")

    def write(self, text: str) -> None:
        """A message to the client; one who is gone is told nothing more."""
        message = json.loads(text)
        with self._changed:
            try:
                self._wire.write(text.encode("utf-8", "replace"))
                self._wire.flush()
            except (OSError, ValueError):
                self._broken = True
            if "method" not in message:
                self._owed.discard(repr(message.get("id")))
            self._changed.notify_all()

    def settle(self, within_s: float, but: int = 0) -> None:
        """Wait until all requests `but` so many are answered, or nobody is there to read the answers."""
        limit_s = time.monotonic() + within_s
        with self._changed:
            while len(self._owed) > but and not self.gone and time.monotonic() < limit_s:
                self._changed.wait(_LOOK_S)

    @property
    def gone(self) -> bool:
        """Whether nobody reads what is written."""
        return self._broken or _hung_up(self._wire.fileno())


def _hung_up(number: int) -> bool:
    if not hasattr(select, "poll"):
        return False
    ears = select.poll()
    ears.register(number, 0)
    return any(event & (select.POLLERR | select.POLLHUP) for _, event in ears.poll(0))


def _whole(value: Any) -> Any:
    """A document with what is no character replaced in its texts."""
    match value:
        case str():
            return value if value.isascii() else value.encode("utf-8", "replace").decode("utf-8")
        case dict():
            return {_whole(name): _whole(each) for name, each in value.items()}
        case list():
            return [_whole(each) for each in value]
        case _:
            return value
