"""The process whose disk fails, or that dies: run with `shim.c` preloaded; prints one line of JSON for each n."""

from __future__ import annotations

import ctypes
import json
import os
import shutil
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from faults.world import engine, lines, prepare, tidy, work
from learnt.errors import LearntError

if TYPE_CHECKING:
    from collections.abc import Callable

    from learnt.engine import Engine

    Job = Callable[[Engine, Path, str, Callable[[str], None]], None]

JOBS: Final[dict[str, Job]] = {
    "work": lambda opened, _, name, tell: work(opened, name, tell),
    "lines": lambda opened, _, name, tell: work(opened, name, tell),
    "tidy": tidy,
}
"""What is done twice in each process; the second goes on after the first failed."""


def main(job: str, code: int, kinds: int, lasting: int, every: int) -> None:
    """For n = 1, 1 + every, ...: one child whose n-th call is spoiled, until a child makes fewer calls than n."""
    at = 1
    while True:
        folder = Path(tempfile.mkdtemp(prefix="faults-"))
        prepare(folder)
        told, died = _child(folder, job, (at, code, kinds, lasting))
        if not died and told["seen"] < at:
            shutil.rmtree(folder)
            return
        told.pop("seen", 0)
        print(json.dumps({**told, "died": died, "folder": str(folder), "at": at}), flush=True)
        at += every


def _child(folder: Path, job: str, armed: tuple[int, int, int, int]) -> tuple[dict[str, Any], bool]:
    """What a child told, and whether it was killed."""
    receive, send = os.pipe()
    pid = os.fork()
    if pid == 0:
        os.close(receive)
        os.write(send, json.dumps(_spoiled(folder, job, armed)).encode())
        os._exit(0)
    os.close(send)
    with os.fdopen(receive, "rb") as end:
        told = end.read()
    _, status = os.waitpid(pid, 0)
    return json.loads(told or b"{}"), os.WIFSIGNALED(status)


def _spoiled(folder: Path, job: str, armed: tuple[int, int, int, int]) -> dict[str, object]:
    shim = ctypes.CDLL(None)
    shim.fault_seen.restype = ctypes.c_long
    handle = os.open(folder / "answered", os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)

    def tell(name: str) -> None:
        os.write(handle, f"{name}\n".encode())

    def arm(at: int, code: int, kinds: int, lasting: int) -> None:
        shim.fault_arm(str(folder).encode() if kinds else b"", ctypes.c_long(at), code, kinds, lasting)

    codes: list[str] = []
    untyped: list[str] = []
    read, seen = False, 0
    try:
        with engine(folder, url=lines(folder) if job == "lines" else "") as opened:
            arm(*armed)
            for name in ("one", "two"):
                try:
                    JOBS[job](opened, folder, name, tell)
                except LearntError as error:
                    codes.append(error.error_code)
            try:
                opened.list()
                opened.recall("statement one")
                read = True
            except LearntError as error:
                codes.append(error.error_code)
            seen = int(shim.fault_seen())
            arm(0, 0, 0, 0)
    except LearntError as error:
        codes.append(error.error_code)
    except Exception as error:  # noqa: BLE001 - whatever it is, it is what we look for
        untyped.append(f"{type(error).__name__}: {error}")
    return {"codes": codes, "untyped": untyped, "read": read, "seen": max(int(shim.fault_seen()), seen)}


if __name__ == "__main__":
    main(sys.argv[1], *(int(each) for each in sys.argv[2:6]))
