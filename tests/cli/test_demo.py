"""The demo tells its story anywhere."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from tests.cli.shell import Shell

if TYPE_CHECKING:
    from pathlib import Path

WORKS = "make check SUITE=tides"


def test_the_story_is_told(learnt: Shell) -> None:
    """Three moments bring the lesson, the quote is in place, the chain holds; nothing of the user is touched."""
    told = learnt.json("demo")
    moments = {scene["moment"]: scene["context"] for scene in told["scenes"] if "moment" in scene}
    assert set(moments) == {"session_start", "pre_tool", "prompt"}
    assert all(WORKS in context for context in moments.values())
    explained = next(scene["explanation"] for scene in told["scenes"] if "explanation" in scene)
    assert any(each["verified"] and each["quote"] in each["span"]["text"] for each in explained["evidence"])
    assert told["scenes"][-1]["verified"] is True
    assert [path for path in learnt.root.rglob("*") if path.is_file()] == []


def test_the_story_is_readable(learnt: Shell) -> None:
    """Every scene is on screen, and no line is wider than the window."""
    shown = learnt("demo")
    assert shown.code == 0
    assert WORKS in shown.out
    assert "You decide what is kept" in shown.out
    assert max(map(len, shown.out.splitlines())) <= 110


def test_it_runs_without_git_home_and_person(learnt: Shell, tmp_path: Path) -> None:
    """No git on the path, no home directory, inside an agent's process: the same story."""
    environment = {"PATH": "/nonexistent", "CLAUDECODE": "1", "LEARNT_AGENT": "a", "TMPDIR": str(tmp_path)}
    before = {*tmp_path.iterdir()}
    done = learnt.process("demo", "--json", env=environment)
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout)
    assert told["scenes"][-1]["git"] is False
    assert {*tmp_path.iterdir()} == before


def test_the_folder_may_be_kept(learnt: Shell, tmp_path: Path) -> None:
    """--keep leaves a world that the commands can look at; a folder in use is refused."""
    told = learnt("demo", "--keep", str(tmp_path / "kept"))
    assert "LEARNT_HOME" in told.out
    learnt.monkeypatch.setenv("LEARNT_HOME", str(tmp_path / "kept" / "learnt"))
    learnt.monkeypatch.setenv("LEARNT_CONFIG", str(tmp_path / "kept" / "config" / "config.toml"))
    memories = learnt.json("list", "--project", str(tmp_path / "kept" / "harbour"))["memories"]
    assert any(WORKS in memory["text"] for memory in memories)
    assert learnt.json("demo", "--keep", str(tmp_path / "kept"), code=2)["error"]["code"] == "not_empty"
