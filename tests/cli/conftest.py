"""What the tests of the command line get."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import pytest

from learnt.interfaces.cli.stage import Stage
from tests.cli.shell import Shell

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


@pytest.fixture
def learnt(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Shell:
    """The command line of a person who never used it before."""
    return Shell(tmp_path, monkeypatch, capsys)


@pytest.fixture
def transcript(learnt: Shell) -> Callable[[str], Path]:
    """A sample session (`one`, `two`, `three`) as if it had run in the project yesterday."""

    class Here(Stage):
        project = learnt.project

    return lambda name: Here(learnt.root, time.time()).transcript(name, 1)
