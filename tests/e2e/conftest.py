"""What the tests with the real clients share: the programs, the scripted model, a repository, the matrix."""

from __future__ import annotations

import os
import signal
import subprocess
import time
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.e2e.client import recipe
from tests.e2e.fetch import UnavailableError, stock
from tests.e2e.hosts.roster import called
from tests.e2e.matrix import Row, documented, merged
from tests.e2e.model import Model
from tests.e2e.tools import TOOLS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator


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
def programs() -> dict[str, Path | UnavailableError]:
    """Every program that the tests want, all fetched at once, or why one cannot be had."""
    recipes = [recipe(), *(each for host in called() for each in host.recipes)]
    return stock({each.name: each for each in recipes}.values())


@pytest.fixture
def fetched(programs: dict[str, Path | UnavailableError]) -> Callable[[str], Path]:
    """Gives a program by name; where it cannot be had the test is skipped, with the reason in the report."""

    def had(name: str) -> Path:
        program = programs.get(name, UnavailableError(f"LEARNT_E2E names others, and {name} not"))
        if isinstance(program, UnavailableError):
            pytest.skip(f"the real client was not run: {program}")
        return program

    return had


@pytest.fixture
def model() -> Iterator[Model]:
    """The scripted model, served."""
    with Model() as serving:
        yield serving


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """A repository with one commit, whose programs insist on an option."""
    path = tmp_path / "repository"
    git = ["git", "-c", "user.name=Ada", "-c", "user.email=ada@example.org", "-C", str(path)]
    subprocess.run(["git", "init", "-q", "-b", "main", str(path)], check=True)
    (path / "README").write_text("A project.\n", "utf-8")
    for name, option in TOOLS.items():
        _insist(path / "tools" / name, option)
    subprocess.run([*git, "add", "."], check=True)
    subprocess.run([*git, "commit", "-q", "-m", "Begin"], check=True)
    return path


def _insist(path: Path, option: str) -> None:
    path.parent.mkdir(exist_ok=True)
    path.write_text(
        f'#!/bin/sh\n[ "$1" = --{option} ] && echo "{path.name} $2: ok" && exit 0\n'
        f'echo "{path.name}: unexpected argument $1, expected --{option} NAME" >&2\nexit 2\n',
        "utf-8",
    )
    path.chmod(0o755)


@pytest.fixture
def saw(record_property: Callable[[str, object], None]) -> Callable[[str, str, Row], None]:
    """Notes what a client was seen to do, and holds it against the documentation."""

    def noted(host: str, version: str, cells: Row) -> None:
        record_property("saw", (host, version, cells))
        shown = documented().get(host, {})
        assert {column: shown.get(column) for column in cells} == cells

    return noted


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Print the matrix of what was seen."""
    reports = [report for each in terminalreporter.stats.values() for report in each]
    seen = [value for report in reports for key, value in getattr(report, "user_properties", ()) if key == "saw"]
    if seen:
        terminalreporter.write_sep("=", "seen with the real clients")
        for line in merged({repr(each): each for each in seen}.values()):
            terminalreporter.write_line(line)
