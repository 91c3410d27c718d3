"""Sessions as opencode keeps them, in each of its three storages, all of our own making."""

from __future__ import annotations

import json
import sqlite3

CUT = {"cut": True}
"""Stands for a part whose JSON ends early."""
SESSION, OTHER, CHILD = "ses_aaa", "ses_bbb", "ses_ccc"
AT_MS = 1_790_000_000_000


def prompt(*texts, **more):
    """A message in the user role."""
    return {"role": "user", **more}, [
        {"type": "text", "text": each} if isinstance(each, str) else each for each in texts
    ]


def answer(*parts, **more):
    """A message of the agent, finished."""
    fields = {"role": "assistant", "providerID": "anthropic", "modelID": "sonnet-5", "completed": True, **more}
    return fields, [{"type": "text", "text": each} if isinstance(each, str) else each for each in parts]


def tool(name, given, *, output="", status="completed", **state):
    """A tool call as a part."""
    told = {"error": output} if status == "error" else {"output": output} if status == "completed" else {}
    return {
        "type": "tool",
        "tool": name,
        "callID": f"call-{name}",
        "state": {"status": status, "input": given, **told, **state},
    }


def bash(command, exit_code, output=""):
    """A command as a part."""
    return tool("bash", {"command": command}, output=output, metadata={"exit": exit_code})


class Kept:
    """One session in whichever of the three storages, every record a second after the one before."""

    def __init__(self, folder, turns, *, session=SESSION, title="Rounding", **info):
        self.info = {
            "id": session, "version": "1.18.33", "projectID": "p", "directory": "/home/dev/pond", "title": title,
            "time": {"created": AT_MS, "updated": AT_MS + 60_000}, **info,
        }  # fmt: skip
        self.folder = folder
        self.turns = [self._turn(number, *turn) for number, turn in enumerate(turns)]

    def _turn(self, number, fields, parts):
        message = f"msg_{self.info['id']}_{number}"
        times = {"created": fields.pop("created", AT_MS + 1_000 * number)}
        if fields.pop("completed", False):
            times["completed"] = AT_MS + 1_000 * number + 500
        whole = [
            '{"type":"te' if part is CUT else {"id": f"prt_{message}_{at}", "messageID": message, **part}
            for at, part in enumerate(parts)
        ]
        return {"id": message, "sessionID": self.info["id"], "time": times, **fields}, whole

    def base(self):
        """In the database."""
        path = self.folder / "opencode.db"
        base = sqlite3.connect(path)
        base.executescript(SCHEMA)
        info = self.info
        base.execute("INSERT OR REPLACE INTO session VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)", (
            info["id"], info.get("parentID"), info["directory"], info["title"], info["version"],
            *(json.dumps(info[key]) if key in info else None for key in ("permission", "revert")),
            AT_MS, info["time"]["updated"],
        ))  # fmt: skip
        for message, parts in self.turns:
            made = message["time"]["created"]
            row = (message["id"], info["id"], made, made, json.dumps(message))
            base.execute("INSERT OR REPLACE INTO message VALUES (?, ?, ?, ?, ?)", row)
            for at, part in enumerate(parts):
                body = part if isinstance(part, str) else json.dumps(part)
                told = (f"prt_{message['id']}_{at}", message["id"], info["id"], made, made, body)
                base.execute("INSERT OR REPLACE INTO part VALUES (?, ?, ?, ?, ?, ?)", told)
        base.commit()
        base.close()
        return f"{path}#{info['id']}"

    def export(self):
        """As it is exported; a part that is no JSON cannot be."""
        path = self.folder / f"export-{self.info['id']}.json"
        messages = [
            {"info": message, "parts": [part for part in parts if not isinstance(part, str)]}
            for message, parts in self.turns
        ]
        path.write_text(json.dumps({"info": self.info, "messages": messages}, indent=2))
        return str(path)

    def tree(self):
        """In the tree of files."""
        root = self.folder / "storage"
        path = root / "session" / "p" / f"{self.info['id']}.json"
        self._file(path, self.info)
        for message, parts in self.turns:
            self._file(root / "message" / self.info["id"] / f"{message['id']}.json", message)
            for at, part in enumerate(parts):
                self._file(root / "part" / message["id"] / f"prt_{message['id']}_{at}.json", part)
        return str(path)

    def _file(self, path, value):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(value if isinstance(value, str) else json.dumps(value))


SCHEMA = """
CREATE TABLE IF NOT EXISTS project (id text PRIMARY KEY);
CREATE TABLE IF NOT EXISTS session (id text PRIMARY KEY, parent_id text, directory text, title text, version text,
    permission text, revert text, time_created integer, time_updated integer);
CREATE TABLE IF NOT EXISTS message (id text PRIMARY KEY, session_id text, time_created integer, time_updated integer,
    data text);
CREATE TABLE IF NOT EXISTS part (id text PRIMARY KEY, message_id text, session_id text, time_created integer,
    time_updated integer, data text);
"""
