"""One memory, several work trees of one repository: each has its own answer."""

from __future__ import annotations

import os
import shutil
import subprocess
from typing import TYPE_CHECKING

from learnt.bootstrap import Home
from learnt.engine import Engine
from learnt.model.answer import Written

if TYPE_CHECKING:
    from pathlib import Path

GIT = {"GIT_AUTHOR_NAME": "a", "GIT_AUTHOR_EMAIL": "a@b", "GIT_COMMITTER_NAME": "a", "GIT_COMMITTER_EMAIL": "a@b"}
CODE = "def renew(lease):\n    lease.flush()\n    return lease\n"


def _git(folder: Path, *arguments: str) -> str:
    done = subprocess.run(
        ["git", *arguments], cwd=folder, env={**os.environ, **GIT}, capture_output=True, text=True, check=True
    )
    return done.stdout.strip()


def _states(at: Path, user: Home) -> list[str]:
    with Engine.open(at, home=user) as engine:
        return [each.state for each in engine.stale(check=True).checked or ()]


def test_each_work_tree_is_asked_for_itself(tmp_path: Path) -> None:
    """What one worktree changed or lacks says nothing in another, and nothing is lost with a worktree."""
    user = Home({"LEARNT_HOME": str(tmp_path / "home"), "LEARNT_CONFIG": str(tmp_path / "conf" / "config.toml")})
    first, second = tmp_path / "first", tmp_path / "second"
    (first / "src").mkdir(parents=True)
    (first / "src/lease.py").write_text(CODE)
    _git(first, "init", "-q", "-b", "main")
    _git(first, "add", ".")
    _git(first, "commit", "-q", "-m", "first")
    with Engine.open(first / "src", home=user) as engine:
        written = engine.remember("renew flushes", kind="project_fact", evidence=["src/lease.py:1-3"])
        assert isinstance(written, Written)
        pins = written.memory.metadata["pins"]
        assert isinstance(pins, list)
        assert pins[0]["path"] == "src/lease.py"
        assert pins[0]["commit"] == _git(first, "rev-parse", "HEAD")
    _git(first, "worktree", "add", "-q", "-b", "other", str(second))
    assert _states(second, user) == ["intact"]
    (second / "src/lease.py").write_text(CODE.replace("flush", "drop"))
    assert (_states(first, user), _states(second, user)) == (["intact"], ["changed"])
    (second / "src/lease.py").unlink()
    assert (_states(first, user), _states(second, user)) == (["intact"], ["gone"])
    _git(second, "checkout", "-q", "--", ".")
    assert _states(second, user) == ["intact"]
    shutil.rmtree(second)
    assert _states(first, user) == ["intact"]
