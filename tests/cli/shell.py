"""The command line in a world of its own: one user, one project, nothing of the machine's."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from learnt.hosts.marker import MARKERS
from learnt.interfaces.cli.entry import run

if TYPE_CHECKING:
    from pathlib import Path

    import pytest

COMMAND = [sys.executable, "-m", "learnt.interfaces.cli.entry"]


@dataclass(frozen=True)
class Answer:
    """What a command left behind."""

    code: int
    out: str
    err: str

    @property
    def document(self) -> Any:
        """Standard output as one JSON document."""
        return json.loads(self.out)

    @property
    def error(self) -> dict[str, Any]:
        """The error of the document."""
        return self.document["error"]


@dataclass
class Shell:
    """A person's shell in a project."""

    root: Path
    monkeypatch: pytest.MonkeyPatch
    capsys: pytest.CaptureFixture[str]

    def __post_init__(self) -> None:
        for name in [*os.environ]:
            if name.startswith(("LEARNT_", "CODEX_")) or name in MARKERS or name == "CLAUDE_CONFIG_DIR":
                self.monkeypatch.delenv(name)
        for name, folder in (("HOME", "user"), ("XDG_CONFIG_HOME", "user/xdg"), ("XDG_DATA_HOME", "user/xdg-data")):
            self.monkeypatch.setenv(name, str(self.root / folder))
        self.monkeypatch.setenv("LEARNT_HOME", str(self.home))
        self.monkeypatch.setenv("LEARNT_CONFIG", str(self.config))
        self.monkeypatch.setenv("GIT_CONFIG_GLOBAL", os.devnull)
        self.monkeypatch.setenv("COLUMNS", "100")
        (self.root / "user").mkdir()
        self.project.mkdir()
        self.monkeypatch.chdir(self.project)

    @property
    def home(self) -> Path:
        """The data directory."""
        return self.root / "learnt"

    @property
    def config(self) -> Path:
        """The user's configuration file."""
        return self.root / "config" / "config.toml"

    @property
    def project(self) -> Path:
        """The project's folder."""
        return self.root / "project"

    @property
    def settings(self) -> Path:
        """The coding agent's settings."""
        return self.root / "user" / ".claude" / "settings.json"

    def __call__(self, *arguments: str) -> Answer:
        """Run a command in this process."""
        self.capsys.readouterr()
        code = run(list(arguments))
        out, err = self.capsys.readouterr()
        return Answer(code, out, err)

    def json(self, *arguments: str, code: int = 0) -> Any:
        """Run a command with `--json`; gives its document."""
        answer = self(*arguments, "--json")
        assert answer.code == code, answer
        return answer.document

    def process(
        self, *arguments: str | bytes, stdin: bytes = b"", **options: Any
    ) -> subprocess.CompletedProcess[bytes]:
        """Run a command in a process of its own."""
        return subprocess.run(
            [*COMMAND, *arguments], input=stdin, capture_output=True, timeout=60, check=False, **options
        )

    def remember(self, text: str = "Run the tests with TZ=UTC.", kind: str = "repo_convention", *more: str) -> str:
        """Write a memory; gives its id."""
        return self.json("remember", text, "--kind", kind, *more)["memory"]["id"]

    def agent(self) -> None:
        """From now on an agent runs the commands."""
        self.monkeypatch.setenv("CLAUDECODE", "1")

    def person(self) -> None:
        """From now on a person runs the commands again."""
        self.monkeypatch.delenv("CLAUDECODE")
