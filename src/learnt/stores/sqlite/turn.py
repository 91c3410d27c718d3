"""A courtesy among the processes that write one file: one has the turn, the others wait for it outside of SQLite.

SQLite's own lock is the only one that counts, and nothing depends on this one: who does not get the turn for a second
goes on without it, and where it cannot be had (Windows, some network folders) everybody does. Its use: to ask SQLite
for its lock in vain costs ten times what it costs to ask for the turn, and SQLite serves the last who came as soon as
the first; here those who have waited longest ask most often.

The turn is a lock on the folder. A file of its own would lie about beside the store; and the store's own file must be
opened by nobody but SQLite, whose locks a process loses when it closes any other handle of the file.
"""

from __future__ import annotations

import os
import random
import time

try:
    import fcntl
except ImportError:  # Windows
    fcntl = None  # type: ignore[assignment]

MOST_S = 1.0
"""Longest wait for the turn. Others hold it for a millisecond or two."""

_FIRST_PAUSE_S, _LAST_PAUSE_S = 0.006, 0.002
"""Bounds of the jittered pause between two attempts, shorter the longer somebody waits."""


class Turn:
    """The turn to write in one folder; taken and given by one thread at a time.

    Args:
        folder: Where the store's file lies.
    """

    def __init__(self, folder: str) -> None:
        self._folder = folder
        self._handle = -1
        self._held = False
        self._lost = fcntl is None

    def take(self, wait_s: float) -> None:
        """Wait for the turn; after `wait_s` or a second, or where there is none, do without."""
        pause_s, deadline = _FIRST_PAUSE_S, 0.0
        while not self._lost and not self._asked():
            now = time.monotonic()
            deadline = deadline or now + min(wait_s, MOST_S)
            if now >= deadline:
                return
            time.sleep(pause_s * (0.5 + random.random()))  # noqa: S311 - spreads writers out, guards nothing
            pause_s = max(pause_s * 0.9, _LAST_PAUSE_S)

    def give(self) -> None:
        """Let the next one have it; safe to call without it."""
        if self._held:
            self._held = False
            fcntl.flock(self._handle, fcntl.LOCK_UN)

    def close(self) -> None:
        """Give the handle back; safe to call twice."""
        self._lost = True
        if self._handle >= 0:
            os.close(self._handle)
        self._handle, self._held = -1, False

    def _asked(self) -> bool:
        """Whether the turn is ours now."""
        try:
            if self._handle < 0:
                self._handle = os.open(self._folder, os.O_RDONLY)
            fcntl.flock(self._handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        except OSError:  # no such right, or a file system without it: nobody here takes turns
            self._lost = True
            return False
        self._held = True
        return True
