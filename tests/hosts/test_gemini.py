"""Gemini CLI's sessions: who said what, what failed, and nothing twice."""

from __future__ import annotations

import hashlib
import itertools
import json
from pathlib import Path
from typing import Any

import pytest

from learnt.capture.digest import digest
from learnt.hosts.gemini import host as gemini
from learnt.hosts.gemini import tools
from learnt.hosts.host import Asked
from learnt.model.session import Call, Compaction, Injected, Interruption, Malformed, Prompt, Reply, Result, Tokens
from tests.hosts.ground import MISSING, compare, expected, samples, told

SESSION = "db5b5fab-8f4d-4e27-9da1-494c73cf256d"
COST = {"input": 150, "output": 6, "cached": 100, "thoughts": 2}


class Chat:
    """Rows of one session, every one a second after the one before."""

    def __init__(self, session: str = SESSION, **about: Any) -> None:
        self.rows: list[dict[str, Any]] = []
        self._numbers = itertools.count(1)
        self.rows.append({"sessionId": session, "projectHash": "x", "startTime": "2026-11-20T09:00:00.000Z", **about})

    def message(self, kind: str, content: Any, identity: str = "", **fields: Any) -> dict[str, Any]:
        """A message, not written yet."""
        number = next(self._numbers)
        stamp = f"2026-11-20T09:{number // 60:02d}:{number % 60:02d}.000Z"
        parts = [{"text": content}] if isinstance(content, str) and kind == "user" else content
        return {"id": identity or f"m-{number}", "timestamp": stamp, "type": kind, "content": parts, **fields}

    def row(self, kind: str, content: Any, identity: str = "", **fields: Any) -> dict[str, Any]:
        """A message that is written."""
        message = self.message(kind, content, identity, **fields)
        self.rows.append(message)
        return message

    def restate(self, *messages: dict[str, Any]) -> None:
        """The conversation as a whole."""
        self.rows.append({"$set": {"messages": list(messages)}})

    def write(self, folder: Path, name: str = "session-2026-11-20T09-00-db5b5fab.jsonl") -> Path:
        """The file where the client would put it."""
        path = folder / "tmp" / "project" / "chats" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("".join(json.dumps(row) + "\n" for row in self.rows), "utf-8")
        return path


def call(call_id: str, name: str, args: Any, output: Any = None, status: str = "success") -> dict[str, Any]:
    """A tool call in a message, with its result when there is one."""
    response = output if isinstance(output, dict) else {"output": output}
    result = {"result": [{"functionResponse": {"id": call_id, "name": name, "response": response}}]}
    return {"id": call_id, "name": name, "args": args, "status": status} | (result if output is not None else {})


def answer(call_id: str, output: str) -> list[dict[str, Any]]:
    """A result as it stands in the user role."""
    return [{"functionResponse": {"id": call_id, "name": "x", "response": {"output": output}}}]


def reader(path: Path) -> Any:
    """A reader of the file."""
    return gemini.HOST.reads(Asked(path=path))


def events(path: Path, *kinds: type[Any]) -> list[Any]:
    """What the reader tells, of these kinds only when some are named."""
    return [event for event in reader(path).events() if not kinds or isinstance(event, kinds)]


def header(path: Path) -> Any:
    """The header after a whole reading."""
    one = reader(path)
    list(one.events())
    return one.header()


@pytest.fixture
def chat() -> Chat:
    """An empty session."""
    return Chat()


@pytest.mark.skipif(not expected("gemini-cli"), reason=MISSING)
@pytest.mark.parametrize(
    ("name", "truth"), expected("gemini-cli"), ids=[name[-30:] for name, _ in expected("gemini-cli")]
)
def test_every_value_of_the_ground_truth(monkeypatch, name, truth):
    """Counts, texts, failures, tokens, lineage, status."""
    monkeypatch.chdir(samples("gemini-cli"))
    assert gemini.recognises(Path(name)) == "sure"
    compare(told(reader(Path(name))), truth, "usage_note")


def test_the_last_form_of_a_message_counts(tmp_path, chat):
    """It is written again when its call ended, and when its cost is known; all of it counts once."""
    chat.row("gemini", "I look", "g")
    chat.row("gemini", "I look", "g", toolCalls=[call("a", "read_file", {"file_path": "/a"}, status="executing")])
    chat.row("gemini", "I look closer", "g", tokens=COST, toolCalls=[call("a", "read_file", {"file_path": "/a"}, "x")])
    chat.row("user", answer("a", "x"))
    path = chat.write(tmp_path)
    assert [type(event) for event in events(path)] == [Reply, Call, Result, Tokens]
    reply, read, result, cost = events(path)
    assert (reply.text, read.target, result.text) == ("I look closer", "/a", "x")
    assert (cost.input_tokens, cost.cache_read_tokens, cost.output_tokens) == (50, 100, 8)


def test_a_late_form_tells_only_what_is_new(tmp_path, chat):
    """Long after others came behind it, a message still gets its result, and nothing twice."""
    chat.row("gemini", "I look", "g", tokens=COST, toolCalls=[call("a", "read_file", {}, status="executing")])
    for number in range(100):
        chat.row("info", f"note {number}")
    chat.row("gemini", "I look", "g", tokens=COST, toolCalls=[call("a", "read_file", {}, "x")])
    assert [type(event) for event in events(chat.write(tmp_path))] == [Reply, Call, Tokens, Result]


@pytest.mark.parametrize("restated", [False, True])
def test_what_was_taken_back_does_not_count(tmp_path, chat, restated):
    """A prompt with all that followed; what came before it and what comes later stays."""
    chat.row("user", "first")
    if restated:
        chat.restate(chat.message("user", "kept"), chat.message("user", "rewrite it", "r"))
    else:
        chat.row("user", "rewrite it", "r")
    chat.row("gemini", "Rewriting.", toolCalls=[call("a", "run_shell_command", {"command": "x"}, "Exit Code: 1")])
    chat.rows.append({"$rewindTo": "r"})
    chat.rows.append({"$rewindTo": "nobody"})
    chat.row("user", "second")
    found = digest(reader(chat.write(tmp_path)), str, full=True)
    assert found.stats.human_prompts == (("first", "kept", "second") if restated else ("first", "second"))
    assert (found.stats.tool_calls, found.stats.assistant_texts, found.failed_commands) == (0, 0, ())


def test_a_message_taken_back_and_written_again(tmp_path, chat):
    """Under its old id it counts again."""
    chat.row("user", "go", "r")
    chat.rows.append({"$rewindTo": "r"})
    chat.row("user", "go on", "r")
    chat.row("gemini", "done")
    assert [event.text for event in events(chat.write(tmp_path), Prompt, Reply)] == ["go on", "done"]


def test_a_conversation_restated(tmp_path, chat):
    """Known messages are not told again, changed as the client may have; the summary is a compaction."""
    first = chat.row("user", "go")
    work = chat.row("gemini", "looking", toolCalls=[call("a", "read_file", {}, {"error": "File not found"}, "error")])
    masked = work | {"toolCalls": [call("a", "read_file", {}, "[masked]")]}
    chat.restate(first, masked)
    snapshot = chat.message("user", "<state_snapshot>\nhalf done\n</state_snapshot>")
    kept = [
        chat.message("gemini", "Got it."),
        chat.message("user", "go"),
        chat.message("gemini", [{"text": "looking"}]),
    ]
    chat.restate(snapshot, *kept)
    chat.row("user", "go on")
    path = chat.write(tmp_path)
    assert [event.text for event in events(path, Prompt)] == ["go", "go on"]
    assert [event.text for event in events(path, Reply)] == ["looking"]
    assert [event.summary for event in events(path, Compaction)] == ["half done"]
    assert [event.failure for event in events(path, Result)] == ["error"]


def test_a_conversation_that_is_only_restated(tmp_path, chat):
    """Versions that write nothing else: each message counts once, with the most that was known of it."""
    first = chat.message("user", "go")
    work = chat.message("gemini", "looking")
    chat.restate(first)
    chat.restate(first, work)
    chat.restate(first, work | {"toolCalls": [call("a", "read_file", {}, "x")], "tokens": COST})
    assert [type(event) for event in events(chat.write(tmp_path))] == [Prompt, Reply, Call, Result, Tokens]


def test_what_is_no_prompt(tmp_path, chat):
    """The client's context, what a hook added, a command of the client, results of tools; the typed words are."""
    chat.row("user", "<session_context>\nuse tabs\n</session_context>")
    beside = [{"text": "go"}, {"text": "<hook_context>uses uv</hook_context>"}]
    chat.row("user", beside, displayContent=[{"text": "go"}])
    chat.row("user", [{"text": "on <hook_context>uses make</hook_context>"}])
    chat.row("user", "/clear")
    chat.row("user", "/home/dev/x is gone")
    path = chat.write(tmp_path)
    assert [event.text for event in events(path, Prompt)] == ["go", "on", "/home/dev/x is gone"]
    assert [(event.source, event.text[:10]) for event in events(path, Injected)] == [
        ("host", "<session_c"),
        ("hook", "uses uv"),
        ("hook", "uses make"),
        ("host", "/clear"),
    ]
    assert header(path).interactive


def test_files_a_prompt_names(tmp_path, chat):
    """Their content is nobody's words."""
    parts = ["tidy @a.md\n", "\n--- Content from referenced files ---", "\nContent from @a.md:\n", "always use tabs"]
    chat.row("user", [{"text": part} for part in (*parts, "\n--- End of content ---")])
    path = chat.write(tmp_path)
    assert [event.text for event in events(path, Prompt)] == ["tidy @a.md"]
    assert ["tabs" in event.text for event in events(path, Injected)] == [True]


def test_context_as_the_client_writes_it(tmp_path, chat):
    """Escaped, before the prompt in both its forms, and behind a tool's output: it hides neither words nor failures."""
    block = "<hook_context>&lt;recalled_memory&gt;uses uv&lt;/recalled_memory&gt;</hook_context>"
    said = [{"text": f"{block}\n\ngo on"}, {"text": "<hook_context>uses make</hook_context>"}]
    chat.row("user", said, displayContent=said)
    output = f"<untrusted_context>\nOutput: bad\nExit Code: 2\nProcess Group PGID: 7\n</untrusted_context>\n\n{block}"
    chat.row("gemini", "", toolCalls=[call("a", "run_shell_command", {"command": "make"}, output)])
    chat.row("user", answer("a", output))
    path = chat.write(tmp_path)
    assert [event.text for event in events(path, Prompt)] == ["go on"]
    assert [(event.failure, event.exit_code, event.text) for event in events(path, Result)] == [("exit", 2, "bad")]
    ours = "<recalled_memory>uses uv</recalled_memory>"
    assert [event.text for event in events(path, Injected)] == [ours, "uses make", ours]


@pytest.mark.parametrize(
    ("output", "failed", "failure", "code", "body"),
    [
        ("Output: bad\nExit Code: 1\nProcess Group PGID: 7", False, "exit", 1, "bad"),
        ("<untrusted_context>\nOutput: bad\nExit Code: 2\n</untrusted_context>", False, "exit", 2, "bad"),
        ("Command: x\nDirectory: (root)\nStdout: bad\nExit Code: 3\nSignal: (none)", False, "exit", 3, "bad"),
        ("Output: Exit Code: 9\nfine\nProcess Group PGID: 7", False, "", None, "Exit Code: 9\nfine"),
        ("Output: fine", False, "", None, "fine"),
        ("Exit Code: 4", False, "exit", 4, ""),
        ("not allowed", True, "exit", None, "not allowed"),
        ("Command was cancelled by user before it could complete.", False, "aborted", None, None),
        (
            "Command was automatically cancelled because it exceeded the timeout of 5 minutes",
            False,
            "timeout",
            None,
            None,
        ),
    ],
)
def test_how_a_command_ended(output, failed, failure, code, body):
    """By the line the client adds behind the output; the mark of success says nothing."""
    found = tools.ending(output, failed=failed, shell=True)
    assert (found.failure, found.exit_code) == (failure, code)
    assert body is None or found.text == body


def test_how_other_tools_ended(tmp_path, chat):
    """By the client's mark; stopped by a person is neither, and what goes on has no result."""
    kinds = {
        "a": call("a", "replace", {"file_path": "/a", "new_string": "n"}, {"error": "no match"}, "error"),
        "b": call("b", "write_file", {"file_path": "/b", "content": "t"}, "done"),
        "c": call("c", "write_file", {"file_path": "/c"}, "", "cancelled"),
        "d": call("d", "write_file", {"file_path": "/d"}, status="executing"),
        "e": call("e", "invoke_agent", {"agent_name": "generalist", "prompt": "p"}, "found"),
    }
    chat.row("gemini", "", toolCalls=list(kinds.values()))
    path = chat.write(tmp_path)
    assert {event.call_id: event.failure for event in events(path, Result)} == {
        "a": "error",
        "b": "",
        "c": "aborted",
        "e": "",
    }
    assert [(event.action, event.text, event.role) for event in events(path, Call)] == [
        ("write", "n", ""),
        ("write", "t", ""),
        ("write", "", ""),
        ("write", "", ""),
        ("agent", "", "generalist"),
    ]
    found = digest(reader(path), str, full=True)
    assert (found.stats.writes_ok, found.stats.status) == ({"/b": 1}, "open")


def test_what_was_looked_up(tmp_path, chat):
    """The client's own tools of the web, and those of servers that read documentation."""
    chat.row(
        "gemini",
        "",
        toolCalls=[
            call("a", "google_web_search", {"query": "uv lock"}, "found"),
            call("b", "mcp_context7_query-docs", {"libraryId": "/astral/uv", "query": "lock"}, "found"),
            call("c", "mcp_learnt_memory_search", {"query": "lock"}, "found"),
        ],
    )
    found = [(each.action, each.query) for each in events(chat.write(tmp_path), Call)]
    assert found == [("lookup", "uv lock"), ("lookup", "lock"), ("other", "")]


def test_a_result_only_in_the_user_role(tmp_path, chat):
    """A call whose message never got it is answered by that row."""
    chat.row("gemini", "", toolCalls=[call("a", "run_shell_command", {"command": "make"}, status="executing")])
    chat.row("user", answer("a", "Output: bad\nExit Code: 2"))
    found = digest(reader(chat.write(tmp_path)), str, full=True)
    assert [(entry.command, entry.exit_code) for entry in found.failed_commands] == [("make", 2)]
    assert found.stats.status == "open"


def test_a_request_the_person_stopped(tmp_path, chat):
    """The client notes it."""
    chat.row("info", "Request cancelled.")
    path = chat.write(tmp_path)
    assert [type(event) for event in events(path)] == [Interruption]
    assert digest(reader(path), str).stats.status == "interrupted"


def test_an_old_document(tmp_path, chat):
    """One JSON document, indented or not; its end may be missing."""
    chat.row("user", "go")
    chat.row("gemini", "done", toolCalls=[call("a", "run_shell_command", {"command": "make"}, "Exit Code: 2")])
    document = {**chat.rows[0], "messages": chat.rows[1:], "summary": "a title"}
    folder = tmp_path / "tmp" / hashlib.sha256(b"/home/dev/project").hexdigest() / "chats"
    folder.mkdir(parents=True)
    (tmp_path / "projects.json").write_text(json.dumps({"projects": {"/home/dev/project": "project"}}), "utf-8")
    path = folder / "session-2026-11-20T09-00-db5b5fab.json"
    for indent in (None, 2):
        path.write_text(json.dumps(document, indent=indent), "utf-8")
        assert gemini.recognises(path) == "sure"
        assert [type(event) for event in events(path)] == [Prompt, Reply, Call, Result]
        about = header(path)
        assert (about.session_id, about.cwd, about.title) == (SESSION, "/home/dev/project", "a title")
    path.write_text(json.dumps(document, indent=2)[:-300], "utf-8")
    torn = events(path)
    assert [type(event) for event in torn] == [Prompt, Malformed]
    assert torn[-1].torn


def test_where_it_ran(tmp_path, chat):
    """By the folder's own mark, else the client's list, else the header."""
    path = chat.write(tmp_path)
    assert header(path).cwd == ""
    chat.rows[0]["directories"] = ["/home/dev/third"]
    assert header(chat.write(tmp_path)).cwd == "/home/dev/third"
    (tmp_path / "projects.json").write_text(json.dumps({"projects": {"/home/dev/second": "project"}}), "utf-8")
    assert header(path).cwd == "/home/dev/second"
    (tmp_path / "tmp" / "project" / ".project_root").write_text("/home/dev/first", "utf-8")
    assert header(path).cwd == "/home/dev/first"
    (tmp_path / "projects.json").write_text("[" * 100_000, "utf-8")
    (tmp_path / "tmp" / "project" / ".project_root").unlink()
    assert header(path).cwd == "/home/dev/third"


def test_a_sub_agent(tmp_path, chat):
    """Its file lies in a folder named after the parent; its task is nobody's prompt."""
    child = Chat("child", kind="subagent")
    child.row("user", "list the callers")
    child.row("gemini", "two")
    path = child.write(tmp_path, f"{SESSION}/child.jsonl")
    found = events(path)
    assert [type(event) for event in found] == [Injected, Reply]
    assert found[1].sidechain
    about = header(path)
    assert (about.session_id, about.parent_session_id, about.sidechain) == ("child", SESSION, True)
    main = chat.write(tmp_path)
    assert header(main).subagents == (str(path),)
    assert gemini.files(tmp_path) == (main,)


def test_files_of_one_session(tmp_path, chat):
    """A log that began as a document, and a start that came to nothing, are not told twice."""
    chat.row("user", "go")
    log = chat.write(tmp_path)
    log.with_suffix(".json").write_text("{}", "utf-8")
    stray = Chat()
    stray.restate(stray.message("user", "<session_context>x</session_context>"))
    left = stray.write(tmp_path, "session-2026-11-20T10-00-db5b5fab.jsonl")
    assert gemini.files(tmp_path) == (log,)
    log.unlink()
    log.with_suffix(".json").unlink()
    assert gemini.files(tmp_path) == (left,)


def test_where_sessions_lie(tmp_path):
    """In the client's folder or where the environment moves its home."""
    assert gemini.folders({}, tmp_path) == (tmp_path / ".gemini",)
    assert gemini.folders({"GEMINI_CLI_HOME": "/else"}, tmp_path) == (Path("/else/.gemini"),)
    assert not gemini.HOST.resumes


@pytest.mark.parametrize(
    ("settings", "days"),
    [
        ("{}", 30),
        ("no JSON", 30),
        ('{"general": {"sessionRetention": {"enabled": false}}}', None),
        ('{"general": {"sessionRetention": {"maxAge": "2w"}}}', 14),
        ('{"general": {"sessionRetention": {"maxAge": "soon"}}}', 30),
    ],
)
def test_how_long_the_client_keeps_a_session(tmp_path, settings, days):
    """By its settings, 30 days without them."""
    (tmp_path / "settings.json").write_text(settings, "utf-8")
    assert gemini.keeps_days(tmp_path) == days


def test_what_nobody_knows_is_counted(tmp_path, chat):
    """Rows of no known kind and messages of unknown types."""
    chat.rows.append({"odd": True})
    chat.row("novelty", "x")
    assert header(chat.write(tmp_path)).unknown == 2


def test_whose_file_it_is(tmp_path):
    """By the header's two names; Claude Code's rows have one of them, too, and are not taken."""
    other = tmp_path / "other.jsonl"
    for row, fit in (
        ({"sessionId": "s", "projectHash": "x"}, "sure"),
        ({"sessionId": "s", "uuid": "u", "type": "user", "content": "x"}, "no"),
        ({"sessionId": "s", "type": "mode"}, "no"),
        ({}, "no"),
    ):
        other.write_text(json.dumps(row) + "\n", "utf-8")
        assert gemini.recognises(other) == fit
    assert gemini.recognises(tmp_path) == "no"
