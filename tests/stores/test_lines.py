"""What is peculiar to the store of JSON lines: torn lines, crashes, other writers, a file written anew."""

from __future__ import annotations

import json
import multiprocessing
import os
import signal
import subprocess
import sys
import time
from dataclasses import fields
from typing import TYPE_CHECKING, Any

import pytest

from learnt.errors import StoreBusyError, StoreCorruptError, StoreFullError, StoreNewerError, UnsupportedError
from learnt.model.filter import MemoryFilter
from learnt.model.scope import Sight
from learnt.stores.ephemeral.tables import Tables
from learnt.stores.jsonl import log as logs
from learnt.stores.jsonl.rows import KEPT, LEFT
from learnt.stores.jsonl.store import JsonlStore
from learnt.testing import samples
from learnt.testing.fakes import NOON

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from learnt.model.memory import Memory

SCOPE = samples.repository("repo-lines")
SIGHT = Sight((SCOPE,))


def opened(folder: Path, wait_s: float = 5.0) -> JsonlStore:
    return JsonlStore(folder, now=lambda: NOON, wait_s=wait_s)


def put(store: JsonlStore, *texts: str, **fields_: Any) -> list[Memory]:
    memories = [samples.memory(SCOPE, text, **fields_) for text in texts]
    with store.transaction():
        for memory in memories:
            store.memories.put(memory)
    return memories


def texts(folder: Path) -> set[str]:
    """What a new process finds."""
    page = opened(folder).memories.page(SIGHT, MemoryFilter(statuses=(), limit=1_000), NOON)
    return {each.text for each in page.values}


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """The file of a store with two memories."""
    put(opened(tmp_path), "One.")
    put(opened(tmp_path), "Two.")
    return tmp_path / logs.FILE


def test_every_table_is_kept_or_left() -> None:
    """Whoever adds a dictionary says whether it is in the file."""
    assert not set(KEPT) & LEFT
    assert set(KEPT) | LEFT == {each.name for each in fields(Tables)}


def test_a_torn_last_line_counts_for_nothing(file: Path) -> None:
    """It is told of, and the next append goes on behind it; nothing is cut off until the file is written anew."""
    whole = file.read_bytes()
    for cut in (2, 20, 60):
        file.write_bytes(whole[:-cut])
        assert texts(file.parent) == {"One."}
        assert opened(file.parent).meta.gaps() == {"unreadable": 1}
    torn = whole[:-60].rpartition(b"\n")[2]
    put(opened(file.parent), "Three.")
    assert texts(file.parent) == {"One.", "Three."}
    assert torn in file.read_bytes().splitlines()
    store = opened(file.parent)
    assert list(store.meta.describe()["unreadable"].values()) == ["no JSON"]  # type: ignore[attr-defined]
    store.upkeep.shrink()
    assert all(json.loads(line) for line in file.read_bytes().splitlines())
    assert opened(file.parent).meta.gaps() == {}
    assert texts(file.parent) == {"One.", "Three."}


def test_what_is_being_written_is_not_torn(file: Path) -> None:
    """Who reads while another process appends tells of nothing."""
    store = opened(file.parent)
    with store.log.held():
        file.write_bytes(file.read_bytes() + b'{"tx": 9, "in": "mem')
        assert store.meta.gaps() == {}
    assert store.meta.gaps() == {"unreadable": 1}


def test_a_transaction_without_its_commit_counts_for_nothing(file: Path) -> None:
    """Nothing of it: neither memory nor event; and its number is not used again."""
    store = opened(file.parent)
    with store.transaction():
        store.memories.put(samples.memory(SCOPE, "Three."))
        store.events.append(samples.event(1))
    lines = file.read_bytes().splitlines(keepends=True)
    file.write_bytes(b"".join(lines[:-1]))
    assert texts(file.parent) == {"One.", "Two."}
    assert list(opened(file.parent).events.chain()) == []
    put(opened(file.parent), "Four.")
    assert texts(file.parent) == {"One.", "Two.", "Four."}


def test_a_last_line_without_its_end_is_kept_when_it_is_whole(file: Path) -> None:
    """As an editor leaves it; the next append ends it first."""
    file.write_bytes(file.read_bytes()[:-1])
    assert texts(file.parent) == {"One.", "Two."}
    row = {"in": "facts", "key": "by-hand", "row": "yes"}
    with file.open("a") as held:
        held.write("\n" + json.dumps(row))
    assert opened(file.parent).meta.get("by-hand") == "yes"
    put(opened(file.parent), "Three.")
    assert texts(file.parent) == {"One.", "Two.", "Three."}
    assert opened(file.parent).meta.get("by-hand") == "yes"


@pytest.mark.parametrize(
    "line",
    [
        '{"in": "memories", "key": "KEY", "row": {"text": ""}}',
        '{"in": "memories", "key": "KEY", "row": {"id": "KEY"}}',
        '{"in": "memories", "key": "KEY", "row": 5}',
        '{"in": "memories", "key": "KEY", "row": {"id": "KEY", "text": "cut in the mid',
        '{"tx": 1, "in": "memories", "key": "KEY", "row": {"te}',
    ],
)
def test_an_invalid_newest_row_revives_no_older_one(file: Path, line: str) -> None:
    """The memory is not there, the others are, and the store tells of it once."""
    memory = samples.memory(SCOPE, "One.")
    marked = line.replace("KEY", memory.id)
    commit = '{"commit": 1}\n' if marked.startswith('{"tx"') else ""
    with file.open("a") as held:
        held.write(f"{marked}\n{commit}")
    assert texts(file.parent) == {"Two."}
    store = opened(file.parent)
    assert memory.id in str(store.meta.describe()["unreadable"])
    assert store.meta.gaps() == {"unreadable": 1}
    put(store, "One.")
    assert texts(file.parent) == {"One.", "Two."}
    assert opened(file.parent).meta.gaps() == {}


def test_a_line_of_garbage_takes_nothing_along(file: Path) -> None:
    """Blank lines, other people's objects and bytes that are no text are passed over."""
    with file.open("ab") as held:
        held.write(b'\n\n\xff\xfe\x00\n[1]\n{"a": 1}\n{"in": "nowhere", "key": "k", "row": 1}\n')
    put(opened(file.parent), "Three.")
    assert texts(file.parent) == {"One.", "Two.", "Three."}


def test_two_rows_on_one_line_are_two_rows(file: Path) -> None:
    """As programs leave them that do not end their lines."""
    rows = [{"in": "facts", "key": name, "row": name} for name in ("a", "b", "c")]
    with file.open("a") as held:
        held.write(json.dumps(rows[0]) + json.dumps(rows[1]) + "  " + json.dumps(rows[2]) + "\r\n")
    store = opened(file.parent)
    assert [store.meta.get(name) for name in ("a", "b", "c")] == ["a", "b", "c"]
    assert store.meta.gaps() == {}


def test_a_file_that_is_none_of_ours_is_left_alone(tmp_path: Path) -> None:
    """A damaged beginning, and a newer learnt's, are errors, and nothing is written."""
    for first, error in ((b"\0" * 100 + b"\n", StoreCorruptError), (b'{"store":"learnt","form":9}\n', StoreNewerError)):
        (tmp_path / logs.FILE).write_bytes(first)
        with pytest.raises(error):
            opened(tmp_path)
        assert (tmp_path / logs.FILE).read_bytes() == first


def test_a_full_disk_undoes_the_change(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The caller hears of it, the store goes on with what it had, and the next write works."""
    store, whole = opened(file.parent), file.read_bytes()
    write = os.write

    def short(handle: int, data: bytes) -> int:
        write(handle, data[:10])
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "write", short)
    with pytest.raises(StoreFullError):
        put(store, "Three.")
    monkeypatch.undo()
    assert (file.read_bytes(), store.memories.count(SIGHT)) == (whole, {"active": 2})
    put(store, "Three.")
    assert texts(file.parent) == {"One.", "Two.", "Three."}


def test_written_anew_it_holds_only_what_counts(file: Path) -> None:
    """What was removed or replaced is in no line any more, and whoever had it open goes on."""
    other, store = opened(file.parent), opened(file.parent)
    (memory,) = put(store, "A secret to be removed.")
    assert len(other.memories.page(SIGHT, MemoryFilter(), NOON).values) == 3
    with store.transaction():
        store.memories.remove(SIGHT, [memory.id])
    assert b"A secret" in file.read_bytes()
    assert store.upkeep.shrink()["freed_bytes"] > 0
    assert b"A secret" not in file.read_bytes()
    assert other.memories.count(SIGHT) == {"active": 2}
    put(other, "Three.")
    put(store, "Four.")
    assert texts(file.parent) == {"One.", "Two.", "Three.", "Four."}
    assert {each.name for each in file.parent.iterdir()} == {logs.FILE, logs.LOCK}


def test_a_crash_while_it_is_written_anew_changes_nothing(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The file is the old one until the new one is whole."""
    store, whole = opened(file.parent), file.read_bytes()

    def fails(*_: object) -> None:
        raise OSError(5, "Input/output error")

    monkeypatch.setattr(os, "fsync", fails)
    with pytest.raises(Exception, match="cannot be used"):
        store.upkeep.shrink()
    monkeypatch.undo()
    assert file.read_bytes() == whole
    store.upkeep.shrink()
    assert texts(file.parent) == {"One.", "Two."}


def test_its_files_are_for_this_user_alone(file: Path) -> None:
    """Folder and files, and what is written anew."""
    opened(file.parent / "deeper").close()
    assert (file.parent / "deeper").stat().st_mode & 0o777 == 0o700
    opened(file.parent).upkeep.shrink()
    assert {each.stat().st_mode & 0o777 for each in (file, file.parent / logs.LOCK)} == {0o600}


def test_a_backup_is_a_file_of_the_same_sort(file: Path, tmp_path: Path) -> None:
    """It opens, and holds what counts."""
    there = tmp_path / "copy" / logs.FILE
    there.parent.mkdir()
    assert opened(file.parent).upkeep.backup(str(there)) == there.stat().st_size
    assert texts(there.parent) == {"One.", "Two."}


def test_what_it_leaves_to_databases_is_refused(tmp_path: Path) -> None:
    """Vectors and jobs answer `unsupported`; what only looks at them finds none."""
    store = opened(tmp_path)
    with store.transaction():
        for call in (
            lambda: store.vectors.begin("memory", "m", "f", 4, NOON),
            lambda: store.queue.lease("w", ("prune",), 60.0),
        ):
            with pytest.raises(UnsupportedError):
                call()
    assert store.lacks == {"dense", "queue", "audit"}
    assert (store.vectors.state("memory"), store.queue.backlog().counts) == ((), ())


def test_who_waits_too_long_hears_that_it_is_busy(tmp_path: Path) -> None:
    """And nothing was written."""
    holder, waiter = opened(tmp_path), opened(tmp_path, wait_s=0.05)
    with holder.transaction(), pytest.raises(StoreBusyError):
        put(waiter, "One.")
    assert texts(tmp_path) == set()


def _writer(folder: str, name: str, count: int) -> None:
    from pathlib import Path

    store = opened(Path(folder), wait_s=30.0)
    for number in range(count):
        with store.transaction():
            store.memories.put(samples.memory(SCOPE, f"{name} {number}."))
            store.events.append(samples.event(int(name) * 1_000 + number))


def test_four_processes_write_at_once(tmp_path: Path) -> None:
    """Nothing is lost, and one row of events comes of it."""
    context = multiprocessing.get_context("spawn")
    crowd = [context.Process(target=_writer, args=(str(tmp_path), str(n), 25)) for n in range(1, 5)]
    for each in crowd:
        each.start()
    for each in crowd:
        each.join(60)
    assert [each.exitcode for each in crowd] == [0] * 4
    assert len(texts(tmp_path)) == 100
    positions = [row.position for row in opened(tmp_path).events.chain()]
    assert positions == list(range(1, 101))


def _shrinker(folder: str, count: int) -> None:
    from pathlib import Path

    store = opened(Path(folder), wait_s=30.0)
    for _ in range(count):
        store.upkeep.shrink()
        time.sleep(0.002)


def test_it_is_written_anew_beside_writers_and_readers(tmp_path: Path) -> None:
    """Whoever writes the file anew loses nothing of others, and readers never see less than there was."""
    context = multiprocessing.get_context("spawn")
    put(opened(tmp_path), "First.")
    crowd = [context.Process(target=_writer, args=(str(tmp_path), str(n), 25)) for n in (1, 2)]
    crowd += [context.Process(target=_shrinker, args=(str(tmp_path), 40)) for _ in range(2)]
    for each in crowd:
        each.start()
    reader, seen = opened(tmp_path), 0
    while any(each.is_alive() for each in crowd):
        now = reader.memories.count(SIGHT)["active"]
        assert now >= seen
        seen = now
    assert [each.exitcode for each in crowd] == [0] * 4
    assert len(texts(tmp_path)) == 51
    assert [row.position for row in opened(tmp_path).events.chain()] == list(range(1, 51))


_LOOP = """
import sys
from pathlib import Path
from tests.stores.test_lines import SCOPE, opened, samples
store = opened(Path(sys.argv[1]))
number = 0
while True:
    number += 1
    with store.transaction():
        store.memories.put(samples.memory(SCOPE, f"{sys.argv[2]} {number}."))
        store.events.append(samples.event(int(sys.argv[2]) * 100_000 + number))
    print(number, flush=True)
    if number % 7 == 0:
        store.upkeep.shrink()
"""


@pytest.mark.parametrize("round_", range(8))
def test_killed_at_any_moment_it_is_whole(tmp_path: Path, round_: int) -> None:
    """Every change that was told is there, both sides of it, and at most one that was not told."""
    root = os.fspath(__import__("pathlib").Path(__file__).parents[2])
    with subprocess.Popen(
        [sys.executable, "-c", _LOOP, str(tmp_path), str(round_ + 1)], stdout=subprocess.PIPE, cwd=root
    ) as child:
        assert child.stdout is not None
        child.stdout.readline()
        time.sleep(0.013 * (round_ + 1))
        child.send_signal(signal.SIGKILL)
        told = 1 + len(child.stdout.read().splitlines())
    store = opened(tmp_path)
    memories = store.memories.count(SIGHT)["active"]
    assert memories in {told, told + 1}
    assert len(list(store.events.chain())) == memories
    put(store, "Afterwards.")
    assert "Afterwards." in texts(tmp_path)


@pytest.fixture
def grown(tmp_path: Path) -> Callable[[int], JsonlStore]:
    """A store of so many memories."""

    def grow(count: int) -> JsonlStore:
        store = opened(tmp_path)
        put(store, *(f"Statement {n}." for n in range(count)))
        return store

    return grow


def test_a_change_of_one_row_appends_one_row(grown: Callable[[int], JsonlStore]) -> None:
    """However much there is."""
    store = grown(500)
    before = store.log.size_bytes
    put(store, "One more.")
    added = store.log.path.read_bytes()[before:].splitlines()
    assert len(added) == 2
    assert json.loads(added[0])["in"] == "memories"
