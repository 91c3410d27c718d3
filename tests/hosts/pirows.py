"""Sessions as pi writes them, all of our own making."""

from __future__ import annotations

import json

from learnt.hosts.host import Asked

SESSION = "01a10000-0000-7000-8000-000000000001"
FORK = "01a10000-0000-7000-8000-000000000002"
NAME = "2026-05-04T10-00-00-000Z_{}.jsonl"


class Script:
    """Entries of a session, each the child of the one before unless it says otherwise."""

    def __init__(self, folder, session=SESSION, day=4, **head):
        self.path = folder / "--home-dev-pond--" / NAME.format(session)
        self.day = day
        self.rows = [
            {
                "type": "session",
                "version": 3,
                "id": session,
                "timestamp": self._stamp(0),
                "cwd": "/home/dev/pond",
                **head,
            }
        ]
        self.last = None

    def _stamp(self, number):
        return f"2026-05-{self.day:02d}T10:{number // 60:02d}:{number % 60:02d}.000Z"

    def entry(self, sort, parent=..., **fields):
        """One entry; its id is given back."""
        number = len(self.rows)
        identity = f"{self.day:02x}{number:06x}"
        above = self.last if parent is ... else parent
        self.rows.append({"type": sort, "id": identity, "parentId": above, "timestamp": self._stamp(number), **fields})
        self.last = identity
        return identity

    def message(self, role, parent=..., **fields):
        """A message's entry."""
        return self.entry("message", parent, message={"role": role, **fields})

    def call(self, name, given, output, *, failed=False, details=None, **more):
        """A call and its answer."""
        call_id = f"call-{len(self.rows)}"
        block = {"type": "toolCall", "id": call_id, "name": name, "arguments": given}
        self.message("assistant", content=[block], provider="anthropic", model="sonnet-5", stopReason="toolUse", **more)
        content = [{"type": "text", "text": output}]
        return self.message(
            "toolResult", toolCallId=call_id, toolName=name, content=content, isError=failed, details=details or {}
        )

    def written(self, *tail):
        """On disk, with whatever follows."""
        self.path.parent.mkdir(parents=True, exist_ok=True)
        self.path.write_text("".join(json.dumps(row) + "\n" for row in self.rows) + "".join(tail))
        return Asked(path=self.path)
