"""Conversations as Cursor keeps them, in the editor's database and as transcripts, all of our own making."""

from __future__ import annotations

import json
import sqlite3

from learnt.hosts.transcript import asked_of

ID = "3b9d1c52-0000-4000-8000-00000000000a"
CHILD = "3b9d1c52-0000-4000-8000-00000000000b"
CREATED_MS = 1_790_000_000_000


def use(name, params, status="completed", **more):
    """A tool call as a message of the editor holds it: its values are JSON in text."""
    fields = {"tool": 15, "name": name, "toolCallId": f"call-{name}", "status": status, "params": json.dumps(params)}
    return {"toolFormerData": fields | {key: json.dumps(value) for key, value in more.items()}}


BUBBLES = [
    {"type": 1, "text": "Totals are rounded wrongly, fix it.", "workspaceUris": ["file:///home/dev/my%20ledger"]},
    {"type": 2, "thinking": {"text": "floats somewhere"}},
    {"type": 2, "text": "I will run the tests."},
    {
        "type": 2,
        **use("run_terminal_command_v2", {"command": "pytest -q"}, result={"output": "1 failed", "exitCodeV2": 1}),
    },
    {"type": 2, **use("run_terminal_cmd", {"command": "make"}, result={"output": "built", "exitCodeV2": 0})},
    {"type": 2, **use("search_replace", {"relativeWorkspacePath": "src/a.py"}, result={"diff": {}})},
    {
        "type": 2,
        **use("read_file_v2", {"targetFile": "src/b.py"}, "error", error={"modelVisibleErrorMessage": "no such file"}),
    },
    {"type": 2, **use("edit_file", {"target_file": "src/a.py"}, "cancelled")},
    {"type": 2, **use("web_search", {"query": "half up"}, result={"result": "a page"})},
    {"type": 2, "toolFormerData": {"additionalData": {"status": "error"}}},
    {"type": 2, "text": "Fixed.", "tokenCount": {"inputTokens": 90, "outputTokens": 7}},
]


class Editor:
    """The editor's database with one conversation and its sub-agent's."""

    def __init__(self, folder):
        self.path = folder / "globalStorage" / "state.vscdb"
        self.path.parent.mkdir(parents=True)
        self.base = sqlite3.connect(self.path)
        for table in ("ItemTable", "cursorDiskKV"):
            self.base.execute(f"CREATE TABLE {table} (key TEXT UNIQUE ON CONFLICT REPLACE, value BLOB)")
        self.put(f"composerData:{ID}", self.composer(BUBBLES, subagentComposerIds=[CHILD]))
        for at, bubble in enumerate(BUBBLES):
            self.bubble(ID, at, bubble)
        self.put(f"composerData:{CHILD}", self.composer(BUBBLES[:1]))
        self.bubble(CHILD, 0, {"type": 1, "text": "List every caller."})
        self.put("composerData:draft", {"composerId": "draft", "fullConversationHeadersOnly": []})
        self.base.commit()

    def composer(self, bubbles, **more):
        heads = [{"bubbleId": f"b{at}", "type": bubble["type"]} for at, bubble in enumerate(bubbles)]
        fixed = {"_v": 17, "createdAt": CREATED_MS, "lastUpdatedAt": CREATED_MS + 60_000, "name": "Rounding"}
        return {**fixed, "modelConfig": {"modelName": "sonnet-5"}, "fullConversationHeadersOnly": heads, **more}

    def put(self, key, value):
        self.base.execute("INSERT INTO cursorDiskKV VALUES (?, ?)", (key, json.dumps(value)))

    def bubble(self, session, at, fields):
        stamp = f"2026-09-21T14:13:{20 + at:02d}.000Z"
        self.put(f"bubbleId:{session}:b{at}", {"_v": 3, "bubbleId": f"b{at}", "createdAt": stamp, **fields})

    def asked(self, session=ID):
        self.base.commit()
        return asked_of(f"{self.path}#{session}")


QUERY = "<timestamp>Monday</timestamp>\n<user_query>\nFix it.\n</user_query>"
ROWS = [
    {"role": "user", "message": {"content": [{"type": "text", "text": QUERY}]}},
    {
        "role": "assistant",
        "message": {
            "content": [
                {"type": "text", "text": "Running."},
                {"type": "tool_use", "name": "Shell", "input": {"command": "pytest -q"}},
                {"type": "tool_use", "name": "Write", "input": {"path": "/home/dev/pond/a.py", "contents": "x = 1"}},
            ]
        },
    },
    {"role": "assistant", "message": {"content": [{"type": "text", "text": "Done."}]}},
    {"type": "turn_ended", "status": "success"},
]
