"""C3, while writing: no space, an error of the disk, a sync that fails; at each n-th call, for each n."""

from __future__ import annotations

import errno
import json
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from faults.verdict import Tally
from faults.world import engine, faults_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from faults.verdict import Scale, Verdict

_SOURCE = Path(__file__).with_name("shim.c")
_FAULTS = (
    ("the n-th write finds no space, for each n", errno.ENOSPC, 1, 0),
    ("no write finds space from the n-th on; then there is room again", errno.ENOSPC, 1, 1),
    ("the n-th write fails in the disk, for each n", errno.EIO, 1, 0),
    ("the n-th sync fails, for each n", errno.EIO, 2, 0),
)


def verdicts(scale: Scale) -> Iterator[Verdict]:
    """Each sort of failure at each call; needs a C compiler and Linux."""
    library = _built()
    for fault, code, kinds, lasting in _FAULTS:
        if library is None:
            yield Tally("C3", fault).verdict("not tried: there is no C compiler, or this is not Linux")
        else:
            yield _each(library, scale, fault, code, kinds, lasting)
    if library is not None:
        library.unlink()


def _built() -> Path | None:
    compiler = shutil.which("cc") or shutil.which("gcc")
    if compiler is None or not sys.platform.startswith("linux"):
        return None
    target = Path(tempfile.mkdtemp(prefix="faults-")) / "shim.so"
    subprocess.run([compiler, "-shared", "-fPIC", "-O1", "-o", target, _SOURCE, "-ldl"], check=True)
    return target


def _each(library: Path, scale: Scale, fault: str, code: int, kinds: int, lasting: int) -> Verdict:
    tally = Tally("C3", fault)
    codes: set[str] = set()
    asked = [str(code), str(kinds), str(lasting), str(scale.every)]
    done = subprocess.run(
        [sys.executable, "-m", "faults.victim", *asked],
        env={**os.environ, "LD_PRELOAD": str(library)},
        stdout=subprocess.PIPE,
        check=True,
        text=True,
    )
    for line in done.stdout.splitlines():
        report = json.loads(line)
        folder, at = Path(report["folder"]), report["at"]
        tally.tried += 1
        codes.update(report["codes"])
        for what in report["untyped"]:
            tally.expect(False, f"call {at}: {what}")
        tally.expect(not lasting or report["read"], f"call {at}: nothing could be read while there was no space")
        _judge(tally, folder, at)
        shutil.rmtree(folder)
    return tally.verdict("answered with " + (", ".join(sorted(codes)) or "nothing: every failure was made good"))


def _judge(tally: Tally, folder: Path, at: int) -> None:
    """The store in the next process, with a disk that works again."""
    path = folder / "answered"
    answered = path.read_text().splitlines() if path.exists() else []
    for what in faults_of(folder, answered):
        tally.expect(False, f"call {at}: {what}")
    with engine(folder) as opened:
        answer = opened.remember("There is room again.", kind="project_fact")
        tally.expect(getattr(answer, "memory", None), f"call {at}: writes do not go on")
