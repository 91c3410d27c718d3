"""Sessions of pi and oh-my-pi: one way through a tree of entries."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from learnt.hosts.host import Asked
from learnt.hosts.pi import host as pi
from learnt.hosts.pi import ohmypi
from learnt.model.session import Call, Injected, Prompt, Result
from tests.hosts.ground import MISSING, SHARED, compare, expected, samples, told
from tests.hosts.pirows import FORK, SESSION, Script

TRUTH = dict(expected("pi"))
LARGE = SHARED / "data" / "pi-sessions" / "large-session.jsonl"


@pytest.mark.skipif(not TRUTH, reason=MISSING)
@pytest.mark.parametrize("name", TRUTH, ids=[name[-30:] for name in TRUTH])
def test_every_value_of_the_ground_truth(monkeypatch, name):
    """Counts, texts, failures, tokens, lineage, status; what was abandoned is counted apart."""
    monkeypatch.chdir(samples("pi"))
    asked = Asked(path=Path(name))
    host = ohmypi.HOST if TRUTH[name]["agent"] == "oh-my-pi" else pi.HOST
    other = pi.HOST if host is ohmypi.HOST else ohmypi.HOST
    assert (host.recognises(asked.path), other.recognises(asked.path)) == ("sure", "no")
    found = told(host.reads(asked))
    compare(found, TRUTH[name])
    assert (found["abandoned_branch"] is None) is ("abandoned_branch" not in TRUTH[name])


@pytest.mark.skipif(not LARGE.is_file(), reason="the real sessions are not at hand (LEARNT_SHARED)")
def test_a_real_session_of_the_first_version_loses_no_record():
    """Every line is a known record, every prompt, reply, call and answer is told."""
    found = told(pi.HOST.reads(Asked(path=LARGE)))
    assert (found["malformed_lines"], found["unknown_records"], found["inherited_records"]) == (0, 0, 0)
    assert (found["tool_calls"], len(found["human_prompts"])) == (391, 88)
    assert len(found["failed_commands"]) == 17


def test_a_write_to_a_device_is_a_call_of_its_tool(tmp_path):
    """oh-my-pi reaches the tools of servers by writing to `xd://TOOL`: no file is written."""
    script = Script(tmp_path / "sessions")
    script.call("write", {"path": "xd://mcp__learnt_memory_recall", "content": '{"query": "tests"}'}, "[]")
    events = list(ohmypi.HOST.reads(script.written()).events())
    (call,) = [event for event in events if isinstance(event, Call)]
    assert (call.tool, call.action, call.target) == ("mcp__learnt_memory_recall", "other", None)


def test_what_was_added_to_a_result_does_not_hide_how_it_ended(script):
    """A warning of ours stands behind the line with the exit code."""
    ended = 'boom\n\nCommand exited with code 2\n<recalled_memory marker="m">\nx\n</recalled_memory>'
    script.call("bash", {"command": "make"}, ended, failed=True)
    (result,) = of(script.written(), Result)
    assert (result.failure, result.exit_code) == ("exit", 2)


@pytest.fixture
def script(tmp_path):
    """A session of pi."""
    return Script(tmp_path / "sessions")


def of(asked, *sorts):
    """Events of some sorts."""
    return [event for event in pi.HOST.reads(asked).events() if isinstance(event, sorts)]


def test_the_conversation_is_the_way_from_the_last_entry_to_the_root(script):
    """What was gone back on is counted nowhere; its summary is no reply."""
    start = script.message("user", content="Fix it.")
    script.call("edit", {"path": "wrong.py", "edits": [{"newText": "x"}]}, "ok")
    script.entry("branch_summary", start, fromId=script.last, summary="Wrong file.")
    script.call("edit", {"path": "right.py", "oldText": "a", "newText": "b"}, "ok")
    script.message("assistant", content=[{"type": "text", "text": "Done."}], stopReason="stop")
    found = told(pi.HOST.reads(script.written()))
    assert (found["writes_ok"], found["human_prompts"], found["final_note"]) == ({"right.py": 1}, ["Fix it."], "Done.")
    assert [event.text for event in of(script.written(), Injected)] == ["Wrong file."]
    assert found["abandoned_branch"] == {"writes_ok": {"wrong.py": 1}}


@given(parents=st.lists(st.one_of(st.none(), st.integers(min_value=0, max_value=30)), min_size=1, max_size=30))
def test_the_way_through_any_tree(tmp_path_factory, parents):
    """What is told are the ancestors of the last entry, oldest first."""
    script = Script(tmp_path_factory.mktemp("s"))
    identities: list[str] = []
    above = [None if parent is None or at == 0 else parent % at for at, parent in enumerate(parents)]
    for at, parent in enumerate(above):
        identities.append(script.message("user", None if parent is None else identities[parent], content=f"{at}"))
    way: list[str] = []
    entry: int | None = len(above) - 1
    while entry is not None:
        way.insert(0, f"{entry}")
        entry = above[entry]
    assert [event.text for event in of(script.written(), Prompt)] == way


def test_a_leaf_says_where_the_conversation_stands(script):
    """Going back without saying anything more is the last word."""
    first = script.message("user", content="One.")
    second = script.message("user", content="Two.")
    script.entry("leaf", targetId=first)
    assert [event.text for event in of(script.written(), Prompt)] == ["One."]
    script.entry("leaf", second, targetId=None)
    assert of(script.written(), Prompt) == []
    script.message("user", second, content="Three.")
    assert [event.text for event in of(script.written(), Prompt)] == ["One.", "Two.", "Three."]


def test_an_entry_whose_parent_is_damaged_follows_the_one_before(script):
    """One bad line does not cut off the beginning."""
    script.message("user", content="One.")
    script.message("user", "lost0000", content="Two.")
    asked = script.written('{"type":"message","id":"ff')
    assert [event.text for event in of(asked, Prompt)] == ["One.", "Two."]
    found = told(pi.HOST.reads(asked))
    assert (found["malformed_lines"], found["status"]) == (1, "open")


def test_how_a_call_ended(script):
    """By the mark and the last line; text that only looks so is text; oh-my-pi tells it apart."""
    last = "Command exited with code 9"
    for output, failed, details in (
        (last, False, None), (f"x\n\n{last}", True, None), (f"{last}\nmore", True, None),
        ("x\n\nCommand timed out after 5 seconds", True, None), ("x\n\nCommand aborted", True, None),
        ("x", True, {"exitCode": 3}), ("x", True, {"timedOut": True}),
    ):  # fmt: skip
        script.call("bash", {"command": "make"}, output, failed=failed, details=details)
    script.call("read", {"path": "a"}, "ENOENT", failed=True)
    script.call("grep", {"pattern": "a"}, "Operation aborted", failed=True)
    results = of(script.written(), Result)
    assert [(each.failure, each.exit_code) for each in results] == [
        ("", None), ("exit", 9), ("exit", None), ("timeout", None), ("aborted", None), ("exit", 3), ("timeout", None),
        ("error", None), ("aborted", None),
    ]  # fmt: skip


def test_a_patch_of_several_files_is_several_writes_of_one_call(script):
    """oh-my-pi gives one text; its sections name the files, each as it was read."""
    patch = "*** Begin Patch\n[src/a.py#1a2B]\nPUT 3.=3:\n+x\n[src/b.py#00ff]\nCUT 1*\n*** End Patch"
    script.call("edit", {"input": patch}, "ok")
    script.call("edit", {"input": "*** Begin Patch\n*** Add File: c.py\n+x\n*** End Patch"}, "no", failed=True)
    script.call("bash", {"command": "make"}, "[Command cancelled]\nsome", failed=True)
    found = told(ohmypi.HOST.reads(script.written()))
    assert (found["tool_calls"], found["writes_ok"]) == (3, {"src/a.py": 1, "src/b.py": 1})
    assert found["failed_tools"] == [{"tool": "edit", "target": "c.py", "error": "no"}]
    assert found["failed_commands"] == []


def test_a_response_that_was_broken_off_ran_nothing(script):
    """Its calls are neither failed nor open; the person stopped the turn."""
    block = {"type": "toolCall", "id": "c", "name": "bash", "arguments": {"command": "make"}}
    script.message("user", content="Go.")
    script.message("assistant", content=[block], stopReason="error", errorMessage="terminated")
    assert told(pi.HOST.reads(script.written()))["status"] == "complete"
    script.message("assistant", content=[], stopReason="aborted", errorMessage="Request was aborted.")
    found = told(pi.HOST.reads(script.written()))
    assert (found["status"], found["tool_calls"], found["failed_commands"]) == ("interrupted", 1, [])
    assert found["interactive"] is True


def test_what_the_person_typed_and_what_was_put_before_it(script):
    """A typed command is theirs, a skill or a file before a prompt the client's, an extension's text a hook's."""
    script.message("bashExecution", command="git stash", output="nothing", exitCode=1)
    script.message(
        "user", content=[{"type": "text", "text": '<skill name="x" location="y">\nDo.\n</skill>\n\nFix it.'}]
    )
    script.entry("custom_message", customType="memd", content=[{"type": "text", "text": "Cents."}], display=False)
    script.message("hookMessage", customType="memd", content="Old style.")
    script.entry("custom", customType="mine", data={"text": "not sent"})
    script.message("user", content="From a tool.", attribution="agent")
    asked = script.written()
    found = told(pi.HOST.reads(asked))
    assert (found["human_prompts"], found["tool_calls"], found["failed_commands"]) == (["Fix it."], 0, [])
    assert found["injected_context"] == ["Cents.", "Old style."]
    assert (found["interactive"], found["unknown_records"]) == (True, 0)


def test_costs_title_and_model(script):
    """Once a response; what the client spends on titles is not the conversation's."""
    usage = {"input": 5, "output": 2, "cacheRead": 7, "cacheWrite": 1, "cost": {"total": 0.1}}
    script.entry("model_change", provider="openai", modelId="gpt-9")
    assert pi.HOST.reads(script.written()).header().model == ""
    script.call("read", {"path": "a"}, "text", usage=usage)
    script.entry("model_usage", model="tiny", usage=usage)
    script.entry("usage", kind="compaction", usage=usage)
    script.entry("session_info", name="Rounding")
    script.entry("hologram")
    found = told(pi.HOST.reads(script.written()))
    assert found["tokens"] == {"input": 5, "cache_read": 7, "cache_write": 1, "output": 2}
    assert (found["title"], found["model"], found["unknown_records"]) == ("Rounding", "anthropic/sonnet-5", 1)


@pytest.mark.parametrize("origin", ["there", "moved", "gone"])
def test_a_fork_counts_only_what_is_its_own(tmp_path, script, origin):
    """Known by the ids of the file it came from, wherever that lies now, else by the time."""
    script.message("user", content="Old.")
    script.call("edit", {"path": "a.py", "newText": "x"}, "ok")
    parent = script.written().path
    fork = Script(
        tmp_path / "sessions", FORK, day=5, parentSession=str(parent if origin == "there" else f"/away/{parent.name}")
    )
    fork.rows += script.rows[1:]
    fork.last = script.last
    fork.entry("label", targetId=script.last, label="here")
    fork.rows[-1]["timestamp"] = script.rows[-1]["timestamp"]
    fork.message("user", content="New.")
    if origin == "gone":
        parent.unlink()
    found = told(pi.HOST.reads(fork.written()))
    copied = 4 if origin == "gone" else 3  # a label is written anew, and keeps its time
    assert (found["human_prompts"], found["inherited_records"], found["writes_ok"]) == (["New."], copied, {})
    assert (found["parent_session_id"], found["started_at"]) == (SESSION, "2026-05-05T10:00:00.000Z")


def test_a_file_of_the_first_version_is_one_way(script):
    """No ids, no parents: every row counts, and has an identity that stays."""
    script.message("user", content="One.")
    script.call("bash", {"command": "make"}, "ok")
    script.rows = [
        {
            key: value
            for key, value in row.items()
            if key not in ("id", "parentId", "version") or row["type"] == "session"
        }
        for row in script.rows
    ]
    asked = script.written()
    identities = [event.message_id for event in of(asked, Prompt, Call, Result)]
    assert len(identities) == len(set(identities)) == 3
    assert identities == [event.message_id for event in of(script.written(), Prompt, Call, Result)]
    assert not any(identity.startswith("@") for identity in identities)


def test_oh_my_pi_is_known_by_its_slot_or_its_folder(tmp_path):
    """The slot for a title stands before the session, and is rewritten in place."""
    script = Script(tmp_path / "sessions")
    script.message("user", content="Hi.")
    script.entry("custom", customType="session_exit", data={"reason": "dispose"})
    asked = script.written()
    assert (pi.HOST.recognises(asked.path), ohmypi.HOST.recognises(asked.path)) == ("sure", "no")
    script.rows.insert(0, {"type": "title", "v": 1, "title": "Slot", "pad": " "})
    asked = script.written()
    assert (pi.HOST.recognises(asked.path), ohmypi.HOST.recognises(asked.path)) == ("no", "sure")
    header = ohmypi.HOST.reads(asked).header()
    assert (header.host, header.session_id, header.cwd) == ("oh-my-pi", SESSION, "/home/dev/pond")
    assert told(ohmypi.HOST.reads(asked))["title"] == "Slot"
    moved = Script(tmp_path / ".omp" / "agent" / "sessions")
    moved.message("user", content="Hi.")
    assert ohmypi.HOST.recognises(moved.written().path) == "sure"


def test_a_sub_agent_of_oh_my_pi(tmp_path, script):
    """Its file lies in a folder beside the session's; its prompt is an agent's; it is no session of its own."""
    script.message("user", content="Go.")
    asked = script.written()
    child = asked.path.with_suffix("") / "0-Scout.jsonl"
    child.parent.mkdir()
    other = Script(tmp_path / "elsewhere", FORK)
    other.message("user", content="List.")
    child.write_text(other.written().path.read_text())
    assert told(ohmypi.HOST.reads(asked))["subagents"] == [str(child)]
    found = told(ohmypi.HOST.reads(Asked(path=child)))
    assert (found["is_sidechain"], found["parent_session_id"], found["human_prompts"]) == (True, SESSION, [])
    assert pi.HOST.files(tmp_path / "sessions") == (asked.path,)


def test_where_sessions_lie(tmp_path):
    """The variables that move them, one for the client's folder, one for the sessions alone."""
    assert pi.HOST.folders({}, tmp_path) == (tmp_path / ".pi" / "agent" / "sessions",)
    assert pi.HOST.folders({"PI_CODING_AGENT_DIR": "/a"}, tmp_path) == (Path("/a/sessions"),)
    assert pi.HOST.folders({"PI_CODING_AGENT_SESSION_DIR": "/b"}, tmp_path) == (Path("/b"),)
    own = tmp_path / ".omp" / "agent" / "sessions"
    assert ohmypi.HOST.folders({}, tmp_path) == (own,)
    profile, moved = (
        tmp_path / ".omp" / "profiles" / "work" / "agent" / "sessions",
        tmp_path / "data" / "omp" / "sessions",
    )
    for folder in (profile, moved):
        folder.mkdir(parents=True)
    assert ohmypi.HOST.folders({"XDG_DATA_HOME": str(tmp_path / "data")}, tmp_path) == (own, profile, moved)
    assert ohmypi.HOST.folders({"PI_CONFIG_DIR": ".mine"}, tmp_path) == (tmp_path / ".mine" / "agent" / "sessions",)
