"""How the server process begins and ends: quick to start, because a client goes on without tools that come late.

Only what the protocol needs is imported before the first answer. What the engine needs is imported while the agent has
not called anything yet.
"""

from __future__ import annotations

import gc
import os
import signal
from typing import TYPE_CHECKING, Final

from learnt.interfaces.mcp.seat import Seat
from learnt.interfaces.mcp.stream import Stream, claim, leave

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from types import FrameType

LAST_S: Final = 0.2
"""How long a running call may go on when the process is told to end; Claude Code waits half a second."""
_OPTIONS: Final = ("--host", "--config", "--project")
_PLUGINS: Final = "PYDANTIC_DISABLE_PLUGINS"


def options(arguments: Sequence[str]) -> dict[str, str] | None:
    """Host, config and project of a command line; None for one that is not that simple: then click judges it."""
    found = dict.fromkeys(("host", "config", "project"), "")
    words = [part for word in arguments for part in (word.split("=", 1) if word.startswith("--") else [word])]
    while words:
        name, *words = words
        if name not in _OPTIONS or not words:
            return None
        found[name[2:]], *words = words
    return found


def run(environment: Mapping[str, str], *, host: str = "", config: str = "", project: str = "") -> None:
    """Serve the client at the other end of standard input and output; does not return.

    Raises:
        ImportError: The SDK is not there.
    """
    source, wire = claim()
    gc.disable()  # half a million small objects that stay: looking for garbage among them takes a tenth of the start
    plugins = os.environ.setdefault(_PLUGINS, "__all__")
    from learnt.interfaces.mcp.serve import serve

    if plugins == "__all__":
        del os.environ[_PLUGINS]
    gc.freeze()
    gc.enable()
    seat = Seat(environment, project=project, host=host, config=config)

    def end(number: int, frame: FrameType | None) -> None:
        del number, frame
        seat.close(LAST_S)
        leave()

    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, end)
    serve(seat, Stream(source, wire))
    leave()
