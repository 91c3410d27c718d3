"""Codex skips hooks that nobody has trusted, without a word: `init` says so, and what works before and after."""

from __future__ import annotations

import json
import subprocess
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pytest

from tests.e2e.hosts.codex import HOST, UNASKED
from tests.e2e.hosts.host import World
from tests.e2e.hosts.roster import called
from tests.e2e.memory import Learnt
from tests.e2e.model import Model, Run, Say
from tests.e2e.tools import FAILS

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

pytestmark = [
    pytest.mark.e2e,
    pytest.mark.serial,
    pytest.mark.slow,
    pytest.mark.timeout(300),
    pytest.mark.skipif(HOST not in called(), reason="Codex runs only where LEARNT_E2E names it"),
]
WARM = "The unit suite needs a warm cache."


def test_hooks_run_once_a_person_has_trusted_them(
    tmp_path: Path, repository: Path, fetched: Callable[[str], Path]
) -> None:
    """Before: nothing is given, yet the session is read, by the notice at the end of a turn. After: it is given."""
    with Model(HOST.shell) as model:
        world = World(tmp_path, repository, model.url, {"codex": fetched("codex")})
        (tmp_path / "tmp").mkdir()
        HOST.prepare(world)
        learnt = Learnt(tmp_path, repository, world.person())
        said = learnt.call("init", "--host", "codex", "--yes")
        assert "/hooks" in said["notes"]["codex"]
        learnt.call("remember", WARM, "--kind", "repo_convention")

        model.script(Run(FAILS), Say("It fails."))
        _ask(world)
        assert not any(WARM in text for turn in model.turns for text in turn.everything())
        learnt.captured(known=lambda: bool(learnt.call("sessions", "list")["sessions"]))

        assert set(_trust(world)) == {"trusted"}
        model.script(Say("I know."))
        _ask(world)
        assert any(WARM in text for text in model.turns[0].everything())
        (check,) = [each for each in learnt.call("doctor")["checks"] if each["name"] == "hook"]
        assert check["result"] == "ok"

        learnt.call("uninit", "--yes")
        left = (world.home / ".codex" / "config.toml").read_text("utf-8")
        assert "mcp_servers" not in left
        assert "notify" not in left
        assert model.strays == []


def _ask(world: World) -> None:
    """A session as a person starts it, who has been asked about hooks."""
    command = [str(world.programs["codex"]), "exec", "--json", UNASKED, "Good morning."]
    done = subprocess.run(
        command,
        cwd=world.repository,
        env=HOST.environment(world),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, f"{done.stdout}{done.stderr}"


def _trust(world: World) -> list[str]:
    """Trust every hook as the client's own list of them does, and give what it says of each then."""
    with subprocess.Popen(
        [str(world.programs["codex"]), "app-server"],
        cwd=world.repository,
        env=HOST.environment(world),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    ) as process:
        server = _Server(process)
        server.ask("initialize", {"clientInfo": {"name": "test", "version": "0"}})
        hooks = server.hooks(world.repository)
        assert {hook["trustStatus"] for hook in hooks} == {"untrusted"}
        value = {hook["key"]: {"trusted_hash": hook["currentHash"]} for hook in hooks}
        server.ask(
            "config/batchWrite", {"edits": [{"keyPath": "hooks.state", "value": value, "mergeStrategy": "upsert"}]}
        )
        return [str(hook["trustStatus"]) for hook in server.hooks(world.repository)]


@dataclass(slots=True)
class _Server:
    """The client as a server of its own editor extensions: a line of JSON a request."""

    process: subprocess.Popen[str]
    number: int = 0

    def ask(self, method: str, parameters: Mapping[str, Any]) -> Any:
        """The result of one request."""
        self.number += 1
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.process.stdin.write(json.dumps({"id": self.number, "method": method, "params": parameters}) + "\n")
        self.process.stdin.flush()
        for line in self.process.stdout:
            answer = json.loads(line)
            if answer.get("id") == self.number:
                return answer["result"]
        raise AssertionError(f"no answer to {method}")

    def hooks(self, folder: Path) -> list[dict[str, Any]]:
        """The hooks that hold in a folder."""
        places = self.ask("hooks/list", {"cwds": [str(folder)]})["data"]
        return [hook for place in places for hook in place["hooks"]]
