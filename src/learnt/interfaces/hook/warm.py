"""Asking the warm process, and starting one for the next time. Nothing depends on it.

The wait is bounded; whatever goes wrong, the prompt is answered by words alone and the receipt says why.
"""

from __future__ import annotations

import os
import sys
import time

from learnt.interfaces.warm import frame

TYPE_CHECKING = False
if TYPE_CHECKING:
    from _socket import socket

    from learnt.interfaces.hook.visit import Visit

CONNECT_S = 0.03
TOTAL_S = 0.15
"""For the whole question. The embedding of a prompt takes about 10 ms, the search 15 at most; a busy machine more."""

PAUSE_S = 60
"""Between two starts: a process that cannot start costs a second of processor time a minute, not one a prompt."""

RAN = "ran"


class Heard:
    """What came back.

    Attributes:
        arm: `ran`, or why the words alone answer.
        skip: The engine's reason for nothing. `hits`: id, score, labels, best first.
    """

    __slots__ = ("arm", "hits", "skip")

    def __init__(self, arm: str) -> None:
        self.arm = arm
        self.skip = ""
        self.hits: list[tuple[str, float, list[str]]] = []


def heard(visit: Visit, prompt: str) -> Heard:
    """What the warm process says to a prompt; where there is none, one is started."""
    if len(prompt) > frame.MAX_CHARS or not visit.limits.signal:
        return Heard("off for this prompt")
    keys = "\n".join(each.key for each in visit.scopes)
    try:
        return _understood(asked(visit.home, ["recall", visit.place.root, keys, prompt]))
    except (FileNotFoundError, ConnectionRefusedError):
        return _begun(visit)
    except (OSError, ValueError, ImportError, AttributeError):
        return Heard("no answer")


def _begun(visit: Visit) -> Heard:
    """Nobody listens: one is started for the next time."""
    try:
        return Heard("starting" if started(visit) else "not running")
    except OSError as error:
        return Heard(f"not started: {error.strerror}")


def asked(home: str, request: list[str], total_s: float = 0.0) -> list[str]:
    """The reply to a request, within `total_s` or as long as a hook waits.

    Raises:
        OSError: Nobody listens (`FileNotFoundError`, `ConnectionRefusedError`), or no reply came in time.
        ValueError: What came is no reply. AttributeError: This system has no such sockets.
    """
    import _socket

    path = frame.socket_path(home)
    until_s = time.monotonic() + (total_s or TOTAL_S)
    connection: socket = _socket.socket(_socket.AF_UNIX, _socket.SOCK_STREAM)
    try:
        connection.settimeout(CONNECT_S)
        connection.connect(path)
        if not frame.is_private(os.path.dirname(path)) or not frame.is_ours(connection, os.geteuid()):
            raise OSError("not this user's process")
        connection.sendall(frame.packed(request))
        return frame.received(connection, until_s, time.monotonic)
    finally:
        connection.close()


def _understood(reply: list[str]) -> Heard:
    """A reply taken apart; its texts are ids and labels, and are checked and escaped where they are used."""
    if reply[:1] != ["ok"] or len(reply) % 3:
        return Heard("no answer")
    found = Heard(reply[1])
    found.skip = reply[2]
    for at in range(3, len(reply), 3):
        found.hits.append((reply[at], float(reply[at + 1]), reply[at + 2].split("\n") if reply[at + 2] else []))
    return found


def started(visit: Visit) -> bool:
    """Start a process in the background, at most once a minute; whether this call did.

    Raises:
        OSError: The data directory cannot be written, or no process be started.
    """
    if not hasattr(os, "fork") or not _due(visit.home):
        return False
    from learnt.interfaces.hook.end import apart, environment
    from learnt.interfaces.hook.stub import source_folder

    begin = (
        f"import sys; sys.path.insert(0, {source_folder()!r}); from learnt.interfaces.warm.serve import main; main()"
    )
    command = [sys.executable, "-I", "-c", begin, visit.place.root]
    variables = environment(visit.home, visit.database, visit.config)
    if apart():
        try:
            os.chdir("/")
            os.execve(command[0], command, variables)  # noqa: S606 - no shell is wanted
        finally:
            os._exit(0)
    return True


def _due(home: str) -> bool:
    """Whether the last start was long enough ago; from now on this is the last."""
    folder = frame.lock_folder(home)
    path = os.path.join(folder, frame.STARTED)
    try:
        if 0 <= time.time() - os.stat(path).st_mtime < PAUSE_S:
            return False
    except FileNotFoundError:
        os.makedirs(folder, mode=0o700, exist_ok=True)
    handle = os.open(path, os.O_WRONLY | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0), 0o600)
    os.close(handle)
    os.utime(path)
    return True
