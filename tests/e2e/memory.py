"""learnt as a person at a shell uses it: the commands this story needs, and how their answers are read.

This is the one place to change when a command's answer changes its shape.
"""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from tests.e2e.client import eventually

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

COMMAND = [sys.executable, "-m", "learnt.interfaces.cli.entry"]


@dataclass(frozen=True, slots=True)
class Learnt:
    """The command line, in one repository.

    Attributes:
        root: Where data directory and configuration are made.
        environment: The person's, without learnt's own variables.
    """

    root: Path
    repository: Path
    environment: Mapping[str, str]

    def call(self, *arguments: str) -> Any:
        """What a command answers as JSON."""
        own = {
            "LEARNT_HOME": str(self.root / "learnt"),
            "LEARNT_CONFIG": str(self.root / "learnt-config/config.toml"),
            "PWD": str(self.repository),
        }
        done = subprocess.run(
            [*COMMAND, *arguments, "--json"],
            cwd=self.repository,
            env={**self.environment, **own},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )
        assert done.returncode == 0, f"learnt {' '.join(arguments)}: exit {done.returncode}: {done.stdout}{done.stderr}"
        return json.loads(done.stdout)

    def proposal(self, words: str) -> str | None:
        """The id of the pending proposal whose text has these words."""
        proposals = self.call("pending")["proposals"]
        return next((proposal["id"] for proposal in proposals if words in proposal["text"]), None)

    def proposed(self, *words: str) -> bool:
        """Whether pending proposals have all these words in their texts."""
        texts = "\n".join(proposal["text"] for proposal in self.call("pending")["proposals"])
        return all(each in texts for each in words)

    def memory(self, words: str) -> dict[str, Any] | None:
        """The active memory whose text has these words."""
        memories = self.call("list", "--limit", "200")["memories"]
        return next((memory for memory in memories if words in memory["text"]), None)

    def captured(self, session: str = "", known: Callable[[], bool] = lambda: True) -> None:
        """Wait until a session that has ended was read, by the process that its last hook left behind.

        Args:
            session: Its id, to be found in the list of sessions; "" where the test does not know it.
            known: What the session must have left.
        """

        def read() -> bool:
            return session in json.dumps(self.call("sessions", "list")) and known()

        try:
            eventually(read, f"the capture of session {session}")
        except AssertionError as late:
            late.add_note(f"sessions: {self.call('sessions', 'list')}\nstatus: {self.call('status')}")
            raise
