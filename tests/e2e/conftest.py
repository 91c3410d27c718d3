"""What the tests with the real client share: the program, the scripted model, a repository."""

from __future__ import annotations

import os
import signal
import subprocess
import time
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.e2e.client import UnavailableError, install
from tests.e2e.model import Model

if TYPE_CHECKING:
    from collections.abc import Iterator


@pytest.fixture(autouse=True)
def _no_process_left(tmp_path: Path) -> Iterator[None]:
    """Where a local model is installed a prompt starts a warm process; it ends with its test."""
    yield
    for _ in range(2):  # one that is starting shows only a moment later
        for entry in Path("/proc").glob("[0-9]*/cmdline"):
            _end(entry, str(tmp_path).encode())
        time.sleep(0.3)


def _end(entry: Path, mark: bytes) -> None:
    """End a warm process of this test; any other process, and one that is gone meanwhile, is left alone."""
    try:
        line = entry.read_bytes()
        if b"interfaces.warm" in line and mark in line:
            os.kill(int(entry.parent.name), signal.SIGTERM)
    except OSError:
        return


@pytest.fixture(scope="session")
def program() -> Path:
    """The client's program; where it cannot be had the test is skipped, with the reason in the report."""
    try:
        return install()
    except UnavailableError as reason:
        pytest.skip(f"the real client was not run: {reason}")


@pytest.fixture
def model() -> Iterator[Model]:
    """The scripted model, served."""
    with Model() as serving:
        yield serving


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """A repository with one commit."""
    path = tmp_path / "repository"
    git = ["git", "-c", "user.name=Ada", "-c", "user.email=ada@example.org", "-C", str(path)]
    subprocess.run(["git", "init", "-q", "-b", "main", str(path)], check=True)
    (path / "README").write_text("A project.\n", "utf-8")
    subprocess.run([*git, "add", "."], check=True)
    subprocess.run([*git, "commit", "-q", "-m", "Begin"], check=True)
    return path
