"""The harness without learnt: what the real client does with hooks. When this fails, the client has changed, not we."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.e2e.client import Client
from tests.e2e.model import Model, Run, Say

if TYPE_CHECKING:
    from collections.abc import Callable

pytestmark = [pytest.mark.e2e, pytest.mark.serial, pytest.mark.slow, pytest.mark.timeout(300)]
EVENTS = ("SessionStart", "UserPromptSubmit", "PreToolUse", "PostToolUse", "PostToolUseFailure", "Stop", "SessionEnd")
FAILING = "false --frobnicate"


@pytest.fixture
def client(fetched: Callable[[str], Path], tmp_path: Path, repository: Path, model: Model) -> Client:
    """The client with a hook on every event that notes its payload in `payloads`."""
    client = Client(fetched("claude-code"), tmp_path, model.url)
    client.prepare(repository)
    command = f"'{sys.executable}' '{Path(__file__).with_name('hook.py')}' '{tmp_path / 'payloads'}'"
    hooks = {event: [{"hooks": [{"type": "command", "command": command, "timeout": 5}]}] for event in EVENTS}
    (client.config / "settings.json").write_text(json.dumps({"hooks": hooks}), "utf-8")
    return client


def test_a_headless_session_shows_hook_context_to_the_model(client: Client, repository: Path, model: Model) -> None:
    """`-p` runs every hook; start and prompt context come with the first request, a tool's with its result."""
    model.script(Run(FAILING), Say("It failed."))
    session = client.ask(repository, "Run it.")
    first, second = model.turns
    assert first.context("SessionStart").startswith('<recalled_memory n="SessionStart">\nfirst of SessionStart\n\nlast')
    assert "last of UserPromptSubmit" in first.context("UserPromptSubmit")
    assert "UserPromptSubmit" not in first.context("SessionStart")
    assert first.context("PreToolUse") == second.context("SessionStart") == second.context("UserPromptSubmit") == ""
    assert "last of PreToolUse" in second.context("PreToolUse")
    assert any(text.startswith("Exit code 1") for text in second.latest())
    payloads = _payloads(client)
    assert [payload["hook_event_name"] for payload in payloads] == [
        "SessionStart", "UserPromptSubmit", "PreToolUse", "PostToolUseFailure", "Stop", "SessionEnd",
    ]  # fmt: skip
    assert {payload["session_id"] for payload in payloads} == {session}
    assert payloads[-1]["reason"] == "other"
    assert _marks(client) == {("sdk-cli", "sdk", None)}
    assert model.strays == []


def test_an_interactive_session_marks_its_prompts_as_typed(client: Client, repository: Path, model: Model) -> None:
    """At a terminal the same hooks run, and the transcript says that a human typed the prompt."""
    model.script(Say("Understood."))
    client.converse(repository, "Always run the checks first.", answered=lambda: model.unsaid() == 0)
    assert "last of SessionStart" in model.turns[0].context("SessionStart")
    assert "last of UserPromptSubmit" in model.turns[0].context("UserPromptSubmit")
    payloads = _payloads(client)
    assert payloads[1]["prompt"] == "Always run the checks first."
    assert (payloads[-1]["hook_event_name"], payloads[-1]["reason"]) == ("SessionEnd", "prompt_input_exit")
    assert _marks(client) == {("cli", "typed", "human")}
    assert model.strays == []


def _payloads(client: Client) -> list[dict[str, str]]:
    return [json.loads(line) for line in (client.root / "payloads").read_text("utf-8").splitlines()]


def _marks(client: Client) -> set[tuple[str, str | None, str | None]]:
    """How the transcript marks the prompts: entry point, source of the prompt, kind of origin."""
    lines = [line for path in client.config.glob("projects/*/*.jsonl") for line in path.read_text("utf-8").splitlines()]
    rows = [json.loads(line) for line in lines]
    return {
        (row["entrypoint"], row.get("promptSource"), row.get("origin", {}).get("kind"))
        for row in rows
        if row["type"] == "user" and isinstance(row["message"]["content"], str)
    }
