"""After the answer: bring the copy of a store on a server up to it, in a process of its own that ends by itself.

Engines and workers keep the copy current. Who only talks to a coding agent runs neither for hours; so a session start
whose copy is older than a minute, and a prompt whose copy is older than a quarter of an hour, start an engine here. The
answer does not wait for it: what it brings is there at the next event.
"""

from __future__ import annotations

import os
import sys
import time

from learnt.interfaces.hook.end import LOCKS, apart, become, environment, locked
from learnt.interfaces.hook.visit import AFTER_S

TYPE_CHECKING = False
if TYPE_CHECKING:
    from learnt.interfaces.hook.visit import Visit

LOCK = "follow.lock"
WITHIN_S = 60
_PROGRAM = f"from learnt import Engine; Engine.open('.').follow({WITHIN_S})"


def follow(visit: Visit, event: str, home: str, database: str, config: str) -> None:
    """Start the process, unless one was started a moment ago: a server that is down is not asked at each prompt.

    Raises:
        OSError: No process could be started.
    """
    lock = os.path.join(home, LOCKS, LOCK)
    if not hasattr(os, "fork") or not due(lock, AFTER_S[event]):
        return
    if apart():
        try:
            if locked(lock):
                command = [sys.executable, "-I", "-c", _PROGRAM]
                become(command, environment(home, database, config), visit.place.root)
        finally:
            os._exit(0)


def due(lock: str, after_s: float) -> bool:
    """Whether the last attempt is so long ago."""
    try:
        return not 0 <= time.time() - os.stat(lock).st_mtime < after_s
    except FileNotFoundError:
        return True
