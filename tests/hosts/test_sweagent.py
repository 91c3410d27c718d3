"""SWE-agent's trajectories: steps, actions of its own interface, and documents without steps."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from learnt.capture.digest import digest
from learnt.hosts import transcript
from learnt.hosts.reading import document
from learnt.hosts.sweagent import actions
from learnt.hosts.sweagent import host as sweagent
from learnt.hosts.sweagent.host import SweAgentReader
from learnt.model.session import Call, Injected, Malformed, Prompt, Reply, Result
from tests.harvest import gather
from tests.hosts.ground import SHARED, told

REAL = sorted((SHARED / "data" / "swe-agent-trajs").glob("*.traj"))


def step(action: str, observation: Any = "", thought: str = "", opened: str = "n/a") -> dict[str, Any]:
    """A step; its state is JSON as text, as older versions wrote it."""
    state = json.dumps({"open_file": opened, "working_dir": "/repo"})
    return {"action": action, "observation": observation, "thought": thought, "response": thought, "state": state}


def message(role: str, content: Any = "", **fields: Any) -> dict[str, Any]:
    """A message of the history."""
    return {"role": role, "content": content, "agent": "main", **fields}


def run(folder: Path, *steps: dict[str, Any], history: Any = (), **fields: Any) -> Path:
    """A document."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / "task-1.traj"
    body = {"environment": "main", "trajectory": steps, "history": list(history), "info": {"exit_status": "submitted"}}
    path.write_text(json.dumps({**body, **fields}))
    return path


def events(path: Path, *kinds: type[Any]) -> list[Any]:
    """What the reader tells."""
    return [event for event in SweAgentReader(path).events() if not kinds or isinstance(event, kinds)]


@pytest.mark.skipif(not REAL, reason="the trajectories are not at hand (LEARNT_SHARED)")
@pytest.mark.parametrize("path", REAL, ids=[path.stem[:30] for path in REAL])
def test_no_step_of_real_runs_is_lost(path):
    """Counted with other means: steps, or in a document without them the messages."""
    document = json.loads(path.read_text("utf-8"))
    steps, history = document.get("trajectory", []), document["history"]
    agents = [entry for entry in history if entry["role"] == "assistant"]
    reader = SweAgentReader(path)
    found: list[Any] = list(reader.events())
    of: dict[type[Any], list[Any]] = {
        kind: [event for event in found if isinstance(event, kind)] for kind in (Call, Result, Reply, Prompt)
    }
    assert transcript.host_of(path) == "swe-agent"
    assert len(of[Call]) == len(of[Result]) == (len(steps) or len(agents))
    assert len(of[Reply]) == (sum(bool(each["thought"].strip()) for each in steps) or len(agents))
    assert len(of[Prompt]) == 1
    for event, one in zip(of[Result], steps, strict=False):
        assert event.text[:500] == one["observation"][:500]
    for event, one in zip(of[Call], steps, strict=False):
        assert event.action != "shell" or event.target == one["action"].strip()
    leading = next((number for number, each in enumerate(history) if each["role"] == "assistant"), len(history))
    assert reader.header().records == (leading + len(steps) if steps else len(history))
    assert (reader.header().unknown, [event for event in found if isinstance(event, Malformed)]) == (0, [])
    edits = [each for each in steps if each["action"].split("\n")[0].split(" ")[0] in ("edit", "insert")]
    refused = sum(each["observation"].lstrip().startswith("Your proposed edit has") for each in edits)
    assert [event.failure for event in of[Result]].count("error") == refused


@pytest.mark.parametrize(
    ("action", "tool", "sort", "target", "text"),
    [
        ("ls -F\n", "bash", "shell", "ls -F", ""),
        ("create a.py\n", "create", "write", "/repo/a.py", ""),
        ("open src/b.py 12", "open", "read", "/repo/src/b.py", ""),
        ('open "/x/b.py"', "open", "read", "/x/b.py", ""),
        ("goto 12", "goto", "read", "/repo/o.py", ""),
        ("edit 1:2\nx = 1\nend_of_edit\n", "edit", "write", "/repo/o.py", "x = 1\n"),
        ("edit\nx = 1\nend_of_edit", "edit", "write", "/repo/o.py", "x = 1\n"),
        ("edit 'a' 'b\n  c' False", "edit", "write", "/repo/o.py", "b\n  c"),
        ("insert 'a\nb'", "insert", "write", "/repo/o.py", "a\nb"),
        ("find_file x.py", "find_file", "other", None, ""),
        ("submit", "submit", "other", None, ""),
        ("str_replace_editor view /repo/a.py", "str_replace_editor", "read", "/repo/a.py", ""),
        (
            "str_replace_editor str_replace /repo/a.py --old_str 'a' --new_str 'b\nc'",
            "str_replace_editor",
            "write",
            "/repo/a.py",
            "b\nc",
        ),
        ("echo 'unfinished", "bash", "shell", "echo 'unfinished", ""),
    ],
)
def test_what_an_action_is(action, tool, sort, target, text):
    """A command of its own interface, or a shell command; edits go to the file that is open."""
    made = actions.use("c", action, "/repo", "/repo/o.py")
    assert (made.tool, made.action, made.target, made.text) == (tool, sort, target, text)


@pytest.mark.parametrize(
    ("action", "seen", "failure", "code"),
    [
        ("make", "error: 3\nExit code 4", "", None),
        ("make", "<returncode>2</returncode>\n<output>x</output>", "exit", 2),
        ("make", "<returncode>0</returncode>", "", 0),
        ("mak", "bash: line 1: mak: command not found\n", "exit", 127),
        ("cat log", "first\nbash: mak: command not found", "", None),
        ("make", "EXECUTION TIMED OUT", "timeout", None),
        ("make", "The command 'make' was cancelled because it took more than 30 seconds.", "timeout", None),
        ("edit 1:1\nx\nend_of_edit", "Your proposed edit has introduced new syntax error(s).", "error", None),
        ("edit 1:1\nx\nend_of_edit", "[File: a.py (1 lines total)]\nError: 3", "", None),
        ("edit 1:1\nx\nend_of_edit", "No file open. Use the open command first.", "error", None),
    ],
)
def test_how_an_action_ended(action, seen, failure, code):
    """Only what the environment itself says at the beginning counts; the format has no exit codes."""
    made = actions.use("c", action, "/repo", "/repo/o.py")
    told_of = actions.end(made, seen)
    assert (told_of.failure, told_of.exit_code) == (failure, code)


def test_a_run(tmp_path):
    """The task is a program's words; demonstrations and the system's are the host's; then every step."""
    history = [
        message("system", "SETTING"),
        message("user", "a demonstration", is_demo=True),
        message("user", "Fix it."),
        message("assistant", "looking", thought="looking", action="ls"),
        message("user", "src"),
    ]
    path = run(
        tmp_path,
        step("ls", "src", "looking"),
        step("edit 1:1\nx\nend_of_edit", "ok", "", "/repo/a.py"),
        history=history,
    )
    reader = SweAgentReader(path)
    found: list[Any] = list(reader.events())
    assert [type(event) for event in found] == [Injected, Injected, Prompt, Reply, Call, Result, Call, Result]
    assert [event.span.record for event in found] == [0, 1, 2, 3, 3, 3, 4, 4]
    assert found[2].typed is False
    header = reader.header()
    assert (header.cwd, header.title, header.interactive, header.unfinished) == ("/repo", "task-1", False, False)
    assert told(SweAgentReader(path))["write_attempts"] == {"/repo/a.py": 1}
    body = path.read_bytes()
    assert json.loads(body[found[4].span.offset : found[4].span.offset + found[4].span.length])["action"] == "ls"


def test_a_document_of_messages_alone(tmp_path):
    """Calls with ids and their results; the file that a call opened is the one that is edited."""

    def calling(call_id: str, name: str, **given: Any) -> dict[str, Any]:
        function = {"name": name, "arguments": json.dumps(given)}
        calls = [{"id": call_id, "type": "function", "function": function}]
        return message("assistant", "I do", thought="I do", tool_calls=calls)

    history = [
        message("user", "Fix it.", message_type="observation"),
        calling("t1", "open", path="tests/a.py"),
        message("tool", "[File: tests/a.py]", tool_call_ids=["t1"]),
        calling("t2", "edit", search="a", replace="b"),
        message("tool", "Your proposed edit has introduced new syntax error(s).", tool_call_ids=["t2"]),
        message("assistant", "ls", action="ls"),
        message("user", "src"),
        message("critic", "hm"),
    ]
    path = tmp_path / "x.traj"
    path.write_text(json.dumps({"history": history}))
    reader = SweAgentReader(path)
    list(reader.events())
    assert reader.header().unknown == 1
    assert [(call.tool, call.target) for call in events(path, Call)] == [
        ("open", "tests/a.py"),
        ("edit", "tests/a.py"),
        ("bash", "ls"),
    ]
    assert [end.failure for end in events(path, Result)] == ["", "error", ""]
    assert [prompt.text for prompt in events(path, Prompt)] == ["Fix it."]


def test_runs_of_one_task_are_told_apart(tmp_path):
    """By how they begin and their folder's name; a run that goes on stays the one it was."""
    one, other = run(tmp_path / "a", step("ls", "x")), run(tmp_path / "b", step("ls", "x"))
    third = run(tmp_path / "c" / "a", step("ls", "y"))
    names = {SweAgentReader(path).header().session_id for path in (one, other, third)}
    assert len(names) == 3
    before = SweAgentReader(one).header().session_id
    ids = [event.message_id for event in events(one)]
    run(tmp_path / "a", step("ls", "x"), step("make", "ok"))
    assert SweAgentReader(one).header().session_id == before
    assert [event.message_id for event in events(one)][: len(ids)] == ids


def test_a_run_that_goes_on_or_ends_early(tmp_path):
    """Without an exit status it is unfinished; a torn document gives the steps that are whole."""
    path = run(tmp_path, step("ls", "x"), info={})
    assert told(SweAgentReader(path))["status"] == "open"
    whole = path.read_text()
    path.write_text(whole[: whole.index('"history"') - 3])
    assert [type(event) for event in events(path)] == [Call, Result, Malformed]
    assert sweagent.recognises(path) == "sure"
    other = tmp_path / "x.json"
    other.write_text('{"trajectory": 1}')
    assert sweagent.recognises(other) == "no"


@pytest.mark.parametrize("history", [(), [message("user", "Fix it."), message("assistant", "I look.")]])
@pytest.mark.parametrize("others", [(), [step("ls", "src")]])
def test_a_step_too_large_is_told(tmp_path, monkeypatch, history, others):
    """Once, with its place, also when it is the only step."""
    monkeypatch.setattr(document, "_MAX_PIECE_BYTES", 1_000_000)
    path = run(tmp_path, step("cat log", "x" * 5_000_000), *others, history=history)
    (lost,) = events(path, Malformed)
    assert json.loads(path.read_bytes()[lost.span.offset :][: lost.span.length])["action"] == "cat log"
    assert (lost.reason, lost.torn) == ("a record of over 0 MiB", False)
    (named,) = digest(SweAgentReader(path), lambda text: text).stats.damaged
    assert (named.record, named.offset) == (lost.span.record, lost.span.offset)


def test_a_task_too_large_is_told(tmp_path, monkeypatch):
    """Beside the steps, which are read."""
    monkeypatch.setattr(document, "_MAX_PIECE_BYTES", 1_000_000)
    path = run(tmp_path, step("ls", "src"), history=[message("user", "x" * 5_000_000), message("assistant", "ls")])
    assert [type(event) for event in events(path)] == [Malformed, Call, Result]
    whole = path.read_text()
    path.write_text(whole[:-40])
    assert [type(event) for event in events(path)][:3] == [Malformed, Call, Result]


def test_a_fault_of_the_document_is_told_once(tmp_path):
    """Whether it stands in the steps or in the messages, of which either is read first."""
    for text in ('{"trajectory": [{"action": "ls"', '{"history": [{"role": "us', '{"history": [] "x"}', "no JSON"):
        path = tmp_path / "x.traj"
        path.write_text(text)
        assert len(events(path, Malformed)) == 1, text


def test_a_command_without_an_exit_code_proves_nothing(tmp_path):
    """The format tells no codes: what was run is no recipe, and shows no other form to be wrong."""
    path = run(tmp_path, step("mak check", "bash: mak: command not found"), step("pytest -q", "1 failed"))
    reader = SweAgentReader(path)
    found: list[Any] = list(reader.events())
    assert [event.unsaid for event in found if isinstance(event, Result)] == [False, True]
    harvest = gather(reader.header(), found)
    assert (harvest.lessons, harvest.recipes) == ((), ())
