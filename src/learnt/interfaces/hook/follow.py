"""After the answer: bring the copy of a store on a server up to it, in a process of its own that ends by itself.

Engines and workers keep the copy current. Who only talks to a coding agent runs neither for hours; so a session start
whose copy is older than a minute, and a prompt whose copy is older than a quarter of an hour, start an engine here. The
answer does not wait for it: what it brings is there at the next event.
"""

from __future__ import annotations

import os
import sys
import time

from learnt.interfaces.hook.end import LOCKS, become, environment, leave, locked
from learnt.model.instant import from_epoch

TYPE_CHECKING = False
if TYPE_CHECKING:
    from learnt.interfaces.hook.visit import Visit

LOCK = "follow.lock"
AFTER_S = {"session-start": 60.0, "user-prompt-submit": 900.0}
"""How old the copy may be, and how long ago the last attempt: a server that is down is not asked at each prompt."""

WITHIN_S = 60
_PROGRAM = f"from learnt import Engine; Engine.open('.').follow({WITHIN_S})"


def follow(visit: Visit, event: str, home: str, database: str, config: str) -> None:
    """Start the process, if it is time.

    Raises:
        OSError: No process could be started.
    """
    after_s = AFTER_S.get(event)
    lock = os.path.join(home, LOCKS, LOCK)
    if after_s is None or not hasattr(os, "fork") or not due(visit, lock, after_s):
        return
    if os.fork() == 0:
        try:
            leave()
            if locked(lock):
                command = [sys.executable, "-I", "-c", _PROGRAM]
                become(command, environment(home, database, config), visit.place.root)
        finally:
            os._exit(0)


def due(visit: Visit, lock: str, after_s: float) -> bool:
    """Whether the copy is old, and the last attempt is as long ago."""
    now_s = time.time()
    if visit.synced_at > from_epoch(now_s - after_s):
        return False
    try:
        return not 0 <= now_s - os.stat(lock).st_mtime < after_s
    except FileNotFoundError:
        return True
