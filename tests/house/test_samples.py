"""The samples in the documents run."""

from __future__ import annotations

import re
import shlex
from typing import TYPE_CHECKING

import click
import pytest

from learnt.interfaces.cli.commands import learnt
from learnt.interfaces.cli.entry import run
from tests.house.source import ROOT

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

PAGES = ("README.md", *(path.relative_to(ROOT).as_posix() for path in sorted((ROOT / "docs").rglob("*.md"))))


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty project, with a data directory and a configuration of the test's own."""
    monkeypatch.setenv("LEARNT_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("LEARNT_CONFIG", str(tmp_path / "config" / "config.toml"))
    made = tmp_path / "project"
    made.mkdir()
    (made / "pyproject.toml").write_text("", "utf-8")
    monkeypatch.chdir(made)
    return made


@pytest.mark.parametrize("page", ["README.md", "docs/reference/library.md"])
def test_the_python_sample_runs(page: str, project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The first Python sample of a page runs as it stands, and prints the block with what it remembered."""
    sample = re.findall(r"```python\n(.*?)```", (ROOT / page).read_text("utf-8"), re.DOTALL)[0]
    exec(compile(sample, page, "exec"), {})  # noqa: S102 - our own page, as a reader would run it
    shown = capsys.readouterr().out
    assert shown.startswith("<recalled_memory ")
    assert "This repository uses uv." in shown


def test_the_first_commands_of_the_readme_run(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """`remember`, `recall` and `pending` of the README do what it says."""
    taste = {words[1]: words[1:] for words in _commands("README.md")}
    for verb in ("remember", "recall", "pending"):
        assert run(taste[verb]) == 0, capsys.readouterr().err
    assert "Tests need TZ=UTC." in capsys.readouterr().out


@pytest.mark.parametrize("page", PAGES)
def test_every_command_line_in_a_page_is_one_of_ours(page: str) -> None:
    """Each `learnt` command line of a page names a command and options that exist."""
    for _, *words in _commands(page):
        command: click.Command = learnt
        while words and isinstance(command, click.Group) and words[0] in command.commands:
            command = command.commands[words.pop(0)]
        assert command is not learnt, words
        known = {name for parameter in command.params for name in parameter.opts}
        assert [word for word in words if word.startswith("--") and word.partition("=")[0] not in known] == []


def _commands(page: str) -> Iterator[list[str]]:
    text = (ROOT / page).read_text("utf-8")
    for block in re.findall(r"```console\n(.*?)```", text, re.DOTALL):
        for line in block.splitlines():
            if line.startswith("$ learnt "):
                yield shlex.split(line[2:], comments=True)
