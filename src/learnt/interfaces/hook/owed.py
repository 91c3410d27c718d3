"""After the answer at a session start: one worker of its own that learns from sessions, where one may have work.

Whoever runs a worker all the time needs none of this; most people run none. It holds a lock, does what one start may do
and ends by itself. The answer does not wait for it, and a start that owes nothing does not even load this module.
"""

from __future__ import annotations

import os
import sys

from learnt.interfaces.hook.end import LOCKS, apart, become, environment, locked
from learnt.interfaces.hook.follow import due

TYPE_CHECKING = False
if TYPE_CHECKING:
    from learnt.interfaces.hook.visit import Visit

LOCK = "worker.lock"
EVERY_S = 240
"""No sooner than so long after the last one began: two terms of the shorter lease, so that one that died is followed
by another no later than its work is free again."""
BLIND_S = 6 * 3_600
"""The same where hooks read a copy, which does not tell whether there is work."""
KINDS = ("memory_stage1", "memory_consolidate_global")


def pay(visit: Visit, home: str, database: str, config: str) -> None:
    """Start the worker, unless one was started a while ago or still works.

    Raises:
        OSError: No process could be started.
    """
    lock = os.path.join(home, LOCKS, LOCK)
    if not hasattr(os, "fork") or not due(lock, BLIND_S if visit.limits.copy else EVERY_S):
        return
    if apart():
        try:
            if locked(lock):
                command = [sys.executable, "-I", "-m", "learnt.interfaces.cli.entry", "worker", "--once", "--json"]
                only = [word for kind in KINDS for word in ("--kind", kind)]
                variables = environment(home, database, config)
                if (session := visit.payload.text("session_id")).isprintable():  # it may be an old one, resumed
                    variables["LEARNT_SESSION"] = session
                become([*command, *only], variables, visit.place.root)
        finally:
            os._exit(0)
