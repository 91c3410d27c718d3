"""The throw-away world of `learnt demo`: a project, a home for learnt and for the coding agent, real hooks between.

Nothing of the user is read or changed: every path is below one new folder, and the environment is made here, so that
the play is a person's wherever it runs.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from learnt.bootstrap import Home
from learnt.engine import Engine
from learnt.errors import ConfigError
from learnt.interfaces.hook.end import LOCKS
from learnt.interfaces.hook.owed import LOCK
from learnt.interfaces.hook.stub import STUB
from learnt.model.instant import from_epoch, to_epoch

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

_SESSIONS = Path(__file__).parent / "sessions"
_WRITTEN_IN = "/home/mira/harbour"
"""The folder that the sample sessions name as theirs."""
_FROM_OUTSIDE = ("PATH", "SYSTEMROOT", "TEMP", "TMP", "TMPDIR", "PATHEXT", "LANG", "LC_ALL")

_BY_WORDS = "[embeddings]\nenabled = false\n"
"""The play is the same with and without a model, and no warm process stays behind it."""

_GIT_S = 10
_HOOK_S = 10
_DAY_S = 86_400


class Stage:
    """One play's world below `root`.

    Args:
        now_s: The moment the play began, Unix seconds; the sessions lie in the days before it.
    """

    def __init__(self, root: Path, now_s: float) -> None:
        self.root = root
        self.now_s = now_s
        self.has_git = False

    @cached_property
    def project(self) -> Path:
        """The project's folder."""
        return self.root / "harbour"

    @cached_property
    def environment(self) -> dict[str, str]:
        """What every process of the play sees."""
        kept = {name: os.environ[name] for name in _FROM_OUTSIDE if name in os.environ}
        return {
            **kept,
            "HOME": str(self.root / "user"),
            "LEARNT_HOME": str(self.root / "learnt"),
            "LEARNT_CONFIG": str(self.root / "config" / "config.toml"),
            "CLAUDE_CONFIG_DIR": str(self.root / "user" / ".claude"),
            "GIT_CONFIG_GLOBAL": os.devnull,
            "GIT_CONFIG_NOSYSTEM": "1",
        }

    @cached_property
    def home(self) -> Home:
        """Where this world's learnt lives."""
        return Home(self.environment)

    def build(self) -> None:
        """Make the folders and, where there is git, a repository.

        Raises:
            ConfigError: The folder cannot be written.
        """
        try:
            for folder in (self.project, self.root / "user" / ".claude", self.home.config_file.parent):
                folder.mkdir(parents=True)
            self.home.config_file.write_text(_BY_WORDS, encoding="utf-8")
            for folder in (self.home.data_dir, self.home.data_dir / LOCKS):
                folder.mkdir(mode=0o700)
            (self.home.data_dir / LOCKS / LOCK).touch()  # as if a worker had begun: none outlives the play
            (self.project / "README.md").write_text("# Harbour\n\nTide tables.\n", encoding="utf-8")
        except OSError as error:
            raise ConfigError(f"{error.filename} cannot be written: {error.strerror}", code="not_written") from None
        self.has_git = self._git("init", "-q")

    def engine(self) -> Engine:
        """An engine in the project."""
        return Engine.open(self.project, home=self.home)

    def commit(self, days: float) -> bool:
        """A commit so many days ago; False without git."""
        if not self.has_git:
            return False
        at = from_epoch(self.now_s - days * _DAY_S)
        with (self.project / "README.md").open("a", encoding="utf-8") as file:
            file.write(f"\nChanged {at[:10]}.\n")
        who = ("-c", "user.name=Mira", "-c", "user.email=mira@example.invalid", "-c", "commit.gpgsign=false")
        return self._git("add", "-A") and self._git(*who, "commit", "-q", "-m", "Tables", at=at)

    def _git(self, *arguments: str, at: str = "") -> bool:
        dated = {"GIT_AUTHOR_DATE": at, "GIT_COMMITTER_DATE": at} if at else {}
        try:
            done = subprocess.run(
                ["git", "-C", str(self.project), *arguments],
                env={**self.environment, **dated},
                stdin=subprocess.DEVNULL,
                capture_output=True,
                timeout=_GIT_S,
                check=False,
            )
        except (OSError, subprocess.TimeoutExpired):
            return False
        return done.returncode == 0

    def transcript(self, name: str, days: float) -> Path:
        """A sample session as if it had ended here so many days ago."""
        rows = [json.loads(row) for row in (_SESSIONS / f"{name}.jsonl").read_text("utf-8").splitlines()]
        shift_s = self.now_s - days * _DAY_S - to_epoch(rows[-1]["timestamp"])
        path = self.root / "user" / ".claude" / "projects" / "harbour" / f"{rows[0]['sessionId']}.jsonl"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("".join(self._here(row, shift_s) for row in rows), encoding="utf-8")
        return path

    def _here(self, row: dict[str, object], shift_s: float) -> str:
        moved = {**row, "timestamp": from_epoch(to_epoch(str(row["timestamp"])) + shift_s)}
        folder = json.dumps(str(self.project))[1:-1]
        return json.dumps(moved, ensure_ascii=False).replace(_WRITTEN_IN, folder) + "\n"

    def hook(self, event: str, payload: Mapping[str, object], host: str = "claude-code") -> str:
        """What the real hook process puts in front of an agent at an event; "" for nothing."""
        command = [sys.executable, "-I", "-S", str(self.home.data_dir / STUB), event, "--host", host]
        done = subprocess.run(
            command,
            input=json.dumps({**payload, "cwd": str(self.project)}).encode(),
            env=self.environment,
            capture_output=True,
            timeout=_HOOK_S,
            check=False,
        )
        if not done.stdout.strip():
            return ""
        answer = json.loads(done.stdout)
        return str(answer.get("hookSpecificOutput", {}).get("additionalContext", ""))

    def spoken(self, path: Path) -> Iterator[tuple[str, str]]:
        """What was said and done in a transcript: `person`, `agent`, `command`, `failed` or `worked`, and the words."""
        for text in path.read_text("utf-8").splitlines():
            message = json.loads(text)["message"]
            content = message["content"]
            if isinstance(content, str):
                yield "person", content
                continue
            for block in content:
                yield from _told(block)


def _told(block: dict[str, object]) -> Iterator[tuple[str, str]]:
    match block:
        case {"type": "text", "text": str(words)}:
            yield "agent", words
        case {"type": "tool_use", "name": "Bash", "input": {"command": str(words)}}:
            yield "command", words
        case {"type": "tool_use", "name": str(tool), "input": {"file_path": str(path)}}:
            yield "edit", f"{tool} {Path(path).name}"
        case {"type": "tool_result", "content": str(words)}:
            yield "failed" if block.get("is_error") else "worked", words
