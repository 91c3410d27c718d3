"""Mastra's threads and model calls: what is repeated counts once, and calls without ids are paired by position."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from learnt.hosts import transcript
from learnt.hosts.mastra import host as mastra
from learnt.hosts.mastra.host import MastraReader
from learnt.model.session import Call, Malformed, Prompt, Reply, Result, Tokens
from tests.hosts.ground import MISSING, compare, expected, samples, told

NOT_IN_THE_FILE = {
    "thread-messages.jsonl": {"started_at"},
    "model-calls-with-ids.jsonl": {"started_at", "ended_at", "session_id"},
    "model-calls-no-ids.jsonl": set(),
}
"""A model call names neither its thread nor a time; a thread's first message comes a while after the sample's start."""


def lines(path: Path, *rows: dict[str, Any]) -> Path:
    """A file of these records."""
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def message(name: str, role: str, *parts: Any, **fields: Any) -> dict[str, Any]:
    """A message of a thread; strings are text parts."""
    content = {"format": 2, "parts": [_part(part) for part in parts]}
    stamp = "2026-11-20T09:12:05.000Z"
    return {"id": name, "role": role, "createdAt": stamp, "threadId": "t", "content": content, **fields}


def invocation(call_id: str, tool: str, args: dict[str, Any], state: str = "result", **end: Any) -> dict[str, Any]:
    """A part that is a call, with its answer when it has one."""
    told_of = {"state": state, "toolCallId": call_id, "toolName": tool, "args": args, **end}
    return {"type": "tool-invocation", "toolInvocation": told_of}


def _part(part: Any) -> dict[str, Any]:
    return {"type": "text", "text": part} if isinstance(part, str) else part


def call(call_id: str, tool: str, **given: Any) -> dict[str, Any]:
    """A call in a conversation."""
    part = {"type": "tool-call", "toolCallId": call_id, "toolName": tool, "input": given}
    return {"role": "assistant", "content": [part]}


def result(call_id: str, tool: str, value: Any, kind: str = "json") -> dict[str, Any]:
    """Its result."""
    part = {"type": "tool-result", "toolCallId": call_id, "toolName": tool, "output": {"type": kind, "value": value}}
    return {"role": "tool", "content": [part]}


def model_call(*messages: dict[str, Any], answer: Any = (), **response: Any) -> dict[str, Any]:
    """A record of a model call."""
    content = [_part(part) for part in answer]
    return {"kind": "model_call", "request": {"messages": messages}, "response": {"content": content, **response}}


def events(path: Path, *kinds: type[Any]) -> list[Any]:
    """What the reader tells."""
    return [event for event in MastraReader(path).events() if not kinds or isinstance(event, kinds)]


@pytest.mark.skipif(not expected("mastra"), reason=MISSING)
@pytest.mark.parametrize(("name", "truth"), expected("mastra"), ids=[name for name, _ in expected("mastra")])
def test_every_value_of_the_ground_truth(monkeypatch, name, truth):
    """Counts, texts, failures; the repeated conversation gives those of the thread."""
    monkeypatch.chdir(samples("mastra"))
    compare(told(transcript.reader(name)), truth, *NOT_IN_THE_FILE[name])


@pytest.mark.parametrize(
    ("tool", "answer", "failure", "code"),
    [
        ("bash", {"output": "Command finished (exit code 0):\nCommand finished (exit code 4):"}, "", 0),
        ("bash", {"output": "Command finished (exit code 3):\nno"}, "exit", 3),
        ("bash", {"output": "Command failed: process killed after 1000ms"}, "timeout", None),
        ("bash", {"output": "Command failed: no shell"}, "exit", None),
        ("readFile", {"content": "Error reading file: ENOENT"}, "error", None),
        ("readFile", {"content": "A guide.\nError reading file: is printed"}, "", None),
        ("writeFile", {"result": "Write blocked: protected"}, "error", None),
        ("listDirectory", {"listing": "Error listing directory: ENOENT"}, "error", None),
        ("mastra_workspace_execute_command", "out\nExit code: 2", "exit", 2),
        ("mastra_workspace_execute_command", "Exit code: 2\nis what it said\nExit code: 0", "", 0),
        ("mastra_workspace_read_file", {"content": [{"type": "text", "text": "x"}]}, "", None),
    ],
)
def test_how_a_call_ended(tmp_path, tool, answer, failure, code):
    """auto-swe's tools say it at the beginning of their text, the framework's command at its end."""
    path = lines(tmp_path / "t.jsonl", message("m", "assistant", invocation("c", tool, {"path": "a"}, result=answer)))
    (end,) = events(path, Result)
    assert (end.failure, end.exit_code) == (failure, code)


def test_a_thread(tmp_path):
    """Marked errors, calls without an answer, and a message that is told again with its result."""
    path = lines(
        tmp_path / "t.jsonl",
        message("m1", "user", "Fix it."),
        message("m2", "assistant", {"type": "step-start"}, invocation("c1", "bash", {"command": "ls"}, "call")),
        message("m2", "assistant", invocation("c1", "bash", {"command": "ls"}, result={"output": "x"})),
        message("m3", "assistant", invocation("c2", "ticket", {}, "output-error", errorText="503")),
        message("m4", "assistant", "Done.", {"type": "hologram"}),
    )
    reader = MastraReader(path)
    assert [type(event) for event in reader.events()] == [Prompt, Call, Result, Call, Result, Reply]
    assert (reader.header().session_id, reader.header().unnamed) == ("t", False)
    open_call = lines(tmp_path / "o.jsonl", message("m", "assistant", invocation("c", "bash", {}, "call")))
    assert told(MastraReader(open_call))["status"] == "open"


def test_new_parts_name_the_tool_in_their_type(tmp_path):
    """The shape of the newer SDK."""
    part = {
        "type": "tool-bash",
        "toolCallId": "c",
        "state": "output-available",
        "input": {"command": "ls"},
        "output": {"output": "a"},
    }
    path = lines(tmp_path / "t.jsonl", message("m", "assistant", part))
    assert [(each.tool, each.target) for each in events(path, Call)] == [("bash", "ls")]
    assert [each.text for each in events(path, Result)] == ["a"]


def test_every_request_repeats_the_conversation(tmp_path):
    """Each thing counts where it is met first, its answer where it comes; the last answer's call is open."""
    talk = [{"role": "user", "content": "go"}, call("c1", "bash", command="a"), result("c1", "bash", {"output": "x"})]
    path = lines(
        tmp_path / "m.jsonl",
        model_call(talk[0], answer=[talk[1]["content"][0]]),
        model_call(*talk, answer=["thinking"], usage={"inputTokens": 9, "outputTokens": 2, "cachedInputTokens": 4}),
        model_call(
            *talk, {"role": "assistant", "content": "thinking"}, answer=[call("c2", "bash", command="b")["content"][0]]
        ),
    )
    found = events(path)
    assert [type(event) for event in found] == [Prompt, Call, Result, Reply, Tokens, Call]
    assert [event.span.record for event in found] == [0, 0, 1, 1, 1, 2]
    assert (found[4].input_tokens, found[4].cache_read_tokens) == (5, 4)
    assert told(MastraReader(path))["status"] == "open"


def test_calls_without_ids_are_paired_by_position(tmp_path):
    """The k-th call of a tool and its k-th result; the same again in one conversation is two."""
    same = {"output": "Command finished (exit code 0):\nok"}
    talk = [
        {"role": "user", "content": [{"type": "text", "text": "go"}]},
        {
            "role": "assistant",
            "content": [call("bash", "bash", command=name)["content"][0] for name in ("a", "b", "a")],
        },
        {
            "role": "tool",
            "content": [
                result("bash", "bash", value)["content"][0]
                for value in (same, {"output": "Command finished (exit code 2):"}, same)
            ],
        },
    ]
    path = lines(tmp_path / "m.jsonl", model_call(*talk), model_call(*talk, call("bash", "bash", command="c")))
    calls = {each.call_id: each.target for each in events(path, Call)}
    assert list(calls.values()) == ["a", "b", "a", "c"]
    assert [(calls[end.call_id], end.exit_code) for end in events(path, Result)] == [("a", 0), ("b", 2), ("a", 0)]


def test_names_stay_the_same_when_the_file_grows(tmp_path):
    """A record that was read is known again by its message id."""
    talk = [
        {"role": "user", "content": "go"},
        call("bash", "bash", command="a"),
        result("bash", "bash", {"output": "x"}),
    ]
    path = lines(tmp_path / "m.jsonl", model_call(*talk))
    before = [event.message_id for event in events(path)]
    lines(path, model_call(*talk), model_call(*talk, answer=["done"]))
    assert [event.message_id for event in events(path)][: len(before)] == before
    assert MastraReader(path).header().unnamed


def test_unknown_records_and_long_ones(tmp_path):
    """Counted; a record far over a mebibyte is still read whole."""
    talk = [call("c", "bash", command="a"), result("c", "bash", {"output": "y" * 3_000_000 + "end"})]
    path = lines(tmp_path / "m.jsonl", {"kind": "other"}, model_call(*talk))
    path.write_text(path.read_text() + '{"request"')
    reader = MastraReader(path)
    found: list[Any] = list(reader.events())
    assert [type(event) for event in found] == [Call, Result, Malformed]
    assert found[1].text.endswith("end")
    assert (reader.header().records, reader.header().unknown, found[2].torn) == (2, 1, True)
    assert reader.next_number == 2


def test_whose_a_file_is(tmp_path):
    """By its first records."""
    thread = lines(tmp_path / "a.jsonl", message("m", "user", "x"))
    calls = lines(tmp_path / "b.jsonl", model_call())
    other = lines(tmp_path / "c.jsonl", {"role": "user"})
    assert [transcript.host_of(path) for path in (thread, calls, other)] == ["mastra", "mastra", ""]
    assert mastra.recognises(tmp_path) == "no"
