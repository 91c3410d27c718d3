"""`learnt migrate`: the schema, and a whole store to a server and back."""

from __future__ import annotations

import os
import pty
import subprocess
from typing import TYPE_CHECKING

import pytest

from learnt.flows import migrate as migrating
from learnt.model.cargo import Tally
from learnt.stores.sqlite.store import SqliteStore
from tests.cli.shell import COMMAND, Shell

if TYPE_CHECKING:
    from pathlib import Path

NOW = "2026-05-24T12:00:00.000Z"


@pytest.fixture
def lived(learnt: Shell) -> Shell:
    """A store with some life in it."""
    learnt.config.parent.mkdir(parents=True)
    learnt.config.write_text("[embeddings]\nenabled = false\n", encoding="utf-8")
    learnt("remember", "This repository uses pnpm.", "--kind", "repo_convention")
    learnt("propose", "add", "Tests need a server.", "--kind", "lesson", "--evidence", "README.md:1")
    learnt("recall", "which package manager")
    return learnt


def url(path: Path) -> str:
    """Of a file."""
    return f"sqlite:///{path}"


def test_the_schema_is_brought_up_to_date(learnt: Shell) -> None:
    """A new store is made; then there is nothing to do."""
    first = learnt("migrate", "--json")
    assert first.code == 0
    schema = first.document["schema"]
    assert (schema["before"], schema["now"]) == (0, len(schema["applied"]))
    assert schema["applied"][0] == "spine"
    again = learnt("migrate", "--json").document["schema"]
    assert again == {"before": schema["now"], "now": schema["now"], "applied": []}
    assert "up to date" in learnt("migrate").out


def test_to_another_file(lived: Shell, tmp_path: Path) -> None:
    """Every chapter is equal, and the target answers what the source did."""
    target = tmp_path / "there" / "memory.db"
    moved = lived("migrate", "--to", url(target), "--json")
    assert moved.code == 0
    document = moved.document
    assert (document["verified"], document["audit"]["verified"]) == (True, True)
    assert all(each["equal"] for each in document["chapters"])
    assert {each["chapter"]: each["arrived"] for each in document["chapters"]}["memories"] == 1
    told = lived("list", "--json").document
    lived.monkeypatch.setenv("LEARNT_DATABASE_URL", url(target))
    assert lived("list", "--json").document == told
    assert lived("audit", "verify").code == 0


def test_to_a_server_and_back(lived: Shell, database: str, tmp_path: Path) -> None:
    """SQLite, PostgreSQL, SQLite: the same digests, head and listing; no password anywhere."""
    target = f"{database}?tenant=team"
    there = lived("migrate", "--to", target, "--json")
    assert (there.code, there.err) == (0, "")
    told = lived("list", "--json").document
    head = there.document["audit"]["head"]
    lived.monkeypatch.setenv("LEARNT_DATABASE_URL", target)
    assert lived("list", "--json").document == told
    assert lived("migrate", "--json").document["schema"]["applied"] == []
    back = lived("migrate", "--to", url(tmp_path / "back.db"))
    assert back.code == 0
    password = database.partition("://")[2].partition("@")[0].partition(":")[2]
    assert password not in back.out + back.err + there.out
    lived.monkeypatch.setenv("LEARNT_DATABASE_URL", url(tmp_path / "back.db"))
    assert lived("list", "--json").document == told
    third = lived("migrate", "--to", url(tmp_path / "third.db"), "--json").document
    assert third["audit"]["head"] == head
    chapters = [(each["chapter"], each["digest"]) for each in third["chapters"]]
    assert chapters == [(each["chapter"], each["digest"]) for each in there.document["chapters"]]


def test_the_answer_for_people(lived: Shell, tmp_path: Path) -> None:
    """How much, from where to where, and what to do next."""
    told = lived("migrate", "--to", url(tmp_path / "there.db"))
    assert told.code == 0
    assert "rows, verified." in told.out
    assert str(tmp_path / "there.db") in told.out
    assert "memories" in told.out
    assert "learnt init" in told.out


def test_a_target_in_use_is_refused(lived: Shell, tmp_path: Path) -> None:
    """Exit 3 with what it holds and a hint; untouched, it catches up."""
    target = url(tmp_path / "there.db")
    assert lived("migrate", "--to", target).code == 0
    assert lived("migrate", "--to", target).code == 0
    lived.monkeypatch.setenv("LEARNT_DATABASE_URL", target)
    assert lived("recall", "pnpm").code == 0
    lived.monkeypatch.delenv("LEARNT_DATABASE_URL")
    again = lived("migrate", "--to", target, "--json")
    assert (again.code, again.error["code"]) == (3, "conflict")
    assert again.error["hint"]


@pytest.mark.parametrize(
    ("target", "code", "exit_code"),
    [
        ("mysql://me:secret-part@h/x", "configuration", 4),
        ("nonsense", "configuration", 4),
        ("", "configuration", 4),
        ("postgresql://me:secret-part@h/d?tenant=%20", "configuration", 4),
        ("sqlite:///", "configuration", 4),
        ("postgresql://me:secret-part@127.0.0.1:1/x", "store_unreachable", 5),
    ],
)
def test_a_target_that_cannot_be(lived: Shell, target: str, code: str, exit_code: int) -> None:
    """Is told without its password, and about --to."""
    answer = lived("migrate", "--to", target, "--json")
    assert answer.code == exit_code
    assert answer.error["code"] == code or exit_code == 5
    assert "secret-part" not in answer.out + answer.err
    assert "LEARNT_DATABASE_URL" not in answer.error["message"]
    assert exit_code == 5 or "LEARNT_DATABASE_URL" not in answer.error["hint"]


def test_not_onto_itself(lived: Shell) -> None:
    """However the file is spelled."""
    answer = lived("migrate", "--to", url(lived.home / ".." / lived.home.name / "memory.db"), "--json")
    assert (answer.code, answer.error["code"]) == (2, "same_store")


def test_an_agent_moves_nothing(lived: Shell, tmp_path: Path) -> None:
    """And makes no file; the schema is not a person's matter alone."""
    lived.monkeypatch.setenv("LEARNT_AGENT", "a-1")
    answer = lived("migrate", "--to", url(tmp_path / "there.db"), "--json")
    assert (answer.code, answer.error["code"]) == (3, "person_required")
    assert not (tmp_path / "there.db").exists()
    assert lived("migrate").code == 0


def test_half_a_store_is_refused(lived: Shell, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Killed in the middle: nobody works on the target, and the next run completes it."""
    target = tmp_path / "there.db"
    monkeypatch.setattr(migrating, "STRETCH", 1)
    accept, calls = Tally.add, []

    def killed(self: object, values: object) -> None:
        calls.append(values)
        if len(calls) > 4:
            raise KeyboardInterrupt
        accept(self, values)  # type: ignore[arg-type]

    monkeypatch.setattr(Tally, "add", killed)
    assert lived("migrate", "--to", url(target)).code == 130
    monkeypatch.setattr(Tally, "add", accept)
    lived.monkeypatch.setenv("LEARNT_DATABASE_URL", url(target))
    for command in (("list",), ("status",), ("recall", "pnpm"), ("remember", "More.", "--kind", "todo")):
        refused = lived(*command, "--json")
        assert (refused.code, refused.error["code"]) == (5, "store_incomplete")
    lived.monkeypatch.delenv("LEARNT_DATABASE_URL")
    moved = lived("migrate", "--to", url(target))
    assert moved.code == 0
    assert moved.out.startswith("Went on")


def test_a_damaged_row_is_named(lived: Shell, tmp_path: Path) -> None:
    """Exit 1, and everything else is there."""
    store = SqliteStore.open(lived.home / "memory.db", now=lambda: NOW)
    with store.transaction():
        store.connection.write("UPDATE memory_proposals SET proposal_json = '{'")
    store.close()
    told = lived("migrate", "--to", url(tmp_path / "there.db"))
    assert told.code == 1
    assert "left behind: proposals prop_" in told.out
    assert lived("migrate", "--to", url(tmp_path / "two.db"), "--json").document["damaged"][0]["chapter"] == "proposals"


def test_progress_is_for_terminals(lived: Shell, tmp_path: Path) -> None:
    """On a terminal one line rewrites itself on standard error."""
    main, side = pty.openpty()
    command = [*COMMAND, "migrate", "--to", url(tmp_path / "there.db")]
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=side, check=False, text=True)
    os.close(side)
    shown = os.read(main, 65_536).decode()
    os.close(main)
    assert done.returncode == 0
    assert "100 %" in shown
    assert "\x1b" not in done.stdout
