"""What `learnt status` and `learnt doctor` say about the warm process."""

from __future__ import annotations

import os
import socket
import time
from pathlib import Path

from learnt.interfaces.warm import frame

ASK_S = 0.5
WORDS = "off: hooks read a copy of the store, which has no vectors"
"""What there is to say where the store is on a server."""


def told(home: str, row: str | None) -> str:
    """One line: whether it runs, and if not, why not and what would start it.

    Args:
        home: The data directory. `row`: what the store holds under `frame.ROW`.
    """
    if not hasattr(socket, "AF_UNIX") or not hasattr(os, "geteuid"):
        return "off: this system has no private sockets"
    found = _state(home)
    if found:
        pid, count, arm = found
        return f"runs: process {pid}, {count} prompts" + (f", the last: {arm}" if arm else "")
    last = _last(home)
    if row:
        return f"does not run; a prompt starts it{last}"
    return f"off: no vectors of a local model are searched{last}"


def _state(home: str) -> list[str]:
    """Process, prompts answered, the last arm; empty when none answers."""
    path = frame.socket_path(home)
    try:
        with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as connection:
            connection.settimeout(ASK_S)
            connection.connect(path)
            if not frame.is_private(os.path.dirname(path)) or not frame.is_ours(connection, os.geteuid()):
                return []
            connection.sendall(frame.packed(["state"]))
            reply = frame.received(connection, time.monotonic() + ASK_S, time.monotonic)
    except (OSError, ValueError):
        return []
    return reply[1:] if reply[:1] == ["ok"] and len(reply) == 4 else []


def _last(home: str) -> str:
    """What the last one wrote of itself; "" where there was none. One that was killed still says that it runs."""
    try:
        word, _, at = (Path(frame.lock_folder(home)) / frame.LOCK).read_text("utf-8").splitlines()
    except (OSError, ValueError):
        return ""
    return f" (the last {word if word.startswith('ended') else 'was killed'}, {at})"
