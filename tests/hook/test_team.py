"""A team on a server: `learnt init`, commands and hooks as people and hosts run them, each machine with its copy."""

from __future__ import annotations

import json
import os
import shlex
import stat
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import psycopg
import pytest
from psycopg.sql import SQL, Identifier

from learnt.bootstrap import Home
from learnt.engine import Engine
from learnt.interfaces.cli.install import install, plan
from learnt.interfaces.cli.stage import Stage
from learnt.interfaces.hook.follow import LOCK
from learnt.model.answer import Proposed, Written
from learnt.stores.postgres.store import PostgresStore
from learnt.stores.sqlite.store import SqliteStore
from learnt.testing import samples
from tests.hook.conftest import NOW

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from learnt.flows.state import Status
    from learnt.model.kinds import Kind
    from tests.server import Server

FACT = "Run `cargo nextest run --workspace` for the tests of the workspace."
ASKED = "how do I run the cargo nextest workspace tests"


def prepare(url: str) -> None:
    """Every test starts from a copy of an empty store."""
    PostgresStore.open(url, now=lambda: NOW).close()


@dataclass
class Member:
    """One person's machine."""

    root: Path
    project: Path
    url: str

    @property
    def environment(self) -> dict[str, str]:
        """What this person's shell has."""
        ours = {"HOME": self.root, "LEARNT_HOME": self.home, "LEARNT_CONFIG": self.root / "config" / "config.toml"}
        kept = {name: value for name, value in os.environ.items() if not name.startswith(("LEARNT_", "CLAUDE", "PG"))}
        return {**kept, **{name: str(value) for name, value in ours.items()}, "LEARNT_DATABASE_URL": self.url}

    @property
    def home(self) -> Path:
        """The data directory."""
        return self.root / "data"

    @property
    def record(self) -> dict[str, Any]:
        """What `learnt init` wrote down."""
        return dict(json.loads((self.root / "config" / "install.json").read_text()))

    def run(self, *words: str, code: int = 0) -> dict[str, Any]:
        """A command's answer."""
        done = subprocess.run(
            [sys.executable, "-m", "learnt.interfaces.cli.entry", *words, "--json"],
            cwd=self.project,
            env=self.environment,
            capture_output=True,
            timeout=60,
            check=False,
        )
        assert done.returncode == code, done.stderr
        word = urlsplit(self.url).password or "no password"
        assert word.encode() not in done.stdout + done.stderr
        return dict(json.loads(done.stdout))

    def engine(self) -> Engine:
        """What a command of this person opens."""
        return Engine.open(self.project, home=Home(self.environment))

    def remember(self, text: str, kind: Kind = "project_fact") -> str:
        """Write a memory; gives its id."""
        with self.engine() as engine:
            done = engine.remember(text, kind=kind)
        assert isinstance(done, Written)
        return done.memory.id

    def status(self) -> Status:
        """What `learnt status` says."""
        with self.engine() as engine:
            return engine.status()

    def hook(self, event: str, session: str, **fields: Any) -> str:
        """What a host gets at an event, run as the settings say; the environment is not this person's."""
        settings = json.loads((self.root / ".claude" / "settings.json").read_text())
        group = next(each for each in settings["hooks"].values() if event in each[0]["hooks"][0]["command"])
        payload = json.dumps({"session_id": session, "cwd": str(self.project), **fields})
        strange = {**self.environment, "LEARNT_DATABASE_URL": "postgresql://elsewhere.invalid/x", "PGHOST": "nowhere"}
        command = shlex.split(group[0]["hooks"][0]["command"])
        done = fired(command, payload, strange)
        for _ in range(4):
            if b"not done within" in done.stderr:  # on a machine that does a lot else a hook ends itself, as it should
                done = fired(command, payload, strange)
        assert (done.returncode, done.stderr) == (0, b"")
        return str(json.loads(done.stdout)["hookSpecificOutput"]["additionalContext"]) if done.stdout else ""

    def start(self, session: str) -> str:
        """A session start."""
        return self.hook("session-start", session, source="startup")

    def age(self, moment: str) -> None:
        """Let the copy be as old as this."""
        store = SqliteStore.open(self.home / "copy.db", now=lambda: NOW)
        with store.transaction():
            store.connection.write(
                "UPDATE _meta SET value = replace(value, substr(value, -24), ?) WHERE key LIKE 'copy.at.%'", (moment,)
            )
        store.close()


@pytest.fixture
def url(server: Server) -> Iterator[str]:
    """A store of the test's own."""
    with server.database(prepare) as found:
        yield found


@pytest.fixture
def join(tmp_path: Path, url: str) -> Callable[..., Member]:
    """Makes a member of the team, as `learnt init` leaves the machine."""

    def joined(name: str, tenant: str = "main", *, filled: bool = True) -> Member:
        project = tmp_path / "project"
        project.mkdir(exist_ok=True)
        (tmp_path / name / ".claude").mkdir(parents=True)
        mark = "&" if "?" in url else "?"
        member = Member(tmp_path / name, project, f"{url}{mark}person={name}&tenant={tenant}")
        with member.engine() as engine:
            install(engine, plan(engine.assembly.home, ["claude-code"], None), accept_instructions=False)
        if filled:
            member.status()
        return member

    return joined


def fired(command: Sequence[str], payload: str, variables: Mapping[str, str]) -> subprocess.CompletedProcess[bytes]:
    """What a hook's process leaves."""
    return subprocess.run(command, input=payload.encode(), env=variables, capture_output=True, timeout=20, check=False)


def eventually(true: Callable[[], bool], within_s: float = 30.0) -> bool:
    """Whether it becomes true."""
    until_s = time.monotonic() + within_s
    while not true():
        if time.monotonic() > until_s:
            return False
        time.sleep(0.1)
    return True


def test_from_one_machine_to_the_other_and_away_again(join: Callable[..., Member]) -> None:
    """What one writes the other's hook shows after its next command; what is deleted leaves both, and `uninit` all."""
    ada, bob = join("ada"), join("bob")
    memory = ada.remember(FACT)
    ada.remember("I prefer tabs over spaces.", "user_preference")
    assert FACT in ada.start("a-1")
    assert "tabs" in ada.start("a-2")
    bob.status()
    given = bob.start("b-1")
    assert FACT in given
    assert "tabs" not in given
    ada.status()
    status = bob.run("status")["copy"]
    assert (status["memories"], status["queued"]) == (1, 0)
    assert 0 <= status["age_s"] < 60
    with bob.engine() as engine:
        assert len([each for each in engine.receipts() if each.moment == "session_start"]) == 3  # of both machines
        asked = engine.propose("delete", target=memory, rationale="no longer so")
        assert isinstance(asked, Proposed)
        engine.decide(asked.proposal.id, "accept")
    assert bob.start("b-2") == ""
    assert FACT in ada.start("a-3")
    ada.status()
    assert FACT not in ada.start("a-4")
    copy = ada.home / "copy.db"
    assert stat.S_IMODE(copy.stat().st_mode) == 0o600
    gone = ada.run("uninit")
    assert str(copy) in gone["removed"]
    assert not list(ada.home.glob("copy.db*"))


def test_what_a_session_taught_one_is_seen_by_the_other(join: Callable[..., Member]) -> None:
    """Captured after the session's end by a process of its own, an observation until somebody decides."""
    ada, bob = join("ada"), join("bob")

    class Here(Stage):
        project = ada.project

    transcript = Here(ada.root, time.time()).transcript("one", 1)
    ada.hook("session-end", "a-1", transcript_path=str(transcript))
    assert eventually(lambda: ada.status().sessions == 1)

    def is_asked() -> bool:
        with ada.engine() as engine:
            return any("SUITE=tides" in each.text for each in engine.pending().proposals.values)

    assert eventually(is_asked)  # what a session taught comes one by one
    with bob.engine() as engine:
        assert engine.follow(30.0).complete  # a command leaves to the next what half a second was not enough for
    given = bob.start("b-1")
    assert "make check SUITE=tides" in given
    assert "seen once, not reviewed" in given


def test_tenants_share_nothing(join: Callable[..., Member]) -> None:
    """Two tenants of one server, one repository: a copy has what its own tenant wrote."""
    ada, rival = join("ada", tenant="acme"), join("rival", tenant="rival")
    ada.remember(FACT)
    rival.remember("Another company's own fact of the workspace.")
    ada.status()
    assert "Another company" not in ada.start("a-1")
    assert FACT not in rival.start("r-1")
    assert "Another company" in rival.start("r-2")


@pytest.mark.parametrize("filled", [True, False])
def test_a_session_start_brings_the_copy_up(join: Callable[..., Member], *, filled: bool) -> None:
    """Who never runs a command has what the team writes at the next event: a process of its own fetches it."""
    ada, bob = join("ada"), join("bob", filled=filled)
    ada.remember(FACT)
    bob.age("2026-01-02T03:04:05.000Z")
    assert bob.start("b-1") == ""
    assert eventually(lambda: FACT in bob.hook("user-prompt-submit", f"b-{time.monotonic()}", prompt=ASKED))
    assert (bob.home / "locks" / LOCK).is_file()


def test_two_senders_send_each_receipt_once(join: Callable[..., Member]) -> None:
    """Engines of one machine that follow at the same moment."""
    ada = join("ada")
    ada.remember(FACT)
    with ada.engine() as one, ada.engine() as two, ThreadPoolExecutor() as pool:
        store = SqliteStore.open(ada.home / "copy.db", now=lambda: NOW)
        with store.transaction():
            for number in range(500):
                store.usage.put(samples.bundle(samples.repository("elsewhere"), "mem_a", session_id=f"s-{number}"))
        store.close()
        sent = list(pool.map(lambda engine: engine.follow(), (one, two)))
        assert [each.fault for each in sent] == ["", ""]
        assert sum(each.sent for each in sent) == 500
        assert one.assembly.means.store.usage.recalls("mem_a") == 500


def test_a_worker_brings_every_repository_up(join: Callable[..., Member], tmp_path: Path) -> None:
    """All that is used on the machine, whichever folder the worker runs in."""
    ada, bob = join("ada"), join("bob")
    other = tmp_path / "other"
    other.mkdir()
    Member(bob.root, other, bob.url).status()
    ada.remember(FACT)
    Member(bob.root, other, bob.url).run("worker", "--once")
    assert FACT in bob.start("b-1")


@contextmanager
def closed(server: Server, url: str) -> Iterator[None]:
    """Inside, the database of a URL takes no connections."""
    name = Identifier(urlsplit(url).path.lstrip("/"))
    with psycopg.connect(server.url, autocommit=True) as connection:
        connection.execute(SQL("ALTER DATABASE {} ALLOW_CONNECTIONS false").format(name))
        yield
        connection.execute(SQL("ALTER DATABASE {} ALLOW_CONNECTIONS true").format(name))


def test_a_server_that_is_down(join: Callable[..., Member], server: Server, tmp_path: Path) -> None:
    """Hooks go on and keep their receipts; commands say so; a session's capture is taken up again later."""
    ada = join("ada")
    ada.remember(FACT)
    transcript = tmp_path / "session.jsonl"
    transcript.write_text("{}\n")
    locks = ada.home / "locks"
    with closed(server, ada.url):
        assert FACT in ada.start("a-1")
        assert ada.run("status", code=5)["error"]["code"].startswith("store")
        ada.hook("session-end", "a-1", transcript_path=str(transcript))
        assert eventually(lambda: any(each.stat().st_mtime == 0 for each in locks.glob("capture-*")))
        said = [each["found"] for each in ada.run("doctor", code=1)["checks"] if each["name"] == "copy"]
        assert any("receipts that wait: " in each for each in said)
        assert FACT in ada.start("a-2")
    copy = ada.status().copy
    assert copy is not None
    assert (copy.queued, copy.fault) == (0, "")
    with ada.engine() as engine:
        assert {"a-1", "a-2"} <= {each.session_id for each in engine.receipts()}


def test_a_password_is_not_written_down_twice(join: Callable[..., Member]) -> None:
    """What the password file has is not in the record, nor in the copy, nor in the stub."""
    ada = join("ada")
    word = urlsplit(ada.url).password or ""
    assert word in ada.record["url"]
    assert stat.S_IMODE((ada.root / "config" / "install.json").stat().st_mode) == 0o600
    assert any("password" in each["found"] for each in ada.run("doctor")["checks"] if each["name"] == "copy")
    passfile = ada.root / ".pgpass"
    passfile.write_text(f"*:*:*:*:{word}\n")
    passfile.chmod(0o600)
    ada.run("init", "--host", "claude-code")
    assert word not in ada.record["url"]
    files = [each for each in (*ada.home.rglob("*"), *(ada.root / "config").rglob("*")) if each.is_file()]
    assert not [each for each in files if word.encode() in each.read_bytes()]
    ada.remember(FACT)
    ada.age("2026-01-02T03:04:05.000Z")
    ada.start("a-1")
    assert eventually(lambda: "as of" not in ada.hook("user-prompt-submit", f"a-{time.monotonic()}", prompt=ASKED))


def test_back_on_a_file_the_copy_goes(join: Callable[..., Member]) -> None:
    """`learnt init` without the URL: hooks read the file again."""
    ada = join("ada")
    ada.remember(FACT)
    with ada.engine() as engine:
        store = engine.assembly.means.store
        assert store.meta.get("hook.all") is None  # the team's store says nothing of one machine's hooks
    ada.url = ""
    ada.run("init", "--host", "claude-code")
    assert not (ada.home / "copy.db").exists()
    assert ada.record["url"] == ""
    assert ada.start("a-1") == ""
    ada.remember("A fact in the file again.")
    assert "in the file again" in ada.start("a-2")
