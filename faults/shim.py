"""`shim.c`, built: what makes the n-th call on files fail, fall short or be the last of a process."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

_SOURCE = Path(__file__).with_name("shim.c")
WRITES, SYNCS, NAMES, READS = 1, 2, 4, 8
SHORT, KILL = 0, -9
"""In the place of an errno: half of the call is done; the process dies before it."""


@dataclass(frozen=True, slots=True)
class Report:
    """What became of the process whose n-th call was spoiled.

    Attributes:
        at: Which call it was.
        codes: What its operations were refused with. `untyped`: errors that are none of ours.
        read: Whether reads went on. `died`: whether it was killed.
    """

    folder: Path
    at: int
    codes: Sequence[str] = ()
    untyped: Sequence[str] = ()
    read: bool = True
    died: bool = False


def built() -> Path | None:
    """The library; None where there is no C compiler, or this is not Linux."""
    compiler = shutil.which("cc") or shutil.which("gcc")
    if compiler is None or not sys.platform.startswith("linux"):
        return None
    target = Path(tempfile.mkdtemp(prefix="faults-")) / "shim.so"
    subprocess.run([compiler, "-shared", "-fPIC", "-O1", "-o", target, _SOURCE, "-ldl"], check=True)
    return target


def spoiled(
    library: Path, job: str, code: int, kinds: int, *, lasting: bool = False, every: int = 1
) -> Iterator[Report]:
    """Do a job again and again, with another of its calls spoiled each time, until there are none left.

    Args:
        job: Of `faults.victim.JOBS`.
        code: An errno, `SHORT` or `KILL`.
        kinds: Which calls count.
        lasting: All from the n-th on.
        every: So many-th calls only.
    """
    process = subprocess.Popen(
        [sys.executable, "-m", "faults.victim", job, str(code), str(kinds), str(int(lasting)), str(every)],
        env={**os.environ, "LD_PRELOAD": str(library)},
        stdout=subprocess.PIPE,
        text=True,
    )
    with process:
        for line in process.stdout or ():
            told: dict[str, Any] = json.loads(line)
            folder = Path(told.pop("folder"))
            yield Report(folder, **told)
            shutil.rmtree(folder)
    if process.returncode:
        raise RuntimeError(f"the victim of {job} failed by itself")


def answered(folder: Path) -> list[str]:
    """What a process was told before its end."""
    path = folder / "answered"
    return path.read_text().splitlines() if path.exists() else []
