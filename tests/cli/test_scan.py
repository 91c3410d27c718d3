"""sessions scan, over the hosts of one user."""

from __future__ import annotations

import json
import os
import time
from typing import TYPE_CHECKING

import pytest

from learnt.model.thread import CHILD_FOLDER
from tests.cli.shell import Shell
from tests.hosts.opencoderows import Kept, answer, bash, prompt
from tests.hosts.rows import Script
from tests.hosts.test_codex import Rollout, ended
from tests.hosts.test_copilot import Log
from tests.hosts.test_gemini import SESSION as GEMINI_SESSION
from tests.hosts.test_gemini import Chat

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

DAY_S = 86_400


@pytest.fixture
def user(learnt: Shell) -> Path:
    """The user's home folder."""
    return learnt.root / "user"


def codex(user: Path, cwd: Path) -> Path:
    """A session of Codex with a failed command."""
    rollout = Rollout(cwd=str(cwd))
    rollout.done("UserMessage", "p", content=[{"type": "text", "text": "go"}])
    rollout.call("a", "exec_command", {"cmd": "make"})
    rollout.output("a", ended(2, "bad"))
    return rollout.write(user / ".codex")


def copilot(user: Path, cwd: Path) -> Path:
    """A session of Copilot CLI."""
    log = Log()
    log.rows[0]["data"]["context"]["cwd"] = str(cwd)
    log.event("user.message", content="go")
    log.event("assistant.message", content="done", toolRequests=[])
    return log.write(user / ".copilot")


def gemini(user: Path, cwd: Path) -> Path:
    """A session of Gemini CLI."""
    chat = Chat()
    chat.row("user", "go")
    chat.row("gemini", "done")
    path = chat.write(user / ".gemini")
    (path.parent.parent / ".project_root").write_text(str(cwd), "utf-8")
    return path


def claude(user: Path, cwd: Path) -> Path:
    """A session of Claude Code."""
    script = Script()
    script.prompt("go", cwd=str(cwd))
    script.reply("done", cwd=str(cwd))
    folder = user / ".claude" / "projects" / "x"
    folder.mkdir(parents=True)
    return script.write(folder)


def aged(path: Path, days: float) -> Path:
    """A file that nobody wrote to for so long."""
    at_s = time.time() - days * DAY_S
    os.utime(path, (at_s, at_s))
    return path


def statuses(learnt: Shell, *options: str) -> dict[str, str]:
    """What a scan says of each host's one session."""
    return {each["host"]: each["status"] for each in learnt.json("sessions", "scan", *options)["sessions"]}


MAKERS: dict[str, Callable[[Path, Path], Path]] = {
    "claude-code": claude,
    "codex": codex,
    "copilot-cli": copilot,
    "gemini-cli": gemini,
}


def test_sessions_of_every_host(learnt: Shell, user: Path) -> None:
    """New, then read on request, then grown when a client goes on; `list` and `show` know them by path and id."""
    paths = {host: make(user, learnt.project) for host, make in MAKERS.items()}
    assert statuses(learnt) == dict.fromkeys(MAKERS, "new")
    shown = learnt("sessions", "scan", "--look").out
    assert f"  ~/{paths['codex'].relative_to(user)}\n" in shown  # as a shell takes it
    answer = learnt.json("sessions", "scan", "--read")
    assert answer["totals"] == {"read": 4}
    told = {each["host"]: each["messages"] for each in answer["captured"]}
    assert told == {"claude-code": 3, "codex": 2, "copilot-cli": 2, "gemini-cli": 2}
    assert statuses(learnt) == dict.fromkeys(MAKERS, "read")
    assert learnt.json("sessions", "list")["total"] == 4
    for path in paths.values():
        assert learnt.json("sessions", "show", str(path))["path"] == str(path)
        with path.open("a", encoding="utf-8") as file:
            file.write("{}\n")
    assert statuses(learnt) == dict.fromkeys(MAKERS, "grown")


def test_what_was_read_before_is_counted(learnt: Shell, user: Path) -> None:
    """A line for each agent; what is read now has one of its own, `--full` tells each, and JSON all of them."""
    paths = [codex(user, learnt.project), gemini(user, learnt.project)]
    out = learnt("sessions", "scan", "--read").out
    assert all(path.name in out for path in paths)
    latest = claude(user, learnt.project)
    out = learnt("sessions", "scan").out
    assert latest.name in out
    assert "1 session of codex read before" in out
    assert "1 session of gemini-cli read before" in out
    assert "--full" in out
    assert not any(path.name in out for path in paths)
    full = learnt("sessions", "scan", "--full").out
    assert all(path.name in full for path in (*paths, latest))
    assert "read before" not in full
    assert learnt.json("sessions", "scan")["totals"] == {"read": 2, "new": 1}


def test_sizes_end_together(learnt: Shell, user: Path) -> None:
    """Whatever their length."""
    path = codex(user, learnt.project)
    path.write_bytes(path.read_bytes() + b"{}\n" * 4_000)
    gemini(user, learnt.project)
    rows = [row for row in learnt("sessions", "scan").out.splitlines() if row.startswith("new ")]
    assert len(rows) == 2
    assert len({row.index("B  20") for row in rows}) == 1


@pytest.mark.parametrize("kept", ["base", "tree"])
def test_a_session_in_a_database_is_learnt_from(learnt: Shell, user: Path, kept: str) -> None:
    """How far it goes is told by a time there, which is no size."""
    folder = user / "xdg-data" / "opencode"
    folder.mkdir(parents=True)
    turns = [prompt("Always run make lint first."), answer(bash("make", 2, "bad")), answer(bash("make lint", 0))]
    getattr(Kept(folder, turns, directory=str(learnt.project)), kept)()
    assert statuses(learnt, "--read") == {"opencode": "read"}
    (told,) = learnt.json("memory", "rebuild")["sessions"]
    assert told["result"] in {"extracted", "nothing"}


def test_a_look_at_the_beginning_tells_no_end(learnt: Shell, user: Path) -> None:
    """A log that was not read to its end is dated by when it was written, never by its first record."""
    claude(user, learnt.project)
    (seen,) = learnt.json("sessions", "scan")["sessions"]
    assert (seen["ended_at"], bool(seen["written_at"])) == (None, True)


@pytest.mark.parametrize("host", MAKERS)
def test_what_a_client_is_about_to_delete(learnt: Shell, user: Path, host: str) -> None:
    """It is read at once, unless only a look is wanted; a host that keeps its sessions has time."""
    aged(MAKERS[host](user, learnt.project), 25)
    deletes = host in ("claude-code", "gemini-cli")
    assert statuses(learnt, "--look") == {host: "new"}
    answer = learnt.json("sessions", "scan")
    assert [each["status"] for each in answer["sessions"]] == ["read" if deletes else "new"]
    assert len(answer["captured"]) == deletes
    assert [bool(each["kept_until"]) for each in answer["sessions"]] == [deletes]
    assert ("read now" in (answer["sessions"][0]["why"] or "")) == deletes


def test_sessions_of_other_repositories(learnt: Shell, user: Path) -> None:
    """They are counted, shown on request with what is read of them there, and not read from here."""
    other = learnt.root / "other"
    other.mkdir()
    codex(user, other)
    aged(gemini(user, learnt.root / "gone"), 25)
    here = learnt.json("sessions", "scan")
    assert (here["total"], here["elsewhere"]) == (0, 2)
    assert "2 sessions of other repositories" in learnt("sessions", "scan").out
    assert statuses(learnt, "--all") == {"codex": "new", "gemini-cli": "new"}
    told = {each["host"]: each["why"] for each in learnt.json("sessions", "scan", "--all", "--read")["sessions"]}
    assert told["codex"] == "read now"
    assert "is gone" in told["gemini-cli"]
    assert statuses(learnt, "--project", str(other)) == {"codex": "read"}
    assert learnt.json("sessions", "list")["total"] == 0


def test_what_is_not_read(learnt: Shell, user: Path) -> None:
    """Each says why: an empty file, one of an unknown format, a run of our own, a session that goes on."""
    path = codex(user, learnt.project)
    folder = path.parent
    (folder / "rollout-2026-11-20T10-00-00-empty.jsonl").touch()
    (folder / "rollout-2026-11-20T10-00-00-new.jsonl").write_text('{"sort": "unheard of"}\n', "utf-8")
    own = Rollout("own", cwd=str(learnt.root / "x" / CHILD_FOLDER))
    own.event("user_message", message="summarise")
    own_path = own.write(user / ".codex")
    copilot_path = copilot(user, learnt.project)
    (copilot_path.parent / f"inuse.{os.getpid()}.lock").touch()
    found = {each["path"]: each for each in learnt.json("sessions", "scan", "--all", "--read")["sessions"]}
    told = {name.rpartition("-")[2]: (each["status"], each["why"]) for name, each in found.items()}
    assert told["empty.jsonl"] == ("skipped", "nothing in it")
    assert told["new.jsonl"][0] == "unknown_format"
    assert (found[str(own_path)]["status"], found[str(own_path)]["why"]) == ("skipped", "a run of learnt itself")
    assert found[str(copilot_path)]["status"] == "live"
    assert found[str(path)]["status"] == "read"


def test_damage_is_told(learnt: Shell, user: Path) -> None:
    """A session with a damaged record is read but for that."""
    path = codex(user, learnt.project)
    path.write_bytes(path.read_bytes() + b'{"broken\n{}\n')
    answer = learnt.json("sessions", "scan", "--read")
    assert [(each["status"], each["why"]) for each in answer["sessions"]] == [("partial", "1 of 6 records not taken")]
    out = learnt("sessions", "scan").out
    assert "1 of 6 records not taken" in " ".join(out.split())
    assert "learnt digest PATH" in out
    digest = learnt.json("digest", str(path))["stats"]
    assert [each["record"] for each in digest["damaged"]] == [4]
    assert "record 4" in learnt("digest", str(path)).out


def test_ingest_tells_of_damage(learnt: Shell, user: Path) -> None:
    """It counts what was not taken."""
    path = codex(user, learnt.project)
    path.write_bytes(path.read_bytes() + b'{"broken\n{}\n')
    assert "1 record not taken" in learnt("sessions", "ingest", str(path)).out


def test_a_torn_line_is_told_and_no_damage_forgotten(learnt: Shell, user: Path) -> None:
    """What a killed client left unfinished is not to be read again and again; what was damaged before it stays told."""
    path = codex(user, learnt.project)
    whole = path.read_bytes()
    path.write_bytes(whole + b'{"broken\n{}\n{"timestamp":"2026-')
    told = [learnt.json("sessions", "scan", *options)["sessions"][0] for options in (("--read",), (), ("--read",))]
    assert [each["status"] for each in told] == ["partial", "partial", "partial"]
    assert told[1]["why"] == "its last line is not whole"
    path.write_bytes(path.read_bytes() + b'11-20T09:00:00Z","type":"event_msg","payload":{"type":"agent_message"}}\n')
    assert learnt.json("sessions", "scan")["sessions"][0]["status"] == "grown"
    assert learnt.json("sessions", "scan", "--read")["sessions"][0]["status"] == "partial"
    assert learnt.json("sessions", "scan")["sessions"][0]["status"] == "partial"


def test_memory_that_is_off(learnt: Shell, user: Path) -> None:
    """Nothing is read there."""
    aged(claude(user, learnt.project), 25)
    learnt.config.parent.mkdir(parents=True, exist_ok=True)
    learnt.config.write_text("[memory]\nenabled = false\n", "utf-8")
    assert statuses(learnt) == {"claude-code": "disabled"}


def test_two_hosts_with_one_id(learnt: Shell, user: Path) -> None:
    """Their sessions stay two."""
    gemini(user, learnt.project)
    log = Log()
    log.rows[0]["data"] |= {"sessionId": GEMINI_SESSION, "context": {"cwd": str(learnt.project)}}
    log.event("user.message", content="go")
    log.write(user / ".copilot")
    assert learnt.json("sessions", "scan", "--read")["totals"] == {"read": 2}
    assert [each["session"] for each in learnt.json("sessions", "list")["sessions"]] == [GEMINI_SESSION] * 2


def test_a_session_read_under_another_name(learnt: Shell, user: Path) -> None:
    """Given by a relative path, or by its folder, it is the same session."""
    path = copilot(user, learnt.project)
    learnt.json("sessions", "ingest", os.path.relpath(path.parent, learnt.project))
    assert statuses(learnt) == {"copilot-cli": "read"}
    assert json.loads(path.read_text("utf-8").splitlines()[0])["data"]["sessionId"] in learnt("sessions").out
