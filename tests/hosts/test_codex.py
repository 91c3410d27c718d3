"""Codex's rollouts: who said what, what failed, and nothing twice."""

from __future__ import annotations

import fcntl
import itertools
import json
from pathlib import Path
from typing import Any

import pytest

from learnt.capture.digest import digest
from learnt.errors import UsageError
from learnt.hosts.codex import execution
from learnt.hosts.codex import host as codex
from learnt.hosts.codex.execution import Verdict
from learnt.hosts.host import Asked
from learnt.model.session import Call, Compaction, Inherited, Injected, Interruption, Prompt, Reply, Result, Tokens
from tests.hosts.ground import MISSING, compare, expected, samples, told

THREAD = "01a1f83a-26b8-773c-a3d3-4f89dda1494c"
CHILD = "01a1f83a-26b8-7797-aa14-078b44dcda6a"


class Rollout:
    """Rows of one thread, every one a second after the one before."""

    def __init__(self, thread: str = THREAD, **meta: Any) -> None:
        self.thread = thread
        self.rows: list[dict[str, Any]] = []
        self._numbers = itertools.count(0)
        about = {"id": thread, "cwd": "/home/dev/project", "cli_version": "0.171.0", "source": "cli"}
        self.row("session_meta", timestamp="2026-11-20T09:00:00.000Z", **(about | meta))

    def row(self, kind: str, **payload: Any) -> None:
        """A row of this type."""
        number = next(self._numbers)
        stamp = f"2026-11-20T09:{number // 60:02d}:{number % 60:02d}.000Z"
        self.rows.append({"timestamp": stamp, "ordinal": number, "type": kind, "payload": payload})

    def item(self, kind: str, **fields: Any) -> None:
        """What the model saw."""
        self.row("response_item", type=kind, **fields)

    def event(self, kind: str, **fields: Any) -> None:
        """What happened."""
        self.row("event_msg", type=kind, **fields)

    def done(self, kind: str, identity: str, **fields: Any) -> None:
        """A completed item."""
        self.event("item_completed", item={"type": kind, "id": identity, **fields})

    def message(self, role: str, text: str, **fields: Any) -> None:
        """A message as the model saw it."""
        self.item("message", role=role, content=[{"type": "input_text", "text": text}], **fields)

    def call(self, call_id: str, name: str, given: Any, **fields: Any) -> None:
        """A call."""
        self.item("function_call", name=name, arguments=json.dumps(given), call_id=call_id, **fields)

    def output(self, call_id: str, text: Any) -> None:
        """Its answer."""
        self.item("function_call_output", call_id=call_id, output=text)

    def patch(self, call_id: str, *lines: str) -> None:
        """A call of the patch tool."""
        patch = "\n".join(("*** Begin Patch", *lines, "*** End Patch\n"))
        self.item("custom_tool_call", name="apply_patch", input=patch, call_id=call_id)

    def patched(self, call_id: str, text: str) -> None:
        """Its answer."""
        self.item("custom_tool_call_output", call_id=call_id, output=text)

    def write(self, folder: Path, day: str = "2026/11/20") -> Path:
        """The file where the client would put it."""
        path = folder / "sessions" / day / f"rollout-2026-11-20T09-00-00-{self.thread}.jsonl"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("".join(json.dumps(row) + "\n" for row in self.rows), "utf-8")
        return path


def reader(path: Path, offset: int = 0, number: int = 0) -> Any:
    """A reader of the file."""
    return codex.HOST.reads(Asked(path=path, offset=offset, number=number))


def events(path: Path, *kinds: type[Any]) -> list[Any]:
    """What the reader tells, of these kinds only when some are named."""
    return [event for event in reader(path).events() if not kinds or isinstance(event, kinds)]


def header(path: Path) -> Any:
    """The header after a whole reading."""
    one = reader(path)
    list(one.events())
    return one.header()


def ended(code: int, body: str) -> str:
    """A command's answer as the newest versions write it."""
    return f"Chunk ID: 1\nWall time: 0.1 seconds\nProcess exited with code {code}\nOutput:\n{body}"


@pytest.fixture
def rollout() -> Rollout:
    """An empty thread."""
    return Rollout()


@pytest.mark.skipif(not expected("codex"), reason=MISSING)
@pytest.mark.parametrize(("name", "truth"), expected("codex"), ids=[name[-30:] for name, _ in expected("codex")])
def test_every_value_of_the_ground_truth(monkeypatch, name, truth):
    """Counts, texts, failures, tokens, lineage, status."""
    monkeypatch.chdir(samples("codex"))
    assert codex.recognises(Path(name)) == "sure"
    compare(told(reader(Path(name))), truth, "usage_note")


@pytest.mark.parametrize(
    "text",
    [
        "# AGENTS.md instructions for /home/dev/project\n\nuse tabs",
        "<environment_context>use tabs</environment_context>",
        "<user_instructions>use tabs</user_instructions>",
        "<subagent_notification>use tabs</subagent_notification>",
        "<turn_aborted>use tabs</turn_aborted>",
        "<skill>use tabs</skill>",
    ],
)
def test_the_clients_words_are_nobodys_prompt(tmp_path, rollout, text):
    """What the client put into the user role, whether told as message, event or item."""
    rollout.message("user", text)
    rollout.event("user_message", message=text)
    rollout.done("UserMessage", "item-1", content=[{"type": "text", "text": text}])
    path = rollout.write(tmp_path)
    assert not events(path, Prompt)
    assert {event.source for event in events(path, Injected)} == {"host"}


def test_a_prompt_counts_once(tmp_path, rollout):
    """It stands there as a message and as an item; the item counts."""
    rollout.message("user", "fix it")
    rollout.done("UserMessage", "item-1", content=[{"type": "text", "text": "fix it"}])
    rollout.done("UserMessage", "item-1", content=[{"type": "text", "text": "fix it"}])
    rollout.event("user_message", message="")
    assert [event.text for event in events(rollout.write(tmp_path), Prompt)] == ["fix it"]


def test_a_prompt_typed_in_an_editor(tmp_path, rollout):
    """What the editor put before it is the host's; a text that only begins like that is the person's."""
    around = "# Context from my IDE setup:\n\n## Active file: a.py\n\n## My request for Codex:\n"
    rollout.event("user_message", message=f"{around}go")
    rollout.event("user_message", message="# Context from my IDE setup: none")
    path = rollout.write(tmp_path)
    assert [event.text for event in events(path, Prompt)] == ["go", "# Context from my IDE setup: none"]
    assert [event.source for event in events(path, Injected)] == ["host"]


def test_context_of_a_hook(tmp_path, rollout):
    """A developer message of that kind, or one that holds our own block; any other developer message is the host's."""
    marks = {"internal_chat_message_metadata_passthrough": {"content_item_kinds": ["hooks.additional_context"]}}
    rollout.message("developer", "remember this", **marks)
    rollout.message("developer", "<recalled_memory>x</recalled_memory>")
    rollout.message("developer", "<permissions instructions>")
    assert [event.source for event in events(rollout.write(tmp_path), Injected)] == ["hook", "hook", "host"]


@pytest.mark.parametrize(
    ("meta", "typed", "interactive"),
    [
        ({"source": "cli"}, True, True),
        ({"source": "vscode"}, True, True),
        ({"source": "exec", "originator": "codex_exec"}, False, False),
        ({"source": "mcp"}, True, False),
    ],
)
def test_who_typed(tmp_path, meta, typed, interactive):
    """A program wrote the prompt of `codex exec`."""
    rollout = Rollout(**meta)
    rollout.event("user_message", message="go")
    path = rollout.write(tmp_path)
    assert [event.typed for event in events(path, Prompt)] == [typed]
    assert header(path).interactive is interactive


@pytest.mark.parametrize(
    ("text", "verdict", "failure", "code"),
    [
        (ended(0, "fine\nProcess exited with code 9"), None, "", 0),
        (ended(1, "bad"), None, "exit", 1),
        (ended(0, "bad"), Verdict(failed=True, exit_code=2), "exit", 2),
        ("Wall time: 12.1 seconds\naborted by user", None, "aborted", None),
        ("aborted by user after 3 s", None, "aborted", None),
        ("Exit code: 7\nWall time: 1 seconds\nOutput:\nx", None, "exit", 7),
        ('{"output": "x", "metadata": {"exit_code": 2}}', None, "exit", 2),
        ('{"output": "command timed out after 10 ms", "metadata": {"exit_code": 124}}', None, "timeout", 124),
        ('{"output": "aborted by user after 1 s", "metadata": {"exit_code": 0}}', None, "aborted", None),
        ('{"exit_code": 3}', None, "", None),
        ("unsupported call: shell", None, "exit", None),
        ("Exit code 1 was what the old worker gave", None, "", None),
        ("", Verdict(stopped=True), "aborted", None),
    ],
)
def test_how_a_command_ended(text, verdict, failure, code):
    """By the header before the output, by the older JSON, or by the completed item; the output itself says nothing."""
    found = execution.ending("shell", text, verdict)
    assert (found.failure, found.exit_code) == (failure, code)


def test_a_command_of_an_older_version(tmp_path, rollout):
    """A list of words; behind a shell's flag stands the command itself."""
    rollout.call("a", "shell", {"command": ["bash", "-lc", "make lint"]})
    rollout.output("a", '{"output": "3 problems", "metadata": {"exit_code": 2}}')
    rollout.call("b", "shell", {"command": ["ls", "my file"]})
    calls = events(rollout.write(tmp_path), Call)
    assert [(call.target, call.cwd) for call in calls] == [
        ("make lint", "/home/dev/project"),
        ("ls 'my file'", "/home/dev/project"),
    ]


def test_a_process_that_goes_on(tmp_path, rollout):
    """Its result is told when it ended: by a later look at it, by its item, or at the end of the file as a success."""
    for call_id, process in (("a", 1), ("b", 2), ("c", 3)):
        rollout.call(call_id, "exec_command", {"cmd": f"serve {call_id}"})
        rollout.output(call_id, f"Wall time: 9 seconds\nProcess running with session ID {process}\nOutput:\nup")
    rollout.call("d", "write_stdin", {"session_id": 1, "chars": ""})
    rollout.output("d", ended(1, "gone"))
    rollout.done("CommandExecution", "b", status="failed", exit_code=3, aggregated_output="crash")
    path = rollout.write(tmp_path)
    found = {event.call_id: (event.failure, event.exit_code) for event in events(path, Result)}
    assert found == {"d": ("", None), "a": ("exit", 1), "b": ("exit", 3), "c": ("", None)}
    assert digest(reader(path), str, full=True).stats.status == "complete"


def test_a_patch_of_several_files(tmp_path, rollout):
    """One call; each file counts as written, or as tried when it failed."""
    for call_id, answer in (("a", "Exit code: 0\nOutput:\nSuccess."), ("b", "apply_patch verification failed: x")):
        rollout.patch(call_id, "*** Update File: one.py", "@@", "-a", "+b", "*** Add File: two.py", "+c")
        rollout.patched(call_id, answer)
    found = digest(reader(rollout.write(tmp_path)), str, full=True)
    one, two = "/home/dev/project/one.py", "/home/dev/project/two.py"
    assert (found.stats.tool_calls, found.stats.writes_ok) == (2, {one: 1, two: 1})
    assert found.stats.write_attempts == {one: 2, two: 2}
    assert [(entry.tool, entry.target) for entry in found.failed_tools] == [("apply_patch", one)]
    assert found.stats.status == "complete"


@pytest.mark.parametrize(
    ("given", "paths"),
    [
        ({"cmd": "apply_patch <<'EOF'\n*** Begin Patch\n*** Delete File: a\n*** End Patch\nEOF"}, ("/w/a",)),
        ({"command": ["apply_patch", "*** Begin Patch\n*** Add File: a/../b\n*** End Patch"]}, ("/w/b",)),
        ({"cmd": "echo '*** Begin Patch\n*** Add File: a'"}, ()),
    ],
)
def test_a_patch_given_to_the_shell(given, paths):
    """It is a write, not a command; a patch that is only printed is none."""
    assert execution.aim("shell", given, "/w").paths == paths


def test_a_path_of_another_system():
    """A patch's path is joined as the system of the session does it."""
    assert execution.joined("C:\\work", "src/a.py") == "C:\\work\\src\\a.py"
    assert execution.joined("/work", "/abs/a.py") == "/abs/a.py"


def test_a_tool_of_a_server_that_failed(tmp_path, rollout):
    """Only the completed item says so; older versions have an event for it."""
    for call_id in ("a", "b", "c"):
        rollout.call(call_id, "lookup", {"id": 7}, namespace="mcp__tickets")
        if call_id == "a":
            rollout.done("McpToolCall", "a", status="completed", result={"content": [], "isError": True})
        if call_id == "b":
            rollout.event("mcp_tool_call_end", call_id="b", result={"Err": "gone"})
        rollout.output(call_id, "Wall time: 1 seconds\nOutput:\nno")
    found = events(rollout.write(tmp_path), Call, Result)
    assert {event.tool for event in found if isinstance(event, Call)} == {"mcp__tickets__lookup"}
    assert [event.failure for event in found if isinstance(event, Result)] == ["error", "error", ""]


def test_an_answer_in_blocks(tmp_path, rollout):
    """The text of the blocks; an answer marked as no success failed."""
    rollout.call("a", "view_image", {"path": "x.png"})
    rollout.output("a", [{"type": "input_text", "text": "seen"}])
    rollout.call("b", "update_plan", {})
    rollout.output("b", {"content": "no", "success": False})
    assert [(event.text, event.failure) for event in events(rollout.write(tmp_path), Result)] == [
        ("seen", ""),
        ("no", "error"),
    ]


def test_costs(tmp_path, rollout):
    """Each response once, the cached part apart; told again with an equal total it is the same response."""
    last = {"input_tokens": 150, "cached_input_tokens": 100, "output_tokens": 6}
    for total in (200, 200, 400):
        rollout.event("token_count", info={"total_token_usage": {"total_tokens": total}, "last_token_usage": last})
    rollout.event("token_count", info=None)
    found = events(rollout.write(tmp_path), Tokens)
    assert [(event.input_tokens, event.cache_read_tokens, event.output_tokens) for event in found] == [(50, 100, 6)] * 2


def test_a_summary_is_no_reply(tmp_path, rollout):
    """A compaction's summary also stands there as an assistant message."""
    rollout.message("assistant", "half done")
    rollout.row("compacted", message="Another language model started to solve this problem and so on.\nhalf done")
    rollout.done("ContextCompaction", "c")
    rollout.done("AgentMessage", "m", content=[{"type": "Text", "text": "done"}])
    found = events(rollout.write(tmp_path), Reply, Compaction)
    assert [getattr(event, "text", "") or event.summary for event in found] == ["half done", "done"]
    assert [type(event) for event in found] == [Compaction, Reply]


def test_a_turn_the_person_stopped(tmp_path, rollout):
    """It is told as such, and its call is neither a success nor a failure."""
    rollout.call("a", "exec_command", {"cmd": "make"})
    rollout.output("a", "aborted by user")
    rollout.event("turn_aborted", turn_id="t", reason="interrupted")
    path = rollout.write(tmp_path)
    assert [type(event) for event in events(path, Interruption)] == [Interruption]
    found = digest(reader(path), str, full=True)
    assert (found.stats.status, found.failed_commands) == ("interrupted", ())


def test_turns_that_were_taken_back(tmp_path, rollout):
    """They do not count: neither their prompts nor what was done in them; what comes later does."""
    for number, words in enumerate(("first", "second", "third")):
        rollout.event("task_started", turn_id=f"t-{number}")
        rollout.message("user", words)
        rollout.event("user_message", message=words)
        rollout.call(f"c-{number}", "exec_command", {"cmd": words})
        rollout.output(f"c-{number}", ended(1, "bad"))
    rollout.event("thread_rolled_back", num_turns=2)
    rollout.event("thread_rolled_back", num_turns="many")
    rollout.event("user_message", message="again")
    rollout.event("agent_message", message="done")
    found = digest(reader(rollout.write(tmp_path)), str, full=True)
    assert found.stats.human_prompts == ("first", "again")
    assert [entry.command for entry in found.failed_commands] == ["first"]
    rollout.event("thread_rolled_back", num_turns=9)
    assert digest(reader(rollout.write(tmp_path)), str, full=True).stats.human_prompts == ()


def test_a_sub_agent(tmp_path):
    """Its thread is its own file; its task is the parent's words, and rows copied from there are the parent's."""
    source = {"subagent": {"thread_spawn": {"parent_thread_id": THREAD, "depth": 1}}}
    child = Rollout(CHILD, source=source, subagent_history_start_ordinal=3)
    child.row("session_meta", id=THREAD, cwd="/elsewhere", source="cli")
    child.done("UserMessage", "p", content=[{"type": "text", "text": "the parent's prompt"}])
    child.done("UserMessage", "q", content=[{"type": "text", "text": "list the callers"}])
    child.done("AgentMessage", "m", content=[{"type": "Text", "text": "two"}])
    path = child.write(tmp_path, "2026/11/21")
    found = events(path)
    assert [type(event) for event in found] == [Inherited, Inherited, Injected, Reply]
    assert found[-1].sidechain
    about = header(path)
    assert (about.session_id, about.parent_session_id, about.sidechain, about.cwd) == (
        CHILD,
        THREAD,
        True,
        "/home/dev/project",
    )
    parent = Rollout()
    parent.call(
        "a", "spawn_agent", {"message": "list the callers", "agent_type": "default"}, namespace="multi_agent_v1"
    )
    parent.output("a", json.dumps({"agent_id": CHILD}))
    main = parent.write(tmp_path)
    assert header(main).subagents == (str(path),)
    assert [(call.tool, call.action, call.role) for call in events(main, Call)] == [("spawn_agent", "agent", "default")]
    assert codex.files(tmp_path) == (main,)


def test_a_fork(tmp_path):
    """It names its parent; a further file of the same thread has a name of its own."""
    fork = Rollout(forked_from_id="other", history_base={"thread_id": "other", "end_ordinal_exclusive": 9})
    assert header(fork.write(tmp_path)).parent_session_id == "other"
    window = Rollout(history_base={"thread_id": THREAD, "end_ordinal_exclusive": 9})
    path = window.write(tmp_path)
    path = path.rename(path.with_name(f"rollout-2026-11-20T10-00-00-{THREAD}_2.jsonl"))
    about = header(path)
    assert (about.session_id, about.parent_session_id) == (f"{THREAD}_2", THREAD)


def test_rows_of_the_oldest_versions(tmp_path):
    """Without a wrapper there are no events, and the messages themselves count."""
    rows: list[dict[str, Any]] = [
        {"id": THREAD, "timestamp": "2025-06-01T10:00:00.000Z", "instructions": None, "git": {"branch": "main"}},
        {"record_type": "state"},
        {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "go"}]},
        {"type": "function_call", "name": "shell", "arguments": '{"command": ["ls"]}', "call_id": "a"},
        {"type": "function_call_output", "call_id": "a", "output": '{"output": "", "metadata": {"exit_code": 1}}'},
        {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "done"}]},
    ]
    path = tmp_path / f"rollout-2025-06-01T10-00-00-{THREAD}.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    assert codex.recognises(path) == "sure"
    found = events(path)
    assert [type(event) for event in found] == [Prompt, Call, Result, Reply]
    assert found[2].failure == "exit"
    about = header(path)
    assert (about.session_id, about.branch, about.unknown) == (THREAD, "main", 0)


def test_a_search_at_the_provider(tmp_path, rollout):
    """Its call is all there is; it is answered."""
    rollout.item("web_search_call", id="ws", status="completed", action={"type": "search", "query": "uv lock"})
    path = rollout.write(tmp_path)
    assert [(call.action, call.query) for call in events(path, Call)] == [("lookup", "uv lock")]
    assert digest(reader(path), str).stats.status == "complete"


def test_what_nobody_knows_is_counted(tmp_path, rollout):
    """Rows, items and events of unknown types, and rows of no type."""
    rollout.row("novelty", x=1)
    rollout.item("novelty")
    rollout.event("novelty")
    rollout.rows.append({"odd": True})
    assert header(rollout.write(tmp_path)).unknown == 4


def test_a_reading_goes_on_where_it_stopped(tmp_path, rollout):
    """Nothing is told again, and a sub-agent's file is still known for one."""
    rollout.done("AgentMessage", "m", content=[{"type": "Text", "text": "one"}])
    path = rollout.write(tmp_path)
    first = reader(path)
    assert len(list(first.events())) == 1
    rollout.rows[0]["payload"]["source"] = {"subagent": "review"}
    rollout.event("user_message", message="review this")
    path = rollout.write(tmp_path)
    whole = path.read_bytes()
    second = reader(path, whole.index(b"\n", whole.index(b'"one"')) + 1, first.next_number)
    assert [(type(event), event.span.record) for event in second.events()] == [(Injected, 2)]
    assert second.next_offset == len(whole)


def test_a_giant_output_amid_other_rows(tmp_path, rollout):
    """Of 3 MB both ends are kept, and the rows around them are read."""
    rollout.call("a", "exec_command", {"cmd": "cat big"})
    rollout.output("a", ended(1, "x" * 3_000_000 + "end"))
    rollout.event("agent_message", message="after")
    call, result, reply = events(rollout.write(tmp_path))
    assert (call.target, result.failure, result.exit_code, reply.text) == ("cat big", "exit", 1, "after")
    assert result.text.endswith("end")
    assert len(result.text) < 40_000


def test_where_sessions_lie(tmp_path, rollout):
    """In the client's folder or where the environment moves it, archived ones too."""
    assert codex.folders({}, tmp_path) == (tmp_path / ".codex",)
    assert codex.folders({"CODEX_HOME": "/else"}, tmp_path) == (Path("/else"),)
    path = rollout.write(tmp_path)
    (tmp_path / "archived_sessions").mkdir()
    kept = path.rename(tmp_path / "archived_sessions" / path.name)
    assert codex.files(tmp_path) == (kept,)


def test_a_session_the_client_compressed(tmp_path, rollout):
    """It is found, where its plain form is gone, and says that it has to be unpacked."""
    path = rollout.write(tmp_path)
    packed = path.with_name(path.name + ".zst")
    packed.write_bytes(b"\x28\xb5\x2f\xfd")
    assert codex.files(tmp_path) == (path,)
    path.unlink()
    assert codex.files(tmp_path) == (packed,)
    assert codex.recognises(packed) == "sure"
    with pytest.raises(UsageError, match="zstd -d"):
        reader(packed)


def test_threads_that_are_open(tmp_path):
    """Those whose file a process holds locked; a file that was left behind says nothing."""
    folder = tmp_path / "thread-writer-locks"
    folder.mkdir()
    (folder / "left.lock").touch()
    (folder / ".coordination.lock").touch()
    with (folder / "held.lock").open("wb") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        assert codex.live(tmp_path).get("held") == "busy"
        assert "left" not in codex.live(tmp_path) or not Path("/proc/locks").exists()
    assert codex.live(tmp_path / "nothing") == {}


def test_whose_file_it_is(tmp_path):
    """By the wrapper and the type; of the wrapper alone the shape."""
    other = tmp_path / "other.jsonl"
    for row, fit in (
        ({"type": "session_meta", "payload": {}}, "sure"),
        ({"timestamp": "x", "type": "odd", "payload": {}}, "shaped"),
        ({"type": "message", "role": "user", "content": []}, "no"),
        ({}, "no"),
    ):
        other.write_text(json.dumps(row) + "\n", "utf-8")
        assert codex.recognises(other) == fit
    assert codex.recognises(tmp_path) == "no"
