"""Long sessions in the formats of hosts that keep documents, databases, folders or Markdown.

Each step is a reply, a command with its output and how it ended, and now and then a prompt; as many as fit the length.
"""

from __future__ import annotations

import json
import random
import sqlite3
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from bench.capture import _prose

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    Write = Callable[[Path, int], str]

_SEED = 7
_CWD = "/home/dev/project"
_AT_MS = 1_790_000_000_000


@dataclass(frozen=True, slots=True)
class Step:
    """What is written of one step."""

    number: int
    asked: str
    said: str
    command: str
    output: str
    code: int

    @property
    def stamp(self) -> str:
        """When it was."""
        return time.strftime("%Y-%m-%dT%H:%M:%S.000Z", time.gmtime(_AT_MS // 1000 + self.number))

    @property
    def chars(self) -> int:
        """About so many characters in any format."""
        return len(self.asked) + len(self.said) + len(self.command) + len(self.output) + 600


def steps(size_bytes: int) -> Iterator[Step]:
    """Steps of about this length together."""
    rng = random.Random(_SEED)
    size = number = 0
    while size < size_bytes:
        output = "\n".join(_prose(rng, 12) for _ in range(rng.randrange(4, 40)))
        asked = _prose(rng, 30) if number % 20 == 0 else ""
        step = Step(number, asked, _prose(rng, 60), f"make {_prose(rng, 4)}", output, number % 7 // 6)
        size, number = size + step.chars, number + 1
        yield step


def _lines(path: Path, rows: Iterator[dict[str, Any]]) -> str:
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w", encoding="utf-8") as file:
        file.writelines(json.dumps(row, separators=(",", ":")) + "\n" for row in rows)
    return str(path)


def _document(path: Path, head: str, rows: Iterator[dict[str, Any]], tail: str) -> str:
    """One document whose longest list is written an item at a time: who writes it must stay small."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w", encoding="utf-8") as file:
        file.write(head)
        for number, row in enumerate(rows):
            file.write(("," if number else "") + json.dumps(row))
        file.write(tail)
    return str(path)


def _text(words: str) -> list[dict[str, str]]:
    return [{"type": "text", "text": words}]


def pi(folder: Path, size_bytes: int) -> str:
    """A file of entries, each the child of the one before."""

    def rows() -> Iterator[dict[str, Any]]:
        yield {"type": "session", "version": 3, "id": "p1", "timestamp": _start(), "cwd": _CWD}
        above: str | None = None
        for step in steps(size_bytes):
            for at, message in enumerate(_pi(step)):
                name = f"{step.number:06x}{at:02x}"
                yield {"type": "message", "id": name, "parentId": above, "timestamp": step.stamp, "message": message}
                above = name

    return _lines(folder / "--home-dev-project--" / "2026-11-20T09-00-00-000Z_p1.jsonl", rows())


def _start() -> str:
    return Step(0, "", "", "", "", 0).stamp


def _pi(step: Step) -> Iterator[dict[str, Any]]:
    if step.asked:
        yield {"role": "user", "content": step.asked}
    call = {"type": "toolCall", "id": f"c{step.number}", "name": "bash", "arguments": {"command": step.command}}
    yield {"role": "assistant", "content": [*_text(step.said), call], "model": "m", "stopReason": "toolUse"}
    told = step.output + (f"\n\nCommand exited with code {step.code}" if step.code else "")
    answer = {"toolCallId": call["id"], "toolName": "bash", "content": _text(told), "isError": bool(step.code)}
    yield {"role": "toolResult", **answer}


_OPENCODE: Final = """
CREATE TABLE project (id text PRIMARY KEY);
CREATE TABLE session (id text PRIMARY KEY, parent_id text, directory text, title text, version text, permission text,
    revert text, time_created integer, time_updated integer);
CREATE TABLE message (id text PRIMARY KEY, session_id text, time_created integer, time_updated integer, data text);
CREATE TABLE part (id text PRIMARY KEY, message_id text, session_id text, time_created integer, time_updated integer,
    data text);
CREATE INDEX message_session ON message (session_id);
CREATE INDEX part_message ON part (message_id);
CREATE INDEX part_session ON part (session_id);
"""


def opencode(folder: Path, size_bytes: int) -> str:
    """A database with one session."""
    path = folder / "opencode.db"
    with sqlite3.connect(path) as base:
        base.executescript(_OPENCODE)
        session = ("ses_1", None, _CWD, "t", "1.18.33", None, None, _AT_MS, _AT_MS + 60_000)
        base.execute("INSERT INTO session VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)", session)
        for step in steps(size_bytes):
            made = _AT_MS + 1_000 * step.number
            for role, parts in _opencode(step):
                name = f"msg_{step.number:08d}_{role}"
                times = {"created": made, "completed": made + 500}
                body = {"id": name, "sessionID": "ses_1", "role": role, "modelID": "m", "providerID": "p"}
                told = (name, "ses_1", made, made, json.dumps({**body, "time": times}))
                base.execute("INSERT INTO message VALUES (?, ?, ?, ?, ?)", told)
                for at, part in enumerate(parts):
                    row = (f"prt_{name}_{at}", name, "ses_1", made, made, json.dumps(part))
                    base.execute("INSERT INTO part VALUES (?, ?, ?, ?, ?, ?)", row)
    base.close()
    return f"{path}#ses_1"


def _opencode(step: Step) -> Iterator[tuple[str, list[dict[str, Any]]]]:
    if step.asked:
        yield "user", [{"type": "text", "text": step.asked}]
    state = {"status": "completed", "input": {"command": step.command}, "output": step.output}
    state["metadata"] = {"exit": step.code, "output": step.output}
    tool = {"type": "tool", "tool": "bash", "callID": f"c{step.number}", "state": state}
    yield "assistant", [{"type": "text", "text": step.said}, tool]


def cursor(folder: Path, size_bytes: int) -> str:
    """The editor's database with one conversation."""
    path = folder / "User" / "globalStorage" / "state.vscdb"
    path.parent.mkdir(parents=True)
    heads = []
    with sqlite3.connect(path) as base:
        for table in ("ItemTable", "cursorDiskKV"):
            base.execute(f"CREATE TABLE {table} (key TEXT UNIQUE ON CONFLICT REPLACE, value BLOB)")
        for number, bubble in enumerate(each for step in steps(size_bytes) for each in _cursor(step)):
            heads.append({"bubbleId": f"b{number}", "type": bubble["type"]})
            body = json.dumps({"_v": 3, "bubbleId": f"b{number}", "createdAt": _start(), **bubble})
            base.execute("INSERT INTO cursorDiskKV VALUES (?, ?)", (f"bubbleId:c1:b{number}", body))
        whole = {"_v": 17, "createdAt": _AT_MS, "name": "t", "fullConversationHeadersOnly": heads}
        base.execute("INSERT INTO cursorDiskKV VALUES (?, ?)", ("composerData:c1", json.dumps(whole)))
    base.close()
    return f"{path}#c1"


def _cursor(step: Step) -> Iterator[dict[str, Any]]:
    if step.asked:
        yield {"type": 1, "text": step.asked, "workspaceUris": [f"file://{_CWD}"]}
    yield {"type": 2, "text": step.said}
    result = json.dumps({"output": step.output, "exitCodeV2": step.code})
    fields = {"tool": 15, "name": "run_terminal_command_v2", "toolCallId": f"c{step.number}", "status": "completed"}
    yield {"type": 2, "toolFormerData": {**fields, "params": json.dumps({"command": step.command}), "result": result}}


def cline(folder: Path, size_bytes: int) -> str:
    """One document of the command line."""
    head = '{"version":1,"agent":"lead","sessionId":"s1","origin":{"source":"cli","version":"3.0.65"},"messages":['
    rows = (each for step in steps(size_bytes) for each in _cline(step))
    return _document(folder / "s1" / "s1.messages.json", head, rows, '],"system_prompt":"x"}')


def _cline(step: Step) -> Iterator[dict[str, Any]]:
    at_ms = _AT_MS + 1_000 * step.number
    if step.asked:
        yield {"role": "user", "content": _text(step.asked), "ts": at_ms}
    given = {"commands": [step.command]}
    use = {"type": "tool_use", "id": f"c{step.number}", "name": "run_commands", "input": given}
    yield {"role": "assistant", "content": [*_text(step.said), use], "ts": at_ms}
    done = {"query": step.command, "result": step.output, "success": not step.code}
    answer = {"type": "tool_result", "tool_use_id": use["id"], "content": json.dumps([done])}
    yield {"role": "user", "content": [answer], "ts": at_ms}


def openhands(folder: Path, size_bytes: int) -> str:
    """A folder with a file for each event."""
    path = folder / "c0ffee"
    (path / "events").mkdir(parents=True)
    base = {"id": "c0ffee", "workspace": {"working_dir": _CWD}, "execution_status": "finished"}
    (path / "base_state.json").write_text(json.dumps(base), "utf-8")
    for number, event in enumerate(each for step in steps(size_bytes) for each in _openhands(step)):
        body = json.dumps({"id": f"e{number}", "timestamp": _start()[:-1], "source": "agent", **event})
        (path / "events" / f"event-{number:05d}-e{number}.json").write_text(body, "utf-8")
    return str(path)


def _openhands(step: Step) -> Iterator[dict[str, Any]]:
    if step.asked:
        yield {"kind": "MessageEvent", "source": "user", "llm_message": {"role": "user", "content": _text(step.asked)}}
    call = {"tool_name": "terminal", "tool_call_id": f"c{step.number}"}
    action = {"kind": "TerminalAction", "command": step.command}
    yield {"kind": "ActionEvent", **call, "action": action, "thought": _text(step.said)}
    seen = {"kind": "TerminalObservation", "content": _text(step.output), "exit_code": step.code}
    yield {"kind": "ObservationEvent", **call, "observation": seen}


def aider(folder: Path, size_bytes: int) -> str:
    """A history of one session."""
    path = folder / ".aider.chat.history.md"
    with path.open("w", encoding="utf-8") as file:
        file.write("\n# aider chat started at 2026-11-20 09:12:03\n\n> Aider v0.86.2  \n")
        for step in steps(size_bytes):
            if step.asked:
                file.write(f"\n#### {step.asked}  \n\n")
            block = f"src/ledger.py\n```\n<<<<<<< SEARCH\n{step.command}\n=======\n{step.output}\n>>>>>>> REPLACE\n```"
            file.write(f"{step.said}\n\n{block}\n\n> Tokens: 2.4k sent, 30 received.  \n")
            file.write("> Applied edit to src/ledger.py  \n> Commit 9609e20 fix: rounding  \n\n")
    return str(path)


def specstory(folder: Path, size_bytes: int) -> str:
    """Markdown of one session."""
    path = folder / ".specstory" / "history" / "2026-11-12.md"
    path.parent.mkdir(parents=True)
    with path.open("w", encoding="utf-8") as file:
        file.write("<!-- Generated by SpecStory, Markdown v2.1.0 -->\n\n# 2026-11-12 15:08:38Z\n\n")
        file.write("<!-- Claude Code Session 066e1e40-aaaa (2026-11-12 15:08:38Z) -->\n\n")
        for step in steps(size_bytes):
            if step.asked:
                file.write(f"_**User (2026-11-12 15:08:38Z)**_\n\n{step.asked}\n\n---\n\n")
            agent = "_**Agent (model-x 2026-11-12 15:08:42Z)**_\n\n"
            file.write(f"{agent}{step.said}\n\n{agent}" + '<tool-use data-tool-type="shell" data-tool-name="Bash">')
            file.write(f"<details>\n<summary>Tool use: **Bash**</summary>\nWhy\n\n`{step.command}`\n\n")
            file.write(f"```text\n{step.output}\n```\n</details></tool-use>\n\n")
    return str(path)


def sweagent(folder: Path, size_bytes: int) -> str:
    """One trajectory."""
    state = json.dumps({"open_file": "n/a", "working_dir": _CWD})
    rows = (
        {
            "action": each.command,
            "observation": each.output,
            "thought": each.said,
            "response": each.said,
            "state": state,
        }
        for each in steps(size_bytes)
    )
    told = [{"role": "system", "content": "x", "agent": "main"}, {"role": "user", "content": "Fix.", "agent": "main"}]
    tail = f'],"history":{json.dumps(told)},"info":{{"exit_status":"submitted"}}}}'
    return _document(folder / "task-1.traj", '{"environment":"main","trajectory":[', rows, tail)


def mastra(folder: Path, size_bytes: int) -> str:
    """The messages of a thread."""

    def rows() -> Iterator[dict[str, Any]]:
        for step in steps(size_bytes):
            for role, parts in _mastra(step):
                name, content = f"m{step.number}{role}", {"format": 2, "parts": parts}
                yield {"id": name, "role": role, "createdAt": step.stamp, "threadId": "t", "content": content}

    return _lines(folder / "thread-messages.jsonl", rows())


def _mastra(step: Step) -> Iterator[tuple[str, list[dict[str, Any]]]]:
    if step.asked:
        yield "user", [{"type": "text", "text": step.asked}]
    call = {"state": "result", "toolCallId": f"c{step.number}", "toolName": "execute_command"}
    result = {"stdout": step.output, "exitCode": step.code}
    made = {**call, "args": {"command": step.command}, "result": result}
    yield "assistant", [{"type": "text", "text": step.said}, {"type": "tool-invocation", "toolInvocation": made}]


FORMATS: Final[dict[str, Write]] = {
    "pi": pi,
    "opencode": opencode,
    "cursor": cursor,
    "cline": cline,
    "openhands": openhands,
    "aider": aider,
    "specstory": specstory,
    "swe-agent": sweagent,
    "mastra": mastra,
}
"""By the host's name."""
