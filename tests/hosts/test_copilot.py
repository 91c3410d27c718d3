"""Copilot CLI's sessions: who said what, what failed, and nothing twice."""

from __future__ import annotations

import itertools
import json
import os
from pathlib import Path
from typing import Any

import pytest

from learnt.capture.digest import digest
from learnt.hosts.copilot import host as copilot
from learnt.hosts.host import Asked
from learnt.model.session import Call, Compaction, Injected, Interruption, Prompt, Reply, Result, Tokens
from tests.hosts.ground import MISSING, compare, expected, samples, told

SESSION = "2507759b-36af-471e-ad2e-f1c113d1e9e3"


class Log:
    """Events of one session, every one a second after the one before."""

    def __init__(self) -> None:
        self.rows: list[dict[str, Any]] = []
        self._numbers = itertools.count(0)
        context = {"cwd": "/home/dev/project", "branch": "main", "headCommit": "abc"}
        self.event("session.start", sessionId=SESSION, copilotVersion="1.0", selectedModel="m", context=context)

    def event(self, kind: str, agent: str = "", **data: Any) -> dict[str, Any]:
        """An event of this type, of a sub-agent when one is named."""
        number = next(self._numbers)
        row: dict[str, Any] = {"type": kind, "data": data, "id": f"e-{number}", "parentId": None}
        row["timestamp"] = f"2026-11-20T09:{number // 60:02d}:{number % 60:02d}.000Z"
        self.rows.append(row | ({"agentId": agent} if agent else {}))
        return row

    def call(self, call_id: str, tool: str, arguments: Any, agent: str = "") -> None:
        """A call that the model asked for and that began."""
        request = {"toolCallId": call_id, "name": tool, "arguments": arguments}
        self.event("assistant.message", agent, content="", toolRequests=[request])
        self.event("tool.execution_start", agent, toolCallId=call_id, toolName=tool, arguments=arguments)

    def end(self, call_id: str, agent: str = "", **data: Any) -> None:
        """Its end."""
        self.event("tool.execution_complete", agent, toolCallId=call_id, **({"success": True} | data))

    def write(self, home: Path) -> Path:
        """The file where the client would put it."""
        path = home / "session-state" / SESSION / "events.jsonl"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("".join(json.dumps(row) + "\n" for row in self.rows), "utf-8")
        return path


def reader(path: Path, offset: int = 0, number: int = 0) -> Any:
    """A reader of the file."""
    return copilot.HOST.reads(Asked(path=path, offset=offset, number=number))


def events(path: Path, *kinds: type[Any]) -> list[Any]:
    """What the reader tells, of these kinds only when some are named."""
    return [event for event in reader(path).events() if not kinds or isinstance(event, kinds)]


def header(path: Path) -> Any:
    """The header after a whole reading."""
    one = reader(path)
    list(one.events())
    return one.header()


@pytest.fixture
def log() -> Log:
    """An empty session."""
    return Log()


@pytest.mark.skipif(not expected("copilot-cli"), reason=MISSING)
@pytest.mark.parametrize(("name", "truth"), expected("copilot-cli"), ids=[name for name, _ in expected("copilot-cli")])
def test_every_value_of_the_ground_truth(monkeypatch, name, truth):
    """Counts, texts, failures, tokens, sub-agents, status."""
    monkeypatch.chdir(samples("copilot-cli"))
    assert copilot.recognises(Path(name)) == copilot.recognises(Path(name).parent) == "sure"
    found = told(reader(Path(name)))
    compare(found, truth, "usage_note", "subagents")
    for agent, wanted in zip(found["subagents"], truth["subagents"], strict=True):
        assert (agent["agent_id"], agent["final_note"]) == (wanted["agent_id"], wanted["final_note"])
        compare(
            {"failed_commands": agent["failed_commands"], "failed_tools": []},
            {"failed_commands": wanted["failed_commands"], "failed_tools": []},
        )


def test_a_prompt_and_what_is_put_around_it(tmp_path, log):
    """The typed words alone are the prompt; what is said in a sub-agent's name is nobody's."""
    around = "<current_datetime>now</current_datetime>\n\ngo\n\n<system_reminder>\nuse tabs\n</system_reminder>"
    log.event("user.message", content="go", transformedContent=around)
    log.event("user.message", content="list the callers", source=f"agent-{SESSION}")
    log.event("user.message", "agent-1", content="list the callers")
    path = log.write(tmp_path)
    assert [event.text for event in events(path, Prompt)] == ["go"]
    assert [(event.source, event.text) for event in events(path, Injected)] == [
        ("host", "<system_reminder>\nuse tabs\n</system_reminder>"),
        ("host", "list the callers"),
        ("host", "list the callers"),
    ]


@pytest.mark.parametrize(
    "output",
    [
        {"additionalContext": "uses uv"},
        '{"additionalContext": "uses uv"}',
        {"hookSpecificOutput": {"additionalContext": "uses uv"}},
    ],
)
def test_context_of_a_hook(tmp_path, log, output):
    """What its answer adds to the conversation; any other answer adds nothing."""
    log.event("hook.end", hookType="sessionStart", success=True, output=output)
    log.event("hook.end", hookType="postToolUse", success=True, output="{broken")
    log.event("hook.end", hookType="postToolUse", success=True)
    assert [(event.source, event.text) for event in events(log.write(tmp_path), Injected)] == [("hook", "uses uv")]


@pytest.mark.parametrize(
    ("data", "failure", "code"),
    [
        ({"shellExecution": {"exitCode": 0}, "result": {"content": "exit code 9"}}, "", 0),
        ({"shellExecution": {"exitCode": 1}, "result": {"content": "bad"}}, "exit", 1),
        ({"result": {"content": "bad\n<shellId: 0 completed with exit code 3>"}}, "exit", 3),
        ({"result": {"content": "<shellId: 0 completed with exit code 3>\nfine"}}, "", None),
        ({"success": False, "error": {"message": "no", "code": "failure"}}, "exit", None),
        ({"success": False, "error": {"message": "no", "code": "timeout"}}, "timeout", None),
        ({"success": False, "error": {"message": "no", "code": "rejected"}}, "aborted", None),
    ],
)
def test_how_a_command_ended(tmp_path, log, data, failure, code):
    """The exit code tells, not the mark of success; a call that was refused is neither."""
    log.call("a", "bash", {"command": "make"})
    log.end("a", **data)
    assert [(event.failure, event.exit_code) for event in events(log.write(tmp_path), Result)] == [(failure, code)]


def test_what_a_hook_added_to_a_result(tmp_path, log):
    """It is no part of the output."""
    added = (
        '\n\nTool "bash" succeeded. Additional guidance from postToolUse hooks:\n<recalled_memory>x</recalled_memory>'
    )
    log.call("a", "bash", {"command": "make"})
    log.end("a", result={"content": f"bad\n<shellId: 0 completed with exit code 3>{added}"})
    found = events(log.write(tmp_path), Result)
    assert [(event.exit_code, event.text) for event in found] == [(3, "bad\n<shellId: 0 completed with exit code 3>")]


def test_a_call_counts_once(tmp_path, log):
    """It is asked for, it begins, and it may be told again; so may its end."""
    for _ in range(2):
        log.call("a", "view", {"path": "/a"})
        log.end("a", success=False, error={"message": "Path does not exist", "code": "failure"})
    calls, results = events(log.write(tmp_path), Call), events(log.write(tmp_path), Result)
    assert [(call.tool, call.action, call.target) for call in calls] == [("view", "read", "/a")]
    assert [(result.failure, result.text) for result in results] == [("error", "Path does not exist")]


def test_writes(tmp_path, log):
    """Each of the client's tools for it; a look at a file through the editor is none; a patch may write several."""
    log.call("a", "create", {"path": "/a", "file_text": "x"})
    log.call("b", "str_replace_editor", {"command": "str_replace", "path": "/b", "new_str": "y"})
    log.call("c", "str_replace_editor", {"command": "view", "path": "/c"})
    log.call("d", "apply_patch", "*** Begin Patch\n*** Add File: d\n+z\n*** Add File: e\n+z\n*** End Patch")
    for call_id in "abcd":
        log.end(call_id)
    path = log.write(tmp_path)
    found = digest(reader(path), str, full=True).stats
    assert found.writes_ok == {"/a": 1, "/b": 1, "/home/dev/project/d": 1, "/home/dev/project/e": 1}
    assert (found.tool_calls, found.status) == (4, "complete")
    assert [call.text for call in events(path, Call)] == ["x", "y", "", "z\nz", "z\nz"]


def test_sub_agents_are_told_apart(tmp_path, log):
    """Each with its failed commands and its last words, none of which are the main thread's."""
    for agent in ("agent-1", "agent-2"):
        log.call(f"call-{agent}", "bash", {"command": f"run {agent}"}, agent)
        log.end(f"call-{agent}", agent, shellExecution={"exitCode": 4}, result={"content": "bad"})
        log.event("assistant.message", agent, content=f"done {agent}", toolRequests=[])
    log.event("assistant.message", content="all done", toolRequests=[])
    found = digest(reader(log.write(tmp_path)), str, full=True)
    assert [(each.agent_id, each.final_note) for each in found.inline_agents] == [
        ("agent-1", "done agent-1"),
        ("agent-2", "done agent-2"),
    ]
    assert [entry.command for each in found.inline_agents for entry in each.failed_commands] == [
        "run agent-1",
        "run agent-2",
    ]
    assert (found.final_notes, found.failed_commands, found.stats.tool_calls) == (("all done",), (), 0)
    assert digest(reader(log.write(tmp_path)), str).inline_agents == ()


def test_the_session_as_a_whole(tmp_path, log):
    """Its start, changes of its model, its title from the file beside it, its end."""
    log.event("session.model_change", newModel="n")
    log.event("session.title_changed", title="first")
    path = log.write(tmp_path)
    about = header(path)
    assert (about.session_id, about.version, about.cwd, about.branch, about.commit, about.model, about.title) == (
        SESSION,
        "1.0",
        "/home/dev/project",
        "main",
        "abc",
        "n",
        "first",
    )
    (path.parent / "workspace.yaml").write_text(f"id: {SESSION}\nname: 'Fix it: now'\n# x\n", "utf-8")
    assert header(path).title == "Fix it: now"


def test_a_turn_that_goes_on(tmp_path, log):
    """Open until it ends, or the client says that it shut down; stopped by a person it is interrupted."""
    log.event("assistant.turn_start")
    assert digest(reader(log.write(tmp_path)), str).stats.status == "open"
    log.event("session.shutdown", shutdownType="routine")
    assert digest(reader(log.write(tmp_path)), str).stats.status == "complete"
    log.event("abort", reason="user_initiated")
    path = log.write(tmp_path)
    assert digest(reader(path), str).stats.status == "interrupted"
    assert [type(event) for event in events(path, Interruption)] == [Interruption]


def test_compactions_and_costs(tmp_path, log):
    """A summary where one was made; a response's cost without what came from the cache."""
    log.event("session.compaction_complete", success=False)
    log.event("session.compaction_complete", success=True, summaryContent="half done")
    log.event("session.usage_record", usage={"inputTokens": 150, "cacheReadTokens": 100, "outputTokens": 6})
    log.event("session.usage_record", usage={"inputTokens": "many"})
    path = log.write(tmp_path)
    assert [event.summary for event in events(path, Compaction)] == ["half done"]
    costs = [(cost.input_tokens, cost.cache_read_tokens, cost.output_tokens) for cost in events(path, Tokens)]
    assert costs == [(50, 100, 6)]


def test_a_reading_goes_on_where_it_stopped(tmp_path, log):
    """A torn line is read when it is whole, and nothing before it again; what the start said is still known."""
    log.event("assistant.message", content="one", toolRequests=[])
    path = log.write(tmp_path)
    whole = path.read_bytes()
    path.write_bytes(whole + b'{"type":"assist')
    first = reader(path)
    list(first.events())
    assert (first.next_offset, first.next_number) == (len(whole), 2)
    log.event("assistant.message", content="two", toolRequests=[])
    second = reader(log.write(tmp_path), first.next_offset, first.next_number)
    assert [(event.text, event.span.record) for event in second.events() if isinstance(event, Reply)] == [("two", 2)]
    assert second.header().cwd == "/home/dev/project"


def test_what_nobody_knows_is_counted(tmp_path, log):
    """Events of unknown types; and rows that are no events."""
    log.event("session.novelty")
    log.rows.append({"odd": True})
    assert header(log.write(tmp_path)).unknown == 2


def test_where_sessions_lie_and_which_are_open(tmp_path, log):
    """In the client's folder or where the environment moves it; a mark counts while its process lives."""
    assert copilot.folders({}, tmp_path) == (tmp_path / ".copilot",)
    assert copilot.folders({"COPILOT_HOME": "/else"}, tmp_path) == (Path("/else"),)
    path = log.write(tmp_path)
    assert copilot.files(tmp_path) == (path,)
    assert copilot.live(tmp_path) == {}
    (path.parent / f"inuse.{os.getpid()}.lock").touch()
    (path.parent / "inuse.x.lock").touch()
    assert copilot.live(tmp_path) == {SESSION: "busy"}


def test_a_session_is_a_folder_too(tmp_path, log):
    """Named by its folder or by the file in it, it is the same."""
    path = log.write(tmp_path)
    by_file, by_folder = Asked(path=path), Asked(path=path.parent)
    host = copilot.HOST
    assert host.extent(by_file) == host.extent(by_folder) == path.stat().st_size
    assert host.head(by_file) == host.head(by_folder)
    assert host.same(by_folder, *host.head(by_file))
    assert list(reader(path.parent).events()) == list(reader(path).events())


def test_whose_file_it_is(tmp_path):
    """By the type of an event; an unknown one has the shape."""
    other = tmp_path / "other.jsonl"
    for row, fit in (
        ({"type": "user.message", "data": {}, "parentId": None}, "sure"),
        ({"type": "odd", "data": {}, "parentId": None}, "shaped"),
        ({"type": "user", "message": {}}, "no"),
    ):
        other.write_text(json.dumps(row) + "\n", "utf-8")
        assert copilot.recognises(other) == fit
    assert copilot.recognises(tmp_path) == "no"
