"""Bad input: a clear error or a defined result, nothing lost, exit codes of the contract."""

from __future__ import annotations

import json
import os
import sqlite3
import subprocess
from typing import TYPE_CHECKING

import pytest

from tests.cli.shell import COMMAND, Shell

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

ROOT = hasattr(os, "geteuid") and os.geteuid() == 0
HALF = b"half \xed\xa0\x80 and \xff".decode("utf-8", "surrogateescape")
"""What a shell passes on for bytes that are no UTF-8."""


@pytest.mark.parametrize(
    "text",
    ["", "   \n\t ", "x" * 2001, "with a \x00 inside", "bell \x07", HALF, "\ud800", "\u200b\u200b"],
    ids=["empty", "blank", "long", "nul", "control", "bytes", "half", "invisible"],
)
def test_text_that_cannot_be_kept_is_a_usage_error(learnt: Shell, text: str) -> None:
    """Exit 2 with a code and a message, in both forms, and nothing is stored."""
    answer = learnt("remember", text, "--kind", "repo_convention", "--json")
    assert answer.code == 2, answer
    assert answer.error["code"]
    assert len(answer.error["message"]) < 200
    assert learnt("remember", text, "--kind", "repo_convention").err.startswith("learnt: ")
    assert learnt.json("list", "--status", "all")["total"] == 0


def test_the_longest_text_is_kept(learnt: Shell) -> None:
    """2,000 characters are kept byte for byte."""
    text = ("ab cd " * 400)[:1999] + "z"
    assert learnt.json("show", learnt.remember(text))["text"] == text


@pytest.mark.parametrize("name", ["--tag", "--file", "--symbol", "--evidence", "--rationale"])
@pytest.mark.parametrize("value", ["", "y" * 5000, "\x00", HALF], ids=["empty", "long", "nul", "bytes"])
def test_every_field_survives_anything(learnt: Shell, name: str, value: str) -> None:
    """An odd tag, path, symbol, reference or rationale is kept or refused, never a bug."""
    answer = learnt("remember", "A statement worth keeping.", "--kind", "repo_convention", name, value, "--json")
    assert answer.code in {0, 2, 3}, answer
    json.loads(answer.out)


@pytest.mark.parametrize(
    "query",
    [
        '"',
        "*",
        "a* OR b",
        "NEAR(tests tz, 2)",
        "tests:tz",
        "-tests",
        '"tests',
        "tests AND NOT",
        "{tests}",
        "^tests",
        "%_",
    ],
)
def test_full_text_syntax_is_only_text(learnt: Shell, query: str) -> None:
    """Whatever it looks like, a query never reaches the index as syntax."""
    learnt.remember()
    answer = learnt("recall", "--json", "--", query)
    assert answer.code in {0, 2}, answer
    if answer.code == 2:
        assert answer.error["code"] == "query_too_short"


@pytest.mark.parametrize("query", ["", "  ", "ab", "x\x00yz", HALF, "q" * 100_000])
def test_odd_queries_are_answered(learnt: Shell, query: str) -> None:
    """Short ones are a usage error, all others an answer."""
    learnt.remember()
    answer = learnt("recall", query, "--json")
    assert answer.code in {0, 2}, answer
    json.loads(answer.out)


@pytest.mark.parametrize(
    "words",
    [
        ("remember", "x", "--kind", "opinion"),
        ("remember", "x"),
        ("remember", "x", "--kind", "todo", "--confidence", "nan"),
        ("remember", "x", "--kind", "todo", "--confidence", "1.5"),
        ("remember", "x", "--kind", "todo", "--expires", "2026-05-01T00:00:00"),
        ("recall", "the tests", "--mode", "magic"),
        ("recall", "the tests", "--max-items", "many"),
        ("recall", "the tests", "--min-score", "inf"),
        ("recall", "the tests", "--as-of", "yesterday"),
        ("recall", "the tests", "--no-such-option"),
        ("list", "--limit", "0"),
        ("list", "--status", "gone"),
        ("propose", "invent", "x"),
        ("decide", "prop_x", "maybe"),
        ("sessions", "ingest"),
        ("sessions", "burn"),
        ("audit", "burn"),
        ("frobnicate",),
    ],
)
def test_misuse_is_exit_two(learnt: Shell, words: tuple[str, ...]) -> None:
    """One JSON document with a code and a hint; without --json two lines on standard error."""
    answer = learnt(*words, "--json")
    assert answer.code == 2, answer
    assert answer.error["code"]
    assert answer.error["hint"]
    plain = learnt(*words)
    assert (plain.code, plain.out) == (2, "")
    assert plain.err.startswith("learnt: ")


def test_a_dash_in_front_goes_behind_two_dashes(learnt: Shell) -> None:
    """A text that looks like an option is told how to be given, and `--json` behind `--` is text."""
    assert "behind `--`" in learnt("recall", "-foo").err
    answer = learnt("recall", "--", "--json")
    assert answer.code == 0
    assert not answer.out.startswith("{")


def test_a_damaged_database_is_left_alone(learnt: Shell) -> None:
    """Exit 5 for every command, the file untouched."""
    learnt.remember()
    path = learnt.home / "memory.db"
    path.write_bytes(b"this is no database " * 1000)
    for words in (("list",), ("recall", "run the tests"), ("remember", "x y z", "--kind", "todo"), ("status",)):
        answer = learnt(*words, "--json")
        assert answer.code == 5, answer
        assert answer.error["code"].startswith("store_")
    assert path.read_bytes() == b"this is no database " * 1000


def test_the_database_of_another_program_is_left_alone(learnt: Shell) -> None:
    """Exit 5 store_foreign, and no table of ours in it."""
    learnt.home.mkdir(mode=0o700)
    connection = sqlite3.connect(learnt.home / "memory.db")
    connection.execute("CREATE TABLE bookmarks (url TEXT)")
    connection.commit()
    connection.close()
    assert learnt.json("list", code=5)["error"]["code"] == "store_foreign"
    connection = sqlite3.connect(learnt.home / "memory.db")
    tables = connection.execute("SELECT name FROM sqlite_master").fetchall()
    connection.close()
    assert tables == [("bookmarks",)]


@pytest.mark.skipif(ROOT, reason="root writes everywhere")
def test_a_store_that_cannot_be_written_still_reads(learnt: Shell) -> None:
    """Reads answer; a write is exit 5 store_read_only."""
    learnt.remember()
    (learnt.home / "memory.db").chmod(0o400)
    learnt.home.chmod(0o500)
    try:
        assert learnt.json("list")["total"] == 1
        assert learnt.json("recall", "run the tests")["total"] == 1
        assert learnt.json("remember", "x y z", "--kind", "todo", code=5)["error"]["code"] == "store_read_only"
    finally:
        learnt.home.chmod(0o700)


def test_a_database_where_a_folder_is(learnt: Shell) -> None:
    """A folder in the database's place, and a file in the data directory's, are exit 5."""
    (learnt.home / "memory.db").mkdir(parents=True)
    assert learnt("list", "--json").code == 5
    file = learnt.root / "file"
    file.write_text("", "utf-8")
    learnt.monkeypatch.setenv("LEARNT_HOME", str(file))
    assert learnt("list", "--json").code == 5


def test_no_home_directory_is_a_configuration_error(learnt: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without a home and without variables: exit 4 and what to set. With the variables everything works."""
    for name in ("HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME"):
        monkeypatch.delenv(name)
    assert learnt.json("list")["total"] == 0
    monkeypatch.delenv("LEARNT_HOME")
    monkeypatch.delenv("LEARNT_CONFIG")
    monkeypatch.setattr(os.path, "expanduser", lambda path: path)
    answer = learnt.json("list", code=4)
    assert answer["error"]["code"] == "no_home"
    assert "LEARNT_HOME" in answer["error"]["hint"]


def test_an_engine_nobody_knows_is_a_configuration_error(learnt: Shell) -> None:
    """A database URL that there is no store for is exit 4."""
    learnt.monkeypatch.setenv("LEARNT_DATABASE_URL", "mysql://localhost/memory")
    assert learnt.json("list", code=4)["error"]["code"] == "configuration"


def test_a_broken_configuration_is_named(learnt: Shell) -> None:
    """A user's file that is no TOML is exit 4 and names the file; a repository's is ignored."""
    (learnt.project / ".learnt").mkdir()
    (learnt.project / ".learnt" / "config.toml").write_text("no toml [", "utf-8")
    assert learnt.json("list")["total"] == 0
    learnt.config.parent.mkdir(exist_ok=True)
    learnt.config.write_text("no toml [", "utf-8")
    answer = learnt.json("list", code=4)
    assert str(learnt.config) in answer["error"]["hint"]


def test_two_folders_of_one_name_are_two_repositories(learnt: Shell) -> None:
    """Neither sees the other's memories, and an id of the other is not found."""
    folders = [learnt.root / parent / "shop" for parent in ("a", "b")]
    for folder in folders:
        folder.mkdir(parents=True)
    one, other = map(str, folders)
    memory = learnt.remember("Only here.", "repo_convention", "--project", one)
    assert learnt.json("list", "--project", one)["total"] == 1
    assert learnt.json("list", "--project", other)["total"] == 0
    foreign = learnt.json("show", memory, "--project", other, code=1)
    unknown = learnt.json("show", "mem_" + "0" * 16, "--project", other, code=1)
    assert foreign["error"]["code"] == unknown["error"]["code"] == "not_found"
    assert learnt.json("recall", "only here", "--project", other)["items"] == []


def test_a_project_that_is_not_there_is_no_other(learnt: Shell) -> None:
    """Nothing is done in the repository around a folder that does not exist: a mistyped name is named, and the like."""
    memory = learnt.remember()
    (learnt.project / "packages").mkdir()
    for named, hint in (("pakages", "packages"), ("gone/deeper", str(learnt.project)), ("", "--project")):
        where = str(learnt.project / named) if named else ""
        answer = learnt.json("forget", memory, "--project", where, "--yes", code=2)["error"]
        assert answer["code"] == "no_folder"
        assert hint in answer["hint"]
    assert learnt.json("list")["total"] == 1


def test_a_folder_whose_name_is_no_text_is_named(learnt: Shell) -> None:
    """No memory can be kept of it, and it says why."""
    folder = learnt.root / os.fsdecode(b"bad\xff")
    folder.mkdir()
    answer = learnt.json("list", "--project", str(folder), code=2)
    assert answer["error"]["code"] == "folder_name"


def test_bytes_in_arguments_never_break_the_answer(learnt: Shell) -> None:
    """Real bytes that are no UTF-8 on the command line: valid UTF-8 JSON comes out."""
    done = learnt.process(b"recall", b"caf\xe9 tests", b"--json")
    assert done.returncode in {0, 2}
    json.loads(done.stdout.decode("utf-8"))
    shown = learnt.process(b"show", b"mem_\xff\xfe")
    assert shown.returncode in {1, 2}
    assert shown.stderr.startswith(b"learnt: ")


def test_a_reader_that_leaves_is_no_error(learnt: Shell, transcript: Callable[[str], Path]) -> None:
    """A closed pipe ends the command quietly."""
    read, write = os.pipe()
    os.close(read)
    for words in (("digest", str(transcript("one")), "--json"), ("demo",), ("--help",), ("status",)):
        done = subprocess.run([*COMMAND, *words], stdout=write, stderr=subprocess.PIPE, check=False)
        assert (done.returncode, done.stderr) == (0, b""), words
    os.close(write)


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="needs /dev/full")  # noqa: PTH110 - a device
def test_an_answer_that_cannot_be_written_is_told(learnt: Shell) -> None:
    """Standard output on a full disk is exit 4 with a message on standard error, in both forms."""
    learnt.remember()
    for words in (("list",), ("list", "--json")):
        with open("/dev/full", "wb") as full:  # noqa: PTH123 - a device
            done = subprocess.run([*COMMAND, *words], stdout=full, stderr=subprocess.PIPE, check=False)
        assert done.returncode == 4
        assert b"cannot be written" in done.stderr
        assert b"Traceback" not in done.stderr


def test_a_current_folder_that_is_gone_is_a_usage_error(learnt: Shell) -> None:
    """Exit 2 and what to do; naming a folder works from anywhere."""
    gone = learnt.root / "gone"
    gone.mkdir()
    learnt.monkeypatch.chdir(gone)
    gone.rmdir()
    assert learnt.json("list", code=2)["error"]["code"] == "no_folder"
    assert learnt.json("list", "--project", str(learnt.project))["total"] == 0


def test_no_standard_output_is_no_error(learnt: Shell) -> None:
    """A closed standard output stands for nowhere."""
    memory = learnt.remember()
    for words in (("list",), ("show", memory, "--json")):
        script = f"import os; os.close(1); os.execv({COMMAND[0]!r}, {[*COMMAND, *words]!r})"
        done = subprocess.run([COMMAND[0], "-c", script], stderr=subprocess.PIPE, check=False)
        assert (done.returncode, done.stderr) == (0, b"")
