"""C3, while writing and reading: no space, an error of the disk, half a write; at each n-th call, for each n."""

from __future__ import annotations

import errno
from typing import TYPE_CHECKING, Final

from faults.shim import READS, SHORT, SYNCS, WRITES, answered, built, spoiled
from faults.verdict import Tally
from faults.world import engine, faults_of, lines

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from faults.shim import Report
    from faults.verdict import Scale, Verdict

_FAULTS: Final = (
    ("the n-th write finds no space, for each n", "work", errno.ENOSPC, WRITES, False),
    ("no write finds space from the n-th on; then there is room again", "work", errno.ENOSPC, WRITES, True),
    ("the n-th write is beyond the quota, while files are made anew", "tidy", errno.EDQUOT, WRITES, False),
    ("the n-th write fails in the disk, for each n", "work", errno.EIO, WRITES, False),
    ("the n-th write does half of it, for each n", "work", SHORT, WRITES, False),
    ("the n-th sync fails, for each n", "work", errno.EIO, SYNCS, False),
    ("the n-th read fails in the disk, for each n", "work", errno.EIO, READS, False),
    ("the same three of a store of lines: no space", "lines", errno.ENOSPC, WRITES, False),
    ("half a write", "lines", SHORT, WRITES, False),
    ("a sync that fails", "lines", errno.EIO, SYNCS, False),
)


def verdicts(scale: Scale) -> Iterator[Verdict]:
    """Each sort of failure at each call; needs a C compiler and Linux."""
    library = built()
    for fault, job, code, kinds, lasting in _FAULTS:
        tally = Tally("C3", fault)
        if library is None:
            yield tally.verdict("not tried: there is no C compiler, or this is not Linux")
            continue
        codes: set[str] = set()
        for report in spoiled(library, job, code, kinds, lasting=lasting, every=scale.every):
            tally.tried += 1
            codes.update(report.codes)
            _judge(tally, report, job, lasting=lasting)
        yield tally.verdict("answered with " + (", ".join(sorted(codes)) or "nothing: every failure was made good"))
    if library is not None:
        library.unlink()


def _judge(tally: Tally, report: Report, job: str, *, lasting: bool) -> None:
    """What the process said, and the store in the next one, with a disk that works again."""
    for what in report.untyped:
        tally.expect(False, f"call {report.at}: {what}")
    tally.expect(report.read or not lasting, f"call {report.at}: nothing could be read while there was no space")
    _goes_on(tally, report.folder, f"call {report.at}", lines(report.folder) if job == "lines" else "")


def _goes_on(tally: Tally, folder: Path, when: str, url: str) -> None:
    for what in faults_of(folder, answered(folder), url=url):
        tally.expect(False, f"{when}: {what}")
    with engine(folder, url=url) as opened:
        answer = opened.remember("There is room again.", kind="project_fact")
        tally.expect(getattr(answer, "memory", None), f"{when}: writes do not go on")
