"""C1 to C3 of sessions: processes that start at once, die or stand still, disks that fail, and a person meanwhile."""

from __future__ import annotations

import errno
import json
import os
import subprocess
import sys
from typing import TYPE_CHECKING, Final

from faults import mishaps
from faults.contention import together
from faults.sessions import hook, place, rested, taken_in, unfinished, worker
from faults.shim import KILL, NAMES, SHORT, SYNCS, WRITES, built
from faults.stalled import CASES, stalls
from faults.verdict import Tally

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from faults.verdict import Scale, Verdict

PROCESSES: Final = 32
"""Source: the roadmap, sessions: so many that start at once learn once."""
_FAILURES: Final = (
    ("C2", "SIGKILL before each write, sync, rename, removal of a worker", KILL, WRITES | SYNCS | NAMES, False),
    ("C3", "the n-th write of a worker finds no space, for each n", errno.ENOSPC, WRITES, False),
    ("C3", "no write of a worker finds space from the n-th on", errno.ENOSPC, WRITES, True),
    ("C3", "the n-th write of a worker does half of it, for each n", SHORT, WRITES, False),
    ("C3", "the n-th sync of a worker fails, for each n", errno.EIO, SYNCS, False),
    ("C3", "the n-th rename or removal of a worker fails, for each n", errno.EACCES, NAMES, False),
)


def verdicts(scale: Scale) -> Iterator[Verdict]:
    """Each sort of trouble."""
    processes = PROCESSES if scale.every == 1 else scale.processes
    yield at_once(processes)
    yield starts(processes)
    yield from _failures(scale)
    for told, case in CASES.items():
        tally = Tally("C4", f"a worker stands still at each step: {told}")
        with place() as folder:
            for at, broken in stalls(folder, case, -(-scale.every // 4)):
                tally.tried += 1
                for what in broken:
                    tally.expect(False, f"step {at}: {what}")
        yield tally.verdict()
    yield from mishaps.verdicts(scale)


def at_once(processes: int, url: str = "", act: Callable[[Path], object] | None = None) -> Verdict:
    """Workers that begin at the same moment.

    Args:
        act: What each does; a worker's pass if nothing else.
    """
    tally = Tally("C1", f"{processes} workers begin at once where three sessions wait", tried=processes)

    def begin(number: int) -> None:
        del number
        (act or (lambda folder: worker(folder, url=url)))(folder)

    with place() as folder:
        taken_in(folder, "s1", "s2", "s3", url=url)
        for number, code in enumerate(together(processes, begin)):
            tally.expect(code == 0, f"worker {number} ended with {code}")
        for what in unfinished(folder, 3, url=url):
            tally.expect(False, what)
    return tally.verdict("each session is read once, the artifacts are made once")


def starts(processes: int) -> Verdict:
    """Sessions of a host that start at the same moment, each with our hook; one worker is left behind by them."""
    tally = Tally("C1", f"{processes} sessions start at once, each with the hook", tried=processes)
    with place() as folder:
        taken_in(folder, "s1", "s2", "s3")
        for number, code in enumerate(together(processes, lambda number: hook(folder, f"new-{number}"))):
            tally.expect(code == 0, f"hook {number} ended with {code}")
        for what in rested(folder, 3):
            tally.expect(False, what)
    return tally.verdict("the hooks answer, and one detached worker does what there is")


def _failures(scale: Scale) -> Iterator[Verdict]:
    library = built()
    for bar, fault, code, kinds, lasting in _FAILURES:
        tally = Tally(bar, fault)
        if library is None:
            yield tally.verdict("not tried: there is no C compiler, or this is not Linux")
            continue
        codes: set[str] = set()
        for report in _mortal(library, code, kinds, lasting=lasting, every=scale.every):
            tally.tried += 1
            codes.update(report["codes"])
            for what in report["broken"]:
                tally.expect(False, f"call {report['at']}: {what}")
        yield tally.verdict("answered with " + ", ".join(sorted(codes)) if codes else "the next worker has it all")
    if library is not None:
        library.unlink()


def _mortal(library: Path, code: int, kinds: int, *, lasting: bool, every: int) -> Iterator[dict[str, list[str]]]:
    """What `faults.mortal` tells of each n."""
    process = subprocess.Popen(
        [sys.executable, "-m", "faults.mortal", str(code), str(kinds), str(int(lasting)), str(every)],
        env={**os.environ, "LD_PRELOAD": str(library)},
        stdout=subprocess.PIPE,
        text=True,
    )
    with process:
        yield from map(json.loads, process.stdout or ())
    if process.returncode:
        raise RuntimeError("the mortal worker failed by itself")
