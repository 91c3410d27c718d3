"""Claude Code's transcripts: who said what, what failed, and nothing twice."""

from __future__ import annotations

import json

import pytest

from learnt.hosts.claude.reader import ClaudeReader
from learnt.hosts.reading.seen import Seen
from learnt.model.session import (
    Call,
    Compaction,
    Inherited,
    Injected,
    Interruption,
    Malformed,
    Prompt,
    Reply,
    Result,
    Tokens,
)
from tests.hosts.rows import SESSION, USAGE, Script, events, use


@pytest.fixture
def script():
    """An empty session."""
    return Script()


def header(path):
    """The header after a whole reading."""
    reader = ClaudeReader(path)
    list(reader.events())
    return reader.header()


def texts(path, kind):
    """The texts of one kind of event."""
    return [event.text for event in events(path, kind)]


@pytest.mark.parametrize(
    "row",
    [
        {"text": "use tabs", "isMeta": True},
        {"text": "use tabs", "origin": {"kind": "task-notification"}},
        {"text": "<task-notification>use tabs</task-notification>"},
        {"text": "<command-name>/tabs</command-name>\n<command-args>use tabs</command-args>"},
        {"text": "<local-command-stdout>use tabs</local-command-stdout>"},
        {"text": "<local-command-caveat>use tabs</local-command-caveat>"},
        {"text": "<system-reminder>use tabs</system-reminder>"},
        {"text": "<bash-stdout>use tabs</bash-stdout>"},
        {"text": [{"type": "text", "text": "<system-reminder>use tabs"}]},
        {"text": "Stop hook feedback:\nuse tabs"},
        {"text": "use tabs", "isSidechain": True},
    ],
)
def test_the_clients_words_are_nobodys_prompt(tmp_path, script, row):
    """Notices, wrappers, reminders and a sub-agent's task are the client's, not a person's."""
    script.prompt(row.pop("text"), **row)
    path = script.write(tmp_path)
    assert not events(path, Prompt)
    assert [event.source for event in events(path, Injected)] == ["host"]


def test_a_compaction_summary_is_no_prompt(tmp_path, script):
    """It is the summary of a compaction, without the client's sentence before it."""
    script.row(type="system", subtype="compact_boundary")
    start = "This session is being continued from a previous conversation that ran out of context."
    script.prompt(f"{start} More.\n\nSummary:\nthe user prefers tabs", isCompactSummary=True)
    path = script.write(tmp_path)
    assert not events(path, Prompt)
    assert [event.summary for event in events(path, Compaction)] == ["", "the user prefers tabs"]


def test_a_reminder_inside_a_prompt_is_taken_out(tmp_path, script):
    """The person's words around it stay."""
    script.prompt("please fix <system-reminder>use tabs</system-reminder>")
    path = script.write(tmp_path)
    assert texts(path, Prompt) == ["please fix"]
    assert texts(path, Injected) == ["<system-reminder>use tabs</system-reminder>"]


def test_an_image_is_a_placeholder(tmp_path, script):
    """With its type and size, beside the words."""
    source = {"type": "base64", "media_type": "image/png", "data": "A" * 400}
    script.prompt([{"type": "text", "text": "look"}, {"type": "image", "source": source}])
    assert texts(script.write(tmp_path), Prompt) == ["look\n[image image/png, 300 bytes]"]


def test_a_giant_image_amid_other_rows(tmp_path, script):
    """Of a 3 MB line the placeholder tells the true size, and the rows around it are read."""
    script.prompt("before")
    source = {"type": "base64", "media_type": "image/png", "data": "A" * 4_000_000}
    script.prompt([{"type": "image", "source": source}])
    script.prompt("after")
    told = texts(script.write(tmp_path), Prompt)
    assert told == ["before", "[image image/png, 3000000 bytes]", "after"]


@pytest.mark.parametrize(
    ("marks", "typed", "interactive"),
    [
        ({"promptSource": "typed"}, True, True),
        ({"promptSource": "sdk"}, False, False),
        ({"entrypoint": "sdk-cli"}, False, False),
        ({"entrypoint": "sdk-py", "promptSource": "typed"}, True, False),
        ({"entrypoint": "claude-code-github-action"}, True, False),
        ({"entrypoint": None}, True, False),
    ],
)
def test_who_typed(tmp_path, script, marks, typed, interactive):
    """The client's own marks decide; where an old client says nothing, the session is not taken for interactive."""
    script.prompt("use tabs", **marks)
    path = script.write(tmp_path)
    assert [event.typed for event in events(path, Prompt)] == [typed]
    assert header(path).interactive is interactive


def test_an_old_session_is_interactive_when_a_person_shows(tmp_path):
    """An interruption, a slash command or a refused call can only come from a person."""
    for text in ("[Request interrupted by user]", "<command-name>/clear</command-name>"):
        script = Script()
        script.prompt("go", entrypoint=None)
        script.prompt(text, entrypoint=None)
        assert header(script.write(tmp_path)).interactive


def test_an_approved_plan_was_not_typed(tmp_path, script):
    """The agent wrote it."""
    script.prompt("Implement the following plan:\n\n# Always use tabs")
    assert [event.typed for event in events(script.write(tmp_path), Prompt)] == [False]


def test_a_prompt_that_waited_is_a_prompt(tmp_path, script):
    """A queued command of the person is one; a queued notification is none."""
    script.row(type="attachment", attachment={"type": "queued_command", "prompt": "also docs", "commandMode": "prompt"})
    script.row(type="attachment", attachment={"type": "queued_command", "prompt": "x", "commandMode": "other"})
    assert texts(script.write(tmp_path), Prompt) == ["also docs"]


def test_context_from_hooks_is_told_once(tmp_path, script):
    """The hook's output and what it added are the same text; twice the same context is told twice."""
    output = json.dumps({"hookSpecificOutput": {"hookEventName": "SessionStart", "additionalContext": "uses uv"}})
    for _ in range(2):
        script.row(
            type="attachment", attachment={"type": "hook_success", "hookEvent": "SessionStart", "stdout": output}
        )
        script.row(type="attachment", attachment={"type": "hook_additional_context", "content": ["uses uv"]})
    plain = {"type": "hook_success", "hookEvent": "UserPromptSubmit", "content": "plain words", "stdout": "plain words"}
    script.row(type="attachment", attachment=plain)
    script.row(type="attachment", attachment={**plain, "hookEvent": "PostToolUse", "content": "log"})
    assert texts(script.write(tmp_path), Injected) == ["uses uv", "uses uv", "plain words"]


@pytest.mark.parametrize(
    ("output", "marks", "details", "failure", "code"),
    [
        ("tests: 3 passed; Exit code 1 is what the old script gave", {}, None, "", None),
        ("step\nExit code 1", {"is_error": False}, None, "", None),
        ("Exit code 1 was returned by the old worker", {}, None, "", None),
        ("Exit code 2\nbad", {}, None, "exit", 2),
        ("Exit code 2", {"is_error": True}, None, "exit", 2),
        ("Exit code 0\nfine", {}, None, "", 0),
        ("", {"is_error": True}, None, "exit", None),
        ("Exit code 143\nCommand timed out after 2m 0.0s", {"is_error": True}, None, "timeout", 143),
        ("Exit code 143\nkilled", {"is_error": True}, None, "exit", 143),
        ("[Request interrupted by user for tool use]", {"is_error": True}, None, "aborted", None),
        ("", {}, {"stdout": "", "interrupted": True}, "aborted", None),
        ("<tool_use_error>Sibling tool call errored</tool_use_error>", {"is_error": True}, None, "aborted", None),
        ([{"type": "text", "text": "Exit code 7\nx"}], {"is_error": True}, None, "exit", 7),
    ],
)
def test_how_a_command_ended(tmp_path, script, output, marks, details, failure, code):
    """Only the error mark and the whole first line of the output tell of a failure."""
    script.call("c", command="make")
    script.result("c", output, details, **marks)
    (result,) = events(script.write(tmp_path), Result)
    assert (result.failure, result.exit_code) == (failure, code)


def test_another_tools_output_is_no_exit_code(tmp_path, script):
    """A file that begins with `Exit code 2` was read with success; an error mark is an error."""
    for call, marks in (("a", {}), ("b", {"is_error": True})):
        script.call(call, "Read", file_path="/x/log")
        script.result(call, "Exit code 2\nx", **marks)
    assert [result.failure for result in events(script.write(tmp_path), Result)] == ["", "error"]


def test_the_words_of_a_refusal_are_a_prompt(tmp_path, script):
    """A refused call failed by nobody's fault; what the person said with it is theirs."""
    script.call("c", command="rm -r build")
    said = "The user doesn't want to proceed with this tool use. To tell you how to proceed, the user said:\nuse make"
    script.result("c", said + "\n\nNote: The user's next message may contain more.", is_error=True)
    path = script.write(tmp_path)
    assert [result.failure for result in events(path, Result)] == ["aborted"]
    assert texts(path, Prompt) == ["use make"]


@pytest.mark.parametrize(
    ("tool", "given", "action", "target", "written"),
    [
        ("Bash", {"command": "ls"}, "shell", "ls", ""),
        ("Edit", {"file_path": "/a", "old_string": "x", "new_string": "y"}, "write", "/a", "y"),
        ("Write", {"file_path": "/a", "content": "c"}, "write", "/a", "c"),
        ("MultiEdit", {"file_path": "/a", "edits": [{"new_string": "1"}, {"new_string": "2"}]}, "write", "/a", "1\n2"),
        ("NotebookEdit", {"notebook_path": "/n", "new_source": "s"}, "write", "/n", "s"),
        ("Read", {"file_path": "/a"}, "read", "/a", ""),
        ("mcp__x__y", {"query": "q"}, "other", None, ""),
        ("Bash", {"command": 7}, "shell", None, ""),
    ],
)
def test_what_a_call_does(tmp_path, script, tool, given, action, target, written):
    """Action, target and new text by tool."""
    script.call("c", tool, **given)
    (call,) = events(script.write(tmp_path), Call)
    assert (call.action, call.target, call.text, call.cwd) == (action, target, written, "/home/dev/project")


def test_rows_of_one_response_cost_once(tmp_path, script):
    """Several blocks, several rows, one cost."""
    script.reply("one", message="m")
    script.reply(use("c", command="ls"), message="m")
    script.result("c", "x")
    script.reply("two", message="m")
    path = script.write(tmp_path)
    assert [event.output_tokens for event in events(path, Tokens)] == [5]
    assert texts(path, Reply) == ["one", "two"]


def test_a_streamed_response_counts_by_its_fullest_form(tmp_path, script):
    """Logged three times while it streams: one text, one call, the last cost."""
    for blocks, output_tokens in ((["I"], 1), (["I will run"], 4), (["I will run", use("c", command="ls")], 9)):
        script.reply(*blocks, message="m", usage={**USAGE, "output_tokens": output_tokens})
    script.result("c", "x")
    told = events(script.write(tmp_path), Reply, Call, Result, Tokens)
    assert [type(event) for event in told] == [Reply, Call, Tokens, Result]
    assert told[0].text == "I will run"
    assert told[2].output_tokens == 9


def test_a_row_written_twice_counts_once(tmp_path, script):
    """Same identity, same row."""
    script.prompt("go")
    script.shell("make", "Exit code 1\nx", is_error=True)
    script.rows += [dict(row) for row in script.rows]
    told = events(script.write(tmp_path), Prompt, Call, Result, Tokens)
    assert [type(event) for event in told] == [Prompt, Call, Tokens, Result]


def test_a_compaction_that_replays_history(tmp_path, script):
    """60 messages, a boundary, the same 60 again, the boundary again, 5 new: 65 messages and two compactions."""
    for number in range(60):
        script.prompt(f"prompt {number}")
    history = list(script.rows)
    boundary = script.row(type="system", subtype="compact_boundary")
    script.rows += [dict(row) for row in history]
    script.rows.append(dict(boundary))
    for number in range(5):
        script.prompt(f"new {number}")
    path = script.write(tmp_path)
    assert len(events(path, Prompt)) == 65
    assert len(events(path, Compaction)) == 2


def test_a_boundary_written_twice_is_one(tmp_path, script):
    """With nothing between, the same boundary is the same."""
    script.rows.append(dict(script.row(type="system", subtype="compact_boundary")))
    assert len(events(script.write(tmp_path), Compaction)) == 1


@pytest.mark.parametrize("separators", [(",", ":"), (", ", ": ")])
@pytest.mark.parametrize("order", [False, True])
def test_spacing_and_order_of_keys_mean_nothing(tmp_path, script, separators, order):
    """The same session written otherwise gives the same events."""
    script.row(type="system", subtype="compact_boundary")
    script.prompt("go")
    script.rows.append({"type": "api-request-blob", "message": {"role": "user", "content": "go"}})
    rows = [dict(reversed(row.items())) if order else row for row in script.rows]
    path = tmp_path / f"{SESSION}.jsonl"
    path.write_text("".join(json.dumps(row, separators=separators) + "\n" for row in rows))
    assert [type(event) for event in events(path)] == [Compaction, Prompt]
    assert (header(path).records, header(path).unknown) == (3, 0)


def test_unknown_types_are_counted_and_harmless(tmp_path, script):
    """A record of a type nobody knows is no malformed line."""
    script.prompt("go")
    script.row(type="newfangled", message={"role": "user", "content": "not for us"})
    script.rows.append({"no": "type"})
    path = script.write(tmp_path)
    assert [type(event) for event in events(path)] == [Prompt]
    assert (header(path).records, header(path).unknown) == (3, 2)


def test_values_of_the_wrong_sort_are_harmless(tmp_path, script):
    """Numbers, nulls and lists where texts are expected end nothing."""
    for content in (7, None, [7, None, {"type": 3}, {"type": "text", "text": 4}], {"a": 1}):
        script.prompt(content)
        script.row(type="assistant", message={"id": 5, "content": content, "usage": [1], "model": 3})
    script.row(type="assistant", message="text")
    script.row(type="user", message=None)
    script.row(type="attachment", attachment=[])
    script.row(type=["user"])
    script.rows.append({"type": "summary", "summary": 9, "timestamp": 4, "uuid": {}, "sessionId": []})
    script.prompt("go", timestamp="yesterday", uuid=None, origin=4, promptSource=[])
    path = script.write(tmp_path)
    assert texts(path, Prompt) == ["go"]
    assert events(path, Prompt)[0].at == ""


def test_synthetic_and_failed_responses_are_no_words_of_the_agent(tmp_path, script):
    """An API error, the client's own filler and blank texts are left out."""
    script.reply("API Error: 500", isApiErrorMessage=True)
    script.reply("\n\n")
    script.reply("real")
    script.reply("No response requested.")["message"]["model"] = "<synthetic>"
    path = script.write(tmp_path)
    assert texts(path, Reply) == ["real"]
    assert header(path).model == "model-x"


def test_a_sub_agents_rows_inline_are_marked(tmp_path, script):
    """They are told with the mark, and the session is still the main thread's."""
    script.prompt("go")
    script.reply(use("c", command="ls"), isSidechain=True)
    script.prompt([{"type": "tool_result", "tool_use_id": "c", "content": "x"}], isSidechain=True)
    path = script.write(tmp_path)
    assert [event.sidechain for event in events(path, Call, Result, Tokens)] == [True, True, True]
    assert header(path).sidechain is False


def test_a_sub_agents_own_file(tmp_path, script):
    """Its parent is the session whose id it carries; its first message is nobody's prompt."""
    script.prompt("find callers", isSidechain=True, agentId="a1")
    script.reply("none", isSidechain=True, agentId="a1")
    folder = tmp_path / SESSION / "subagents"
    folder.mkdir(parents=True)
    path = script.write(folder, "agent-a1")
    told = header(path)
    assert (told.sidechain, told.agent_id, told.parent_session_id, told.interactive) == (True, "a1", SESSION, False)
    assert not events(path, Prompt)
    main = Script()
    main.prompt("go")
    assert header(main.write(tmp_path)).subagents == (str(path),)


def test_the_header(tmp_path, script):
    """Folder where it began, branch and version where it ended, times from first to last, the best title."""
    script.rows.append({"type": "summary", "summary": "old title", "leafUuid": "x"})
    script.prompt("go")
    script.prompt("on", cwd="/elsewhere", gitBranch="fix", version="2.1.400")
    script.rows.append({"type": "custom-title", "customTitle": "mine", "sessionId": SESSION})
    script.rows.append({"type": "ai-title", "aiTitle": "machine's", "sessionId": SESSION})
    told = header(script.write(tmp_path))
    assert (told.cwd, told.branch, told.version) == ("/home/dev/project", "fix", "2.1.400")
    assert (told.started_at, told.ended_at) == ("2026-05-04T10:00:01.000Z", "2026-05-04T10:00:02.000Z")
    assert (told.title, told.session_id, told.host) == ("mine", SESSION, "claude-code")


def test_a_reading_goes_on_where_it_stopped(tmp_path, script):
    """The torn line is read again when it is whole, and nothing before it."""
    script.prompt("one")
    whole = script.text()
    script.prompt("two")
    path = script.write(tmp_path)
    path.write_text(script.text()[:-20])
    first = ClaudeReader(path)
    told = list(first.events())
    assert isinstance(told[-1], Malformed)
    assert told[-1].torn
    assert (first.next_offset, first.next_number) == (len(whole), 1)
    script.prompt("three")
    path.write_text(script.text())
    second = ClaudeReader(path, first.next_offset, first.next_number)
    prompts = [event for event in second.events() if isinstance(event, Prompt)]
    assert [(event.text, event.span.record) for event in prompts] == [("two", 1), ("three", 2)]
    assert second.next_offset == path.stat().st_size
    assert not list(ClaudeReader(path, second.next_offset).events())


def test_an_interruption(tmp_path, script):
    """It is told as such and is no prompt."""
    script.prompt([{"type": "text", "text": "[Request interrupted by user for tool use]"}])
    assert [type(event) for event in events(script.write(tmp_path))] == [Interruption]


def test_identities_beyond_memory():
    """The set answers alike before and after it spills."""
    seen = Seen(in_memory=10)
    assert all(seen.add(f"id {number}") for number in range(50))
    assert not any(seen.add(f"id {number}") for number in range(50))
    assert "id 49" in seen
    assert "id 50" not in seen
    seen.close()


def test_long_outputs_keep_both_ends(tmp_path, script):
    """1,500 characters of each end of a success; a failure keeps far more."""
    script.shell("a", "x" * 9_000 + "end")
    script.shell("b", "Exit code 1\n" + "y" * 9_000, is_error=True)
    good, bad = events(script.write(tmp_path), Result)
    assert good.text.endswith("end")
    assert len(good.text) < 3_100
    assert len(bad.text) == 9_012


def test_rows_of_another_session_are_inherited(tmp_path, script):
    """Rows that carry another session's id, or say that they were forked from it, are its own."""
    script.prompt("old", sessionId="parent-1")
    script.prompt("old too", forkedFrom={"sessionId": "parent-1", "messageUuid": "x"})
    script.prompt("new")
    path = script.write(tmp_path)
    assert [type(event) for event in events(path)] == [Inherited, Inherited, Prompt]
    assert header(path).parent_session_id == "parent-1"


def test_a_response_without_end_is_told_in_parts(tmp_path, script):
    """Thousands of rows of one response are not held back until the last."""
    for number in range(1_200):
        script.reply(f"{number} text", message="m")
    told = events(script.write(tmp_path), Reply, Tokens)
    assert sum(isinstance(event, Reply) for event in told) == 1_200
    assert sum(event.output_tokens for event in told if isinstance(event, Tokens)) == 5
