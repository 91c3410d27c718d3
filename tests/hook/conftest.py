"""A store as a person's machine has it, and the hook as a host starts it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import pytest

from learnt.gate.clearance import PATTERN_SET
from learnt.interfaces.hook.limits import ALL
from learnt.interfaces.hook.stub import OTHERWISE, command_line, source_folder, stub_text, write_stub
from learnt.model.keys import memory_id, proposal_id
from learnt.model.memory import Memory, Provenance, Reference, Source
from learnt.model.place import place, user_id
from learnt.model.proposal import Proposal
from learnt.model.scope import Scope
from learnt.stores.sqlite.store import SqliteStore

if TYPE_CHECKING:
    from pathlib import Path

NOW = "2026-11-01T12:00:00.000Z"


@dataclass
class Machine:
    """One user's data directory, one project folder, and the store between them."""

    home: Path
    project: Path
    store: SqliteStore
    environment: dict[str, str] = field(default_factory=dict)

    @property
    def config(self) -> Path:
        """The user's configuration file, which is absent at first."""
        return self.project.parent / "config" / "config.toml"

    @property
    def repository(self) -> Scope:
        """The scope of the project."""
        return Scope(type="repository", repo_id=place(str(self.project)).repository_id)

    @property
    def person(self) -> Scope:
        """The scope of this user."""
        return Scope(type="global_user", user_id=user_id())

    def keep(self, text: str, scope: Scope | None = None, **facts: Any) -> str:
        """Store one memory, cleared unless told otherwise; gives its id."""
        scope, kind = scope or self.repository, facts.pop("kind", "project_fact")
        given = {
            "created_at": NOW,
            "updated_at": NOW,
            "valid_from": NOW,
            "trust": "person",
            "confidence": 0.9,
            "clearance": PATTERN_SET,
            "source": Source(type="file", file_path="docs/notes.md"),
            **facts,
        }
        memory = Memory(id=memory_id(scope.key, kind, text), scope=scope, kind=kind, text=text, **given)
        with self.store.transaction():
            self.store.memories.put(memory)
        return memory.id

    def observe(self, text: str, at: str = NOW, **facts: Any) -> str:
        """Store one pending observation; gives its id."""
        given = {
            "rationale": "seen",
            "observation": True,
            "trust": "tool",
            "kind": "failure_pattern",
            "clearance": PATTERN_SET,
            "evidence": (Reference(type="transcript", ref="session:s1#3", quote="Exit code 1", trust="tool"),),
            "provenance": Provenance(session_id=f"s-{text[:8]}"),
            **facts,
        }
        made = Proposal(
            id=proposal_id(at, "s1", text), operation="add", scope=self.repository, created_at=at, text=text, **given
        )
        with self.store.transaction():
            self.store.proposals.put(made)
        return made.id

    def meta(self, key: str, value: str) -> None:
        """One row of `_meta`."""
        with self.store.transaction():
            self.store.meta.put(key, value)

    def command(self, event: str) -> str:
        """The command line `init` writes."""
        return command_line(sys.executable, str(self.home), event, "claude-code")

    def raw(self, event: str, text: str | bytes, **variables: str) -> subprocess.CompletedProcess[bytes]:
        """Run the hook through a shell, as the host does, but with its own exit status."""
        data = text if isinstance(text, bytes) else text.encode("utf-8", "surrogatepass")
        return subprocess.run(
            ["/bin/sh", "-c", self.command(event).removesuffix(OTHERWISE)],
            input=data,
            capture_output=True,
            cwd=self.project,
            env={**os.environ, **self.environment, **variables},
            timeout=20,
            check=False,
        )

    def hook(self, event: str, session: str = "s-1", **fields: Any) -> str:
        """The additional context an event gets; the protocol around it is checked."""
        payload = {"session_id": session, "cwd": str(self.project), **fields}
        done = self.raw(event, json.dumps(payload))
        assert done.returncode == 0
        assert done.stderr == b""
        if not done.stdout:
            return ""
        answer = json.loads(done.stdout)
        assert list(answer) == ["hookSpecificOutput"]
        assert set(answer["hookSpecificOutput"]) == {"hookEventName", "additionalContext"}
        context = answer["hookSpecificOutput"]["additionalContext"]
        assert len(context) <= 9_000
        return str(context)

    def start(self, session: str = "s-1", source: str = "startup") -> str:
        """A session start."""
        return self.hook("session-start", session, source=source)

    def prompt(self, text: str, session: str = "s-1") -> str:
        """A prompt."""
        return self.hook("user-prompt-submit", session, prompt=text)

    def bash(self, command: str, session: str = "s-1", **fields: Any) -> str:
        """A shell call about to run."""
        return self.hook("pre-tool-use", session, tool_name="Bash", tool_input={"command": command}, **fields)

    def receipts(self) -> list[dict[str, Any]]:
        """The receipts, oldest first."""
        rows = self.store.connection.rows("SELECT usage_json FROM memory_recall_usage ORDER BY seq")
        return [json.loads(row[0]) for row in rows]


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    """A machine where `learnt init` was run."""
    home, project, config = tmp_path / "data dir", tmp_path / "project", tmp_path / "config"
    project.mkdir()
    home.mkdir(mode=0o700)
    (config / "keys").mkdir(parents=True)
    (config / "keys/receipts.key").write_bytes(b"k" * 32)
    store = SqliteStore.open(home / "memory.db", now=lambda: NOW)
    text = stub_text(
        source=source_folder(), home=str(home), database=str(home / "memory.db"), config=str(config / "config.toml")
    )
    assert len(text.splitlines()) <= 5
    write_stub(str(home), text)
    found = Machine(home, project, store, {"HOME": str(tmp_path)})
    found.meta(ALL, "1")
    return found
