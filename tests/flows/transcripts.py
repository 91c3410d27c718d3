"""Claude Code transcripts built row by row."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pathlib import Path


class Session:
    """A transcript that grows; every row has its own uuid and a time one second after the last."""

    def __init__(self, path: Path, session: str, *, cwd: str = "/srv/app", typed: bool = True) -> None:
        self.path = path
        self.session = session
        self.cwd = cwd
        self.typed = typed
        self.rows = 0
        self.calls = 0
        path.parent.mkdir(parents=True, exist_ok=True)

    def _row(self, kind: str, message: dict[str, Any], **more: Any) -> None:
        self.rows += 1
        row = {
            "parentUuid": None,
            "isSidechain": False,
            "userType": "external",
            "entrypoint": "cli" if self.typed else "sdk-cli",
            "cwd": self.cwd,
            "sessionId": self.session,
            "version": "2.1.332",
            "gitBranch": "main",
            "type": kind,
            "message": message,
            "uuid": f"{self.session}-{self.rows:04d}",
            "timestamp": f"2026-11-20T09:{self.rows // 60:02d}:{self.rows % 60:02d}.000Z",
            **more,
        }
        with self.path.open("a", encoding="utf-8") as file:
            file.write(json.dumps(row) + "\n")

    def says(self, text: str) -> Session:
        """The person types."""
        source = {"promptSource": "typed", "origin": {"kind": "human"}} if self.typed else {"promptSource": "sdk"}
        self._row("user", {"role": "user", "content": text}, **source)
        return self

    def replies(self, text: str) -> Session:
        """The agent says something."""
        content = [{"type": "text", "text": text}]
        self._row("assistant", {"id": f"msg_{self.session}_{self.rows}", "role": "assistant", "content": content})
        return self

    def uses(self, tool: str, given: dict[str, Any], output: str, *, error: bool = False) -> Session:
        """The agent uses a tool and gets its answer."""
        self.calls += 1
        call = f"toolu_{self.session}_{self.calls}"
        content = [{"type": "tool_use", "id": call, "name": tool, "input": given}]
        self._row("assistant", {"id": f"msg_{self.session}_{self.rows}", "role": "assistant", "content": content})
        result = {"type": "tool_result", "tool_use_id": call, "content": output, "is_error": error}
        self._row("user", {"role": "user", "content": [result]})
        return self

    def runs(self, command: str, output: str = "ok", code: int = 0) -> Session:
        """The agent runs a command."""
        text = f"Exit code {code}\n{output}" if code else output
        return self.uses("Bash", {"command": command}, text, error=bool(code))


def learning(path: Path, session: str, **fields: Any) -> Session:
    """A session in which a command fails and another form works."""
    told = Session(path, session, **fields).says("Please run the checks.")
    told.runs("npm run check", 'npm error Missing script: "check"', 1)
    told.runs("npm run verify", "all good")
    return told.replies("The checks pass.")
