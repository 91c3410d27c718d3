"""init, uninit, adopt, hook."""

from __future__ import annotations

import json
import shutil
import stat
import subprocess
from typing import TYPE_CHECKING

import pytest

from learnt.bootstrap import Home
from learnt.engine import Engine
from learnt.interfaces.cli.install import install, plan
from learnt.interfaces.cli.removal import removal, uninstall
from learnt.interfaces.mcp.tools import TOOLS
from tests.cli.shell import Shell

if TYPE_CHECKING:
    from pathlib import Path

FOREIGN = '{\n\t"theme": "dark",\n\t"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "true"}]}]}\n}\n'

MODULE = "learnt.interfaces.cli.entry"


def _record(learnt: Shell) -> dict[str, object]:
    return json.loads((learnt.config.parent / "install.json").read_text("utf-8"))


def test_init_wires_and_uninit_restores(learnt: Shell) -> None:
    """Hooks are added beside those of others, twice is once, and uninit gives the very bytes back."""
    learnt.settings.parent.mkdir()
    learnt.settings.write_text(FOREIGN, "utf-8")
    done = learnt.json("init", "--host", "claude-code")
    assert done["hosts"] == ["claude-code"]
    assert done["changes"][0]["applied"] is True
    settings = json.loads(learnt.settings.read_text("utf-8"))
    ours = {"SessionStart", "UserPromptSubmit", "PreToolUse", "SessionEnd", "SubagentStart"}
    assert set(settings["hooks"]) == {"Stop"} | ours
    before = learnt.settings.read_bytes()
    again = learnt.json("init", "--host", "claude-code")
    assert again["changes"][0]["changed"] is False
    assert learnt.settings.read_bytes() == before
    assert (learnt.home / "hook.py").is_file()
    memory = learnt.remember()
    gone = learnt.json("uninit")
    assert learnt.settings.read_text("utf-8") == FOREIGN
    assert not (learnt.home / "hook.py").exists()
    assert not (learnt.config.parent / "install.json").exists()
    assert gone["database"] == str(learnt.home / "memory.db")
    assert learnt.json("show", memory)["id"] == memory
    assert learnt.json("uninit")["changes"] == []


def test_init_adds_the_tools_and_uninit_takes_them_out(learnt: Shell) -> None:
    """The second change is the tool server in Claude Code's own file; shown without what else stands there."""
    servers = learnt.root / "user" / ".claude.json"
    text = json.dumps({"oauthAccount": {"email": "ada@example.org"}, "numStartups": 3}, indent=2)
    servers.write_text(text, "utf-8")
    dry = learnt("init", "--host", "claude-code", "--dry-run")
    assert '+    "learnt": {' in dry.out
    assert "ada" not in dry.out
    done = learnt.json("init", "--host", "claude-code")
    assert [change["path"] for change in done["changes"]] == [str(learnt.settings), str(servers)]
    entry = json.loads(servers.read_text("utf-8"))["mcpServers"]["learnt"]
    assert entry["args"][-5:] == ["mcp", "--host", "claude-code", "--config", str(learnt.config)]
    assert not any(change["changed"] for change in learnt.json("init", "--host", "claude-code")["changes"])
    (check,) = [each for each in learnt.json("doctor")["checks"] if each["name"] == "tools"]
    assert (check["result"], check["found"]) == ("ok", f"{servers}: {len(TOOLS)} tools answer")
    servers.write_text(json.dumps(json.loads(servers.read_text("utf-8")) | {"numStartups": 4}), "utf-8")
    learnt.json("uninit")
    assert json.loads(servers.read_text("utf-8")) == json.loads(text) | {"numStartups": 4}


def test_a_host_may_write_its_file_while_the_change_is_read(learnt: Shell) -> None:
    """Claude Code writes its own file all the time: what it wrote after the change was shown stays."""
    servers = learnt.root / "user" / ".claude.json"
    home = Home()
    with Engine.open(learnt.project, home=home) as engine:
        wanted = plan(home, ["claude-code"], None)
        servers.write_text('{"numStartups": 9}', "utf-8")
        install(engine, wanted, accept_instructions=False)
        assert set(json.loads(servers.read_text("utf-8"))) == {"numStartups", "mcpServers"}
        changes = removal(home, learnt.project)
        servers.write_text(servers.read_text("utf-8").replace("9", "10", 1), "utf-8")
        uninstall(home, engine, changes)
    assert servers.read_text("utf-8") == '{"numStartups": 10}'


def test_doctor_tells_of_tools_that_do_not_start(learnt: Shell) -> None:
    """An entry of a Python that is gone is a problem, a missing one a warning, a person's own is left alone."""
    servers = learnt.root / "user" / ".claude.json"
    learnt.json("init", "--host", "claude-code")
    whole = json.loads(servers.read_text("utf-8"))
    for entry, result in (
        (whole["mcpServers"]["learnt"] | {"command": "/nowhere/python"}, "problem"),
        (whole["mcpServers"]["learnt"] | {"args": ["-c", "raise SystemExit('broken')", "mcp", MODULE]}, "problem"),
        ({"command": "own", "args": []}, "ok"),
        (None, "warning"),
    ):
        servers.write_text(json.dumps({"mcpServers": {"learnt": entry}}), "utf-8")
        (check,) = [each for each in learnt("doctor", "--json").document["checks"] if each["name"] == "tools"]
        assert check["result"] == result


def test_init_makes_private_files(learnt: Shell) -> None:
    """Data directory 0700; store, stub, key, record and settings 0600."""
    learnt.json("init", "--host", "claude-code")
    assert stat.S_IMODE(learnt.home.stat().st_mode) == 0o700
    private = [learnt.home / "memory.db", learnt.home / "hook.py", learnt.config.parent / "install.json"]
    for path in [*private, learnt.config.parent / "keys" / "receipts.key", learnt.settings]:
        assert stat.S_IMODE(path.stat().st_mode) == 0o600, path


def test_init_records_what_commands_are_compared_with(learnt: Shell) -> None:
    """The record holds places, hosts and the answer about instructions; a differing variable is warned of."""
    learnt.json("init", "--host", "claude-code", "--accept-instructions")
    record = _record(learnt)
    assert record["data_dir"] == str(learnt.home)
    assert record["database"] == str(learnt.home / "memory.db")
    assert record["config"] == str(learnt.config)
    assert (record["hosts"], record["accept_instructions"]) == (["claude-code"], True)
    assert learnt("status").err == ""
    learnt.monkeypatch.setenv("LEARNT_HOME", str(learnt.root / "other"))
    warned = learnt("status")
    assert warned.code == 0
    assert len(warned.err.splitlines()) == 1
    assert "LEARNT_HOME" in warned.err
    assert learnt("status", "--json").document["memories"]["active"] == 0


def test_the_answer_about_instructions_stays(learnt: Shell) -> None:
    """Running init again keeps what was said; only saying otherwise changes it."""
    learnt.json("init", "--host", "claude-code", "--accept-instructions")
    assert learnt.json("init", "--host", "claude-code")["accept_instructions"] is True
    assert learnt.json("init", "--host", "claude-code", "--no-accept-instructions")["accept_instructions"] is False
    assert _record(learnt)["accept_instructions"] is False


def test_a_dry_run_writes_nothing(learnt: Shell) -> None:
    """The change is shown, and no file is there afterwards."""
    answer = learnt("init", "--host", "claude-code", "--dry-run")
    assert answer.code == 0
    assert "SessionStart" in answer.out
    assert learnt.json("init", "--host", "claude-code", "--dry-run")["changes"][0]["applied"] is False
    assert [path for path in learnt.root.rglob("*") if path.is_file()] == []


def test_a_dry_run_of_uninit_takes_nothing_out(learnt: Shell) -> None:
    """What would go is shown, and is there afterwards."""
    learnt.json("init", "--host", "claude-code")
    before = learnt.settings.read_bytes()
    assert "-    " in learnt("uninit", "--dry-run").out
    planned = learnt.json("uninit", "--dry-run")
    assert {each["applied"] for each in planned["changes"]} == {False}
    assert learnt.settings.read_bytes() == before


def test_shared_hooks_name_no_path_of_the_user(learnt: Shell) -> None:
    """--shared writes the repository's settings file, without paths, and turns on this repository only."""
    learnt.json("init", "--host", "claude-code", "--shared")
    shared = learnt.project / ".claude" / "settings.json"
    assert str(learnt.root) not in shared.read_text("utf-8")
    assert "learnt hook session-start --host claude-code" in shared.read_text("utf-8")
    servers = json.loads((learnt.project / ".mcp.json").read_text("utf-8"))["mcpServers"]
    assert servers == {"learnt": {"type": "stdio", "command": "learnt", "args": ["mcp", "--host", "claude-code"]}}
    assert not learnt.settings.exists()
    learnt.remember()
    payload = {"session_id": "s", "hook_event_name": "SessionStart", "source": "startup", "cwd": str(learnt.project)}
    given = learnt.process("hook", "session-start", "--host", "claude-code", stdin=json.dumps(payload).encode())
    assert b"TZ=UTC" in given.stdout
    other = learnt.root / "other"
    other.mkdir()
    payload["cwd"] = str(other)
    assert learnt.process("hook", "session-start", stdin=json.dumps(payload).encode()).stdout == b""
    learnt.json("uninit")
    assert not shared.exists()
    assert not (learnt.project / ".mcp.json").exists()


def test_an_unknown_host_is_refused(learnt: Shell) -> None:
    """A host that learnt does not know is a usage error that names those it knows."""
    error = learnt.json("init", "--host", "emacs", code=2)["error"]
    assert error["code"] == "unknown_host"
    assert "codex" in error["hint"]


def test_init_without_a_host_prepares_everything(learnt: Shell) -> None:
    """With no coding agent found there is no settings file, and capture and injection are on."""
    learnt.monkeypatch.setenv("PATH", "/nonexistent")
    done = learnt.json("init")
    assert done["hosts"] == []
    assert not learnt.settings.exists()
    learnt.remember()
    payload = {"session_id": "s", "hook_event_name": "SessionStart", "source": "startup", "cwd": str(learnt.project)}
    given = learnt.process("hook", "session-start", "--host", "claude-code", stdin=json.dumps(payload).encode())
    assert b"TZ=UTC" in given.stdout


def test_settings_that_are_no_plain_json_are_left_alone(learnt: Shell) -> None:
    """Comments in the settings file are a clear error; nothing is written anywhere."""
    learnt.settings.parent.mkdir()
    learnt.settings.write_text("{\n// mine\n}\n", "utf-8")
    answer = learnt.json("init", "--host", "claude-code", code=4)
    assert answer["error"]["code"] == "host_settings"
    assert learnt.settings.read_text("utf-8") == "{\n// mine\n}\n"
    assert not (learnt.home / "hook.py").exists()


def test_an_agent_may_wire_but_not_loosen(learnt: Shell) -> None:
    """Init works in an agent's process, --accept-instructions, uninit and adopt do not."""
    learnt.agent()
    assert learnt.json("init", "--host", "claude-code")["accept_instructions"] is False
    for words in (("init", "--host", "claude-code", "--accept-instructions"), ("uninit",), ("adopt", "0" * 16)):
        assert learnt.json(*words, code=3)["error"]["code"] == "person_required"
    assert learnt.settings.exists()


def test_a_session_end_reaches_the_memory(learnt: Shell, transcript) -> None:
    """The hook at session end reads the transcript in a process of its own."""
    learnt.json("init", "--host", "claude-code")
    payload = {"session_id": "s", "hook_event_name": "SessionEnd", "cwd": str(learnt.project)}
    payload["transcript_path"] = str(transcript("one"))
    done = learnt.process("hook", "session-end", "--host", "claude-code", stdin=json.dumps(payload).encode())
    assert (done.returncode, done.stdout) == (0, b"")
    for _ in range(100):
        if learnt.json("pending")["total"]:
            break
        subprocess.run(["sleep", "0.1"], check=True)
    assert learnt.json("pending")["total"] >= 1


def test_a_hook_never_fails_its_host(learnt: Shell) -> None:
    """Unknown events, no input, broken input and no store: exit 0 and nothing on standard output."""
    for words, stdin in (
        (("hook",), b""),
        (("hook", "session-start"), b""),
        (("hook", "session-start", "--host", "claude-code"), b"{not json"),
        (("hook", "no-such-event", "--host", "claude-code"), b"{}"),
        (("hook", "pre-tool-use", "--host", "nobody"), b"{}"),
    ):
        done = learnt.process(*words, stdin=stdin)
        assert (done.returncode, done.stdout) == (0, b""), words


def test_a_moved_folder_is_adopted_by_a_person_only(learnt: Shell, tmp_path: Path) -> None:
    """A copy with the same history elsewhere is a likeness; adopt makes it the known repository."""
    if shutil.which("git") is None:
        pytest.skip("needs git")
    git = ("git", "-C", str(learnt.project), "-c", "user.name=a", "-c", "user.email=a@example.invalid")
    for words in (("init", "-q"), ("commit", "-q", "--allow-empty", "-m", "first")):
        subprocess.run([*git, *words], check=True)
    learnt.remember()
    copy = tmp_path / "copy"
    shutil.copytree(learnt.project, copy)
    learnt.monkeypatch.chdir(copy)
    assert learnt.json("list")["total"] == 0
    checks = learnt.json("doctor")["checks"]
    assert any(each["name"] == "identity" and each["result"] == "warning" for each in checks)
    assert learnt.json("adopt")["adopted"] is True
    assert learnt.json("list")["total"] == 1


def test_nothing_to_adopt_is_not_found(learnt: Shell) -> None:
    """A folder that looks like no known repository has nothing to adopt."""
    assert learnt.json("adopt", code=1)["error"]["code"] == "not_found"


def test_linked_settings_are_changed_where_they_lie(learnt: Shell) -> None:
    """A settings file behind a link is changed in place and restored; the link stays."""
    kept = learnt.root / "dotfiles.json"
    kept.write_text(FOREIGN, "utf-8")
    learnt.settings.parent.mkdir()
    learnt.settings.symlink_to(kept)
    learnt.json("init", "--host", "claude-code")
    assert "session-start" in kept.read_text("utf-8")
    assert str(kept) in [change["path"] for change in learnt.json("uninit")["changes"]]
    assert learnt.settings.is_symlink()
    assert kept.read_text("utf-8") == FOREIGN


def test_settings_of_others_do_not_stop_uninit(learnt: Shell) -> None:
    """A repository's settings file with comments and no hook of ours is no matter of uninit."""
    learnt.json("init", "--host", "claude-code")
    shared = learnt.project / ".claude" / "settings.json"
    shared.parent.mkdir()
    shared.write_text("// ours\n{}\n", "utf-8")
    learnt.json("uninit")
    assert not learnt.settings.exists()
    assert shared.read_text("utf-8") == "// ours\n{}\n"


def test_uninit_survives_a_lost_record(learnt: Shell) -> None:
    """Hooks are found by their commands when what was put in is not known any more."""
    learnt.settings.parent.mkdir()
    learnt.settings.write_text(FOREIGN, "utf-8")
    learnt.json("init", "--host", "claude-code")
    (learnt.home / "wiring.json").unlink()
    learnt.json("uninit")
    assert json.loads(learnt.settings.read_text("utf-8")) == json.loads(FOREIGN)
