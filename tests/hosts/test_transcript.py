"""The seam: whose a file is, whether it still grows, and what is alarming about it."""

from __future__ import annotations

import json
import os
from dataclasses import replace

import pytest

from learnt.errors import NotFoundError, UsageError
from learnt.hosts import transcript
from learnt.hosts.claude import host as claude
from learnt.hosts.host import Host, head_of
from learnt.hosts.local import LocalTranscripts
from learnt.hosts.reading.alive import process_start
from learnt.model.session import Header
from tests.hosts.rows import SESSION, Script


def test_a_transcript_is_recognised(tmp_path):
    """By its records, whatever its name; anything else is nobody's."""
    script = Script()
    script.prompt("go")
    path = script.write(tmp_path, "whatever")
    assert transcript.host_of(path) == "claude-code"
    other = tmp_path / "other.jsonl"
    other.write_text('{"sort": "something", "load": {}}\n')
    assert transcript.host_of(other) == ""
    with pytest.raises(UsageError):
        transcript.reader(other)
    with pytest.raises(NotFoundError):
        transcript.reader(tmp_path / "nothing")


def test_a_format_that_moved_on_is_an_alarm(tmp_path):
    """30 records of unknown types behind a known one: nothing understood is said, not passed over."""
    script = Script()
    script.rows.append({"type": "mode", "mode": "normal", "sessionId": SESSION})
    for number in range(30):
        script.row(type="turn_item", version="9.0", payload={"role": "user", "content": f"words {number}"})
    reader = transcript.reader(script.write(tmp_path))
    assert list(reader.events()) == []
    told = transcript.alarms(reader.header(), 0)
    assert len(told) == 1
    assert "31 records, 1 understood" in told[0]
    assert transcript.alarms(Header(host="claude-code", session_id="s"), 0) == ()
    assert transcript.alarms(reader.header(), 3) == ()


def test_a_file_is_recognised_again(tmp_path):
    """Grown it is the same, shorter or replaced it is not."""
    path = tmp_path / "a.jsonl"
    path.write_text("abc\n")
    head = head_of(transcript.asked_of(str(path)))
    path.write_text("abc\ndef\n")
    local = LocalTranscripts({})
    assert local.resumable(str(path), "claude-code", 4, head)
    assert not local.resumable(str(path), "claude-code", 9, head)
    path.write_text("xbc\ndef\n")
    assert not local.resumable(str(path), "claude-code", 4, head)
    assert not local.resumable(str(tmp_path / "gone"), "claude-code", 4, head)


def test_a_place_may_name_one_session_of_several(tmp_path):
    """Behind the last number sign; a file whose own name holds one is that file."""
    assert transcript.asked_of("a.db#one").session == "one"
    assert transcript.asked_of("a.db").session == ""
    odd = tmp_path / "a#b.jsonl"
    odd.write_text("{}")
    assert transcript.asked_of(str(odd)).path == odd
    assert transcript.asked_of(f"{odd}#2").session == "2"


def test_live_sessions(tmp_path):
    """A mark counts while its process lives and is the one that wrote it."""
    marks = tmp_path / "sessions"
    marks.mkdir()
    mine = {"pid": os.getpid(), "sessionId": "mine", "status": "busy"}
    start = process_start(os.getpid())
    for name, entry in {
        "1": {**mine, "procStart": start},
        "2": {**mine, "sessionId": "reused", "procStart": "1"},
        "3": {**mine, "sessionId": "gone", "pid": 2**22 + 7},
        "4": {"pid": "x"},
        "5": [],
    }.items():
        (marks / f"{name}.json").write_text(json.dumps(entry))
    (marks / "6.json").write_text("{")
    expected = {"mine": "busy"} if start else {"mine": "busy", "reused": "busy"}
    assert claude.live(tmp_path) == expected
    assert claude.live(tmp_path / "nothing") == {}


def test_session_files_newest_first(tmp_path):
    """Sub-agents' files are no sessions of their own."""
    folder = tmp_path / "projects" / "-home-dev"
    (folder / SESSION / "subagents").mkdir(parents=True)
    for age, name in ((300, "old"), (100, "new")):
        path = folder / f"{name}.jsonl"
        path.write_text("{}")
        os.utime(path, (1_700_000_000 - age, 1_700_000_000 - age))
    (folder / SESSION / "subagents" / "agent-1.jsonl").write_text("{}")
    assert [path.stem for path in claude.files(tmp_path)] == ["new", "old"]


@pytest.mark.parametrize(
    ("settings", "days"), [("{}", 30), ('{"cleanupPeriodDays": 365}', 365), ('{"cleanupPeriodDays": "x"}', 30)]
)
def test_how_long_claude_code_keeps_a_session(tmp_path, settings, days):
    """By its setting, 30 days without it; a host that says nothing keeps them for ever."""
    (tmp_path / "settings.json").write_text(settings, "utf-8")
    assert claude.keeps_days(tmp_path) == days
    assert transcript.HOSTS["codex"].keeps_days(tmp_path) is None


def test_trouble_in_one_hosts_folder_hides_no_other(tmp_path, monkeypatch):
    """It is told of the folder; the sessions of the next host are found."""

    def broken(folder):
        raise PermissionError(13, "closed", str(folder))

    host = Host(
        name="broken",
        recognises=lambda _: "no",
        reads=claude.HOST.reads,
        folders=lambda *_: (tmp_path,),
        files=broken,
    )
    monkeypatch.setattr(transcript, "REGISTRY", (host, claude.HOST))
    folder = tmp_path / "projects" / "x"
    folder.mkdir(parents=True)
    script = Script()
    script.prompt("go")
    path = script.write(folder)
    first, second = LocalTranscripts({"CLAUDE_CONFIG_DIR": str(tmp_path)}).find()
    assert (first.place, first.host) == (str(tmp_path), "broken")
    assert "closed" in first.fault
    assert (second.place, second.fault, second.extent) == (str(path), "", path.stat().st_size)


def test_a_host_that_may_not_be_looked_into_ends_nobody_s_work(tmp_path, monkeypatch):
    """What cannot be read is told of; nobody is known to be at work there."""

    def closed(*_):
        raise PermissionError("closed")

    broken = replace(transcript.HOSTS["codex"], folders=closed)
    shut = replace(transcript.HOSTS["claude-code"], live=closed, files=lambda _: ())
    monkeypatch.setattr(transcript, "REGISTRY", (broken, shut))
    local = LocalTranscripts({"CLAUDE_CONFIG_DIR": str(tmp_path)})
    assert not local.live("any")
    assert [(each.host, each.header, bool(each.fault)) for each in local.find()] == [("claude-code", None, True)]
