"""Whatever stands in a client's files: events, damage that is counted, or a clear message; never another exception."""

from __future__ import annotations

import json
import random
import shutil
import sqlite3
from contextlib import suppress

import pytest

from learnt.capture.digest import digest
from learnt.errors import LearntError
from learnt.hosts.cursor import host as cursor
from learnt.hosts.host import Asked
from learnt.hosts.opencode import host as opencode
from learnt.hosts.pi import host as pi
from learnt.hosts.pi import ohmypi
from learnt.hosts.transcript import REGISTRY, asked_of
from tests.hosts.cursorrows import ID, ROWS, Editor
from tests.hosts.opencoderows import SESSION, Kept, answer, bash, prompt, tool
from tests.hosts.pirows import Script

ROUNDS = 40
STRANGE: list[object] = [
    None,
    True,
    0,
    -1,
    1.5,
    10**30,
    "",
    "x",
    [],
    [1],
    {},
    {"a": 1},
    [[]],
    [{}],
    "2026-01-01T00:00:00Z",
    "\ud800",
]


def twisted(chance, value):
    """`value` with some of its inside replaced by what should not stand there, and some of it gone."""
    if chance.random() < 0.05:
        return chance.choice(STRANGE)
    if isinstance(value, dict):
        return {key: twisted(chance, inner) for key, inner in value.items() if chance.random() > 0.03}
    return [twisted(chance, inner) for inner in value] if isinstance(value, list) else value


def broken(chance, body):
    """Bytes cut off, replaced, taken out or put in."""
    at, size = chance.randrange(len(body)), chance.randrange(1, 400)
    noise = bytes(chance.randrange(256) for _ in range(size))
    return chance.choice(
        [body[:at], body[:at] + noise + body[at + size :], body[:at] + body[at + size :], body[:at] + noise + body[at:]]
    )


def survives(host, place):
    """Nothing but events and clear messages."""
    asked = asked_of(str(place)) if not isinstance(place, Asked) else place
    for ask in (host.sessions, *(each.recognises for each in REGISTRY)):
        with suppress(LearntError):
            ask(asked.path)
    for ask in (host.extent, host.head, lambda each: digest(host.reads(each), lambda text: text, full=True)):
        with suppress(LearntError):
            ask(asked)


def turns():
    """A session with a bit of everything."""
    cost = {"type": "step-finish", "tokens": {"input": 1, "output": 2, "cache": {"read": 3, "write": 4}}}
    task = tool("task", {"prompt": "x"}, output="y", metadata={"sessionId": "ses_ccc"})
    return [
        prompt("Go.", {"type": "text", "text": "Cents.", "synthetic": True}),
        answer("Well.", bash("make", 1, "no"), tool("edit", {"filePath": "/a"}), cost, task),
        prompt({"type": "compaction"}),
        answer("Half.", summary=True),
        answer(tool("apply_patch", {"patchText": "*** Add File: a\n*** Add File: b"})),
    ]


@pytest.mark.parametrize("seed", range(3))
def test_sessions_of_pi(tmp_path, seed):
    """Bytes and values anywhere."""
    chance, script = random.Random(seed), Script(tmp_path)
    script.message("user", content="Go.")
    script.call("bash", {"command": "make"}, "Command exited with code 2", failed=True, usage={"input": 1})
    script.entry("compaction", summary="Half.")
    script.entry("custom_message", content="x")
    path, rows = script.written().path, script.rows
    body = path.read_bytes()
    for number in range(ROUNDS):
        lines = (json.dumps(twisted(chance, row)).encode() for row in rows)
        path.write_bytes(b"\n".join(lines) if number % 2 else broken(chance, body))
        for host in (pi.HOST, ohmypi.HOST):
            survives(host, path)


@pytest.mark.parametrize("seed", range(3))
def test_exports_and_trees_of_opencode(tmp_path, seed):
    """A document, and a folder of small files of which some are gone."""
    chance, kept = random.Random(seed), Kept(tmp_path, turns())
    place = kept.export()
    whole = json.loads((tmp_path / f"export-{SESSION}.json").read_text())
    body = json.dumps(whole, indent=2).encode()
    for number in range(ROUNDS):
        changed = json.dumps(twisted(chance, whole)).encode() if number % 2 else broken(chance, body)
        (tmp_path / f"export-{SESSION}.json").write_bytes(changed)
        survives(opencode.HOST, place)
    for _ in range(ROUNDS // 3):
        place = kept.tree()
        for path in (tmp_path / "storage").rglob("*.json"):
            if chance.random() < 0.3:
                path.write_bytes(broken(chance, path.read_bytes()) if chance.random() < 0.5 else b"[1]")
            elif chance.random() < 0.1:
                path.unlink()
        survives(opencode.HOST, place)
        assert isinstance(opencode.HOST.files(tmp_path), tuple)
        shutil.rmtree(tmp_path / "storage")


@pytest.mark.parametrize("seed", range(3))
def test_databases_of_opencode(tmp_path, seed):
    """Pages of garbage, rows of garbage, tables that are gone."""
    chance, place, path = random.Random(seed), Kept(tmp_path, turns()).base(), tmp_path / "opencode.db"
    body = path.read_bytes()
    for number in range(ROUNDS):
        path.write_bytes(body if number % 2 else broken(chance, body))
        if number % 2:
            base = sqlite3.connect(path)
            for row, data in base.execute("SELECT rowid, data FROM part").fetchall():
                value = chance.choice([json.dumps(twisted(chance, json.loads(data))), b"\xff", None, 5, "{"])
                base.execute(
                    "UPDATE part SET data = ?, time_updated = ? WHERE rowid = ?",
                    (value, chance.choice(["x", -1, None]), row),
                )
            base.execute(
                "UPDATE session SET directory = ?, title = ?", (chance.choice([5, b"\xff", None]), "x (fork #1)")
            )
            if number % 5 == 0:
                base.execute(f"DROP TABLE {chance.choice(['part', 'message', 'session'])}")
            base.commit()
            base.close()
        survives(opencode.HOST, place)
        survives(opencode.HOST, path)
        for end in ("-wal", "-shm", "-journal"):
            path.with_name(path.name + end).unlink(missing_ok=True)


@pytest.mark.parametrize("seed", range(3))
def test_conversations_of_cursor(tmp_path, seed):
    """The editor's table and the transcripts beside it."""
    chance, editor = random.Random(seed), Editor(tmp_path / "User")
    editor.base.close()
    body = editor.path.read_bytes()
    log = tmp_path / ".cursor" / "projects" / "a" / "agent-transcripts" / "x.jsonl"
    log.parent.mkdir(parents=True)
    lines = "".join(json.dumps(row) + "\n" for row in ROWS).encode()
    for number in range(ROUNDS):
        editor.path.write_bytes(body if number % 2 else broken(chance, body))
        if number % 2:
            base = sqlite3.connect(editor.path)
            for key, value in base.execute("SELECT key, value FROM cursorDiskKV").fetchall():
                other = chance.choice([json.dumps(twisted(chance, json.loads(value))), b"\xff", None, 5, "[1]"])
                base.execute("INSERT INTO cursorDiskKV VALUES (?, ?)", (key, other))
            base.commit()
            base.close()
        survives(cursor.HOST, f"{editor.path}#{ID}")
        survives(cursor.HOST, editor.path)
        changed = (json.dumps(twisted(chance, row)).encode() for row in ROWS)
        log.write_bytes(b"\n".join(changed) if number % 2 else broken(chance, lines))
        survives(cursor.HOST, log)
        assert isinstance(cursor.HOST.files(tmp_path / "User"), tuple)


@pytest.mark.parametrize("host", [opencode.HOST, pi.HOST, ohmypi.HOST, cursor.HOST], ids=lambda host: host.name)
def test_what_is_not_there_or_no_file(tmp_path, host):
    """A clear message; a folder is nobody's session here."""
    for path in (tmp_path / "gone", tmp_path):
        with pytest.raises(LearntError):
            list(host.reads(Asked(path=path)).events())
        assert (host.recognises(path), host.sessions(path)) == ("no", ())
