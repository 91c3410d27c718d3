"""Transcript rows in the shape Claude Code writes them, all of our own making."""

from __future__ import annotations

import itertools
import json
from typing import TYPE_CHECKING, Any

from learnt.hosts.claude.reader import ClaudeReader

if TYPE_CHECKING:
    from pathlib import Path

    from learnt.model.session import SessionEvent

SESSION = "aaaaaaaa-0000-4000-8000-000000000001"
OTHER = "bbbbbbbb-0000-4000-8000-000000000002"
USAGE = {
    "input_tokens": 10,
    "output_tokens": 5,
    "cache_read_input_tokens": 100,
    "cache_creation_input_tokens": 20,
}


class Script:
    """Rows of one session, every one a second after the one before."""

    def __init__(self, session: str = SESSION, prefix: str = "u") -> None:
        self.session = session
        self.rows: list[dict[str, Any]] = []
        self._numbers = itertools.count(1)
        self._prefix = prefix

    def row(self, **fields: Any) -> dict[str, Any]:
        """Append a row of the conversation."""
        number = next(self._numbers)
        row = {
            "uuid": f"{self._prefix}-{number}",
            "timestamp": f"2026-05-04T10:{number // 60:02d}:{number % 60:02d}.000Z",
            "sessionId": self.session,
            "isSidechain": False,
            "cwd": "/home/dev/project",
            "version": "2.1.300",
            "gitBranch": "main",
            "entrypoint": "cli",
            **fields,
        }
        self.rows.append(row)
        return row

    def prompt(self, text: Any, **fields: Any) -> dict[str, Any]:
        """A message of the user role."""
        return self.row(type="user", message={"role": "user", "content": text}, **fields)

    def reply(self, *blocks: Any, message: str = "", usage: Any = None, **fields: Any) -> dict[str, Any]:
        """A row of a response; strings are text blocks."""
        content = [{"type": "text", "text": block} if isinstance(block, str) else block for block in blocks]
        told = {"id": message or f"msg-{len(self.rows)}", "role": "assistant", "model": "model-x", "content": content}
        return self.row(type="assistant", message={**told, "usage": usage or USAGE}, **fields)

    def call(self, call_id: str, tool: str = "Bash", message: str = "", **given: Any) -> dict[str, Any]:
        """A tool call."""
        return self.reply(use(call_id, tool, **given), message=message)

    def result(self, call_id: str, output: Any, details: Any = None, **marks: Any) -> dict[str, Any]:
        """A tool's answer."""
        block = {"type": "tool_result", "tool_use_id": call_id, "content": output, **marks}
        return self.row(type="user", message={"role": "user", "content": [block]}, toolUseResult=details)

    def shell(self, command: str, output: str, **marks: Any) -> None:
        """A shell call and its answer."""
        call_id = f"call-{len(self.rows)}"
        self.call(call_id, command=command)
        self.result(call_id, output, **marks)

    def edit(self, path: str, *, failed: bool = False) -> None:
        """A write and its answer."""
        call_id = f"call-{len(self.rows)}"
        self.call(call_id, "Edit", file_path=path, old_string="a", new_string="b")
        self.result(
            call_id,
            "<tool_use_error>String to replace not found.</tool_use_error>" if failed else "done",
            **({"is_error": True} if failed else {}),
        )

    def text(self) -> str:
        """The file."""
        return "".join(json.dumps(row) + "\n" for row in self.rows)

    def write(self, folder: Path, name: str = "") -> Path:
        """The file on disk, named after the session."""
        path = folder / f"{name or self.session}.jsonl"
        path.write_text(self.text(), "utf-8")
        return path


def use(call_id: str, tool: str = "Bash", **given: Any) -> dict[str, Any]:
    """A tool_use block."""
    return {"type": "tool_use", "id": call_id, "name": tool, "input": given}


def events(path: Path, *kinds: type[Any], **options: Any) -> list[Any]:
    """What the reader tells, of these kinds only when some are named."""
    told: list[SessionEvent] = list(ClaudeReader(path, **options).events())
    return [event for event in told if not kinds or isinstance(event, kinds)]
