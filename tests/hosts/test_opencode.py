"""opencode's sessions from its database, its exports and its older tree: the same events from each."""

from __future__ import annotations

import shutil
import sqlite3

import pytest

from learnt.errors import LearntError
from learnt.hosts.local import LocalTranscripts
from learnt.hosts.opencode import host as opencode
from learnt.hosts.transcript import asked_of
from learnt.model.session import Call, Injected, Prompt, Reply, Result
from tests.hosts.ground import MISSING, compare, expected, samples, told
from tests.hosts.opencoderows import AT_MS, CHILD, CUT, OTHER, SESSION, Kept, answer, bash, prompt, tool

TRUTH = dict(expected("opencode"))


@pytest.fixture
def laid_out(tmp_path, monkeypatch):
    """The samples in a folder of their own, the database made from its text."""
    folder = shutil.copytree(samples("opencode"), tmp_path / "opencode", copy_function=shutil.copy)
    base = sqlite3.connect(folder / "opencode.db")
    base.executescript((folder / "opencode.sql").read_text("utf-8"))
    base.close()
    monkeypatch.chdir(folder)


@pytest.mark.skipif(not TRUTH, reason=MISSING)
@pytest.mark.parametrize("name", TRUTH, ids=[name[-30:] for name in TRUTH])
def test_every_value_of_the_ground_truth(laid_out, name):
    """Counts, texts, failures, tokens, sub-sessions, status, from all three storages."""
    truth = TRUTH[name]
    truth = {**TRUTH[truth["same_as"]], **truth["but"]} if "same_as" in truth else truth
    if "subagents" in truth:
        truth = {**truth, "subagents": [place.replace("opencode.sql", "opencode.db") for place in truth["subagents"]]}
    asked = asked_of(name.replace("opencode.sql", "opencode.db"))
    assert opencode.recognises(asked.path) == "sure"
    compare(told(opencode.HOST.reads(asked)), truth)


def events(place):
    """Everything a reader tells."""
    return list(opencode.HOST.reads(asked_of(place)).events())


def of(place, sort):
    """Events of one sort."""
    return [event for event in events(place) if isinstance(event, sort)]


@pytest.mark.parametrize("storage", ["base", "export", "tree"])
def test_a_session_is_the_same_in_each_storage(tmp_path, storage):
    """The same words, calls, failures, costs and identities."""
    tokens = {"input": 10, "output": 4, "reasoning": 2, "total": 116, "cache": {"read": 100, "write": 0}}
    turns = [
        prompt("Fix the rounding."),
        answer("Running.", bash("pytest -q", 1, "1 failed"), {"type": "step-finish", "tokens": tokens}),
        answer(tool("edit", {"filePath": "/a.py", "newString": "x"}), tool("invalid", {"tool": "nope"}, output="none")),
        answer("Done.", tokens={"input": 1, "output": 1}),
    ]
    place = getattr(Kept(tmp_path, turns), storage)()
    found = told(opencode.HOST.reads(asked_of(place)))
    assert (found["human_prompts"], found["final_note"], found["tool_calls"]) == (["Fix the rounding."], "Done.", 3)
    assert found["failed_commands"] == [{"command": "pytest -q", "exit_code": 1, "tail": "1 failed"}]
    assert found["failed_tools"] == [{"tool": "nope", "target": None, "error": "none"}]
    assert (found["writes_ok"], found["model"], found["status"]) == ({"/a.py": 1}, "anthropic/sonnet-5", "complete")
    assert found["tokens"] == {"input": 11, "cache_read": 100, "cache_write": 0, "output": 7}
    assert (found["started_at"], found["ended_at"]) == ("2026-09-21T14:13:20.000Z", "2026-09-21T14:14:20.000Z")
    identities = [getattr(event, "message_id", "") for event in events(place)]
    assert identities == [getattr(event, "message_id", "") for event in events(Kept(tmp_path, turns).export())]


def test_text_beside_a_prompt_is_a_plugins_and_text_instead_of_one_the_clients(tmp_path):
    """Only what is not synthetic is the person's; files read for a prompt are the client's, too."""
    added, read = (
        {"type": "text", "synthetic": True, "text": each}
        for each in ("Amounts are cents.", "Called the Read tool with x")
    )
    content = {"type": "text", "synthetic": True, "text": "1: secret of a file"}
    recalled = {"type": "text", "synthetic": True, "text": "<recalled_memory>ours</recalled_memory>"}
    turns = [
        prompt("Fix it.", added, read, content),
        prompt({**added, "text": "Continue if you have next steps"}),
        prompt(recalled),
    ]
    place = Kept(tmp_path, turns).export()
    assert [event.text for event in of(place, Prompt)] == ["Fix it."]
    sources = {event.text: event.source for event in of(place, Injected)}
    assert sources == {
        "Amounts are cents.": "hook",
        "Called the Read tool with x": "host",
        "1: secret of a file": "host",
        "Continue if you have next steps": "host",
        "<recalled_memory>ours</recalled_memory>": "hook",
    }


def test_how_a_command_ended(tmp_path):
    """By its exit code; where there is none, by the note behind the output; by the status when it never ran."""
    note = "\n\n<shell_metadata>\n{}\n</shell_metadata>"
    parts = [
        bash("a", 0, "Process exited with code 9"),
        bash("b", 3),
        bash("c", None, "x" + note.format("terminated command after exceeding timeout 10 ms")),
        bash("d", None, "x" + note.format("User aborted the command")),
        bash("e", None),
        tool("bash", {"command": "f"}, status="error", output="spawn failed"),
        tool("bash", {"command": "g"}, status="error", output="Tool execution aborted"),
    ]
    results = of(Kept(tmp_path, [answer(*parts)]).export(), Result)
    assert [(each.failure, each.exit_code) for each in results] == [
        ("", 0), ("exit", 3), ("timeout", None), ("aborted", None), ("exit", None), ("exit", None), ("aborted", None),
    ]  # fmt: skip


def test_a_refusal_shows_a_person_and_may_carry_words(tmp_path):
    """Neither success nor failure; what the person wrote with it is theirs."""
    words = "The user rejected permission to use this specific tool call with the following feedback: Ask first."
    place = Kept(
        tmp_path, [prompt("Go."), answer(tool("edit", {"filePath": "/a"}, status="error", output=words))]
    ).export()
    found = told(opencode.HOST.reads(asked_of(place)))
    assert (found["human_prompts"], found["failed_tools"], found["interactive"]) == (["Go.", "Ask first."], [], True)


def test_a_command_the_person_typed_is_no_call(tmp_path):
    """It stands in an answer to a message only the client wrote."""
    typed = {"type": "text", "synthetic": True, "text": "The following tool was executed by the user"}
    place = Kept(
        tmp_path, [prompt(typed), answer(bash("git stash", 1, "nothing"), parentID=f"msg_{SESSION}_0")]
    ).export()
    found = told(opencode.HOST.reads(asked_of(place)))
    assert (found["tool_calls"], found["failed_commands"], found["interactive"]) == (0, [], True)


def test_a_stopped_turn_is_interrupted_and_a_scripted_session_has_no_person(tmp_path):
    """The client's own error says who stopped it; `opencode run` may ask nobody anything."""
    turns = [prompt("Go."), answer("Well", completed=False, error={"name": "MessageAbortedError"})]
    found = told(opencode.HOST.reads(asked_of(Kept(tmp_path, turns).export())))
    assert (found["status"], found["interactive"]) == ("interrupted", True)
    denied = [{"permission": "question", "pattern": "*", "action": "deny"}]
    for storage in ("base", "export"):
        place = getattr(Kept(tmp_path, [prompt('"Go on."'), *turns], permission=denied), storage)()
        assert told(opencode.HOST.reads(asked_of(place)))["interactive"] is False
        assert [(event.text, event.typed) for event in of(place, Prompt)] == [("Go on.", False), ("Go.", False)]


def test_a_compaction_is_told_with_its_summary(tmp_path):
    """The boundary in the user role, the summary in the agent's; the summary is no reply."""
    turns = [prompt({"type": "compaction", "auto": True}), answer("Half done.", summary=True, mode="compaction")]
    found = told(opencode.HOST.reads(asked_of(Kept(tmp_path, turns).base())))
    assert (found["compactions"], found["compaction_summaries"], found["assistant_texts"]) == (1, ["Half done."], 0)


def test_what_is_still_going_on_is_told_again_when_it_has_ended(tmp_path):
    """A call without a result and a text that grows have identities of their own."""
    growing = {"type": "text", "text": "I wi", "time": {"start": AT_MS}}
    early = Kept(
        tmp_path, [prompt("Go."), answer(tool("bash", {"command": "make"}, status="running"), growing, completed=False)]
    )
    place = early.base()
    assert told(opencode.HOST.reads(asked_of(place)))["status"] == "open"
    before, extent = {event.message_id for event in events(place)}, opencode.HOST.extent(asked_of(place))
    late = Kept(
        tmp_path,
        [
            prompt("Go."),
            answer(bash("make", 2), {**growing, "text": "I will.", "time": {"start": AT_MS, "end": AT_MS}}),
        ],
    )
    late.info["time"]["updated"] += 1
    late.base()
    new = [event for event in events(place) if event.message_id not in before]
    assert [type(event) for event in new] == [Call, Result, Reply]
    assert new[2].text == "I will."
    assert opencode.HOST.extent(asked_of(place)) > extent


@pytest.mark.parametrize("kept", ["base", "tree"])
def test_a_session_is_as_large_as_what_it_says(tmp_path, kept):
    """Wherever it lies, in bytes; its extent is a time."""
    local, sizes = LocalTranscripts({}), []
    for times in (1, 1_000):
        place = getattr(Kept(tmp_path, [prompt("Go. " * times), answer("Done.")]), kept)()
        sizes.append(local.extent(place, "opencode", in_bytes=True))
        assert local.extent(place, "opencode") > 2**40
    assert 0 < sizes[0] < 3_000 < sizes[1] - sizes[0] < 5_000
    assert local.extent(f"{tmp_path}/gone.db#ses_x", "opencode", in_bytes=True) == 0


def test_a_fork_counts_only_what_is_its_own(tmp_path):
    """Copied messages have new ids and keep their times, which are older than the fork."""
    turns = [
        prompt("Old.", created=AT_MS - 5_000),
        answer("Older.", created=AT_MS - 4_000, tokens={"input": 9}),
        prompt("New."),
    ]
    found = told(opencode.HOST.reads(asked_of(Kept(tmp_path, turns, title="Rounding (fork #2)").base())))
    assert (found["human_prompts"], found["inherited_records"], found["assistant_texts"]) == (["New."], 4, 0)
    assert (found["parent_session_id"], found["tokens"]) == (None, None)
    found = told(opencode.HOST.reads(asked_of(Kept(tmp_path, turns).export())))
    assert found["human_prompts"] == ["Old.", "New."]


@pytest.mark.parametrize("storage", ["base", "export", "tree"])
def test_what_the_person_took_back_is_not_counted(tmp_path, storage):
    """From the message, or the part of it, that the session's own record names."""
    turns = [prompt("One."), answer("First.", bash("make", 2)), prompt("Two."), answer("Second.")]
    kept = Kept(tmp_path, turns, revert={"messageID": f"msg_{SESSION}_2"})
    found = told(opencode.HOST.reads(asked_of(getattr(kept, storage)())))
    assert (found["human_prompts"], found["final_note"], found["tool_calls"]) == (["One."], "First.", 1)
    kept.info["revert"] = {"messageID": f"msg_{SESSION}_1", "partID": f"prt_msg_{SESSION}_1_1"}
    found = told(opencode.HOST.reads(asked_of(getattr(kept, storage)())))
    assert (found["final_note"], found["tool_calls"]) == ("First.", 0)


def test_a_sub_agents_session_is_the_parents(tmp_path):
    """Listed with the parent, by link or by the call that started it; its prompt is an agent's."""
    task = tool("task", {"prompt": "List.", "subagent_type": "general"}, output="ok", metadata={"sessionId": CHILD})
    parent, child = (
        Kept(tmp_path, [prompt("Go."), answer(task)]),
        Kept(tmp_path, [prompt("List.")], session=CHILD, parentID=SESSION),
    )
    for storage in ("base", "export", "tree"):
        place, inner = (getattr(each, storage)() for each in (parent, child))
        assert told(opencode.HOST.reads(asked_of(place)))["subagents"] == [inner]
        found = told(opencode.HOST.reads(asked_of(inner)))
        assert (found["is_sidechain"], found["parent_session_id"], found["human_prompts"]) == (True, SESSION, [])
    assert of(parent.export(), Call)[0].role == "general"
    assert opencode.HOST.sessions(tmp_path / "opencode.db") == (SESSION,)


def test_a_session_in_two_storages_is_listed_once(tmp_path):
    """The database was filled from the tree, which stayed; what is only in the tree is listed, too."""
    Kept(tmp_path, [prompt("Go.")]).base()
    Kept(tmp_path, [prompt("Go.")]).tree()
    Kept(tmp_path, [prompt("List.")], session=CHILD, parentID=SESSION).tree()
    alone = Kept(tmp_path, [prompt("Else.")], session=OTHER).tree()
    assert [str(path) for path in opencode.HOST.files(tmp_path)] == [str(tmp_path / "opencode.db"), alone]


def test_a_patch_of_several_files_is_several_writes_of_one_call(tmp_path):
    """Each file counts, the call once."""
    patch = "*** Begin Patch\n*** Update File: a.py\n+x\n*** Add File: /b.py\n+y\n*** End Patch"
    found = told(
        opencode.HOST.reads(asked_of(Kept(tmp_path, [answer(tool("apply_patch", {"patchText": patch}))]).export()))
    )
    assert (found["tool_calls"], found["writes_ok"]) == (1, {"/home/dev/pond/a.py": 1, "/b.py": 1})


def test_damaged_parts_and_unknown_ones_are_counted_apart(tmp_path):
    """Parts of a message that is damaged itself are not taken for those of the one before."""
    turns = [prompt("Go.", CUT, {"type": "hologram"}), answer("Done."), ({"role": "oracle"}, [])]
    place = Kept(tmp_path, turns).base()
    base = sqlite3.connect(tmp_path / "opencode.db")
    base.execute("UPDATE message SET data = 'x' WHERE id = ?", (f"msg_{SESSION}_1",))
    base.commit()
    base.close()
    found = told(opencode.HOST.reads(asked_of(place)))
    assert (found["malformed_lines"], found["unknown_records"], found["human_prompts"]) == (2, 2, ["Go."])
    assert found["assistant_texts"] == 0
    assert "Done." in [event.text for event in of(place, Injected)]


def test_a_session_that_is_not_there_and_files_of_nobody(tmp_path):
    """Clear messages; a JSON file of another shape is not this host's."""
    place = Kept(tmp_path, [prompt("Go.")]).base()
    with pytest.raises(LearntError, match="no session ses_zzz"):
        opencode.HOST.reads(asked_of(place.replace(SESSION, "ses_zzz")))
    with pytest.raises(LearntError, match="many sessions"):
        opencode.HOST.reads(asked_of(str(tmp_path / "opencode.db")))
    stray = tmp_path / "stray.json"
    stray.write_text('{"info": {"id": "x"}, "messages": []}')
    assert opencode.HOST.recognises(stray) == "no"
    with pytest.raises(LearntError, match="no file"):
        opencode.HOST.reads(asked_of(str(tmp_path / "gone.json")))
