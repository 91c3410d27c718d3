"""The machine behind the ports: its clock, its random source, and what git says of a folder."""

from __future__ import annotations

import os
import secrets
import subprocess
import time
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from learnt.bootstrap.tree import Tree
from learnt.model.instant import from_epoch

if TYPE_CHECKING:
    from learnt.model.view import Look

_GIT_S = 5
_BOOT_ID = Path("/proc/sys/kernel/random/boot_id")
"""Linux alone counts from one start for all processes and names it."""


class SystemClock:
    """The machine's clock."""

    def now(self) -> str:
        """See `learnt.ports.clock.Clock`."""
        return from_epoch(time.time())


def since_start() -> tuple[str, int]:
    """Which start of this machine it is ("" where the system does not tell), and milliseconds since that nobody sets.

    Time asleep does not count: a lease that was held when the lid closed is held when it opens.
    """
    try:
        start = _BOOT_ID.read_text("ascii").strip()
    except (OSError, ValueError):
        return "", 0
    return start, time.monotonic_ns() // 1_000_000


class RandomIds:
    """Names from the operating system's random source."""

    def new(self, prefix: str) -> str:
        """See `learnt.ports.clock.Ids`."""
        return f"{prefix}_{secrets.token_hex(8)}"

    def marker(self) -> str:
        """See `learnt.ports.clock.Ids`."""
        return secrets.token_hex(4)


@dataclass(frozen=True)
class GitWorkplace:
    """See `learnt.ports.workplace.Workplace`; asks git."""

    root: str

    def is_file(self, path: str) -> bool:
        """Whether a path relative to the root is a file inside it."""
        try:
            found = (Path(self.root) / path).resolve()
            return found.is_file() and found.is_relative_to(self.root)
        except (OSError, ValueError):
            return False

    def look(self, path: str) -> Look:
        """The file as it stands now; one that did not change since the last look is not read again."""
        return self._tree.look(path)

    @cached_property
    def _tree(self) -> Tree:
        return Tree(self.root)

    def brought(self, place: str, cwd: str = "") -> bool:
        """Whether a file lies in the work tree and git does not say that it is untracked, which it cannot of a copy.

        Asked is the repository whose `.git` is the nearest above the file: git itself takes a folder for a repository
        that only looks like one, and such a folder, with settings that hide its files, can be part of a clone.
        """
        path = place if os.path.lexists(place) else place.rpartition("#")[0]
        real = os.path.realpath(path)
        if not path or not any(Path(real).is_relative_to(os.path.realpath(root)) for root in (self.root, cwd) if root):
            return False
        top = next((each for each in Path(real).parents if os.path.lexists(each / ".git")), None)
        if top is None:
            return True
        name = f":(literal){Path(real).relative_to(top).as_posix()}"
        return bool(_git(str(top), "ls-files", "--", name)) or not _git(str(top), "ls-files", "--others", "--", name)

    def root_commit(self) -> str:
        """The oldest root commit, or ""; asked once, for it costs a walk of the history."""
        return self._root_commit

    @cached_property
    def _root_commit(self) -> str:
        return _git(self.root, "rev-list", "--max-parents=0", "HEAD").rpartition("\n")[2]

    def head_commit(self, at: str = "") -> str:
        """The commit checked out at an instant, or now."""
        if not at:
            return _git(self.root, "rev-parse", "HEAD")
        return _git(self.root, "rev-list", "-1", f"--before={at}", "HEAD")

    def committed_at(self, commit: str) -> str:
        """When a commit was made."""
        told = _git(self.root, "show", "-s", "--format=%ct", f"{commit}^{{commit}}", "--")
        return from_epoch(int(told)) if told.isdigit() else ""


def _git(root: str, *arguments: str) -> str:
    """What git prints; "" where there is no git, no repository or no answer. Hooks and pagers are never started."""
    command = ["git", "-C", root, "-c", "core.fsmonitor=false", "-c", "core.hooksPath=/dev/null", *arguments]
    try:
        env = git_environment()
        done = subprocess.run(command, capture_output=True, text=True, timeout=_GIT_S, check=False, env=env)
    except (OSError, subprocess.TimeoutExpired, UnicodeDecodeError):
        return ""
    return done.stdout.strip() if done.returncode == 0 else ""


def git_environment() -> dict[str, str]:
    """The environment without git's own variables: inside a git hook they name another repository than the folder."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    return {**kept, "GIT_OPTIONAL_LOCKS": "0", "GIT_TERMINAL_PROMPT": "0"}
