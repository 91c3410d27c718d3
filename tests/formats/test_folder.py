"""A folder of an export after a process was killed while it wrote one."""

from __future__ import annotations

import os
import signal
from typing import TYPE_CHECKING

import pytest

from learnt.errors import UsageError
from learnt.formats.folder import ExportFolder
from learnt.model.parcel import MANIFEST

if TYPE_CHECKING:
    from pathlib import Path

NAMES = ("memories.jsonl", "proposals.jsonl", MANIFEST)


def _write(folder: Path, word: str) -> None:
    to = ExportFolder(str(folder))
    for name in NAMES:
        to.write(name, [word])
    to.finish()


def _killed(folder: Path, moved: int) -> None:
    """A process that dies when it has moved so many files to their place."""
    pid = os.fork()
    if pid == 0:
        left = [moved]
        replace = type(folder).replace

        def dying(path: Path, to: Path) -> object:
            if not left[0]:
                os.kill(os.getpid(), signal.SIGKILL)
            left[0] -= 1
            return replace(path, to)

        type(folder).replace = dying  # type: ignore[method-assign, assignment]
        _write(folder, "torn")
        os._exit(0)
    os.waitpid(pid, 0)


@pytest.mark.parametrize("moved", [0, 1, 2])
def test_an_export_that_was_killed_is_done_again(tmp_path: Path, moved: int) -> None:
    """The next one replaces everything, and takes along what was left behind; also after one that was given up."""
    folder = tmp_path / "out"
    _write(folder, "old")
    _killed(folder, moved)
    assert not (folder / MANIFEST).exists()
    ExportFolder(str(folder)).discard()
    _write(folder, "new")
    assert sorted(path.name for path in folder.iterdir()) == sorted(NAMES)
    assert {path.read_text() for path in folder.iterdir()} == {"new\n"}


def test_somebody_elses_files_are_still_refused(tmp_path: Path) -> None:
    """Files of these names without a manifest, and without an export that was interrupted."""
    (tmp_path / "memories.jsonl").write_text("mine\n")
    with pytest.raises(UsageError):
        ExportFolder(str(tmp_path))


def test_two_at_once_leave_each_other_alone(tmp_path: Path) -> None:
    """What another process is still writing is not taken for a leftover."""
    one, two = ExportFolder(str(tmp_path / "out")), ExportFolder(str(tmp_path / "out"))
    for each in (one, two):
        for name in NAMES:
            each.write(name, ["x"])
    one.finish()
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == sorted(NAMES)
    two.discard()
