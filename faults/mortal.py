"""The worker that dies, or whose disk fails, at its n-th call on files: run with `shim.c` preloaded.

The same store again and again: documents of one session are there, and two sessions wait. Prints one line of JSON for
each n: what did not hold after it, and after the worker that took over.
"""

from __future__ import annotations

import ctypes
import json
import os
import shutil
import sys
import tempfile
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Any

from faults.sessions import LATER_S, alone, files, taken_in, unfinished, worker
from learnt.errors import LearntError

if TYPE_CHECKING:
    from collections.abc import Iterator

    Armed = tuple[int, int, int, int]

_PARTS = ("data", "keys")
"""What a worker changes."""


def main(code: int, kinds: int, lasting: int, every: int) -> None:
    """For n = 1, 1 + every, ...: until a worker makes fewer calls than n."""
    folder = Path(tempfile.mkdtemp(prefix="faults-"))
    alone(lambda: _begun(folder))
    for part in _PARTS:
        shutil.copytree(folder / part, folder / "before" / part)
    old = files(folder)
    alone(lambda: worker(folder))
    new = files(folder)
    for at in count(1, every):
        for part in _PARTS:
            shutil.rmtree(folder / part)
            shutil.copytree(folder / "before" / part, folder / part)
        told, died = _child(folder, (at, code, kinds, lasting))
        if not died and told["seen"] < at:
            break
        broken = [*told.get("untyped", ()), *_judged(folder, old, new, strict=died)]
        print(json.dumps({"at": at, "died": died, "codes": told.get("codes", []), "broken": broken}), flush=True)
    shutil.rmtree(folder)


def _begun(folder: Path) -> None:
    taken_in(folder, "s1")
    worker(folder)
    taken_in(folder, "s2", "s3", about="The build needs node 22")


def _judged(folder: Path, old: dict[str, str], new: dict[str, str], *, strict: bool) -> Iterator[str]:
    """What does not hold. `strict`: whether a session may not have been left for later on its own."""
    for name, digest in files(folder).items():
        if strict and digest not in {old.get(name), new.get(name)}:
            yield f"{name} is of no known version"
    if code := alone(lambda: worker(folder, late_s=LATER_S)):
        yield f"the next worker ended with {code}"
    yield from unfinished(folder, 3, runs=2, most=4)
    if files(folder) != new:
        names = {name for name in {*files(folder), *new} if files(folder).get(name) != new.get(name)}
        yield f"not what they were to be: {sorted(names)}"
    for path in (folder / "data" / "projects").rglob(".*"):
        if path.name != ".made" and not path.name.endswith(".lock"):
            yield f"left over: {path.name}"


def _child(folder: Path, armed: Armed) -> tuple[dict[str, Any], bool]:
    """What a worker told, and whether it was killed."""
    receive, send = os.pipe()
    pid = os.fork()
    if pid == 0:
        os.close(receive)
        os.write(send, json.dumps(_spoiled(folder, armed)).encode())
        os._exit(0)
    os.close(send)
    with os.fdopen(receive, "rb") as end:
        told = end.read()
    _, status = os.waitpid(pid, 0)
    return json.loads(told or b"{}"), os.WIFSIGNALED(status)


def _spoiled(folder: Path, armed: Armed) -> dict[str, object]:
    shim = ctypes.CDLL(None)
    shim.fault_seen.restype = ctypes.c_long
    at, code, kinds, lasting = armed
    codes: list[str] = []
    untyped: list[str] = []
    shim.fault_arm(str(folder / "data").encode(), ctypes.c_long(at), code, kinds, lasting)
    try:
        worker(folder)
    except LearntError as error:
        codes.append(error.error_code)
    except Exception as error:  # noqa: BLE001 - whatever it is, it is what we look for
        untyped.append(f"{type(error).__name__}: {error}")
    seen = int(shim.fault_seen())
    shim.fault_arm(b"", ctypes.c_long(0), 0, 0, 0)
    return {"codes": codes, "untyped": untyped, "seen": seen}


if __name__ == "__main__":
    main(*(int(each) for each in sys.argv[1:5]))
