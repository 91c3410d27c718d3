"""At session end: capture in a process of its own, because the host kills a hook after 1.5 seconds.

One capture a session: it holds a lock on a file, which the system gives back however it ends. It may use 60 seconds of
processor time, and starts no hooks of its own (`LEARNT_CHILD`).
"""

from __future__ import annotations

import os
import sys
import time

from learnt.model.keys import short_id

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

LOCKS = "locks"
MARK = "LEARNT_CHILD"
_ASTRAY = ("LEARNT_", "PG", "SSL_CERT_", "SSLKEYLOGFILE", "OPENSSL_")
"""A repository can set a host's environment: neither our variables nor those of PostgreSQL's library are taken over,
nor whom TLS is to believe, what it loads and where it writes its keys, when a model is asked with a person's key."""

_CPU_S = 60
_SPARE_S = 2
"""How long a capture then has to say so, before the system ends it."""
_STALE_S = 86_400
RECENT_S = 600
"""Between two captures of one session at the ends of its turns; its own end, or the next start, brings the rest."""

_REST_S = 0.5
_RESTS = 20
"""A file that is still to be written is waited for, this often and this long."""


def capture(
    transcripts: Sequence[str], folder: str, home: str, database: str, config: str, *, rests: bool = True
) -> None:
    """Start the capture of some transcripts, in the session's folder, and return at once.

    Args:
        rests: Whether what the session was is all written when its end is told. Copilot CLI 1.0.102 writes the last
            records after that, of a short session even the first.

    Raises:
        OSError: No process could be started.
    """
    if not transcripts:
        return
    command = [sys.executable, "-I", "-m", "learnt.interfaces.cli.entry", "sessions", "ingest"]
    variables = environment(home, database, config)
    if not hasattr(os, "fork"):
        detach = getattr(os, "P_DETACH", os.P_NOWAIT)
        os.spawnve(detach, command[0], [*command, *transcripts, "--json"], variables)  # noqa: S606 - no shell is wanted
        return
    if apart():
        _become(command, variables, folder, home, transcripts, rests=rests)


def lock_of(home: str, transcript: str) -> str:
    """The file that a capture of this transcript holds; it is written to when one begins."""
    return os.path.join(home, LOCKS, f"capture-{short_id(transcript)}.lock")


def recent(home: str, transcript: str) -> bool:
    """Whether a capture of this session was begun a moment ago."""
    try:
        return 0 <= time.time() - os.stat(lock_of(home, transcript)).st_mtime < RECENT_S
    except OSError:
        return False


def environment(home: str, database: str, config: str) -> dict[str, str]:
    """The host's environment without anything that could lead learnt elsewhere than `init` recorded."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(_ASTRAY)}
    if not is_copy(home, database):  # the URL of a store on a server is read where `init` recorded it
        kept["LEARNT_DATABASE_URL"] = "sqlite://" + _quoted(database)
    return {**kept, "LEARNT_HOME": home, "LEARNT_CONFIG": config, MARK: "1"}


def is_copy(home: str, database: str) -> bool:
    """Whether hooks read the copy of a store on a server."""
    return database == os.path.join(home, "copy.db")


def _quoted(path: str) -> str:
    return path.replace("%", "%25").replace("?", "%3F").replace("#", "%23")


def _become(
    command: list[str], variables: dict[str, str], folder: str, home: str, transcripts: Sequence[str], *, rests: bool
) -> None:
    """In the child: take the sessions' locks, become the capture. Never returns.

    What another capture holds is left to that one.
    """
    try:
        mine = [transcript for transcript in transcripts if locked(lock_of(home, transcript))]
        if mine and (rests or all(_rested(transcript) for transcript in mine)):
            become([*command, *mine, "--json"], variables, folder)
    finally:
        os._exit(0)


def _rested(transcript: str) -> bool:
    """Wait until a transcript is there and has stopped growing; false when it does not come."""
    path, size = transcript.partition("#")[0], -1
    for _ in range(_RESTS):
        before, size = size, os.stat(path).st_size if os.path.exists(path) else -1
        if size == before >= 0:
            break
        time.sleep(_REST_S)
    return size >= 0


def apart() -> bool:
    """Fork; true in the child, which has left the host's session and pipes.

    The parent waits for that: a host may end what is left of a hook's process group as soon as the hook has ended.
    """
    here, there = os.pipe()
    if os.fork():
        os.close(there)
        os.read(here, 1)  # nothing comes; it ends when the child's end is closed
        os.close(here)
        return False
    try:
        _leave()
        os.close(here)
        os.close(there)
    except OSError:
        os._exit(0)
    return True


def _leave() -> None:
    os.setsid()
    null = os.open(os.devnull, os.O_RDWR)
    for stream in (0, 1, 2):
        os.dup2(null, stream)


def become(command: list[str], variables: dict[str, str], folder: str) -> None:
    """Become a program that may use `_CPU_S` of the processor, in a folder."""
    os.chdir(folder)
    import resource

    resource.setrlimit(resource.RLIMIT_CPU, (_CPU_S, _CPU_S + _SPARE_S))
    os.execve(command[0], command, variables)  # noqa: S606 - nor here


def locked(lock: str) -> bool:
    """Whether this process now holds a lock; it keeps it through `execve`."""
    import fcntl

    folder = os.path.dirname(lock)
    os.makedirs(folder, mode=0o700, exist_ok=True)
    _sweep(folder)
    handle = os.open(lock, os.O_RDWR | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0), 0o600)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        os.close(handle)
        return False
    os.set_inheritable(handle, True)
    os.ftruncate(handle, 0)
    os.write(handle, f"{os.getpid()} {int(time.time())}\n".encode())
    return True


def give_back(home: str) -> None:
    """What this process was to capture was not: the next session start may try again at once, not after a day."""
    folder = os.path.join(home, LOCKS)
    with os.scandir(folder) as entries:
        for entry in entries:
            if entry.name.startswith("capture-"):
                with open(entry.path, encoding="ascii") as file:
                    holder = file.read(32).partition(" ")[0]
                if holder == str(os.getpid()):
                    os.utime(entry.path, (0, 0))


def _sweep(folder: str) -> None:
    """Remove lock files a day old; no capture lives that long."""
    with os.scandir(folder) as entries:
        for entry in entries:
            if entry.name.startswith("capture-") and entry.stat().st_mtime < time.time() - _STALE_S:
                os.unlink(entry.path)
