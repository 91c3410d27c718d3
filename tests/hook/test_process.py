"""The hook as a process: what it imports, what it survives, how it ends."""

from __future__ import annotations

import json
import os
import signal
import sqlite3
import stat
import subprocess
import sys
import time
from contextlib import closing, suppress
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from learnt.interfaces.hook import gap, missed, visit
from learnt.interfaces.hook.limits import repository_row
from learnt.interfaces.hook.stub import command_line, shared_command_line, stub_text, write_stub
from learnt.model.pin import KEY, as_row
from learnt.model.view import View
from learnt.stale import take
from learnt.stores.sqlite import migrate
from learnt.testing import samples

if TYPE_CHECKING:
    from tests.hook.conftest import Machine

EVENTS = ["session-start", "user-prompt-submit", "pre-tool-use", "session-end"]
HEAVY = """
    dataclasses inspect typing pathlib tomllib importlib.metadata importlib.resources argparse logging subprocess
    tempfile asyncio socket re2 numpy re json hashlib datetime sqlite3 contextlib enum shlex secrets uuid hmac random
    urllib site
"""
"""`functools` and `collections` come with `_sqlite3` itself."""

FACT = "Run `cargo nextest run --workspace` for the tests of the workspace."


@pytest.mark.parametrize(
    ("event", "fields"),
    [
        ("session-start", {"source": "startup"}),
        ("user-prompt-submit", {"prompt": "run the cargo workspace tests"}),
        ("pre-tool-use", {"tool_name": "Bash", "tool_input": {"command": "cargo nextest run --workspace"}}),
    ],
)
def test_imports(machine: Machine, event: str, fields: dict[str, Any]) -> None:
    """A whole firing that shows something loads none of the modules that cost a start."""
    pin = take.lines("Cargo.toml", View(b"[workspace]\n"), 1, 1, "")
    (machine.project / "Cargo.toml").write_text("[package]\n\n[workspace]\n")
    machine.keep(FACT, kind="failure_pattern", metadata={KEY: [as_row(pin)]})
    machine.observe("`cargo test` fails; `cargo nextest run` works.", trigger=(("command", "=cargo test"),))
    stub = (machine.home / "hook.py").read_text()
    listing = machine.home / "modules"
    wrapped = stub.replace("os._exit(0)", f"open({str(listing)!r}, 'w').write(' '.join(sys.modules)); os._exit(0)")
    write_stub(str(machine.home), wrapped)
    assert "cargo nextest" in machine.hook(event, **fields)
    loaded = set(listing.read_text().split())
    assert loaded & set(HEAVY.split()) == set()
    assert not {name for name in loaded if name.startswith("learnt.") and name.split(".")[1] in ("flows", "errors")}


def test_schema_version() -> None:
    """The hook knows the newest schema; a migration that forgets it would silence every hook."""
    assert len(migrate.steps()) == visit.SCHEMA


@pytest.mark.parametrize("event", [*EVENTS, "post-tool-use", "stop", "nonsense", ""])
@pytest.mark.parametrize(
    "text",
    [
        b"",
        b"   \n",
        b"{",
        b'{"session_id": "x", "cwd": ',
        b"[]",
        b"3",
        b"null",
        b'"text"',
        b"\xff\xfe{}",
        b'{"prompt": "\xc3\x28 \xff"}',
        b'{"prompt": "\\ud800 lone \\u0000 nul"}',
        b'{"prompt": 7, "cwd": [], "session_id": null, "tool_input": "x", "tool_name": {}}',
        b'{"prompt": "a", "prompt": "b"}{"second": 1}',
        b'{"cwd": "/nowhere/at/all", "prompt": "hello there"}',
        b'{"prompt": "' + b"x" * 3_000_000 + b'"}',
        b"[" * 200_000,
        json.dumps({"prompt": 'NEAR("a* b" OR -c:d) * "', "source": "new"}).encode(),
    ],
    ids=range(17),
)
def test_any_input(machine: Machine, event: str, text: bytes) -> None:
    """Whatever a host sends, the answer is nothing or one object, and the status 0."""
    machine.keep(FACT)
    done = machine.raw(event, text)
    assert done.returncode == 0
    assert done.stdout == b"" or isinstance(json.loads(done.stdout), dict)
    assert b"Traceback" not in done.stderr


@pytest.mark.parametrize(
    "fields",
    [
        {"effort": {"level": "high"}, "prompt_id": "p", "permission_mode": "plan", "prompt": "run the cargo tests"},
        {"prompt": "run the cargo tests", "new_field": [{"deep": [1, 2, {"x": None}]}]},
        {"tool_name": "Agent", "tool_input": {"description": "sub", "prompt": "find", "subagent_type": "x"}},
        {"tool_name": "Write", "tool_input": {"file_path": "b.py", "content": "y = 1\n"}},
        {
            "tool_name": "MultiEdit",
            "tool_input": {"file_path": "b.py", "edits": [{"old_string": "a", "new_string": "b"}]},
        },
        {"tool_name": "NotebookEdit", "tool_input": {"notebook_path": "n.ipynb", "new_source": "z"}},
        {"tool_name": "mcp__x__y", "tool_input": {}},
        {"source": "fork", "seconds_since_last_response": 1, "estimated_cache_write_usd": 0.0164},
    ],
)
@pytest.mark.parametrize("event", EVENTS)
def test_host_payloads(machine: Machine, event: str, fields: dict[str, Any]) -> None:
    """The shapes the client sends, and ones it may send tomorrow, are taken without a fault."""
    machine.keep(FACT)
    machine.hook(event, **fields)
    assert not (machine.home / gap.LOG).exists()


def _break(machine: Machine, how: str) -> None:
    database = machine.home / "memory.db"
    machine.store.close()
    for suffix in ("-wal", "-shm"):
        database.with_name("memory.db" + suffix).unlink(missing_ok=True)
    if how == "missing":
        database.unlink()
    elif how == "corrupt":
        database.write_bytes(b"SQLite format 3\0" + os.urandom(8000))
    elif how == "no database":
        database.write_text("hello")
    elif how == "empty":
        database.write_bytes(b"")
    elif how == "folder":
        database.unlink()
        database.mkdir()
    elif how == "link":
        database.rename(machine.home / "elsewhere.db")
        database.symlink_to(machine.home / "elsewhere.db")
    elif how == "newer":
        _sql(machine, "PRAGMA user_version = 99")
    elif how == "foreign":
        database.unlink()
        _sql(machine, "CREATE TABLE other (x)")


def _sql(machine: Machine, statement: str) -> None:
    import sqlite3

    connection = sqlite3.connect(machine.home / "memory.db")
    connection.execute(statement)
    connection.commit()
    connection.close()


@pytest.mark.parametrize("how", ["missing", "corrupt", "no database", "empty", "folder", "link", "newer", "foreign"])
def test_broken_store(machine: Machine, how: str) -> None:
    """A broken store stops nothing: status 0 at every event, the reason kept, the person told once a day (P07)."""
    machine.keep(FACT)
    _break(machine, how)
    payload = json.dumps({"cwd": str(machine.project), "session_id": "s", "source": "startup", "prompt": "cargo tests"})
    told = [machine.raw(event, payload) for event in ("session-start", "session-start", *EVENTS)]
    assert {done.returncode for done in told} == {0}
    first = json.loads(told[0].stdout)
    assert list(first) == ["systemMessage"]
    assert "doctor" in first["systemMessage"]
    assert all(done.stdout == b"" for done in told[1:])
    assert all(b"learnt hook:" in done.stderr for done in told)
    assert len(gap.lines(str(machine.home))) == len(told)


def test_locked_store(machine: Machine) -> None:
    """A store that another process holds still answers; the lost receipt is noted, and nobody is alarmed."""
    machine.keep(FACT, kind="repo_convention")
    with machine.store.transaction():
        machine.store.meta.put("busy", "1")
        payload = json.dumps(
            {"cwd": str(machine.project), "session_id": "s", "prompt": "run the cargo workspace tests"}
        )
        done = machine.raw("user-prompt-submit", payload)
    assert FACT in json.loads(done.stdout)["hookSpecificOutput"]["additionalContext"]
    assert b"no receipt" in done.stderr
    assert machine.receipts() == []
    assert FACT in machine.prompt("run the cargo workspace tests", "s")


def test_a_context_begins_with_its_receipt(machine: Machine) -> None:
    """A start answers before it writes anything, and writes once: what cannot be kept begins no context."""
    machine.keep(FACT, kind="repo_convention")
    payload = json.dumps({"cwd": str(machine.project), "session_id": "s", "source": "startup"})
    database = machine.store.connection
    with machine.store.transaction():
        database.write(
            "CREATE TRIGGER full BEFORE INSERT ON memory_recall_usage BEGIN SELECT RAISE(ABORT, 'full'); END"
        )
    done = machine.raw("session-start", payload)
    assert FACT in json.loads(done.stdout)["hookSpecificOutput"]["additionalContext"]
    assert database.rows("SELECT * FROM contexts") == []
    with machine.store.transaction():
        database.write("DROP TRIGGER full")
    assert FACT in machine.start("s")
    assert [row[0] for row in database.rows("SELECT generation FROM contexts")] == [1]
    assert machine.prompt("run the cargo workspace tests", "s") == ""


def test_read_only_store(machine: Machine) -> None:
    """A store that cannot be written is still read."""
    machine.keep(FACT, kind="repo_convention")
    machine.store.close()
    (machine.home / "memory.db").chmod(0o400)
    payload = json.dumps({"cwd": str(machine.project), "session_id": "s", "prompt": "run the cargo workspace tests"})
    done = machine.raw("user-prompt-submit", payload)
    assert done.returncode == 0
    assert done.stdout == b"" or FACT in json.loads(done.stdout)["hookSpecificOutput"]["additionalContext"]


def test_failing_import(machine: Machine, tmp_path: Path) -> None:
    """When learnt itself is gone or broken, the reason is on stderr and in the log, and the status 0 (P08)."""
    gone = stub_text(source=str(tmp_path / "gone"), home=str(machine.home), database="x", config="y")
    write_stub(str(machine.home), gone)
    done = machine.raw("session-start", "{}")
    assert (done.returncode, done.stdout) == (0, b"")
    assert b"ModuleNotFoundError" in done.stderr
    assert "ModuleNotFoundError" in gap.lines(str(machine.home))[-1]


def test_slow_file_system(machine: Machine) -> None:
    """A hook that waits for input or a file longer than its time ends by itself, with the reason kept."""
    with subprocess.Popen(
        ["/bin/sh", "-c", machine.command("session-start")],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        cwd=machine.project,
    ) as process:
        assert process.wait(timeout=10) == 0
        assert process.stdout is not None
        assert process.stdout.read() == b""
    assert "not done within" in gap.lines(str(machine.home))[-1]


def test_the_alarm_is_off_when_a_hook_is_done(tmp_path: Path) -> None:
    """An interpreter that shuts down gives signals back: an alarm then would end `learnt hook` with a failure."""
    places = [str(tmp_path), str(tmp_path / "memory.db"), str(tmp_path / "config.toml")]
    program = f"""
from learnt.interfaces.hook.process import run
run(["session-start"], *{places!r})
import signal
print(signal.getitimer(signal.ITIMER_REAL)[0])
"""
    told = subprocess.run([sys.executable, "-c", program], input=b"{}", capture_output=True, check=True)
    assert told.stdout.split()[-1] == b"0.0"


def test_log_is_bounded(machine: Machine) -> None:
    """The log keeps its last hundred lines and no text of anybody."""
    for number in range(400):
        gap.record(str(machine.home), "prompt", f"fault {number}\n" + "x" * 500)
    lines = gap.lines(str(machine.home))
    assert len(lines) <= 100
    assert "fault 399" in lines[-1]
    assert (machine.home / gap.LOG).stat().st_size < 64 * 1024
    assert stat.S_IMODE((machine.home / gap.LOG).stat().st_mode) == 0o600


def test_planted_log(machine: Machine, tmp_path: Path) -> None:
    """A link in the log's place is not followed (Q08)."""
    victim = tmp_path / "victim"
    victim.write_text("mine")
    (machine.home / gap.LOG).symlink_to(victim)
    machine.raw("session-start", "{")
    assert victim.read_text() == "mine"


def _capturing(machine: Machine, script: str) -> Path:
    """Let the capture be a script of the test; gives the file it writes."""
    target = machine.home / "captured"
    fake = machine.home / "python"
    fake.write_text(f"#!/bin/sh\n{script}\n".replace("TARGET", f"'{target}'"))
    fake.chmod(0o755)
    stub = (machine.home / "hook.py").read_text()
    write_stub(str(machine.home), stub.replace("import os, sys;", f"import os, sys; sys.executable = {str(fake)!r};"))
    return target


def _eventually(check: object) -> bool:
    assert callable(check)
    for _ in range(200):
        if check():
            return True
        time.sleep(0.02)
    return False


def test_session_end_captures(machine: Machine) -> None:
    """The capture gets the transcript and the recorded places, in a session of its own; the hook does not wait."""
    seen = "(echo $*; env; pwd; ulimit -t) > TARGET.new; mv TARGET.new TARGET; sleep 5"
    target = _capturing(machine, seen)
    machine.environment |= {
        "LEARNT_AGENT": "evil",
        "SSL_CERT_FILE": "/repo/evil.pem",
        "SSLKEYLOGFILE": "/repo/evil.pem",
    }
    machine.hook("session-end", transcript_path="/t/s-1.jsonl", reason="other")
    assert _eventually(target.exists)
    text = target.read_text()
    assert "-I -m learnt.interfaces.cli.entry sessions ingest /t/s-1.jsonl" in text
    assert f"LEARNT_HOME={machine.home}" in text
    assert "LEARNT_CHILD=1" in text
    assert "LEARNT_AGENT" not in text
    assert "evil.pem" not in text
    assert f"LEARNT_DATABASE_URL=sqlite://{machine.home}/memory.db" in text
    assert text.splitlines()[-2:] == [str(machine.project), "60"]
    _end(machine)


def test_one_capture_a_session(machine: Machine) -> None:
    """While one capture of a session runs, a second does not begin; another session's does."""
    target = _capturing(machine, "echo $$ >> TARGET; exec sleep 5")
    for _ in range(3):
        machine.hook("session-end", transcript_path="/t/s-1.jsonl")
    assert _eventually(target.exists)
    machine.hook("session-end", transcript_path="/t/s-2.jsonl")
    assert _eventually(lambda: len(target.read_text().split()) == 2)
    time.sleep(0.1)
    assert len(target.read_text().split()) == 2
    _end(machine)


def test_a_host_that_ends_the_hooks_group_does_not_end_the_capture(machine: Machine) -> None:
    """What the hook leaves behind has left its process group when the hook ends, which a host may end then."""
    target = _capturing(machine, "echo $$ >> TARGET")
    for number in range(5):
        hook = subprocess.Popen(
            ["/bin/sh", "-c", machine.command("session-end")],
            cwd=machine.project,
            stdin=subprocess.PIPE,
            start_new_session=True,
            text=True,
        )
        place = {"cwd": str(machine.project), "transcript_path": f"/t/s-{number}.jsonl"}
        hook.communicate(json.dumps({"session_id": "s", **place}), timeout=20)
        with suppress(ProcessLookupError):
            os.killpg(hook.pid, signal.SIGKILL)
    assert _eventually(lambda: target.exists() and len(target.read_text().split()) == 5)


def test_a_session_that_is_written_after_its_end_is_waited_for(machine: Machine, tmp_path: Path) -> None:
    """Copilot CLI tells the end before its file is there; the capture begins when the file has stopped growing."""
    target = _capturing(machine, "wc -l < $6 > TARGET.new; mv TARGET.new TARGET")
    line = command_line(sys.executable, str(machine.home), "session-end", "copilot-cli")
    payload = json.dumps({"sessionId": "c1", "cwd": str(machine.project), "reason": "complete"})
    there = os.environ | {"COPILOT_HOME": str(tmp_path / "copilot")}
    subprocess.run(["/bin/sh", "-c", line], input=payload.encode(), cwd=machine.project, env=there, check=True)
    written = tmp_path / "copilot" / "session-state" / "c1" / "events.jsonl"
    written.parent.mkdir(parents=True)
    for _ in range(4):
        with written.open("a") as file:
            file.write("{}\n")
        time.sleep(0.2)
    assert _eventually(target.exists)
    assert target.read_text().split() == ["4"]


def _sessions(machine: Machine, tmp_path: Path) -> Path:
    """A client's folder of transcripts; the hooks were put there two days ago."""
    old = time.time() - 2 * 86_400
    os.utime(machine.home / "hook.py", (old, old))
    folder = tmp_path / "client" / "projects" / "-project"
    folder.mkdir(parents=True)
    (tmp_path / "client" / "sessions").mkdir()
    return folder


def _written(folder: Path, name: str, hours_ago: float, size: int = 100) -> Path:
    """A transcript last written to some hours ago."""
    path = folder / f"{name}.jsonl"
    path.write_bytes(b"x" * size)
    at = time.time() - hours_ago * 3600
    os.utime(path, (at, at))
    return path


def _read(machine: Machine, path: Path, offset: int) -> None:
    """Say that a transcript was read so far."""
    session = replace(samples.session(machine.repository, path.stem), path=str(path), offset=offset)
    with machine.store.transaction():
        machine.store.archive.put_session(session)


def test_a_start_takes_up_what_was_missed(machine: Machine, tmp_path: Path) -> None:
    """Only sessions that are over, unread, since the hooks are there; once, and after the answer was given."""
    target = _capturing(machine, "echo $* >> TARGET")
    folder = _sessions(machine, tmp_path)
    machine.keep(FACT, kind="repo_convention")
    crashed, grown = _written(folder, "crashed", 5), _written(folder, "grown", 3)
    _read(machine, grown, 60)
    _read(machine, _written(folder, "read", 3), 100)
    _written(folder, "fresh", 0.5)
    _written(folder, "before-init", 72)
    _written(folder, "agent-1", 3)
    _written(folder, "empty", 3, 0)
    _written(folder, "held", 4)
    mark = {"pid": os.getpid(), "sessionId": "held"}
    (tmp_path / "client/sessions/1.json").write_text(json.dumps(mark))
    (tmp_path / "client/sessions/2.json").write_text("{")
    (folder / "link.jsonl").symlink_to(crashed)
    here = _written(folder, "s-1", 2)
    assert FACT in machine.hook("session-start", source="startup", transcript_path=str(here))
    wanted = f"-I -m learnt.interfaces.cli.entry sessions ingest {grown} {crashed} --json\n"
    assert _eventually(lambda: target.exists() and target.read_text() == wanted)
    machine.hook("session-start", "s-2", source="startup", transcript_path=str(here))
    time.sleep(0.2)
    assert target.read_text() == wanted


def test_a_start_takes_up_a_few_at_a_time(machine: Machine, tmp_path: Path) -> None:
    """The latest first; the next start the next. A repository without memories has sessions, too."""
    target = _capturing(machine, "echo $* >> TARGET")
    folder = _sessions(machine, tmp_path)
    paths = [str(_written(folder, f"s{n}", 2 + n)) for n in range(missed.MOST + 2)]
    machine.hook("session-start", source="compact", transcript_path=str(folder / "now.jsonl"))
    for chunk in (paths[: missed.MOST], paths[missed.MOST :]):
        target.unlink(missing_ok=True)
        machine.hook("session-start", source="startup", transcript_path=str(folder / "now.jsonl"))
        assert _eventually(lambda: target.exists() and target.read_text().endswith("\n"))
        assert target.read_text().split()[5:-1] == chunk


def test_a_start_takes_up_first_what_is_about_to_go(machine: Machine, tmp_path: Path) -> None:
    """A client deletes what is 30 days old: a session of 25 days stands before many that are newer."""
    target = _capturing(machine, "echo $* >> TARGET")
    folder = _sessions(machine, tmp_path)
    os.utime(machine.home / "hook.py", (0, 0))
    newer = [str(_written(folder, f"s{n}", 2 + n)) for n in range(missed.MOST)]
    old = str(_written(folder, "old", 25 * 24))
    machine.hook("session-start", source="startup", transcript_path=str(folder / "now.jsonl"))
    assert _eventually(lambda: target.exists() and target.read_text().endswith("\n"))
    assert target.read_text().split()[5:-1] == [old, *newer[:-1]]


def test_a_start_of_codex_takes_up_this_repository_s(machine: Machine, tmp_path: Path) -> None:
    """It keeps all of a day in one folder: other repositories, and threads that a thread started, are passed over."""
    target = _capturing(machine, "echo $* >> TARGET")
    folder = _sessions(machine, tmp_path)
    heads = {
        "mine": (str(machine.project / "src"), "cli"),
        "other": (f"{machine.project}-other", "cli"),
        "child": (str(machine.project), {"subagent": "review"}),
    }
    for name, (cwd, source) in heads.items():
        path = _written(folder, name, 3)
        row = {"type": "session_meta", "payload": {"cwd": cwd, "source": source}}
        path.write_text(json.dumps(row, separators=(",", ":")) + "\n")
        os.utime(path, (time.time() - 7_200, time.time() - 7_200))
    command = machine.command("session-start").replace("--host claude-code", "--host codex")
    payload = {"session_id": "s", "cwd": str(machine.project), "source": "startup"}
    payload["transcript_path"] = str(folder / "now.jsonl")
    variables = {**os.environ, **machine.environment}
    given = json.dumps(payload).encode()
    subprocess.run(["/bin/sh", "-c", command], input=given, check=True, cwd=machine.project, env=variables)
    assert _eventually(lambda: target.exists() and target.read_text().endswith("\n"))
    assert target.read_text().split()[5:-1] == [str(folder / "mine.jsonl")]


@pytest.mark.parametrize("path", ["", "relative.jsonl", "/nowhere/x.jsonl"])
def test_nothing_to_take_up(machine: Machine, path: str) -> None:
    """No folder, or none that is there, is no fault."""
    target = _capturing(machine, "echo $* >> TARGET")
    machine.hook("session-start", source="startup", transcript_path=path)
    assert not target.exists()


def _end(machine: Machine) -> None:
    """End the captures this test started, by the ids in their locks."""
    for lock in (machine.home / "locks").iterdir():
        process = int(lock.read_text().split()[0])
        try:
            os.kill(process, signal.SIGKILL)
        except ProcessLookupError:
            continue


@pytest.mark.parametrize("how", ["never on", "repository off"])
def test_no_capture_where_off(machine: Machine, how: str) -> None:
    """Where learnt is off, no transcript is read."""
    target = _capturing(machine, "touch TARGET")
    if how == "never on":
        machine.meta("hook.all", "0")
        machine.meta(repository_row("0" * 16), "1")
    else:
        (machine.project / ".learnt").mkdir()
        (machine.project / ".learnt/config.toml").write_text("[memory]\nenabled = false\n")
    machine.hook("session-end", transcript_path="/t/s-1.jsonl")
    time.sleep(0.2)
    assert not target.exists()
    assert not (machine.home / "locks").exists()


def test_odd_paths(machine: Machine) -> None:
    """Paths with blanks, quotes, dollars and percent signs survive the shell, the stub and SQLite's URI."""
    home = machine.home.parent / 'o\'dd "$HOME" `x` %41?#'
    machine.keep(FACT, kind="repo_convention")
    machine.store.close()
    machine.home.rename(home)
    machine.home = home
    (machine.home / "hook.py").unlink()
    source = str(Path(visit.__file__).parents[3])
    text = stub_text(source=source, home=str(home), database=str(home / "memory.db"), config=str(home / "c.toml"))
    write_stub(str(home), text)
    assert FACT in machine.start()


def test_command_lines(machine: Machine) -> None:
    """The command is absolute, isolated and without site-packages; the shared one names no path."""
    assert machine.command("session-end") == (
        f'"{sys.executable}" -I -S "{machine.home}/hook.py" session-end --host claude-code || true'
    )
    assert shared_command_line("session-end", "claude-code") == "learnt hook session-end --host claude-code"


def test_a_stub_that_was_removed_refuses_nothing(machine: Machine) -> None:
    """Where the data directory was removed but not the hooks, the host hears neither of a refusal nor of a fault."""
    (machine.home / "hook.py").unlink()
    assert machine.raw("user-prompt-submit", b"{}").returncode == 2  # Python's own, a refusal to most hosts
    line = machine.command("user-prompt-submit")
    done = subprocess.run(["/bin/sh", "-c", line], input=b"{}", capture_output=True, check=False)
    assert (done.returncode, done.stdout) == (0, b"")


@pytest.mark.parametrize("read", [False, True])
def test_a_long_log_is_emptied(machine: Machine, read: bool) -> None:
    """Every hook reads the whole of it at its beginning; somebody who reads in it is neither waited for nor harmed."""
    machine.keep(FACT)
    path = machine.home / "memory.db"
    log = path.with_name("memory.db-wal")
    with closing(sqlite3.connect(path, isolation_level=None)) as other:
        other.execute("PRAGMA wal_autocheckpoint = 0")
        other.execute("CREATE TABLE padding (bytes BLOB)")
        other.execute("INSERT INTO padding VALUES (zeroblob(1100000))")
        if read:
            other.execute("BEGIN")
            other.execute("SELECT count(*) FROM padding").fetchone()
        assert log.stat().st_size > 1_048_576
        assert "nextest" in machine.start()
        assert (log.stat().st_size > 1_048_576) == read
    assert len(machine.receipts()) == 1
