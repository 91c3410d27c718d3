"""The commands over a store on a server."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import TYPE_CHECKING
from urllib.parse import urlsplit, urlunsplit

import psycopg
import pytest

from learnt.interfaces.cli.server import served
from tests.cli.shell import COMMAND
from tests.stores.roles import PASSWORD, PLAIN, as_role, prepare

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.cli.shell import Shell
    from tests.server import Server

FACTS = {
    "engine": "PostgreSQL 17.2",
    "pgvector": "0.8.0",
    "tenant": "main",
    "role": "learnt",
    "bypasses_row_security": False,
}


@pytest.fixture
def url(server: Server, learnt: Shell) -> Iterator[str]:
    """A team's store that the environment names."""
    with server.database(prepare) as url:
        learnt.monkeypatch.setenv("LEARNT_DATABASE_URL", as_role(url, tenant="team"))
        yield url


def test_the_commands_say_the_same_there(learnt: Shell, url: str) -> None:
    """From writing over asking and deciding to the audit trail; nothing is kept in a file, no password is shown."""
    memory = learnt.json("remember", "Tests run with bun here.", "--kind", "repo_convention")["memory"]["id"]
    assert learnt.json("recall", "how do tests run")["items"][0]["id"] == memory
    assert learnt.json("search", "bun tests")["hits"][0]["id"] == memory
    proposal = learnt.json("propose", "delete", "--target", memory, "--rationale", "gone")["proposal_id"]
    assert learnt.json("pending")["total"] == 1
    event = learnt.json("decide", proposal, "accept")["event"]
    assert learnt.json("list")["total"] == 0
    learnt.json("undo", event)
    assert learnt.json("show", memory)["id"] == memory
    assert learnt.json("explain", memory)["recalls"] == 1
    assert learnt.json("audit", "verify")["verified"] is True
    told = [learnt(*command).out for command in (("status",), ("doctor",), ("jobs",), ("stale",), ("sessions", "list"))]
    assert "PostgreSQL" in told[1]
    assert "tenant=team" in told[0]
    assert PASSWORD not in "".join(told)
    assert not (learnt.home / "memory.db").exists()


def test_rewards_count_once_there(learnt: Shell, url: str) -> None:
    """Of several processes with one verdict one applies it; somebody else's receipts are rewarded like one's own."""
    memory = learnt.json("remember", "Tests run with bun here.", "--kind", "repo_convention")["memory"]["id"]
    learnt.monkeypatch.setenv("LEARNT_RUN", "run-1")
    for unit in ("a", "b"):
        learnt.json("recall", "how do tests run", "--unit", unit)
    (learnt.config.parent / "keys" / "receipts.key").write_bytes(b"o" * 32)
    words = [*COMMAND, "reward", "APPROVE", "--run", "run-1", "--json", "--unit"]
    started = [subprocess.Popen([*words, unit], stdout=subprocess.PIPE) for unit in ("a", "b", "a")]
    found = [json.loads(process.communicate(timeout=60)[0])["reason"] for process in started]
    assert sorted(map(str, found)) == ["None", "None", "already_rewarded"]
    assert learnt.json("show", memory)["q_value"] == 0.595
    assert learnt.json("audit", "verify")["verified"] is True


def test_status_describes_the_server(learnt: Shell, url: str) -> None:
    """Engine, versions, tenant, role and size, without the password."""
    store = learnt.json("status")["store"]
    assert store["engine"].startswith("PostgreSQL ")
    assert (store["tenant"], store["role"], store["bypasses_row_security"]) == ("team", "learnt", False)
    assert store["size_bytes"] > 0
    assert PASSWORD not in str(store)


def test_a_wrong_password_is_exit_5(learnt: Shell, url: str) -> None:
    """With a hint, and neither password in what is printed."""
    secret = "-".join(("quite", "wrong"))
    parts = urlsplit(as_role(url))
    wrong = urlunsplit(parts._replace(netloc=parts.netloc.replace(PASSWORD, secret)))
    learnt.monkeypatch.setenv("LEARNT_DATABASE_URL", wrong)
    answer = learnt("list", "--json")
    assert (answer.code, answer.error["code"]) == (5, "store_password")
    assert secret not in answer.out + answer.err
    assert secret not in learnt("doctor").out + learnt("doctor").err


def test_a_server_that_is_gone_keeps_nobodys_hooks(learnt: Shell, url: str) -> None:
    """`doctor` names the server and why, instead of sending to itself; `uninit` works, with one document and a note."""
    learnt.json("init", "--host", "claude-code")
    learnt.monkeypatch.setenv("LEARNT_DATABASE_URL", "postgresql://learnt@127.0.0.1:1/memory?tenant=team")
    answer = learnt("doctor", "--json")
    (store,) = (each for each in json.loads(answer.out)["checks"] if each["name"] == "store")
    assert "127.0.0.1:1/memory" in store["found"]
    assert "refused" in store["found"]
    assert "doctor" not in store["advice"]
    gone = learnt("uninit", "--json")
    assert gone.code == 0
    assert len(json.loads(gone.out)["removed"]) == 3
    assert "not sent yet" in gone.err
    assert not learnt.settings.exists() or "hook.py" not in learnt.settings.read_text("utf-8")
    assert not (learnt.home / "copy.db").exists()


def test_doctor_tells_of_a_role_that_may_only_read(learnt: Shell, server: Server) -> None:
    """Reading works, so that nothing else would say it before the first memory is lost."""
    with server.database(prepare) as url:
        with psycopg.connect(url, autocommit=True) as admin:
            admin.execute(f"REVOKE INSERT ON ALL TABLES IN SCHEMA public FROM {PLAIN}".encode())
        learnt.monkeypatch.setenv("LEARNT_DATABASE_URL", as_role(url))
        assert learnt("list").code == 0
        answer = learnt("doctor", "--json")
    assert answer.code == 1
    (found,) = (each for each in json.loads(answer.out)["checks"] if each["result"] == "problem")
    assert found["found"] == "it cannot be written"
    assert "role" in found["advice"]


def test_without_the_driver_it_says_what_to_install(learnt: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    """Exit 4; a store that is a file never asks for it."""
    monkeypatch.setattr(
        "learnt.stores.postgres", sys.modules["learnt.stores.postgres"]
    )  # or the package stays without its modules
    for name in [each for each in sys.modules if each.startswith("learnt.stores.postgres")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "psycopg", None)
    assert learnt("list").code == 0
    learnt.monkeypatch.setenv("LEARNT_DATABASE_URL", "postgresql://h/d")
    answer = learnt("list", "--json")
    assert (answer.code, answer.error["code"]) == (4, "driver_missing")
    assert "learnt[postgres]" in answer.error["hint"]


def test_doctor_warns_of_what_weakens_a_server() -> None:
    """A role that bypasses row-level security, and an old pgvector; a file has nothing of the kind."""
    assert [result for result, _, _ in served(FACTS)] == ["ok"]
    weak = [*served({**FACTS, "bypasses_row_security": True, "pgvector": "0.7.4"})]
    assert [result for result, _, _ in weak] == ["ok", "warning", "warning"]
    assert all(advice for _, _, advice in weak[1:])
    assert not [*served({"engine": "SQLite"})]
