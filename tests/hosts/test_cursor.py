"""Cursor's conversations: the editor's database with results, the transcripts of the command line without."""

from __future__ import annotations

import json
import sqlite3

import pytest

from learnt.errors import LearntError
from learnt.hosts.cursor import host as cursor
from learnt.hosts.host import Asked
from learnt.hosts.transcript import asked_of
from learnt.model.session import Call, Compaction, Injected, Interruption, Prompt, Reply, Result
from tests.hosts.cursorrows import BUBBLES, CHILD, CREATED_MS, ID, ROWS, Editor, use
from tests.hosts.ground import told


@pytest.fixture
def editor(tmp_path):
    """A database as the editor keeps it."""
    editor = Editor(tmp_path / "User")
    yield editor
    editor.base.close()


def test_a_conversation_of_the_editor(editor):
    """Prompts, replies, calls paired with results, failures by the editor's own marks."""
    found = told(cursor.HOST.reads(editor.asked()))
    assert found["human_prompts"] == ["Totals are rounded wrongly, fix it."]
    assert (found["assistant_texts"], found["tool_calls"], found["final_note"]) == (2, 6, "Fixed.")
    assert found["failed_commands"] == [{"command": "pytest -q", "exit_code": 1, "tail": "1 failed"}]
    assert found["failed_tools"] == [{"tool": "read_file_v2", "target": "src/b.py", "error": "no such file"}]
    assert (found["writes_ok"], found["write_attempts"]) == ({"src/a.py": 1}, {"src/a.py": 2})
    assert found["tokens"] == {"input": 90, "cache_read": 0, "cache_write": 0, "output": 7}
    assert (found["cwd"], found["model"], found["title"]) == ("/home/dev/my ledger", "sonnet-5", "Rounding")
    assert (found["status"], found["interactive"], found["malformed_lines"]) == ("complete", True, 0)
    assert found["started_at"] == "2026-09-21T14:13:20.000Z"
    assert found["subagents"] == [f"{editor.path}#{CHILD}"]


def test_a_sub_agents_conversation_is_known_by_who_lists_it(editor):
    """Its prompt is an agent's, its parent the conversation that names it; it is not listed as a session."""
    found = told(cursor.HOST.reads(editor.asked(CHILD)))
    assert (found["human_prompts"], found["is_sidechain"], found["parent_session_id"]) == ([], True, ID)
    assert cursor.HOST.sessions(editor.path) == (ID,)
    assert cursor.HOST.files(editor.path.parents[1]) == (editor.path,)


def test_an_open_call_is_told_again_with_its_result(editor):
    """What is read before it ends has another identity than what is read after."""
    editor.bubble(ID, 3, {"type": 2, **use("run_terminal_command_v2", {"command": "pytest -q"}, "loading")})
    early = [event for event in cursor.HOST.reads(editor.asked()).events() if isinstance(event, (Call, Result))]
    before = cursor.HOST.extent(editor.asked())
    editor.bubble(ID, 3, BUBBLES[3])
    late = [event for event in cursor.HOST.reads(editor.asked()).events() if isinstance(event, (Call, Result))]
    assert len(late) == len(early) + 1
    assert {event.message_id for event in late} - {event.message_id for event in early} == {
        late[0].message_id,
        late[1].message_id,
    }
    assert cursor.HOST.extent(editor.asked()) != before


def test_a_conversation_is_as_large_as_its_rows(editor):
    """In bytes; its extent is the number of a row and more."""
    size = cursor.HOST.size
    assert size is not None
    before = size(editor.asked())
    assert 0 < before < 1 << 24 < cursor.HOST.extent(editor.asked())
    editor.bubble(ID, 0, {"type": 1, "text": "Go. " * 1_000})
    assert 3_000 < size(editor.asked()) - before < 5_000
    assert size(editor.asked("gone")) == 0


def test_a_text_that_is_still_written_is_told_again(editor):
    """The last message of a conversation that goes on."""
    editor.bubble(ID, len(BUBBLES) - 1, {"type": 2, "text": "Fix"})
    editor.put(f"composerData:{ID}", editor.composer(BUBBLES, status="generating"))
    *_, early = (event for event in cursor.HOST.reads(editor.asked()).events() if isinstance(event, Reply))
    assert told(cursor.HOST.reads(editor.asked()))["status"] == "open"
    editor.bubble(ID, len(BUBBLES) - 1, BUBBLES[-1])
    editor.put(f"composerData:{ID}", editor.composer(BUBBLES, status="completed"))
    *_, late = (event for event in cursor.HOST.reads(editor.asked()).events() if isinstance(event, Reply))
    assert (early.text, late.text) == ("Fix", "Fixed.")
    assert early.message_id != late.message_id
    assert early.span.record != late.span.record


def test_a_refused_command_is_neither_failed_nor_done(editor):
    """The person said no: no failure, and no success."""
    editor.bubble(ID, 4, {"type": 2, **use("run_terminal_cmd", {"command": "rm -r x"}, result={"rejected": True})})
    results = [event for event in cursor.HOST.reads(editor.asked()).events() if isinstance(event, Result)]
    assert results[1].failure == "aborted"


def test_a_timeout_and_an_abort_by_the_reason_a_command_ended(editor):
    """The editor names why a command ended before its exit."""
    reason = "RUN_TERMINAL_COMMAND_ENDED_REASON_"
    for at, end in ((3, "TIMEOUT"), (4, "EXECUTION_ABORTED")):
        editor.bubble(
            ID, at, {"type": 2, **use("run_terminal_cmd", {"command": "x"}, result={"endedReason": reason + end})}
        )
    results = [event for event in cursor.HOST.reads(editor.asked()).events() if isinstance(event, Result)]
    assert [result.failure for result in results[:2]] == ["timeout", "aborted"]


def test_damaged_removed_and_unknown_messages(editor):
    """Cut JSON is counted, a removed message is none, a kind nobody knows is counted apart."""
    editor.base.execute("INSERT INTO cursorDiskKV VALUES (?, ?)", (f"bubbleId:{ID}:b1", '{"type":2,"te'))
    editor.base.execute("INSERT INTO cursorDiskKV VALUES (?, NULL)", (f"bubbleId:{ID}:b2",))
    editor.bubble(ID, 10, {"type": 9, "text": "?"})
    found = told(cursor.HOST.reads(editor.asked()))
    assert (found["malformed_lines"], found["unknown_records"], found["assistant_texts"]) == (1, 1, 0)


def test_the_end_is_told_by_the_conversation_itself(editor):
    """A summary and an aborted turn stand in its own record."""
    more = {"status": "aborted", "latestConversationSummary": {"summary": {"summary": "Half done."}}}
    editor.put(f"composerData:{ID}", editor.composer(BUBBLES, **more))
    events = list(cursor.HOST.reads(editor.asked()).events())
    assert [event.summary for event in events if isinstance(event, Compaction)] == ["Half done."]
    assert any(isinstance(event, Interruption) for event in events)


def test_messages_inside_the_record_of_an_early_release(editor):
    """A conversation that has its messages in one list."""
    inside = [{"type": 1, "bubbleId": "x", "text": "Why?"}, {"type": 2, "text": "Because."}, "no message"]
    editor.put("composerData:old", {"composerId": "old", "conversation": inside, "createdAt": CREATED_MS})
    found = told(cursor.HOST.reads(editor.asked("old")))
    assert (found["human_prompts"], found["final_note"], found["malformed_lines"]) == (["Why?"], "Because.", 1)


def test_the_folder_from_the_table_of_newer_releases(editor):
    """Folder, branch and parentage that only the newer table has."""
    editor.base.execute("CREATE TABLE composerHeaders (composerId TEXT PRIMARY KEY, isSubagent INTEGER, value TEXT)")
    head = {
        "workspaceIdentifier": {"uri": {"fsPath": "/home/dev/pond"}},
        "trackedGitRepos": [{"branches": [{"branchName": "fix"}]}],
    }
    editor.base.execute("INSERT INTO composerHeaders VALUES (?, 0, ?)", (ID, json.dumps(head)))
    header = cursor.HOST.reads(editor.asked()).header()
    assert (header.cwd, header.branch, header.sidechain) == ("/home/dev/pond", "fix", False)


def test_the_folder_of_an_early_conversation_is_the_workspace_that_lists_it(editor):
    """Before 3.0 only the workspace's own database knew."""
    workspace = editor.path.parents[1] / "workspaceStorage" / "f00"
    workspace.mkdir(parents=True)
    (workspace / "workspace.json").write_text('{"folder": "file:///home/dev/brook"}')
    base = sqlite3.connect(workspace / "state.vscdb")
    base.execute("CREATE TABLE ItemTable (key TEXT UNIQUE, value BLOB)")
    base.execute(
        "INSERT INTO ItemTable VALUES ('composer.composerData', ?)",
        (json.dumps({"allComposers": [{"composerId": ID}]}),),
    )
    base.commit()
    base.close()
    assert cursor.HOST.reads(editor.asked()).header().cwd == "/home/dev/brook"


@pytest.fixture
def log(tmp_path):
    """A transcript where the command line keeps it."""
    path = tmp_path / ".cursor" / "projects" / "home-dev-pond" / "agent-transcripts" / ID / f"{ID}.jsonl"
    path.parent.mkdir(parents=True)
    path.write_text("".join(json.dumps(row) + "\n" for row in ROWS))
    return path


def test_a_transcript_tells_calls_without_results(log):
    """Nothing failed and nothing is known to have succeeded; the turn is over."""
    assert cursor.HOST.recognises(log) == "sure"
    found = told(cursor.HOST.reads(Asked(path=log)))
    assert (found["human_prompts"], found["final_note"], found["tool_calls"]) == (["Fix it."], "Done.", 2)
    assert (found["writes_ok"], found["write_attempts"]) == ({}, {"/home/dev/pond/a.py": 1})
    assert (found["failed_commands"], found["failed_tools"], found["status"]) == ([], [], "complete")
    assert (found["session_id"], found["tokens"], found["unknown_records"]) == (ID, None, 0)


def test_a_turn_that_goes_on_is_open_and_an_aborted_one_interrupted(log):
    """The end of a turn is a record of its own."""
    with log.open("a") as file:
        file.write(json.dumps(ROWS[0]) + "\n")
    assert told(cursor.HOST.reads(Asked(path=log)))["status"] == "open"
    with log.open("a") as file:
        file.write('{"type": "turn_ended", "status": "aborted", "error": "User aborted"}\n')
    found = told(cursor.HOST.reads(Asked(path=log)))
    assert (found["status"], found["interactive"]) == ("interrupted", True)


def test_what_the_client_writes_around_a_prompt_is_not_the_persons(log):
    """Only what stands inside the query is; a notice without one is nobody's."""
    with log.open("a") as file:
        file.write(
            json.dumps({"role": "user", "message": {"content": "<system_reminder>Be quick.</system_reminder>"}}) + "\n"
        )
    events = list(cursor.HOST.reads(Asked(path=log)).events())
    assert [event.text for event in events if isinstance(event, Prompt)] == ["Fix it."]
    said = [event.text for event in events if isinstance(event, Injected)]
    assert said == ["<timestamp>Monday</timestamp>", "<system_reminder>Be quick.</system_reminder>"]


def test_the_folder_of_a_transcript(log):
    """From the note beside its session, from the project's own note, never guessed where two folders fit."""
    assert cursor.HOST.reads(Asked(path=log)).header().cwd == ""
    (log.parents[2] / ".workspace-trusted").write_text('{"workspacePath": "/home/dev/pond"}')
    assert cursor.HOST.reads(Asked(path=log)).header().cwd == "/home/dev/pond"
    note = log.parents[4] / "chats" / "0f" / ID / "meta.json"
    note.parent.mkdir(parents=True)
    note.write_text(json.dumps({"cwd": "/home/dev/other", "createdAtMs": CREATED_MS}))
    header = cursor.HOST.reads(Asked(path=log)).header()
    assert (header.cwd, header.started_at) == ("/home/dev/other", "2026-09-21T14:13:20.000Z")


def test_a_sub_agents_transcript(log):
    """It lies in a folder beside the session's, which names it."""
    path = log.parent / "subagents" / f"{CHILD}.jsonl"
    path.parent.mkdir()
    path.write_text(json.dumps(ROWS[0]) + "\n")
    found = told(cursor.HOST.reads(Asked(path=path)))
    assert (found["parent_session_id"], found["is_sidechain"], found["human_prompts"]) == (ID, True, [])
    assert told(cursor.HOST.reads(Asked(path=log)))["subagents"] == [str(path)]


def test_a_conversation_in_both_places_is_listed_once(tmp_path, log):
    """The database has times and results, so it is the one; an empty shell is none; a copy beside its folder is one."""
    home = tmp_path
    assert cursor.HOST.files(home / ".cursor") == (log,)
    shell = log.parents[1] / "shell" / "shell.jsonl"
    shell.parent.mkdir()
    shell.write_text('{"type":"turn_ended","status":"success"}\n')
    assert cursor.HOST.files(home / ".cursor") == (log,)
    alone = cursor.HOST.extent(Asked(path=log))
    editor = Editor(home / ".config" / "Cursor" / "User")
    editor.base.close()
    assert cursor.HOST.files(home / ".cursor") == ()
    assert told(cursor.HOST.reads(Asked(path=log))) == told(cursor.HOST.reads(asked_of(f"{editor.path}#{ID}")))
    assert cursor.HOST.extent(Asked(path=log)) == cursor.HOST.extent(asked_of(f"{editor.path}#{ID}")) != alone
    assert cursor.HOST.same(Asked(path=log), *cursor.HOST.head(asked_of(f"{editor.path}#{ID}")))


def test_a_conversation_that_is_not_there(editor):
    """The message names it, and how to name another."""
    with pytest.raises(LearntError, match="no conversation nowhere"):
        cursor.HOST.reads(editor.asked("nowhere"))
    with pytest.raises(LearntError, match="many sessions"):
        cursor.HOST.reads(Asked(path=editor.path))
