"""C3, where the store lies: what may not be written, a quota, a log that was removed, indexes that lost entries."""

from __future__ import annotations

import os
import resource
import shutil
import signal
import sqlite3
import tempfile
from contextlib import closing, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from faults.verdict import Tally
from faults.world import database, engine, faults_of, prepare, work
from learnt.errors import LearntError
from learnt.model.answer import Written

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from faults.verdict import Scale, Verdict
    from learnt.engine import Engine

_QUESTION = "how deep is the harbour"


def verdicts(scale: Scale) -> Iterator[Verdict]:
    """Each sort of place."""
    yield _read_only(folder_too=True)
    yield _read_only(folder_too=False)
    yield _quota(scale)
    yield _without_log()
    yield _indexes(scale)


@contextmanager
def _store(memories: int = 20) -> Iterator[Path]:
    folder = Path(tempfile.mkdtemp(prefix="faults-"))
    prepare(folder)
    with engine(folder) as opened:
        for number in range(memories):
            opened.remember(f"The harbour of number {number} is deep.", kind="project_fact")
        work(opened, "w", lambda _: None)
    try:
        yield folder
    finally:
        for path in (folder / "data").rglob("*"):
            path.chmod(0o700)
        shutil.rmtree(folder)


def _apart(act: Callable[[], list[str]]) -> list[str]:
    """What an act in a process of its own, that is nobody special, finds wrong."""
    receive, send = os.pipe()
    pid = os.fork()
    if pid == 0:
        try:
            found = act()
        except BaseException as error:  # noqa: BLE001 - the boundary of a process
            found = [f"{type(error).__name__}: {error}"]
        os.write(send, "\0".join(found).encode())
        os._exit(0)
    os.close(send)
    with os.fdopen(receive, "rb") as end:
        told = end.read().decode()
    os.waitpid(pid, 0)
    return told.split("\0") if told else []


def _read_only(*, folder_too: bool) -> Verdict:
    what = "the folder and everything in it" if folder_too else "the database"
    tally = Tally("C3", f"{what} may not be written", tried=1)
    with _store() as folder:
        for path in (*(folder / "data").rglob("*"), folder / "data") if folder_too else (database(folder),):
            path.chmod(0o500 if path.is_dir() else 0o400)
        for path in (folder, *folder.parents):
            if path.stat().st_uid == os.geteuid() and path != Path("/"):
                path.chmod(path.stat().st_mode | 0o011)
        _given_away(folder)
        for wrong in _apart(lambda: _as_reader(folder)):
            tally.expect(False, wrong)
    return tally.verdict("recall works and says that its use cannot be counted; a write is refused as store_read_only")


def _given_away(folder: Path) -> None:
    """To nobody, whom rights hold for; root may write everything."""
    if os.geteuid() == 0:
        for path in (folder, *folder.rglob("*")):
            os.chown(path, 65_534, 65_534, follow_symlinks=False)


def _as_reader(folder: Path) -> list[str]:
    if os.geteuid() == 0:
        os.setgid(65_534)
        os.setuid(65_534)
    found = []
    with engine(folder) as opened:
        ranking = opened.recall(_QUESTION)
        if not ranking.hits:
            found.append("recall finds nothing")
        if "store_read_only" not in str(ranking.diagnostics):
            found.append(f"recall does not say that its use is not counted: {ranking.diagnostics}")
        try:
            opened.remember("A write.", kind="project_fact")
            found.append("a write was answered")
        except LearntError as error:
            if error.error_code != "store_read_only":
                found.append(f"a write was refused with {error.error_code}")
        if not opened.list().values:
            found.append("nothing is listed")
    return found


def _quota(scale: Scale) -> Verdict:
    """No file may grow beyond what it has and a little: the log stops in the middle of a transaction."""
    tally = Tally("C3", "the log cannot grow: a quota for each file, a page more each time")
    with _store() as folder:
        for room_bytes in range(0, 20 * 4_096, 4_096 * min(scale.every, 5)):
            tally.tried += 1
            for wrong in _apart(lambda room_bytes=room_bytes: _within(folder, room_bytes)):  # type: ignore[misc]
                tally.expect(False, f"{room_bytes} bytes: {wrong}")
            for wrong in faults_of(folder, []):
                tally.expect(False, f"{room_bytes} bytes: {wrong}")
    return tally.verdict("refused, reads go on, and what is in the log goes into the file when there is room")


def _within(folder: Path, room_bytes: int) -> list[str]:
    found = []
    with engine(folder) as opened:
        _kept(opened, "There is a log now.")
        size = Path(f"{database(folder)}-wal").stat().st_size
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (size + room_bytes, resource.RLIM_INFINITY))
        refused = ""
        for number in range(40):
            try:
                _kept(opened, f"Sentence {number} with {room_bytes} bytes of room. " + "x" * 400)
            except LearntError as error:
                refused = error.error_code
                break
        if refused not in {"store_full", "store_unavailable"}:
            found.append(f"refused with {refused or 'nothing'}")
        if not opened.recall(_QUESTION).hits:
            found.append("reads do not go on")
        resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
        _kept(opened, f"There is room again after {room_bytes}.")
        opened.compact(confirm=True)
    return found


def _kept(opened: Engine, text: str) -> None:
    assert isinstance(opened.remember(text, kind="project_fact"), Written)


def _without_log() -> Verdict:
    """The log is removed while nobody has the store open, after a kill that left it."""
    tally = Tally("C3", "the log removed after a crash", tried=1)
    with _store() as folder:
        with closing(sqlite3.connect(database(folder))) as raw:
            raw.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        pid = os.fork()
        if pid == 0:
            with engine(folder) as opened:
                _kept(opened, "In the log alone.")
                opened.checkpoint()
                os.kill(os.getpid(), signal.SIGKILL)
        os.waitpid(pid, 0)
        for end in ("-wal", "-shm"):
            Path(f"{database(folder)}{end}").unlink()
        for wrong in faults_of(folder, [], lost=True):
            tally.expect(False, wrong)
        with engine(folder) as opened:
            divergence = opened.verify().report.divergence
            tally.expect(divergence and divergence.kind == "rolled_back", "the anchor does not show the loss")
            tally.expect(len(opened.list(limit=1_000).values) >= 20, "what was in the file is gone")
    return tally.verdict("opens as it was at the last checkpoint; `audit verify` says rolled_back by the anchor")


_INDEXES = "SELECT name, sql FROM sqlite_schema WHERE type = 'index' AND sql NOT NULL ORDER BY name"


def _indexes(scale: Scale) -> Verdict:
    """Each index loses its entries behind SQLite's back."""
    tally = Tally("C3", "each index emptied behind SQLite's back")
    with _store() as folder:
        with closing(sqlite3.connect(database(folder))) as raw:
            indexes = dict(raw.execute(_INDEXES).fetchall())
        for name, sql in list(indexes.items())[:: min(scale.every, 5)]:
            held = _emptied(database(folder), name, sql)
            with engine(folder) as opened:
                found = opened.disagreements()
                if held:
                    tally.tried += 1
                    tally.expect("file_damage" in found, f"{name}: not named")
                    opened.repair()
                tally.expect(not opened.disagreements(), f"{name}: not mended")
            for wrong in faults_of(folder, []):
                tally.expect(False, f"{name}: {wrong}")
    return tally.verdict("`learnt doctor` names it, `--repair` makes it anew")


def _emptied(path: Path, name: str, sql: str) -> bool:
    """Take every entry out of an index; whether it held any."""
    nothing = f"{sql} {'AND' if ' WHERE ' in sql.upper().replace(chr(10), ' ') else 'WHERE'} 0"
    for held in (nothing, sql):
        with closing(sqlite3.connect(path)) as raw, raw:
            raw.execute("PRAGMA writable_schema = ON")
            raw.execute("UPDATE sqlite_schema SET sql = ? WHERE name = ?", (held, name))
        if held is nothing:
            with closing(sqlite3.connect(path)) as raw, raw:
                raw.execute(f"REINDEX {name}")
    with closing(sqlite3.connect(path)) as raw:
        return bool(raw.execute("PRAGMA integrity_check").fetchall() != [("ok",)])
