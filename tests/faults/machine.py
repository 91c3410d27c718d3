"""A server that is killed as by a power cut, and starts again."""

from __future__ import annotations

import os
import signal
import subprocess
import time
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

import psycopg
from psycopg.sql import SQL, Literal

from tests.server import AS_SOMEBODY, Server, started
from tests.stores.roles import as_role, prepare

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

DURABLE = {"fsync": "on", "synchronous_commit": "on", "full_page_writes": "on", "wal_level": "replica"}
_GONE_S = 30.0
_WITH_DISK = (*AS_SOMEBODY, "--mount", "--keep-caps", "sh", "-c")
_MOUNTED = 'mount -t tmpfs -o size=40m tmpfs "$0" && exec "$@"'


class Machine:
    """A server of a test's own.

    Attributes:
        url: Its store, as the plain role. `admin`: the same as superuser.
    """

    def __init__(self, told: dict[str, Any], admin: str) -> None:
        self._told = told
        self.admin = admin
        self.url = as_role(admin)

    def kill(self) -> None:
        """No process of it ends in order, and none is left."""
        first = int((Path(self._told["folder"]) / "data" / "postmaster.pid").read_text().split()[0])
        every = [first, *_children(first)]
        os.kill(first, signal.SIGSTOP)  # it would start others
        for each in [*every[1:], *_children(first), first]:
            with suppress(ProcessLookupError):
                os.kill(each, signal.SIGKILL)
        end_s = time.monotonic() + _GONE_S
        while any(_runs(each) for each in every) and time.monotonic() < end_s:
            time.sleep(0.01)

    def start(self) -> None:
        """It comes up at the same address, from what it had written."""
        self._told["again"]()

    def follow(self) -> None:
        """It comes up as a replica: it reads what is written elsewhere, and takes no writes."""
        self._standby.touch()
        self.start()

    def lead(self) -> None:
        """It comes up as a server that takes writes again."""
        self._standby.unlink()
        self.start()

    @property
    def _standby(self) -> Path:
        return Path(self._told["folder"]) / "data" / "standby.signal"


@contextmanager
def machine(settings: Mapping[str, str] | None = None, disk: Path | None = None) -> Iterator[Machine]:
    """A server with an empty store.

    Args:
        disk: An empty folder to mount a small disk on, which holds the store and nothing else of the server.
    """
    within = (*_WITH_DISK, _MOUNTED, str(disk)) if disk else ()
    with started(DURABLE | dict(settings or {}), within) as (url, told):
        admin = Server(url).at("memory")
        with psycopg.connect(url, autocommit=True) as connection:
            if disk:
                connection.execute(SQL("CREATE TABLESPACE small LOCATION {}").format(Literal(str(disk))))
            make = "CREATE DATABASE memory ENCODING 'UTF8' TEMPLATE template0"
            connection.execute(f"{make} TABLESPACE small" if disk else make)
        prepare(admin)
        yield Machine(told, admin)


def mounts(disk: Path) -> bool:
    """Whether this system lets a test have a disk of its own."""
    try:
        return (
            subprocess.run([*_WITH_DISK, _MOUNTED, str(disk), "true"], capture_output=True, check=False).returncode == 0
        )
    except OSError:
        return False


def _children(parent: int) -> list[int]:
    found = []
    for each in Path("/proc").iterdir():
        with suppress(OSError, ValueError):
            if int((each / "stat").read_text().rpartition(")")[2].split()[1]) == parent:
                found.append(int(each.name))
    return found


def _runs(number: int) -> bool:
    """Whether a process is there and no mere entry of one that ended."""
    try:
        return Path(f"/proc/{number}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False
