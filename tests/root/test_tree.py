"""Files of a work tree: there, not there, or nobody can say."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from learnt.bootstrap import GitWorkplace
from learnt.bootstrap.tree import Tree
from learnt.model.view import MAX_BYTES, View

if TYPE_CHECKING:
    from pathlib import Path


def test_what_is_there_and_what_is_not(tmp_path: Path) -> None:
    """A file is seen; a missing one, a folder and a file behind a file are absent."""
    (tmp_path / "src").mkdir()
    (tmp_path / "src/a.py").write_text("x = 1\n")
    tree = Tree(str(tmp_path))
    found = tree.look("src/a.py")
    assert isinstance(found, View)
    assert found.lines[0] == b"x = 1"
    for path in ("src/b.py", "src", "no/b.py", "src/a.py/b", "", "."):
        assert tree.look(path) == "absent"
    assert GitWorkplace(str(tmp_path)).look("src/b.py") == "absent"


def test_nothing_outside_is_looked_at(tmp_path: Path) -> None:
    """Neither by `..`, nor by an absolute path, nor through a link; a link inside is followed."""
    (tmp_path / "secret").write_text("key")
    root = tmp_path / "root"
    (root / "src").mkdir(parents=True)
    (root / "src/a.py").write_text("x = 1\n")
    (root / "out").symlink_to(tmp_path / "secret")
    (root / "folder").symlink_to(tmp_path)
    (root / "in").symlink_to(root / "src/a.py")
    tree = Tree(str(root))
    for path in ("../secret", str(tmp_path / "secret"), "out", "folder/secret"):
        assert tree.look(path) == "absent", path
    assert isinstance(tree.look("in"), View)


def test_a_pipe_is_not_opened(tmp_path: Path) -> None:
    """What is no regular file would hold the reader up for ever."""
    os.mkfifo(tmp_path / "pipe")
    assert Tree(str(tmp_path)).look("pipe") == "absent"


def test_a_tree_that_cannot_be_read_is_unknown(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A root that is gone, or a file nobody may open, says nothing about what was in it."""
    assert Tree(str(tmp_path / "gone")).look("a.py") == "unreadable"
    (tmp_path / "a.py").write_text("x")

    def refuse(*_: object) -> int:
        raise PermissionError(13, "no")

    monkeypatch.setattr(os, "open", refuse)
    assert Tree(str(tmp_path)).look("a.py") == "unreadable"


def test_a_change_is_seen_at_once(tmp_path: Path) -> None:
    """A file is read again when it changed, also within one tick of its clock, also when it keeps its size."""
    path = tmp_path / "a.py"
    tree = Tree(str(tmp_path))
    for number in range(20):
        path.write_text(f"x = {number % 10}\n")
        found = tree.look("a.py")
        assert isinstance(found, View)
        assert found.lines[0] == f"x = {number % 10}".encode()


def test_a_file_that_did_not_change_is_read_once(tmp_path: Path) -> None:
    """The view of a settled file is kept; the size of a large one is enough."""
    path = tmp_path / "a.py"
    path.write_text("x\n")
    os.utime(path, (1, 1))
    tree = Tree(str(tmp_path))
    assert tree.look("a.py") is tree.look("a.py")
    path.write_bytes(b"x\n" * (MAX_BYTES // 2 + 1))
    found = tree.look("a.py")
    assert isinstance(found, View)
    assert found.large
