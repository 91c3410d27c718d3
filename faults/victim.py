"""The process whose disk fails: run with `faults/shim.c` preloaded; prints one line of JSON for each n."""

from __future__ import annotations

import ctypes
import json
import os
import shutil
import sys
import tempfile
from pathlib import Path

from faults.world import engine, work
from learnt.errors import LearntError


def main(code: int, kinds: int, lasting: int, every: int) -> None:
    """For n = 1, 1 + every, ...: one child whose n-th call fails, until a child makes fewer calls than n."""
    at = 1
    while True:
        folder = Path(tempfile.mkdtemp(prefix="faults-"))
        engine(folder).close()
        receive, send = os.pipe()
        pid = os.fork()
        if pid == 0:
            os.close(receive)
            os.write(send, json.dumps(_child(folder, at, code, kinds, lasting)).encode())
            os._exit(0)
        os.close(send)
        with os.fdopen(receive, "rb") as end:
            told = end.read()
        os.waitpid(pid, 0)
        report = json.loads(told)
        if report["seen"] < at:
            shutil.rmtree(folder)
            return
        print(json.dumps({**report, "folder": str(folder), "at": at}), flush=True)
        at += every


def _child(folder: Path, at: int, code: int, kinds: int, lasting: int) -> dict[str, object]:
    shim = ctypes.CDLL(None)
    shim.fault_seen.restype = ctypes.c_long
    handle = os.open(folder / "answered", os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)

    def tell(name: str) -> None:
        os.write(handle, f"{name}\n".encode())

    codes: list[str] = []
    untyped: list[str] = []
    read = False
    try:
        with engine(folder) as opened:
            shim.fault_arm(str(folder / "data").encode(), ctypes.c_long(at), code, kinds, lasting)
            for name in ("one", "two"):  # the second goes on after the first failed
                try:
                    work(opened, name, tell)
                except LearntError as error:
                    codes.append(error.error_code)
                opened.list()
                opened.recall("statement one")
                read = True
            seen = int(shim.fault_seen())
            shim.fault_arm(b"", ctypes.c_long(0), 0, 0, 0)
    except LearntError as error:
        codes.append(error.error_code)
    except Exception as error:  # noqa: BLE001 - whatever it is, it is what we look for
        untyped.append(f"{type(error).__name__}: {error}")
    seen = max(int(shim.fault_seen()), locals().get("seen", 0))
    return {"codes": codes, "untyped": untyped, "read": read, "seen": seen}


if __name__ == "__main__":
    main(*(int(each) for each in sys.argv[1:5]))
