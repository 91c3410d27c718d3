"""OpenHands' conversations: a folder, one file an event."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from learnt.errors import NotFoundError
from learnt.hosts import transcript
from learnt.hosts.host import Asked
from learnt.hosts.openhands import host as openhands
from learnt.hosts.openhands.host import OpenHandsReader
from learnt.model.session import Call, Compaction, Injected, Interruption, Malformed, Prompt, Reply, Result
from tests.hosts.ground import MISSING, compare, expected, samples, told

NOT_IN_THE_FILES = "started_at"
"""When the samples' generator began its clock, a second before the first event."""


class Conversation:
    """A conversation that grows by files."""

    def __init__(self, folder: Path, name: str = "c0ffee", **state: Any) -> None:
        self.path = folder / name
        (self.path / "events").mkdir(parents=True)
        base = {"id": name, "workspace": {"working_dir": "/srv/app"}, "execution_status": "finished", **state}
        (self.path / "base_state.json").write_text(json.dumps(base))
        self.count = 0

    def event(self, kind: str, **fields: Any) -> str:
        """One event; gives its id."""
        name = f"e{self.count}"
        stamp = f"2026-11-20T09:12:{self.count:02d}.000"
        row = {"kind": kind, "id": name, "timestamp": stamp, "source": "agent", **fields}
        self.raw(json.dumps(row))
        return name

    def raw(self, body: str) -> None:
        """A file as it is."""
        (self.path / "events" / f"event-{self.count:05d}-e{self.count}.json").write_text(body)
        self.count += 1

    def says(self, words: str, role: str = "user", **fields: Any) -> None:
        """A message."""
        content = [{"type": "text", "text": words}]
        source = "user" if role == "user" else "agent"
        self.event("MessageEvent", **{"source": source, "llm_message": {"role": role, "content": content}, **fields})

    def does(self, tool: str, action: dict[str, Any] | None, thought: str = "", **fields: Any) -> str:
        """A call; gives its id."""
        call_id = f"t{self.count}"
        words = [{"type": "text", "text": thought}] if thought else []
        self.event("ActionEvent", tool_name=tool, tool_call_id=call_id, action=action, thought=words, **fields)
        return call_id

    def sees(self, call_id: str, text: str = "", **observation: Any) -> None:
        """Its observation."""
        content = [{"type": "text", "text": text}]
        self.event("ObservationEvent", tool_call_id=call_id, observation={"content": content, **observation})


def events(path: Path, *kinds: type[Any]) -> list[Any]:
    """What the reader tells."""
    return [event for event in OpenHandsReader(path).events() if not kinds or isinstance(event, kinds)]


@pytest.mark.skipif(not expected("openhands"), reason=MISSING)
@pytest.mark.parametrize(("name", "truth"), expected("openhands"))
def test_every_value_of_the_ground_truth(monkeypatch, name, truth):
    """Counts, texts, failures, lineage, status."""
    monkeypatch.chdir(samples("openhands"))
    found = told(transcript.reader(name))
    compare(found, truth, NOT_IN_THE_FILES)
    assert truth["started_at"] <= found["started_at"] <= found["ended_at"]


@pytest.mark.parametrize(
    ("observation", "failure", "code"),
    [
        ({"exit_code": 0}, "", 0),
        ({"exit_code": 3}, "exit", 3),
        ({"metadata": {"exit_code": 4}}, "exit", 4),
        ({"exit_code": -1}, "", None),
        ({"exit_code": -1, "timeout": True}, "timeout", None),
        ({"exit_code": None, "is_error": True}, "exit", None),
        ({"exit_code": "7"}, "", None),
    ],
)
def test_how_a_command_ended(tmp_path, observation, failure, code):
    """By its field; -1 is a command that still runs."""
    talk = Conversation(tmp_path)
    talk.sees(talk.does("terminal", {"kind": "TerminalAction", "command": "make"}), "exit code 9", **observation)
    (end,) = events(talk.path, Result)
    assert (end.failure, end.exit_code, end.text) == (failure, code, "exit code 9")


def test_edits_and_looks(tmp_path):
    """The editor writes with four of its commands, and reads with the other."""
    talk = Conversation(tmp_path)
    for command in ("create", "str_replace", "insert", "undo_edit", "view"):
        talk.sees(talk.does("file_editor", {"command": command, "path": "/srv/app/a.py", "new_str": "x"}))
    assert [call.action for call in events(talk.path, Call)] == ["write"] * 4 + ["read"]
    assert told(OpenHandsReader(talk.path))["writes_ok"] == {"/srv/app/a.py": 4}


def test_a_call_nobody_could_make(tmp_path):
    """Known by its error alone it is a part; one whose arguments were no action is told by them."""
    talk = Conversation(tmp_path)
    talk.event("AgentErrorEvent", tool_name="no_such", tool_call_id="t9", error="not found")
    call = {"name": "terminal", "arguments": '{"command": "ls"}'}
    talk.does("terminal", None, tool_call=call)
    talk.event("AgentErrorEvent", tool_name="terminal", tool_call_id="t1", error="bad arguments")
    assert [(each.tool, each.target, each.part) for each in events(talk.path, Call)] == [
        ("no_such", None, True),
        ("terminal", "ls", False),
    ]
    assert told(OpenHandsReader(talk.path))["tool_calls"] == 1


def test_who_speaks(tmp_path):
    """The person, the agent in thoughts, messages and its closing words, and what was added to a message."""
    talk = Conversation(tmp_path)
    talk.says("Fix it.", extended_content=[{"type": "text", "text": "remember"}])
    talk.says("machine", role="user", source="environment")
    talk.does("think", {"thought": "hm"}, "I look.")
    talk.sees(talk.does("finish", {"message": "All done."}))
    assert [prompt.text for prompt in events(talk.path, Prompt)] == ["Fix it."]
    assert [(each.text, each.source) for each in events(talk.path, Injected)] == [
        ("remember", "hook"),
        ("machine", "host"),
    ]
    assert [reply.text for reply in events(talk.path, Reply)] == ["I look.", "All done."]


def test_refused_interrupted_condensed(tmp_path):
    """A person's no shows that one was there; a condensation is a compaction."""
    talk = Conversation(tmp_path, execution_status="running")
    call = talk.does("terminal", {"command": "rm -r x"})
    talk.event("UserRejectObservation", tool_call_id=call, rejection_reason="no", rejection_source="user")
    talk.event("InterruptEvent")
    talk.event("Condensation", summary="short")
    reader = OpenHandsReader(talk.path)
    found: list[Any] = list(reader.events())
    assert [type(event) for event in found] == [Call, Result, Interruption, Compaction]
    assert found[1].failure == "aborted"
    assert (reader.header().interactive, reader.header().unfinished) == (True, True)
    talk.event("ConversationStateUpdateEvent", key="execution_status", value="finished")
    assert told(OpenHandsReader(talk.path))["status"] == "interrupted"


def test_an_answer_that_names_the_event_alone(tmp_path):
    """Without the call's id the action's event tells which call it is for; a pause shows a person."""
    talk = Conversation(tmp_path)
    talk.does("terminal", {"command": "ls"})
    talk.event("UserRejectObservation", action_id="e0", rejection_source="hook")
    talk.event("PauseEvent", source="user")
    reader = OpenHandsReader(talk.path)
    found: list[Any] = list(reader.events())
    assert found[0].call_id == found[1].call_id
    assert (reader.header().interactive, reader.header().unknown) == (True, 0)


def test_unknown_and_broken_events(tmp_path):
    """Counted, told, and never the end of a reading; files are read in the order of their numbers."""
    talk = Conversation(tmp_path)
    talk.event("HologramEvent")
    talk.raw('{"kind": "Mess')
    talk.raw("[1]")
    talk.count = 100_000
    talk.says("last")
    talk.count = 20
    talk.says("middle")
    reader = OpenHandsReader(talk.path)
    found: list[Any] = list(reader.events())
    assert [type(event) for event in found] == [Malformed, Malformed, Prompt, Prompt]
    assert [event.text for event in found[2:]] == ["middle", "last"]
    assert (reader.header().records, reader.header().unknown) == (3, 1)


def test_a_place_is_the_folder_or_any_file_of_it(tmp_path):
    """All name the one conversation; another folder is none."""
    talk = Conversation(tmp_path)
    talk.says("hi")
    first = next((talk.path / "events").iterdir())
    for place in (talk.path, talk.path / "events", talk.path / "base_state.json", first):
        assert transcript.host_of(place) == "openhands"
        assert OpenHandsReader(place).header().session_id == "c0ffee"
    assert openhands.HOST.recognises(tmp_path) == "no"
    with pytest.raises(NotFoundError):
        OpenHandsReader(tmp_path)
    assert list(openhands.HOST.files(tmp_path)) == [talk.path]
    assert openhands.HOST.folders({}, Path("/home/dev")) == (Path("/home/dev/.openhands/conversations"),)


def test_a_conversation_grows_and_stays_the_same(tmp_path):
    """Its extent grows with every event; by its first event it is recognised again."""
    talk = Conversation(tmp_path)
    talk.says("one")
    asked = Asked(path=talk.path)
    before, head = openhands.HOST.extent(asked), openhands.HOST.head(asked)
    names = [event.message_id for event in events(talk.path)]
    talk.says("two")
    assert openhands.HOST.extent(asked) > before
    assert openhands.HOST.same(asked, *head)
    assert [event.message_id for event in events(talk.path)][:1] == names
    reader = OpenHandsReader(talk.path)
    list(reader.events())
    assert reader.next_offset == openhands.HOST.extent(asked)


def test_a_giant_screenshot(tmp_path):
    """An event of many megabytes is read without its middle; one over all bounds is told."""
    talk = Conversation(tmp_path)
    talk.says("look" + "y" * 3_000_000 + "end")
    (prompt,) = events(talk.path, Prompt)
    assert prompt.text.startswith("look")
    assert prompt.text.endswith("end")
    assert len(prompt.text) < 200_000
