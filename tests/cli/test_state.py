"""status, doctor, audit verify."""

from __future__ import annotations

import sqlite3

from learnt.interfaces.cli import screen
from tests.cli.shell import Shell


def _checks(learnt: Shell, code: int) -> dict[str, list[dict[str, str]]]:
    found: dict[str, list[dict[str, str]]] = {}
    for check in learnt.json("doctor", code=code)["checks"]:
        found.setdefault(check["name"], []).append(check)
    return found


def test_a_fresh_machine_is_well(learnt: Shell) -> None:
    """Before the first write status and doctor answer, and nothing is broken."""
    status = learnt.json("status")
    assert status.keys() >= {"memories", "proposals", "arms", "jobs", "gaps", "audit"}
    assert status["memories"]["active"] == 0
    assert status["audit"] == {"table": "memory_events", "order_by": "seq"}
    checks = _checks(learnt, code=0)
    assert {"python", "store", "config", "keys", "identity", "hosts"} <= set(checks)
    assert checks["hosts"][0]["result"] == "warning"
    assert "learnt init" in learnt("doctor").out


def test_status_counts_what_is_there(learnt: Shell) -> None:
    """Memories, proposals, recalls and hosts."""
    learnt.remember()
    learnt.json("propose", "add", "Use uv.", "--kind", "repo_convention", "--evidence", "a.toml")
    learnt.json("recall", "run the tests")
    learnt.json("init", "--host", "claude-code")
    status = learnt.json("status")
    assert status["memories"]["active"] == 1
    assert status["proposals"]["pending"] == 1
    assert status["recalls"] == 1
    assert status["hooks"]["hosts"] == ["claude-code"]
    shown = learnt("status").out
    assert "1 active" in shown
    assert "learnt pending" in shown


def test_status_speaks_as_a_person_does(learnt: Shell) -> None:
    """Parts of recall by what they do, times to the minute."""
    shown = learnt("status").out
    assert "by words: on" in shown
    assert "lexical" not in shown
    at = "2026-05-01T10:00:00.000Z"
    assert screen.minute(at) == "2026-05-01 10:00 UTC"
    assert screen.minute("") == ""


def test_doctor_runs_the_hook_from_end_to_end(learnt: Shell) -> None:
    """The exact stub answers; a broken one is a problem, and so are hooks that were taken out by hand."""
    learnt.json("init", "--host", "claude-code")
    checks = _checks(learnt, code=0)
    assert checks["hook"][0]["result"] == "ok"
    assert checks["hosts"][0]["result"] == "ok"
    (learnt.home / "hook.py").write_text("raise SystemExit(3)\n", "utf-8")
    assert _checks(learnt, code=1)["hook"][0]["result"] == "problem"
    learnt.settings.write_text("{}\n", "utf-8")
    assert _checks(learnt, code=1)["hosts"][0]["result"] == "problem"
    learnt.json("init", "--host", "claude-code")
    assert _checks(learnt, code=0)["hook"][0]["result"] == "ok"


def test_doctor_does_not_count_as_being_used(learnt: Shell) -> None:
    """Looking again and again does not make a memory look often recalled."""
    learnt.json("init", "--host", "claude-code")
    memory = learnt.remember()
    for _ in range(3):
        learnt.json("doctor")
    assert learnt.json("explain", memory)["recalls"] <= 1


def test_doctor_names_ignored_settings_by_file(learnt: Shell) -> None:
    """Unknown keys of the user's file and widening keys of the repository's are warnings with their reason."""
    learnt.config.parent.mkdir()
    learnt.config.write_text("[recall]\nmax_itmes = 3\n", "utf-8")
    (learnt.project / ".learnt").mkdir()
    (learnt.project / ".learnt" / "config.toml").write_text("[recall]\nmax_items = 20\n", "utf-8")
    found = [check["found"] for check in _checks(learnt, code=0)["config"]]
    assert any("max_itmes" in each and str(learnt.config) in each for each in found)
    assert any("recall.max_items" in each and ".learnt" in each for each in found)


def test_doctor_survives_what_commands_do_not(learnt: Shell) -> None:
    """A configuration that is no TOML and a store that is no database are problems, each with what to do."""
    learnt.config.parent.mkdir()
    learnt.config.write_text("[recall\n", "utf-8")
    assert _checks(learnt, code=1)["config"][0]["result"] == "problem"
    learnt.config.unlink()
    learnt.home.mkdir(mode=0o700)
    (learnt.home / "memory.db").write_bytes(b"no database at all" * 500)
    store = _checks(learnt, code=1)["store"][0]
    assert store["result"] == "problem"
    assert store["advice"]
    assert "problem" in learnt("doctor").out


def test_doctor_warns_of_files_others_may_read(learnt: Shell) -> None:
    """A key that others may read is a warning with the command that helps."""
    learnt.remember()
    (learnt.config.parent / "keys" / "receipts.key").chmod(0o644)
    warned = [each for each in _checks(learnt, code=0)["keys"] if each["result"] == "warning"]
    assert "chmod 600" in warned[0]["advice"]


def test_doctor_shows_the_faults_of_hooks(learnt: Shell) -> None:
    """A line in the log of hooks is a warning here and a gap in status."""
    learnt.remember()
    (learnt.home / "hook-errors.log").write_text("2026-11-01T00:00:00Z session-start OperationalError: x\n", "utf-8")
    assert _checks(learnt, code=0)["faults"][0]["result"] == "warning"
    assert learnt.json("status")["hooks"]["faults"] == 1
    assert any("OperationalError" in gap for gap in learnt.json("status")["gaps"])


def test_the_chain_is_verified(learnt: Shell) -> None:
    """A whole chain is exit 0, a changed event exit 1 with its place."""
    learnt.remember()
    learnt.remember("Use uv.")
    whole = learnt.json("audit", "verify")
    assert (whole["verified"], whole["divergence"]) == (True, None)
    assert whole["events"] >= 2
    assert "trail holds" in learnt("audit", "verify").out
    connection = sqlite3.connect(learnt.home / "memory.db")
    for (trigger,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'trigger'").fetchall():
        connection.execute(f'DROP TRIGGER "{trigger}"')
    connection.execute("UPDATE memory_events SET operation = 'delete' WHERE seq = 1")
    connection.commit()
    connection.close()
    broken = learnt.json("audit", "verify", code=1)
    assert broken["verified"] is False
    assert broken["divergence"]["position"] in {1, 2}
    assert "does not hold" in learnt("audit", "verify").out
    assert _checks(learnt, code=1)["audit"][0]["result"] == "problem"
