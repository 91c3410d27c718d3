"""C3, at rest: bits flipped, pages emptied, the log cut short; in the middle of what was written well."""

from __future__ import annotations

import random
import shutil
import sqlite3
import tempfile
import traceback
from contextlib import closing, suppress
from pathlib import Path
from typing import TYPE_CHECKING

from faults.verdict import Tally
from faults.world import database, engine, faults_of, work
from learnt.errors import LearntError
from learnt.model.evidence import Turn

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from faults.verdict import Scale, Verdict

_MEMORIES = 40
_FRAME_HEAD = 24
"""Bytes before each page in the log. Source: SQLite's file format, section 4.1."""


class _Original:
    """A store that is whole, and every text in it by the name it has."""

    def __init__(self) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix="faults-"))
        with engine(self.folder) as opened:
            for number in range(_MEMORIES):
                opened.remember(f"The harbour of number {number} is deep.", kind="project_fact", rationale=f"r{number}")
            work(opened, "w", lambda _: None)
            opened.observe([Turn(text=f"said of harbour {number}", session="s") for number in range(5)])
        with closing(sqlite3.connect(database(self.folder))) as raw:
            raw.execute("PRAGMA wal_checkpoint(TRUNCATE)")
            self.page_bytes = int(raw.execute("PRAGMA page_size").fetchone()[0])
        with engine(self.folder) as opened:
            self.texts = dict(_served(opened))
        self.content = database(self.folder).read_bytes()

    def again(self, content: bytes, log: bytes = b"") -> Path:
        """The same user's folder, keys and all as they were, with this as the store's file and its log."""
        if not self.kept.exists():
            shutil.copytree(self.folder, self.kept)
        shutil.rmtree(self.folder)
        shutil.copytree(self.kept, self.folder)
        for end in ("", "-wal", "-shm"):
            Path(f"{database(self.folder)}{end}").unlink(missing_ok=True)
        database(self.folder).write_bytes(content)
        if log:
            Path(f"{database(self.folder)}-wal").write_bytes(log)
        return self.folder

    @property
    def kept(self) -> Path:
        """Where a copy of the whole folder lies; the repository is known by its place, so that stays."""
        return self.folder.with_name(self.folder.name + ".kept")

    def close(self) -> None:
        """Remove both."""
        shutil.rmtree(self.folder)
        shutil.rmtree(self.kept, ignore_errors=True)


def verdicts(scale: Scale) -> Iterator[Verdict]:
    """Each page of the file, then the log at every length."""
    original = _Original()
    chance = random.Random(11)

    def flipped(page: bytearray) -> None:
        at = chance.randrange(len(page))
        page[at] ^= 1 << chance.randrange(8)

    def emptied(page: bytearray) -> None:
        page[:] = bytes(len(page))

    yield _each_page(original, scale, "one bit flipped in each page of the file, one page at a time", flipped)
    yield _each_text(original, scale, chance)
    yield _each_page(original, scale, "each page of the file emptied, one at a time", emptied)
    original.close()
    yield _cut_log(scale)


def _each_page(original: _Original, scale: Scale, fault: str, spoil: Callable[[bytearray], None]) -> Verdict:
    tally = Tally("C3", fault)
    refused = 0
    for start in range(0, len(original.content), original.page_bytes * scale.every):
        content = bytearray(original.content)
        page = content[start : start + original.page_bytes]
        spoil(page)
        content[start : start + original.page_bytes] = page
        folder = original.again(bytes(content))
        tally.tried += 1
        refused += _read_all(tally, folder, original.texts, f"page {start // original.page_bytes + 1}")
    return tally.verdict(f"{refused} times the store, or one answer of it, was refused with a typed error")


def _each_text(original: _Original, scale: Scale, chance: random.Random) -> Verdict:
    """Every place where a text stands in the file, one bit of each."""
    tally = Tally("C3", "one bit flipped in each text, wherever it stands in the file")
    refused = 0
    for text in list(dict.fromkeys(original.texts.values()))[:: scale.every]:
        at = original.content.find(text.encode())
        while text and at >= 0:
            content = bytearray(original.content)
            content[at + chance.randrange(len(text))] ^= 1 << chance.randrange(7)
            tally.tried += 1
            folder = original.again(bytes(content))
            refused += _read_all(tally, folder, original.texts, f"{text!r} at {at}")
            at = original.content.find(text.encode(), at + 1)
    return tally.verdict(f"{refused} times an answer was refused; else the damaged one was left out")


def _read_all(tally: Tally, folder: Path, texts: Mapping[str, str], where: str) -> bool:
    """Ask a damaged store everything; whether any of it was refused."""
    refused = False
    try:
        with engine(folder) as opened:
            for name, text in _asked(opened):
                tally.expect(texts.get(name) == text, f"{where}: {name} was served with another text")
            with suppress(LearntError):
                opened.verify()
    except LearntError:
        refused = True
    except Exception as error:  # noqa: BLE001 - whatever it is, it is what we look for
        last = traceback.extract_tb(error.__traceback__)[-1]
        tally.expect(False, f"{where}: {type(error).__name__}: {error} ({last.filename}:{last.lineno})")
    return refused


def _asked(opened: object) -> Iterator[tuple[str, str]]:
    try:
        yield from _served(opened)
    finally:
        with suppress(LearntError):
            for number in range(0, _MEMORIES, 7):
                opened.recall(f"harbour number {number}")  # type: ignore[attr-defined]


def _served(opened: object) -> Iterator[tuple[str, str]]:
    """Name and text of everything that readers are given."""
    for memory in opened.list(statuses=(), limit=1_000).values:  # type: ignore[attr-defined]
        yield memory.id, memory.text
        yield f"{memory.id} rationale", memory.rationale
    for hit in opened.recall("the harbour is deep").hits:  # type: ignore[attr-defined]
        yield hit.memory.id, hit.memory.text
    for hit in opened.search("said harbour", "evidence").hits:  # type: ignore[attr-defined]
        if hit.unit is not None:
            yield hit.unit.ref, hit.unit.text


def _cut_log(scale: Scale) -> Verdict:
    """The write-ahead log, cut at every length: what it held whole is there, the rest is not."""
    tally = Tally("C3", "the write-ahead log cut at every length, as a torn write leaves it")
    original = _Original()
    with engine(original.folder) as opened:
        opened.remember("In the log.", kind="project_fact")
        content, log = database(original.folder).read_bytes(), Path(f"{database(original.folder)}-wal").read_bytes()
    tally.expect(log, "there was no log to cut")
    for length in range(0, len(log), 64 * scale.every):
        folder = original.again(content, log[:length])
        tally.tried += 1
        for what in faults_of(folder, [], lost=True):
            tally.expect(False, f"cut at {length}: {what}")
    _cut_frame(tally, original, content, log, scale)
    original.close()
    return tally.verdict("the trail says that its end was seen and is gone, and nothing else")


def _cut_frame(tally: Tally, original: _Original, content: bytes, log: bytes, scale: Scale) -> None:
    """The last frame, at every byte: the file opens, and holds what it held before the transaction the frame ends."""
    frame = original.page_bytes + _FRAME_HEAD
    for length in range(len(log) - frame, len(log), max(1, scale.every)):
        original.again(content, log[:length])
        tally.tried += 1
        with closing(sqlite3.connect(database(original.folder))) as raw:
            whole = raw.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
            last = raw.execute("SELECT count(*) FROM memory_items WHERE text = 'In the log.'").fetchone()[0]
        tally.expect(whole and last == 0, f"cut at {length}: not what it was before the last transaction")
