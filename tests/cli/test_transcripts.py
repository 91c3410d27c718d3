"""digest, sessions."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.cli.shell import Shell

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


def test_a_digest_stores_nothing(learnt: Shell, transcript: Callable[[str], Path]) -> None:
    """The shape of the contract, the failed command with its exit code, and no memory, proposal or session."""
    found = learnt.json("digest", str(transcript("one")))
    assert found.keys() >= {"failed_tools", "failed_commands", "churned_files", "final_notes", "stats"}
    assert [(each["command"], each["exit_code"]) for each in found["failed_commands"]] == [("make check tides", 2)]
    assert found["stats"]["human_prompts"][0].startswith("The tide table")
    assert "session" not in found
    assert learnt.json("sessions", "list")["total"] == 0
    assert learnt.json("pending")["total"] == 0


def test_a_full_digest_says_everything(learnt: Shell, transcript: Callable[[str], Path]) -> None:
    """--full adds the session's header."""
    session = learnt.json("digest", str(transcript("one")), "--full", "--host", "claude-code")["session"]
    assert session["agent"] == "claude-code"
    assert session["cwd"] == str(learnt.project)


def test_a_digest_reads_well(learnt: Shell, transcript: Callable[[str], Path]) -> None:
    """Commands with their output, notes and counts."""
    shown = learnt("digest", str(transcript("one"))).out
    assert "make check tides" in shown
    assert "No rule to make target" in shown
    assert "2 prompts" in shown


def test_sessions_are_read_once(learnt: Shell, transcript: Callable[[str], Path]) -> None:
    """Ingest answers each file and the totals; the second time nothing is new; list and show know it."""
    paths = [str(transcript(name)) for name in ("one", "two")]
    first = learnt.json("sessions", "ingest", *paths)
    assert [each["path"] for each in first["sessions"]] == paths
    assert first["sessions"][0].keys() >= {"path", "host", "session", "records", "messages", "skipped", "alarms"}
    assert first["totals"]["proposals"] >= 3
    again = learnt.json("sessions", "ingest", *paths)
    assert again["totals"]["unchanged"] == 2
    assert again["totals"]["proposals"] == 0
    listed = learnt.json("sessions", "list")
    assert listed["total"] == 2
    assert learnt.json("sessions")["total"] == 2
    name = listed["sessions"][0]["session"]
    assert learnt.json("sessions", "show", name)["session"] == name
    assert name in learnt("sessions").out
    assert str(learnt.project) in learnt("sessions", "show", name).out


def test_the_beginning_of_an_id_names_a_session(learnt: Shell, transcript: Callable[[str], Path]) -> None:
    """Eight characters that only one begins with; fewer, or another's too, name none."""
    learnt.json("sessions", "ingest", *(str(transcript(name)) for name in ("one", "two")))
    whole = learnt.json("sessions", "list")["sessions"][0]["session"]
    assert learnt.json("sessions", "show", whole[:8])["session"] == whole
    assert learnt.json("sessions", "show", whole[:7], code=1)["error"]["code"] == "not_found"
    assert learnt.json("memory", "mark", whole[:8], "disabled")["mode"] == "disabled"


def test_one_bad_file_spoils_no_other(learnt: Shell, transcript: Callable[[str], Path]) -> None:
    """A missing file is told, the others are read, and the exit code is 1."""
    answer = learnt.json("sessions", "ingest", "no-such-file.jsonl", str(transcript("one")), code=1)
    assert [each["status"] for each in answer["sessions"]] == ["failed", "read"]
    assert answer["totals"]["failed"] == 1
    assert "failed" in learnt("sessions", "ingest", "no-such-file.jsonl").out


def test_transcripts_of_this_repository_are_found(learnt: Shell, transcript: Callable[[str], Path]) -> None:
    """Scan lists what the coding agent keeps of this folder, new before it is read and read afterwards."""
    path = transcript("one")
    assert [each["status"] for each in learnt.json("sessions", "scan")["sessions"]] == ["new"]
    assert path.name in learnt("sessions", "scan").out
    learnt.json("sessions", "ingest", str(path))
    assert [each["status"] for each in learnt.json("sessions", "scan")["sessions"]] == ["read"]
    other = learnt.root / "other"
    other.mkdir()
    assert learnt.json("sessions", "scan", "--project", str(other))["sessions"] == []


def test_what_is_no_transcript_is_refused(learnt: Shell) -> None:
    """A missing file is not found; another file and an unknown host are usage errors."""
    assert learnt.json("digest", "nothing.jsonl", code=1)["error"]["code"] == "not_found"
    other = learnt.project / "notes.txt"
    other.write_text("hello\n", "utf-8")
    assert learnt.json("digest", str(other), code=2)["error"]["code"] == "unknown_host"
    assert learnt("digest", str(learnt.project), "--json").code in {1, 2}
    assert "is a folder; name the transcripts in it" in learnt("sessions", "ingest", str(learnt.project / "..")).out
    assert "claude-code, codex" in learnt("sessions", "ingest", "--host", "foo", str(other)).out
    assert learnt.json("sessions", "show", "nobody", code=1)["error"]["code"] == "not_found"


def test_invalid_bytes_are_survived(learnt: Shell, transcript: Callable[[str], Path]) -> None:
    """Bytes that are no UTF-8, a NUL and a torn last line cost their own record only."""
    path = transcript("one")
    path.write_bytes(path.read_bytes() + b'\xff\xfe{"type":"user"\x00}\n{"type":"user","mess')
    found = learnt.json("digest", str(path))
    assert len(found["failed_commands"]) == 1
    assert found["stats"]["malformed_lines"] >= 1
    assert learnt.json("sessions", "ingest", str(path))["totals"]["failed"] == 0


def test_options_may_stand_before_the_subcommand(learnt: Shell) -> None:
    """`learnt sessions --json list` answers JSON, and `--project` counts there, too."""
    assert learnt("sessions", "--json", "list").document["total"] == 0
    assert learnt("sessions", "--project", str(learnt.root), "list", "--json").document["total"] == 0


def test_a_capture_nobody_watches_leaves_its_fault_in_status(learnt: Shell, tmp_path: Path) -> None:
    """A transcript a hook's capture could not read is a gap; a session in which nothing was said is none."""
    learnt.monkeypatch.setenv("LEARNT_CHILD", "1")
    (tmp_path / "empty.jsonl").touch()
    (tmp_path / "new.jsonl").write_text('{"kind": "unheard of"}\n' * 3)
    for name in ("missing.jsonl", "empty.jsonl", "new.jsonl"):
        learnt.json("sessions", "ingest", str(tmp_path / name), code=1)
    hooks = learnt.json("status")["hooks"]
    assert hooks["faults"] == 1
    assert "new.jsonl" in hooks["last_fault"]
