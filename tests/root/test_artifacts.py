"""Files that are made from rows: whole or not at all, for this user alone, through no link."""

from __future__ import annotations

import fcntl
import os
import stat
import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from typing import TYPE_CHECKING

import pytest

from learnt.bootstrap.artifacts import Folder
from learnt.errors import ArtifactError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

NAME = "reflections/repo/lessons.json"


def _names(folder: Path) -> list[str]:
    return sorted(each.name for each in folder.iterdir())


def test_a_file_is_made_with_its_folders_and_replaced(tmp_path: Path) -> None:
    """Readable by this user alone, and nothing else is left beside it."""
    files = Folder(tmp_path / "data")
    path = files.write(NAME, [b"one ", b"two"])
    assert files.read(NAME, 100) == b"one two"
    files.write(NAME, [b"three"])
    assert (tmp_path / "data" / NAME).read_bytes() == b"three"
    assert path == str(tmp_path / "data" / NAME)
    assert _names(tmp_path / "data/reflections/repo") == ["lessons.json"]
    modes = [stat.S_IMODE((tmp_path / "data" / each).stat().st_mode) for each in ("reflections", NAME)]
    assert modes == [0o700, 0o600]


def test_a_failure_leaves_the_old_file(tmp_path: Path) -> None:
    """Also when the content itself fails in the middle."""
    files = Folder(tmp_path)
    files.write(NAME, [b"old"])

    def broken() -> Iterator[bytes]:
        yield b"new"
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        files.write(NAME, broken())
    assert files.read(NAME, 9) == b"old"
    assert _names(tmp_path / "reflections/repo") == ["lessons.json"]


def test_no_link_is_followed(tmp_path: Path) -> None:
    """A link in the file's place is replaced, one in a folder's place refused; what they point to stays."""
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "lessons.json").write_bytes(b"theirs")
    files = Folder(tmp_path / "data")
    files.write("a/lessons.json", [b"x"])
    (tmp_path / "data/b").symlink_to(outside)
    with pytest.raises(ArtifactError):
        files.write("b/lessons.json", [b"ours"])
    with pytest.raises(ArtifactError, match="b is a symbolic link"):
        files.write("b/deeper/lessons.json", [b"ours"])
    assert [each.name for each in outside.iterdir()] == ["lessons.json"]
    assert files.read("b/lessons.json", 100) is None
    assert files.remove("b/lessons.json") is False
    (tmp_path / "data/a/lessons.json").unlink()
    (tmp_path / "data/a/lessons.json").symlink_to(outside / "lessons.json")
    assert files.read("a/lessons.json", 100) is None
    files.write("a/lessons.json", [b"ours"])
    assert (outside / "lessons.json").read_bytes() == b"theirs"
    assert files.read("a/lessons.json", 100) == b"ours"


def test_only_plain_files_of_a_fit_size_are_read(tmp_path: Path) -> None:
    """A pipe does not hold the reader."""
    files = Folder(tmp_path)
    assert files.read(NAME, 9) is None
    files.write("big", [b"x" * 10])
    assert files.read("big", 9) is None
    os.mkfifo(tmp_path / "pipe")
    assert files.read("pipe", 9) is None
    (tmp_path / "folder").mkdir()
    assert files.read("folder", 9) is None


def test_a_file_is_removed_once(tmp_path: Path) -> None:
    """The second time there is none."""
    files = Folder(tmp_path)
    files.write(NAME, [b"x"])
    assert (files.remove(NAME), files.remove(NAME), files.remove("no/such/file")) == (True, False, False)


@pytest.mark.parametrize("name", ["../x", "/etc/x", "a//b", "a/../../b", "", "a/./b", "c:x", "a\\b"])
def test_a_name_that_leads_out_is_a_mistake_of_the_program(tmp_path: Path, name: str) -> None:
    """Nothing is touched."""
    with pytest.raises(ValueError, match="names no file"):
        Folder(tmp_path / "data").write(name, [b"x"])
    assert _names(tmp_path / "data") == []


def test_a_folder_in_the_way_is_told_of(tmp_path: Path) -> None:
    """With what it was to be written to, and why not."""
    (tmp_path / "reflections").write_text("in the way")
    with pytest.raises(ArtifactError) as caught:
        Folder(tmp_path).write(NAME, [b"x"])
    assert NAME in caught.value.message


def test_another_folder_is_one_of_its_own(tmp_path: Path) -> None:
    """Below this one, or anywhere."""
    Folder(tmp_path).at("below").write("x", [b"1"])
    Folder(tmp_path).at(str(tmp_path / "else")).write("x", [b"2"])
    assert ((tmp_path / "below/x").read_bytes(), (tmp_path / "else/x").read_bytes()) == (b"1", b"2")


def test_what_a_killed_process_left_goes_with_the_next_file(tmp_path: Path) -> None:
    """A temporary file nobody writes any more is removed; one that is being written stays."""
    folder = Folder(tmp_path)
    left, written = (tmp_path / f".lessons.md.{digit * 16}" for digit in "ab")
    other = tmp_path / ".notes.md.aaaaaaaaaaaaaaaa"
    for path in (left, written, other):
        path.write_bytes(b"old words")
    with written.open("rb") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        folder.write("lessons.md", [b"new"])
        assert sorted(path.name for path in tmp_path.iterdir()) == [written.name, other.name, "lessons.md"]
    folder.write("lessons.md", [b"newer"])
    assert sorted(path.name for path in tmp_path.iterdir()) == [other.name, "lessons.md"]


def test_changes_made_at_once_are_all_there(tmp_path: Path) -> None:
    """Each sees what the one before it left."""
    folder = Folder(tmp_path)

    def add(number: int) -> bool:
        return folder.change("a/notes.md", 10_000, lambda before: before + f"{number}\n".encode())

    with ThreadPoolExecutor(8) as pool:
        assert all(pool.map(add, range(40)))
    lines = (tmp_path / "a/notes.md").read_text().split()
    assert sorted(lines, key=int) == [str(number) for number in range(40)]
    assert not folder.change("a/notes.md", 10_000, lambda before: before)


def test_what_cannot_be_read_is_not_changed(tmp_path: Path) -> None:
    """A file that is too large, and a link, are left as they are."""
    folder = Folder(tmp_path)
    (tmp_path / "large").write_text("x" * 11)
    (tmp_path / "link").symlink_to(tmp_path / "large")
    for name in ("large", "link"):
        with pytest.raises(ArtifactError, match="left untouched"):
            folder.change(name, 10, lambda before: before + b"y")
    assert (tmp_path / "large").read_text() == "x" * 11


def test_files_made_ready_take_their_places_in_a_moment_or_not_at_all(tmp_path: Path) -> None:
    """Until they are put there nothing is to be seen of them; what is not put there is gone."""
    files = Folder(tmp_path)
    files.write("top/one", [b"old"])
    with files.stage({"top/one": b"new", "top/in/two": b"2"}) as put:
        assert (files.read("top/one", 9), files.read("top/in/two", 9)) == (b"old", None)
        put()
        assert (files.read("top/one", 9), files.read("top/in/two", 9)) == (b"new", b"2")
    with pytest.raises(KeyError), files.stage({"top/one": b"newer"}):
        raise KeyError
    assert (files.read("top/one", 9), _names(tmp_path / "top"), _names(tmp_path / "top/in")) == (
        b"new",
        ["in", "one"],
        ["two"],
    )


def test_files_that_cannot_be_made_ready_leave_all_as_it_was(tmp_path: Path) -> None:
    """One of several; waiting may help, and it is said so."""
    files = Folder(tmp_path)
    (tmp_path / "top").mkdir()
    (tmp_path / "top/in").write_bytes(b"no folder")
    with pytest.raises(ArtifactError) as told, files.stage({"top/one": b"1", "top/in/two": b"2"}):
        pytest.fail("it was ready")
    assert told.value.may_retry
    assert _names(tmp_path / "top") == ["in"]


def test_a_folder_is_emptied_while_somebody_writes_into_it(tmp_path: Path) -> None:
    """What comes meanwhile is no error, and at the end nothing is there."""
    files, over = Folder(tmp_path), threading.Event()

    def write() -> None:
        while not over.is_set():
            with suppress(ArtifactError):  # its folder went in the middle
                files.write("top/a/b/file", [b"x"])

    with ThreadPoolExecutor(1) as pool:
        writing = pool.submit(write)
        for _ in range(200):
            files.clear("top")
        over.set()
        writing.result()
    files.clear("top")
    assert files.names("top") == ()
