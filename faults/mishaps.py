"""What else may befall sessions that are learnt from: places, transcripts and clocks that are not as they should be."""

from __future__ import annotations

import os
import shutil
from functools import partial
from typing import TYPE_CHECKING

from faults.sessions import (
    KINDS,
    LATER_S,
    alone,
    apart,
    at_work,
    ended,
    files,
    known_reads,
    place,
    taken_in,
    unfinished,
    worker,
)
from faults.verdict import Tally

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from pathlib import Path

    from faults.verdict import Scale, Verdict

_TEN_YEARS_S = 10 * 365 * 86_400.0
_JUMPS_S = (_TEN_YEARS_S, -_TEN_YEARS_S, -86_400.0, 86_400.0)


def verdicts(scale: Scale) -> Iterator[Verdict]:
    """Each sort of mishap."""
    yield _places()
    yield _transcripts()
    yield _clocks(_JUMPS_S if scale.every == 1 else _JUMPS_S[:2])
    yield _readers(max(3, min(40, scale.histories // 5)))


def _places() -> Verdict:
    tally = Tally("C3", "the folder of artifacts is a file, a link, closed to us; an artifact is a folder")
    for name, (spoil, mend) in _SPOILT.items():
        with place() as folder:
            taken_in(folder, "s1")
            alone(partial(worker, folder))
            taken_in(folder, "s2", "s3", about="The build needs node 22")
            spoil(folder)
            tally.tried += 1
            if code := alone(partial(_unprivileged, folder)):
                tally.expect(False, f"{name}: the worker ended with {code}")
            tally.expect(_told(folder), f"{name}: nobody is told why there are no artifacts")
            tally.expect(not any((folder / "elsewhere").rglob("*.md")), f"{name}: written through a link")
            mend(folder)
            if code := alone(partial(worker, folder, late_s=LATER_S)):
                tally.expect(False, f"{name}: the next worker ended with {code}")
            for what in unfinished(folder, 3, runs=2, most=3):
                tally.expect(False, f"{name}: {what}")
    return tally.verdict("the job fails with artifact_failed, sessions are kept, and the next worker makes them")


def _unprivileged(folder: Path) -> None:
    """A worker that is nobody special: root may write everything."""
    if os.geteuid() == 0:
        for path in (folder, *folder.rglob("*")):
            os.chown(path, 65_534, 65_534, follow_symlinks=False)
        os.setgid(65_534)
        os.setuid(65_534)
    worker(folder)


def _told(folder: Path) -> bool:
    """Whether the state of the jobs says what is wrong."""
    with at_work(folder) as opened:
        return any("artifact_failed" in job.error for job in opened.jobs(kinds=KINDS).page.values)


def _aside(folder: Path) -> Path:
    return folder / "data" / "projects"


def _is_file(folder: Path) -> None:
    _aside(folder).rename(folder / "kept")
    _aside(folder).write_text("no folder")


def _is_link(folder: Path) -> None:
    _aside(folder).rename(folder / "kept")
    (folder / "elsewhere").mkdir()
    _aside(folder).symlink_to(folder / "elsewhere")


def _back(folder: Path) -> None:
    _aside(folder).unlink()
    (folder / "kept").rename(_aside(folder))


def _artifact(folder: Path) -> Path:
    return next(path for path in _aside(folder).rglob("MEMORY.md") if ".made" not in path.parts)


def _is_folder(folder: Path) -> None:
    path = _artifact(folder)
    path.unlink()
    (path / "in").mkdir(parents=True)


def _no_folder(folder: Path) -> None:
    shutil.rmtree(next(path for path in _aside(folder).rglob("MEMORY.md") if path.is_dir()))


def _closed(folder: Path) -> None:
    for path in (*_aside(folder).rglob("*"), _aside(folder)):
        path.chmod(0o500 if path.is_dir() else 0o400)


def _open(folder: Path) -> None:
    for path in (_aside(folder), *_aside(folder).rglob("*")):
        path.chmod(0o700)


_SPOILT: dict[str, tuple[Callable[[Path], None], Callable[[Path], None]]] = {
    "a file": (_is_file, _back),
    "a link": (_is_link, _back),
    "an artifact that is a folder": (_is_folder, _no_folder),
    "closed": (_closed, _open),
}


def _transcripts() -> Verdict:
    tally = Tally("C3", "transcripts vanish, shrink, grow or end in half a line while they are read")
    for name, (act, kept) in _CHANGED.items():
        with place() as folder:
            taken_in(folder, "s1", "s2", "s3")
            tally.tried += 1
            if code := alone(partial(_while_read, folder, act)):
                tally.expect(False, f"{name}: the worker ended with {code}")
            for what in unfinished(folder, kept):
                tally.expect(False, f"{name}: {what}")
    return tally.verdict("what could be read is kept; what could not is missing, and no job fails")


def _while_read(folder: Path, act: Callable[[Path], None]) -> None:
    """A worker under whose hands the newest session's transcript changes as soon as it is opened."""
    from learnt.hosts.local import LocalTranscripts

    opened = LocalTranscripts.open

    def changed(local: LocalTranscripts, path: str, host: str) -> object:
        reader = opened(local, path, host)
        if path.endswith("s3.jsonl"):
            act(folder / "claude" / "projects" / "-repo" / "s3.jsonl")
        return reader

    LocalTranscripts.open = changed  # type: ignore[method-assign,assignment]
    worker(folder)


def _gone_before(path: Path) -> None:
    path.unlink(missing_ok=True)


def _halved(path: Path) -> None:
    os.truncate(path, path.stat().st_size // 2)


def _emptied(path: Path) -> None:
    os.truncate(path, 0)


def _grown(path: Path) -> None:
    with path.open("a") as file:
        file.write(path.read_text().splitlines()[1] + "\n")


def _half_a_line(path: Path) -> None:
    with path.open("a") as file:
        file.write(path.read_text().splitlines()[0][:40])


_CHANGED: dict[str, tuple[Callable[[Path], None], int]] = {
    "removed": (_gone_before, 2),
    "halved": (_halved, 3),
    "emptied": (_emptied, 2),
    "grown": (_grown, 3),
    "half a line": (_half_a_line, 3),
}


def _clocks(jumps_s: Sequence[float]) -> Verdict:
    tally = Tally("C4", "the wall clock is set by up to ten years while sessions are learnt from, and back")
    for ahead_s in jumps_s:
        with place() as folder:
            taken_in(folder, "s1")
            alone(partial(worker, folder))
            taken_in(folder, "s2", "s3", about="The build needs node 22")
            tally.tried += 1
            if code := alone(partial(worker, folder, ahead_s=ahead_s)):
                tally.expect(False, f"{ahead_s:+.0f} s: the worker ended with {code}")
            alone(partial(worker, folder))
            for what in unfinished(folder, 3, runs=2, most=3):
                tally.expect(False, f"{ahead_s:+.0f} s: {what}")
    return tally.verdict("what it kept nobody from is done at once, the rest when the clock is right")


def _readers(times: int) -> Verdict:
    tally = Tally("C1", "somebody reads all artifacts again and again while they are made anew")
    with place() as folder:
        reader, known = apart(lambda: known_reads(folder)), dict[str, set[str]]()
        for number in range(times):
            taken_in(folder, f"s{number}", about=f"Deploys of region {number} wait for gate {number * 7}")
            if code := alone(partial(worker, folder)):
                tally.expect(False, f"worker {number} ended with {code}")
            for name, digest in files(folder).items():
                known.setdefault(name, set()).add(digest)
        (folder / "over").touch()
        tally.expect(ended(reader) == 0, "the reader failed")
        for line in (folder / "seen").read_text().splitlines():
            name, digest = line.rsplit(" ", 1)
            tally.tried += 1
            tally.expect(digest in known.get(name, ()), f"{name} was seen as nobody left it")
    return tally.verdict("each that was seen is whole")
