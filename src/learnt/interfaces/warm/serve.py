"""The life of the warm process: one at a time, private, and gone when it is not needed."""

from __future__ import annotations

import os
import signal
import socket
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from learnt.bootstrap import Home
from learnt.interfaces.warm import frame
from learnt.interfaces.warm.answer import Answers, arm_of

if TYPE_CHECKING:
    from types import FrameType

STUB = "hook.py"
_PAGE = "SC_PAGE_SIZE"


@dataclass(frozen=True, slots=True, kw_only=True)
class Bounds:
    """What ends the process, and what ends a request.

    Attributes:
        idle_s: Ten minutes: longer than most pauses between two prompts, shorter than a lunch.
        tick_s: How often it looks around; what an unwatched one may outlive its reason by.
        read_s: For the whole of a request to come, and for its reply to leave: a hook sends it in one piece.
        request_s: For an answer. A model that does not answer by then is stuck, and the process with it.
        memory_bytes: Twice what 100,000 memories and the model take.
        user: The only one who may ask.
    """

    idle_s: float = 600.0
    tick_s: float = 2.0
    read_s: float = 0.2
    request_s: float = 10.0
    memory_bytes: int = 800 * 1024 * 1024
    user: int = -1


class Ended(BaseException):
    """The process is to end; the message says why. No `Exception`: nothing on the way may catch it."""


def main() -> None:
    """Serve one user's hooks; the first argument is the folder to begin with."""
    bounds = Bounds(user=os.geteuid())
    os.umask(0o077)
    serve(Home(), sys.argv[1] if len(sys.argv) > 1 else ".", bounds)


def serve(home: Home, folder: str, bounds: Bounds) -> None:
    """Until something of `Bounds` ends it; at once when another process serves this data directory."""
    lock = locked(str(home.data_dir))
    if lock is None:
        return
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGALRM):
        signal.signal(number, _interrupted)
    answers = Answers(home)
    why = "ended"
    try:
        _warmed(answers, home, folder, bounds)
        _listened(answers, home, bounds, lock)
    except Ended as ended:
        why = str(ended)
    except Exception as error:  # noqa: BLE001 - the process boundary; it is recorded in the lock file
        why = f"{type(error).__name__}: {error}"
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        note(lock, f"ended: {why}")
        answers.close()
        os.close(lock)


def _interrupted(number: int, _frame: FrameType | None) -> None:
    raise Ended("a request took too long" if number == signal.SIGALRM else "was told to")


def locked(home: str) -> int | None:
    """The lock of this data directory, which the system takes back however the process ends.

    None when another process holds it, or the directory is gone.
    """
    import fcntl

    folder = frame.lock_folder(home)
    path = os.path.join(folder, frame.LOCK)
    try:
        _made(folder)
        lock = os.open(path, os.O_RDWR | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0), 0o600)
    except FileNotFoundError:
        return None
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        os.close(lock)
        return None
    note(lock, "starting")
    return lock


def _made(folder: str) -> None:
    """Make a folder of this user alone, and none above it: a data directory that is gone stays gone."""
    try:
        os.mkdir(folder, 0o700)
    except FileExistsError:
        return


def note(lock: int, word: str) -> None:
    """Write what became of this process where `learnt doctor` finds it: word, process, time."""
    at = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
    os.ftruncate(lock, 0)
    os.pwrite(lock, f"{' '.join(word.split())[:200]}\n{os.getpid()}\n{at}\n".encode("utf-8", "replace"), 0)


def _warmed(answers: Answers, home: Home, folder: str, bounds: Bounds) -> None:
    """Load the model and the first repository before anybody may ask; without a model there is nothing to serve."""
    signal.setitimer(signal.ITIMER_REAL, 6 * bounds.request_s)
    if not os.path.exists(home.database):
        raise Ended("the store is gone")
    engine = answers.at(folder)
    arm = arm_of(ranking := engine.choices("what is known here"))
    signal.setitimer(signal.ITIMER_REAL, 0)
    if arm not in {"ran", "off"} and ranking.skip_reason != "disabled":  # off here may be on in another repository
        engine.enable({frame.ROW: ""})
        raise Ended(f"no search by meaning here: {arm}")


def _listened(answers: Answers, home: Home, bounds: Bounds, lock: int) -> None:
    path = frame.socket_path(str(home.data_dir))
    _made(os.path.dirname(path))
    if not frame.is_private(os.path.dirname(path)):
        raise Ended(f"{os.path.dirname(path)} is not private")
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as door:
        Path(path).unlink(missing_ok=True)  # of one that was killed: we hold the lock
        door.bind(path)
        os.chmod(path, 0o600)
        mine = _identity(path)
        try:
            door.listen(16)
            note(lock, "running")
            _answered(answers, door, bounds, _Reasons(home, path, bounds))
        finally:
            if _identity(path) == mine:
                Path(path).unlink(missing_ok=True)


class _Reasons:
    """What the process began with, compared with what is there now."""

    def __init__(self, home: Home, path: str, bounds: Bounds) -> None:
        stub = str(home.data_dir / STUB)
        watched = {"the socket": path, "the store": home.database, "learnt": __file__, "the installation": stub}
        self._begun = {name: (each, _identity(each)) for name, each in watched.items()}
        self._bounds = bounds

    def look(self) -> None:
        """Look around.

        Raises:
            Ended: Something it began with is gone or another, or it grew too large.
        """
        for name, (path, begun) in self._begun.items():
            if _identity(path) != begun:
                raise Ended(f"{name} is gone or another")
        if _resident_bytes() > self._bounds.memory_bytes:
            raise Ended("grew too large")


def _identity(path: str) -> tuple[int, int]:
    try:
        found = os.stat(path)
    except OSError:
        return (0, 0)
    return (found.st_dev, found.st_ino)


def _resident_bytes() -> int:
    """Of this process; 0 where the system does not say."""
    try:
        with open("/proc/self/statm", encoding="ascii") as file:
            return int(file.read().split()[1]) * os.sysconf(_PAGE)
    except (OSError, ValueError, IndexError):
        return 0


def _answered(answers: Answers, door: socket.socket, bounds: Bounds, reasons: _Reasons) -> None:
    """One request after the other, until there is a reason to end."""
    asked_s = looked_s = time.monotonic()
    while True:
        door.settimeout(bounds.tick_s)
        try:
            connection, _ = door.accept()
        except TimeoutError:
            connection = None
        now_s = time.monotonic()
        if connection is not None:
            with connection:
                if _one(answers, connection, bounds):
                    asked_s = now_s
        if now_s - looked_s >= bounds.tick_s or connection is None:
            reasons.look()
            looked_s = now_s
        if now_s - asked_s >= bounds.idle_s:
            raise Ended("was not asked for a while")


def _one(answers: Answers, connection: socket.socket, bounds: Bounds) -> bool:
    """Answer one request; whether it was one that keeps the process alive. What is none gets no reply."""
    try:
        if not frame.is_ours(connection, bounds.user):
            return False
        request = frame.received(connection, time.monotonic() + bounds.read_s, time.monotonic)
        signal.setitimer(signal.ITIMER_REAL, bounds.request_s)
        reply = answers.to(request)
        signal.setitimer(signal.ITIMER_REAL, 0)
        connection.settimeout(bounds.read_s)
        connection.sendall(frame.packed(reply))
    except (OSError, ValueError):  # who does not speak as we do, or left, is not answered
        return False
    return request[:1] == ["recall"]


if __name__ == "__main__":
    main()
