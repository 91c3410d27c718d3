"""Cline's and Roo's sessions: one document each, of the command line and of the extensions, with calls in XML too."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from learnt.hosts import transcript
from learnt.hosts.cline import host as cline
from learnt.hosts.cline.reader import ClineReader
from learnt.model.session import Call, Compaction, Injected, Malformed, Prompt, Reply, Result
from tests.hosts.ground import MISSING, compare, expected, samples, told

ORIGIN = {"source": "cli", "version": "3.0.65"}


def written(folder: Path, *messages: dict[str, Any], **members: Any) -> Path:
    """A session of the command line; members are the document's or, as `manifest`, those beside it."""
    session = folder / "s1"
    session.mkdir(parents=True, exist_ok=True)
    manifest = members.pop("manifest", None)
    if manifest is not None:
        (session / "s1.json").write_text(json.dumps(manifest))
    path = session / "s1.messages.json"
    document = {"version": 1, "agent": "lead", "sessionId": "s1", "origin": ORIGIN, **members}
    path.write_text(json.dumps({**document, "messages": messages, "system_prompt": "x"}))
    return path


def task(folder: Path, *messages: dict[str, Any], item: dict[str, Any] | None = None) -> Path:
    """A task of an extension."""
    (folder / "17").mkdir(parents=True, exist_ok=True)
    if item is not None:
        (folder / "17" / "history_item.json").write_text(json.dumps(item))
    path = folder / "17" / "api_conversation_history.json"
    path.write_text(json.dumps(list(messages)))
    return path


def user(*blocks: Any, **more: Any) -> dict[str, Any]:
    """A message of the user role; strings are text blocks."""
    return {"role": "user", "content": [_block(block) for block in blocks], "ts": 1_795_000_000_000, **more}


def agent(*blocks: Any, **more: Any) -> dict[str, Any]:
    """A message of the assistant role."""
    return {"role": "assistant", "content": [_block(block) for block in blocks], "ts": 1_795_000_001_000, **more}


def _block(block: Any) -> dict[str, Any]:
    return {"type": "text", "text": block} if isinstance(block, str) else block


def use(call_id: str, name: str, **given: Any) -> dict[str, Any]:
    """A call."""
    return {"type": "tool_use", "id": call_id, "name": name, "input": given}


def answer(call_id: str, content: Any, **marks: Any) -> dict[str, Any]:
    """Its result."""
    return {"type": "tool_result", "tool_use_id": call_id, "content": content, **marks}


def events(path: Path, *kinds: type[Any], host: str = "cline") -> list[Any]:
    """What the reader tells."""
    return [event for event in ClineReader(path, host).events() if not kinds or isinstance(event, kinds)]


@pytest.mark.skipif(not expected("cline"), reason=MISSING)
@pytest.mark.parametrize(("name", "truth"), expected("cline"), ids=[name[-30:] for name, _ in expected("cline")])
def test_every_value_of_the_ground_truth(monkeypatch, name, truth):
    """Counts, texts, failures, tokens, times."""
    monkeypatch.chdir(samples("cline"))
    compare(told(transcript.reader(name)), truth)


def test_one_call_of_several_commands(tmp_path):
    """Each has its own end; the call counts once, and the fixed frame is not part of the output."""
    results = [
        {
            "query": "a",
            "result": "[Command exited with code 2]\nboom\n",
            "error": "Command exited with code 2",
            "success": False,
        },
        {"query": "b", "result": "fine", "success": True},
        {"query": "c", "result": "", "error": "Command timed out after 30 seconds", "success": False},
    ]
    calls = use("c1", "run_commands", commands=["a", {"command": "b"}, "c", "d"])
    path = written(tmp_path, agent(calls), user(answer("c1", results)))
    made = events(path, Call)
    assert [(call.target, call.part) for call in made] == [("a", False), ("b", True), ("c", True), ("d", True)]
    ends = events(path, Result)
    assert [(end.failure, end.exit_code) for end in ends] == [
        ("exit", 2),
        ("", 0),
        ("timeout", None),
        ("aborted", None),
    ]
    assert ends[0].text.startswith("boom")
    assert len({end.message_id for end in ends}) == 4
    assert told(ClineReader(path, "cline"))["tool_calls"] == 1


def test_a_success_flag_decides_not_the_output(tmp_path):
    """An exit code inside an output is text; an editor's answer is JSON in a string."""
    shell = [{"query": "tail log", "result": "Command exited with code 4 yesterday", "success": True}]
    edited = json.dumps({"query": "edit:a.py", "result": "", "error": "Editor operation failed: no", "success": False})
    path = written(
        tmp_path,
        agent(use("c1", "run_commands", commands=["tail log"]), use("c2", "editor", path="a.py", new_text="x")),
        user(answer("c1", shell), answer("c2", edited)),
    )
    assert [end.failure for end in events(path, Result)] == ["", "error"]
    assert [call.text for call in events(path, Call)] == ["", "x"]


def test_who_speaks_in_a_message(tmp_path):
    """The person's words stand in a tag; hooks, the editor's state and the client's own notices are nobody's words."""
    path = written(
        tmp_path,
        user('<user_input mode="act">Do it.</user_input>', "<environment_details>\n# Files\n</environment_details>"),
        user('<hook_context source="x">\nremember this\n</hook_context>', metadata={"displayRole": "system"}),
        user("[ERROR] You did not use a tool in your previous response!"),
        user("This session is being continued from a previous conversation.\n\nSummary:\nall of it"),
    )
    assert [prompt.text for prompt in events(path, Prompt)] == ["Do it."]
    assert [(each.text, each.source) for each in events(path, Injected)] == [
        ("remember this", "hook"),
        ("[ERROR] You did not use a tool in your previous response!", "host"),
    ]
    assert [each.summary for each in events(path, Compaction)] == ["all of it"]


def test_the_manifest_tells_of_the_session(tmp_path):
    """Folder, branch, times, title, whether it still runs and whether a person sat there."""
    manifest = {
        "status": "running",
        "interactive": True,
        "cwd": "/srv/app",
        "model": "m-1",
        "started_at": "2026-11-20T09:12:03.000Z",
        "metadata": {"title": "Round", "git": {"branch": "main"}},
    }
    path = written(tmp_path, user("go"), manifest=manifest)
    reader = ClineReader(path, "cline")
    assert [event.typed for event in reader.events() if isinstance(event, Prompt)] == [True]
    header = reader.header()
    assert (header.session_id, header.cwd, header.branch, header.model) == ("s1", "/srv/app", "main", "m-1")
    assert (header.title, header.version, header.unfinished, header.interactive) == ("Round", "3.0.65", True, True)
    assert header.ended_at == "2026-11-18T11:06:40.000Z"
    assert ClineReader(path.with_name("s1.json"), "cline").header().session_id == "s1"
    assert ClineReader(path.parent, "cline").header().session_id == "s1"
    headless = written(tmp_path / "other", user("go"), manifest={"interactive": False})
    assert [event.typed for event in events(headless, Prompt)] == [False]


def test_costs_count_input_without_what_the_cache_gave(tmp_path):
    """The client tells the input with the cache's share."""
    metrics = {"inputTokens": 1_500, "outputTokens": 60, "cacheReadTokens": 1_000, "cacheWriteTokens": 7}
    path = written(tmp_path, agent("hi", metrics=metrics), agent("ho"))
    assert told(ClineReader(path, "cline"))["tokens"] == {
        "input": 500,
        "cache_read": 1_000,
        "cache_write": 7,
        "output": 60,
    }


@pytest.mark.parametrize(
    ("text", "failure", "code"),
    [
        (
            "Command executed in terminal within '.'. Command execution was not successful.\nExit code: 2\nOutput:\nx",
            "exit",
            2,
        ),
        ("Command executed in terminal within '.'.\nExit code: 0\nOutput:\nExit code: 9", "", 0),
        ("Command executed.\nOutput:\nExit code: 3\nCommand failed with exit code 5", "", None),
        ("The command was terminated after exceeding a user-configured 5s timeout", "timeout", None),
        ("Command executed in terminal. The process was terminated by user/timeout.\nOutput:\n", "timeout", None),
        ("The tool execution failed with the following error:\n<error>\nblocked\n</error>", "exit", None),
        ("The user denied this operation.", "aborted", None),
        ("Command executed successfully (exit code 0).\nOutput:\nCommand failed with exit code 3", "", 0),
        ("Command failed with exit code 3.\nOutput:\nx", "exit", 3),
        ("Command failed (exit code 4).\nOutput:\nx", "exit", 4),
    ],
)
def test_how_an_extensions_command_ended(tmp_path, text, failure, code):
    """Only the answer's fixed beginning counts, up to `Output:`."""
    path = task(tmp_path, agent(use("c1", "execute_command", command="make")), user(answer("c1", text)))
    (end,) = events(path, Result)
    assert (end.failure, end.exit_code) == (failure, code)


def test_calls_written_as_xml(tmp_path):
    """Old versions of the extension: the call in the agent's text, the answer in the next message's."""
    body = "<write_to_file>\n<path>src/a.py</path>\n<content>\nx = '<b>1</b>'\n</content>\n</write_to_file>"
    path = task(
        tmp_path,
        user(
            "<task>\nFix it.\n</task>\n<environment_details>\n"
            "# Current Working Directory (/srv/app) Files\n</environment_details>"
        ),
        agent("<thinking>hm</thinking>\nRunning it.\n<execute_command>\n<command>make</command>\n</execute_command>"),
        user("[execute_command for 'make'] Result:\nCommand executed.\nOutput:\nfine"),
        agent(body),
        user(
            "[write_to_file for 'src/a.py'] Result:",
            "The tool execution failed with the following error:\n<error>\nno\n</error>",
        ),
        agent(body),
        user(
            "[write_to_file for 'src/a.py'] Result:",
            "The content was successfully saved.\n<feedback>\nUse tabs.\n</feedback>",
        ),
        agent("<attempt_completion>\n<result>\nAll done.\n</result>\n</attempt_completion>"),
        item={"id": "17", "workspace": ""},
    )
    found = told(ClineReader(path, "roo"))
    assert found["human_prompts"] == ["Fix it.", "Use tabs."]
    assert (found["tool_calls"], found["final_note"], found["status"]) == (4, "All done.", "complete")
    assert (found["writes_ok"], found["write_attempts"]) == ({"src/a.py": 1}, {"src/a.py": 2})
    assert [entry["target"] for entry in found["failed_tools"]] == ["src/a.py"]
    assert found["cwd"] == "/srv/app"
    assert events(path, Reply)[0].text == "Running it."
    assert next(call.text for call in events(path, Call) if call.action == "write") == "x = '<b>1</b>'"


def test_several_files_of_one_edit(tmp_path):
    """A patch and an edit of several files are as many writes, of one call."""
    patch = "*** Begin Patch\n*** Update File: a.py\n@@\n*** Add File: b.py\n*** End Patch"
    calls = (use("c1", "apply_patch", input=patch), use("c2", "apply_diff", args={"file": [{"path": "c.py"}]}))
    path = task(tmp_path, agent(*calls), user(answer("c1", "done"), answer("c2", "done")))
    assert [(call.target, call.part) for call in events(path, Call)] == [
        ("a.py", False),
        ("b.py", True),
        ("c.py", False),
    ]


def test_a_summary_and_a_task_of_a_task(tmp_path):
    """Roo marks its summaries; a task that another one started is a sub-agent's."""
    item = {"id": "17", "parentTaskId": "16", "workspace": "/srv/app"}
    path = task(tmp_path, user("short", isSummary=True), user("<task>x</task>"), item=item)
    reader = ClineReader(path, "roo")
    assert [type(event) for event in reader.events()] == [Compaction, Prompt]
    assert (reader.header().parent_session_id, reader.header().interactive) == ("16", False)


def test_what_is_unknown_is_counted_and_what_is_broken_told(tmp_path):
    """A role and a block of the future; an element that is no object; a document that ends early."""
    path = written(tmp_path, {"role": "critic", "content": "x"}, agent({"type": "hologram"}), agent("ok"))
    reader = ClineReader(path, "cline")
    assert [event.text for event in reader.events() if isinstance(event, Reply)] == ["ok"]
    assert (reader.header().records, reader.header().unknown) == (3, 2)
    path.write_text('{"messages": [{"role": "assistant", "content": "one"}, 7, {"role": "assis')
    found = events(path)
    assert [type(event) for event in found] == [Reply, Malformed, Malformed]
    assert [event.torn for event in found[1:]] == [False, True]
    assert told(ClineReader(path, "cline"))["status"] == "open"


def test_positions_name_the_message_in_the_file(tmp_path):
    """The bytes of a span are the message."""
    path = written(tmp_path, user("grüße"), agent("ok"))
    body = path.read_bytes()
    for event in events(path):
        part = json.loads(body[event.span.offset : event.span.offset + event.span.length])
        assert part["content"][0]["text"] == event.text
    assert [event.span.record for event in events(path)] == [0, 1]


def test_whose_a_file_is(tmp_path):
    """Cline's command line and extension, and Roo's by what lies beside it or its folder."""
    mine = written(tmp_path, user("x"))
    plain = task(tmp_path / "a", user("x"))
    roos = task(tmp_path / "b", user("x"), item={"id": "17"})
    assert [transcript.host_of(path) for path in (mine, mine.parent, plain, roos, roos.parent)] == [
        "cline",
        "cline",
        "cline",
        "roo",
        "roo",
    ]
    other = tmp_path / "other.json"
    other.write_text('{"messages": []}')
    assert cline.recognises(other) == "no"
    assert cline.recognises(tmp_path / "gone.json") == "no"


def test_where_sessions_lie(tmp_path):
    """The command line's folder, moved or not, and the task folders of every editor."""
    assert cline.HOST.folders({"CLINE_DIR": "/x"}, tmp_path)[0] == Path("/x/data/sessions")
    assert cline.HOST.folders({}, tmp_path)[0] == tmp_path / ".cline" / "data" / "sessions"
    assert all("rooveterinaryinc.roo-cline" in str(folder) for folder in cline.ROO.folders({}, tmp_path))
    path = written(tmp_path, user("x"), manifest={"status": "running", "pid": 2**22 + 1})
    assert list(cline.HOST.files(tmp_path)) == [path]
    assert cline.HOST.live(tmp_path) == {}


def test_a_call_with_an_id_answered_in_prose(tmp_path):
    """The extension answers some of its calls like those in XML, under a shorter name; its costs are told otherwise."""
    metrics = {"tokens": {"prompt": 100, "completion": 7, "cached": 40}}
    path = task(
        tmp_path,
        user("<task>go</task>", 'Files attached by the user:\n\n<file_content path="a">x</file_content>'),
        agent(use("t1", "use_subagents", prompt_1="look"), metrics=metrics, modelInfo={"modelId": "m-1"}),
        user("[subagents] Result:\nTotal: 1\n<environment_details>\nx\n</environment_details>"),
        agent("Done."),
    )
    found = told(ClineReader(path, "cline"))
    assert (found["human_prompts"], found["tool_calls"], found["status"]) == (["go"], 1, "complete")
    assert (found["model"], found["tokens"]["input"], found["tokens"]["output"]) == ("m-1", 60, 7)


def test_a_giant_image_costs_no_more_than_its_bytes(tmp_path):
    """It becomes a mark; what stands beside it is kept."""
    image = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "A" * 12_000_000}}
    path = written(tmp_path, user("look", image), agent("ok"))
    (prompt,), (picture,), (reply,) = events(path, Prompt), events(path, Injected), events(path, Reply)
    assert (prompt.text, reply.text) == ("look", "ok")
    assert picture.text == "[image image/png, 9000000 bytes]"
