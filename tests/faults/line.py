"""A line to a server that understands what is said on it, and breaks where it is told."""

from __future__ import annotations

import socket
import threading
from contextlib import suppress
from typing import TYPE_CHECKING, Literal, Self
from urllib.parse import urlsplit, urlunsplit

if TYPE_CHECKING:
    from collections.abc import Iterator

Way = Literal["there", "back"]
COUNTED: dict[Way, bytes] = {"there": b"QPES", "back": b"CZE"}
"""What counts. There: a query, a statement parsed, one executed, the end of what is sent together. Back: a statement
done, a server that is ready, an error. Source: PostgreSQL, frontend/backend protocol, message formats."""

_OVER_S = 30.0


class Line:
    """A way to a server on loopback, for any number of connections.

    By the time that the near end learns of a break the server has dealt with all it heard: whoever looks then sees what
    remains.

    Attributes:
        over: Set when a connection that was broken has been hung up.
    """

    def __init__(self, url: str) -> None:
        self._far = (str(urlsplit(url).hostname), urlsplit(url).port or 5432)
        self._ear = socket.create_server(("127.0.0.1", 0))
        self._lock = threading.Lock()
        self._way: Way = "there"
        self._left = 0
        self.over = threading.Event()

    def __enter__(self) -> Self:
        threading.Thread(target=self._serve, daemon=True).start()
        return self

    def __exit__(self, *raised: object) -> None:
        with suppress(OSError):
            self._ear.shutdown(socket.SHUT_RDWR)  # closing alone does not wake who waits in accept
        self._ear.close()

    def through(self, url: str) -> str:
        """The URL over this line, in clear text."""
        parts = urlsplit(url)
        netloc = f"{parts.netloc.rpartition('@')[0]}@127.0.0.1:{self._ear.getsockname()[1]}"
        clear = "sslmode=disable&gssencmode=disable"
        return urlunsplit(parts._replace(netloc=netloc, query=f"{parts.query}&{clear}".lstrip("&")))

    def cut(self, way: Way, after: int) -> None:
        """Break, once, the connection on which message number `after` of those that count has just passed."""
        with self._lock:
            self._way, self._left = way, after
        self.over.clear()

    def mend(self) -> bool:
        """Break nothing from now on; gives whether it has broken as it was told."""
        with self._lock:
            broke, self._left = self._left == 0, 0
        return broke and self.over.wait(_OVER_S)

    def breaks(self, way: Way, message: bytes) -> bool:
        """Whether the line breaks now that this has passed."""
        with self._lock:
            if way != self._way or not self._left or message[:1] not in COUNTED[way]:
                return False
            self._left -= 1
            return self._left == 0

    def _serve(self) -> None:
        with suppress(OSError):
            while True:
                near, _ = self._ear.accept()
                _Call(self, near, socket.create_connection(self._far))


class _Call:
    """One connection: two threads, which end with it."""

    def __init__(self, line: Line, near: socket.socket, far: socket.socket) -> None:
        self._line, self._near, self._far = line, near, far
        self._broken = False
        for each in (near, far):
            each.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        threading.Thread(target=self._there, daemon=True).start()
        threading.Thread(target=self._back, daemon=True).start()

    def _there(self) -> None:
        with suppress(OSError):
            for message in _messages(self._near, greeting=True):
                if self._broken:
                    break
                self._far.sendall(message)
                if self._line.breaks("there", message):
                    self._broken = True
                    break
        with suppress(OSError):
            self._far.shutdown(socket.SHUT_WR)

    def _back(self) -> None:
        """Listens until the server has ended, and only then hangs up."""
        with self._near, self._far:
            with suppress(OSError):
                for message in _messages(self._far, greeting=False):
                    if self._broken:
                        continue
                    self._near.sendall(message)
                    if self._line.breaks("back", message):
                        self._broken = True
                        self._far.shutdown(socket.SHUT_WR)
            with suppress(OSError):
                self._near.shutdown(socket.SHUT_RDWR)
        if self._broken:
            self._line.over.set()


def _messages(source: socket.socket, *, greeting: bool) -> Iterator[bytes]:
    """One message after the other: a letter, its length in four bytes, its content; the greeting has no letter."""
    held, head = b"", 0 if greeting else 1
    while said := source.recv(65_536):
        held += said
        while len(held) >= head + 4:
            length = head + int.from_bytes(held[head : head + 4], "big")
            if len(held) < length:
                break
            yield held[:length]
            held, head = held[length:], 1
