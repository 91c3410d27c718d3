"""The real Claude Code and the real Codex as writers: one answer that meets the schema, and nothing left behind."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from learnt.model.writer import NamedModel
from learnt.ports.writer import Unwritten
from learnt.providers.writers.choose import model_of
from learnt.providers.writers.write import ModelWriter
from tests.e2e.client import Client
from tests.e2e.hosts.codex import CONFIG
from tests.e2e.model import Model, Say, Use
from tests.providers.writers.scene import GOOD, SCHEMA, TASK, Counting

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

pytestmark = [pytest.mark.e2e, pytest.mark.serial, pytest.mark.slow, pytest.mark.timeout(300)]


def _writer(named: NamedModel, environment: Mapping[str, str], meter: Counting) -> ModelWriter:
    model = model_of(named, environment)
    assert not isinstance(model, Unwritten)
    return ModelWriter(model, meter)


def _files(*folders: Path) -> list[str]:
    return [str(path) for folder in folders for path in folder.rglob("*.jsonl")]


def test_claude_code_writes(fetched: Callable[[str], Path], tmp_path: Path) -> None:
    """It can do nothing but answer; no transcript, no hook, no settings; our system prompt."""
    program = fetched("claude-code")
    with Model(shell=None) as model:
        client = Client(program, tmp_path, model.url)
        client.prepare(tmp_path)
        mark = tmp_path / "hooked"
        hook: dict[str, Any] = {"hooks": [{"type": "command", "command": f"touch {mark}"}]}
        (client.config / "settings.json").write_text(
            json.dumps({"hooks": {"SessionStart": [hook], "UserPromptSubmit": [hook], "Stop": [hook]}}), "utf-8"
        )
        environment = client.environment()
        named = NamedModel(
            name="it",
            provider="claude-code",
            model="haiku",
            command=str(program),
            variables=tuple(environment),
            timeout_ms=60_000,
        )
        meter = Counting()
        model.script(Use("StructuredOutput", GOOD), Say("done"))
        found = _writer(named, environment, meter).write(TASK)
        assert found.value == GOOD
        assert meter.settled[0].tokens > 0
        turn = next(each for each in model.turns if TASK.material in "\n".join(each.texts()))
        assert TASK.system in turn.system()
        assert not {"Bash", "Read", "Edit", "Write", "WebFetch", "Task"} & set(turn.tools())
        assert not mark.exists()
        assert _files(client.config, tmp_path / "home") == []
        assert _writer(named, environment, meter)._model.check().startswith("2.")


def test_codex_writes(fetched: Callable[[str], Path], tmp_path: Path) -> None:
    """Read-only, without a rollout and without hooks; the schema goes to its model."""
    program = fetched("codex")
    with Model(shell=None) as model:
        home = tmp_path / "home" / ".codex"
        home.mkdir(parents=True)
        (home / "config.toml").write_text(CONFIG.format(model=model.url), "utf-8")
        mark = tmp_path / "hooked"
        hook = {"hooks": [{"type": "command", "command": f"touch {mark}"}]}
        (home / "hooks.json").write_text(json.dumps({"hooks": {"SessionStart": [hook]}}), "utf-8")
        environment = {"HOME": str(tmp_path / "home"), "SCRIPTED_KEY": "none", "PATH": "/usr/bin:/bin"}
        named = NamedModel(
            name="it",
            provider="codex",
            model="default",
            command=str(program),
            variables=("SCRIPTED_KEY",),
            timeout_ms=60_000,
        )
        meter = Counting()
        model.script(Say(json.dumps(GOOD)))
        found = _writer(named, environment, meter).write(TASK)
        assert found.value == GOOD
        turn = model.turns[0]
        said = "\n".join(turn.texts())
        assert said.index(TASK.system) < said.index(TASK.material)
        assert turn.body["text"]["format"]["schema"]["required"] == SCHEMA["required"]
        assert not mark.exists()
        assert _files(tmp_path / "home") == []
