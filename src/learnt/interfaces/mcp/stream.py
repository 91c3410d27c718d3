"""Standard input and output as the SDK wants them, hardened: lines of bounded size, and a wire nothing else writes to.

The SDK points file descriptor 1 at standard error while it serves. Here that happens before the SDK is even imported,
because a library may print on import; the wire is a duplicate that only the transport knows.
"""

from __future__ import annotations

import json
import os
import sys
from contextlib import suppress
from io import TextIOWrapper
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from typing import BinaryIO

MOST_BYTES: Final = 4 * 1024 * 1024
"""Longest message that is read; a longer one is passed over to its end without being held."""
_PIECE: Final = 64 * 1024


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


class Lines:
    """The messages of a client, one a line. Reads block: they belong on a thread."""

    def __init__(self, source: BinaryIO) -> None:
        self._source = source

    def next(self) -> str:
        """The next message with its line end; "" at the end of the input. One that is too long is passed over."""
        while True:
            line = self._source.readline(MOST_BYTES)
            if len(line) < MOST_BYTES or line.endswith(b"\n"):
                return _whole(line.decode("utf-8", "replace"))
            sys.stderr.write(f"learnt mcp: a message of more than {MOST_BYTES >> 20} MB was passed over\n")
            while line and not line.endswith(b"\n"):
                line = self._source.readline(_PIECE)


def _whole(line: str) -> str:
    """A line that the SDK can read: one with half a character it would drop, and never answer."""
    if "\\ud" not in line and "\\uD" not in line:
        return line
    try:
        return json.dumps(_replaced(json.loads(line))) + "\n"
    except (ValueError, RecursionError):
        return line


def _replaced(value: Any) -> Any:
    match value:
        case str():
            return value if value.isascii() else value.encode("utf-8", "replace").decode("utf-8")
        case dict():
            return {_replaced(name): _replaced(each) for name, each in value.items()}
        case list():
            return [_replaced(each) for each in value]
        case _:
            return value


def wrapped(wire: BinaryIO) -> TextIOWrapper:
    """The wire as text."""
    return TextIOWrapper(wire, encoding="utf-8", newline="\n", write_through=False)
