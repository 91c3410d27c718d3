"""Keeps one PostgreSQL server for as long as somebody holds the other end of its standard input.

Run as a script: `keeper.py BIN SETTINGS [UID]`, a folder of PostgreSQL's programs, a JSON object of settings in place
of those below, and whom the server runs as. The first line of input is the password of the superuser `postgres`, the
line of output JSON: the port, or why there is none. Every further line of input asks for the server once more, which
somebody has killed, with its files and at its port; the answer is another line. Whatever becomes of those who asked for
the server, it ends with them and takes its files along; killed itself, it takes the server along.
"""

from __future__ import annotations

import ctypes
import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from pathlib import Path

SETTINGS = {
    "listen_addresses": "127.0.0.1",
    "unix_socket_directories": "",
    "fsync": "off",  # nothing here has to survive the machine
    "synchronous_commit": "off",
    "full_page_writes": "off",
    "wal_level": "minimal",
    "max_wal_senders": "0",
    "max_connections": "120",
    "shared_buffers": "64MB",
    "autovacuum": "off",  # statistics are as old as a test makes them
    "jit": "off",
    "timezone": "UTC",
    "scram_iterations": "1",
    "log_min_messages": "fatal",
}
_START_S = 60.0
_TRIES = 5


class NotStartedError(Exception):
    """The server did not come up; the message says what it wrote."""


def _die_with_parent() -> None:
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(1, signal.SIGQUIT)  # PR_SET_PDEATHSIG


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def _user() -> int | None:
    """Whom the server runs as; None for whoever runs this."""
    return int(sys.argv[3]) if len(sys.argv) > 3 else None


def _lent(programs: Path, folder: Path, uid: int) -> Path:
    """Copies of the programs and of their libraries where another user can reach them, in a folder of theirs."""
    package = programs.parents[1]
    copied = folder / "programs" / package.name
    shutil.copytree(package, copied)
    libraries = package.with_name(f"{package.name}.libs")
    if libraries.is_dir():
        shutil.copytree(libraries, copied.with_name(libraries.name))
    for path in (folder, *folder.rglob("*")):
        os.chown(path, uid, uid, follow_symlinks=False)
    return copied / programs.relative_to(package)


def _create(programs: Path, folder: Path, password: str) -> None:
    secret = folder / "password"
    secret.write_text(password)
    if (uid := _user()) is not None:
        os.chown(secret, uid, uid)
    command: list[str | Path] = [
        programs / "initdb",
        "-D",
        folder / "data",
        "-U",
        "postgres",
        "-A",
        "scram-sha-256",
        "-E",
        "UTF8",
    ]
    command += [f"--pwfile={secret}", "--locale=C.UTF-8", "--no-sync", "-c", "scram_iterations=1"]
    done = subprocess.run(command, capture_output=True, text=True, check=False, user=uid, group=uid, cwd=folder)
    secret.unlink()
    if done.returncode:
        raise NotStartedError(f"initdb: {done.stderr.strip()[-800:]}")


def _ready(folder: Path) -> bool:
    try:
        return (folder / "data" / "postmaster.pid").read_text().splitlines()[7].strip() in {"ready", "standby"}
    except (OSError, IndexError):
        return False


def _start(programs: Path, folder: Path, port: int) -> subprocess.Popen[bytes]:
    command: list[str | Path] = [programs / "postgres", "-D", folder / "data", "-p", str(port)]
    for name, value in (SETTINGS | json.loads(sys.argv[2])).items():
        command += ["-c", f"{name}={value}"]
    with (folder / "log").open("wb") as log:
        server = subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            user=_user(),
            group=_user(),
            cwd=folder,
            preexec_fn=_die_with_parent,  # noqa: PLW1509  # no other thread runs here
        )
    end_s = time.monotonic() + _START_S
    while server.poll() is None and time.monotonic() < end_s:
        if _ready(folder):
            return server
        time.sleep(0.02)
    server.kill()
    server.wait()
    raise NotStartedError(f"postgres: {(folder / 'log').read_text(errors='replace').strip()[-800:]}")


def _started(programs: Path, folder: Path) -> tuple[subprocess.Popen[bytes], int]:
    """A port that was free a moment ago may be somebody else's now."""
    for left in reversed(range(_TRIES)):
        port = _free_port()
        try:
            return _start(programs, folder, port), port
        except NotStartedError:
            if not left:
                raise
    raise AssertionError


def _tell(**said: object) -> None:
    print(json.dumps(said), flush=True)


def main() -> int:
    """Start, tell, wait, end."""
    os.umask(0o077)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    folder = Path(tempfile.mkdtemp(prefix="learnt-pg-"))
    server = None
    try:
        programs = Path(sys.argv[1])
        if (uid := _user()) is not None:
            programs = _lent(programs, folder, uid)
        _create(programs, folder, sys.stdin.readline().strip())
        server, port = _started(programs, folder)
        _tell(port=port, folder=str(folder), keeper=os.getpid())
        for _ in sys.stdin:
            server.wait()
            (folder / "data" / "postmaster.pid").unlink(missing_ok=True)  # it still says that all is ready
            server = _start(programs, folder, port)
            _tell(port=port, folder=str(folder), keeper=os.getpid())
    except (NotStartedError, OSError) as error:
        _tell(error=str(error))
        return 1
    finally:
        if server is not None:
            server.send_signal(signal.SIGQUIT)
            server.wait()
        shutil.rmtree(folder, ignore_errors=True)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
