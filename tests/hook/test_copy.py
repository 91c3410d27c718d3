"""Hooks beside a store that is elsewhere: two machines, each with its copy, one store."""

from __future__ import annotations

import json
import stat
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import pytest

from learnt.bootstrap import Home
from learnt.bootstrap import copy as copies
from learnt.bootstrap.remote import named
from learnt.engine import Engine
from learnt.interfaces.hook.limits import ALL
from learnt.interfaces.hook.stub import source_folder, stub_text, write_stub
from learnt.model.answer import Written
from learnt.model.place import user_id
from learnt.stores.sqlite.store import SqliteStore
from tests.hook.conftest import NOW, Machine

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from learnt.ports.store import Store

FACT = "Run `cargo nextest run --workspace` for the tests of the workspace."
ASKED = "how do I run the cargo nextest workspace tests"
URL = "postgresql://db.invalid/team?tenant=acme"


@dataclass
class Desk:
    """One machine of a team: its data directory with the copy, and engines on the store they share."""

    machine: Machine
    home: Home
    store: Callable[[], Store]
    engines: list[Engine] = field(default_factory=list)

    def open(self) -> Engine:
        """An engine of the project, as a command opens one."""
        made = Engine.open(self.machine.project, home=self.home, store=self.store())
        self.engines.append(made)
        return made

    def remember(self, text: str, **given: Any) -> str:
        """Write a memory, as a command does; gives its id."""
        with self.open() as engine:
            done = engine.remember(text, kind=given.pop("kind", "project_fact"), **given)
        assert isinstance(done, Written)
        return done.memory.id

    def sync(self) -> None:
        """What any command does when it opens."""
        self.open().close()

    def copied(self) -> set[str]:
        """The texts in the copy."""
        store = SqliteStore.open(self.home.database, now=lambda: NOW)
        found = {str(row[0]) for row in store.connection.rows("SELECT text FROM memory_items")}
        store.close()
        return found


@pytest.fixture
def team(tmp_path: Path) -> Callable[[], Store]:
    """Opens the store everybody shares; a file here, which behaves as a server does."""
    return lambda: SqliteStore.open(tmp_path / "team.db", now=lambda: NOW)


@pytest.fixture
def desk(tmp_path: Path, team: Callable[[], Store]) -> Callable[..., Desk]:
    """Makes machines, each as `learnt init` leaves it."""

    def made(name: str, project: str = "project", url: str = URL) -> Desk:
        home, config, work = tmp_path / name / "data", tmp_path / name / "config", tmp_path / project
        work.mkdir(exist_ok=True)
        home.mkdir(parents=True, mode=0o700)
        config.mkdir()
        given = {"LEARNT_HOME": str(home), "LEARNT_CONFIG": str(config / "config.toml"), "HOME": str(tmp_path / name)}
        user = Home({**given, "LEARNT_DATABASE_URL": url})
        user.key("receipts")
        copy = copies.made(user)
        copy.record({ALL: "1"}, {})
        copy.close()
        (config / "install.json").write_text(json.dumps({"data_dir": str(home), "url": url}))
        text = stub_text(
            source=source_folder(), home=str(home), database=user.database, config=str(config / "config.toml")
        )
        write_stub(str(home), text)
        store = SqliteStore.open(user.database, now=lambda: NOW)
        variables = {"HOME": str(tmp_path / name)}
        return Desk(Machine(home, work, store, variables), user, team)

    return made


@pytest.fixture
def ada(desk: Callable[..., Desk]) -> Iterator[Desk]:
    """One machine."""
    found = desk("ada")
    yield found
    found.machine.store.close()


@pytest.fixture
def bob(desk: Callable[..., Desk]) -> Iterator[Desk]:
    """Another one, with the same repository."""
    found = desk("bob")
    yield found
    found.machine.store.close()


def test_what_one_writes_the_other_s_hook_shows(ada: Desk, bob: Desk) -> None:
    """After its next synchronisation; at start, at a prompt and before an action."""
    ada.remember(FACT, kind="failure_pattern")
    assert FACT in ada.machine.start()
    assert bob.machine.start() == ""
    bob.sync()
    assert FACT in bob.machine.start("s-2")
    assert FACT in bob.machine.prompt(ASKED, "s-3")
    assert "cargo nextest" in bob.machine.bash("cargo nextest run --workspace", "s-4")


def test_what_one_retires_leaves_the_other(ada: Desk, bob: Desk) -> None:
    """The writer's own copy in the same command, the other's at its next synchronisation."""
    memory = ada.remember(FACT)
    bob.sync()
    with ada.open() as engine:
        proposal = engine.propose("delete", target=memory, rationale="no longer so")
        engine.decide(proposal.proposal.id, "accept")  # type: ignore[union-attr]
        assert ada.copied() == set()
    assert ada.machine.start() == ""
    bob.sync()
    assert bob.copied() == set()
    assert bob.machine.start() == ""


def test_what_is_gone_for_good_leaves(ada: Desk, bob: Desk, team: Callable[[], Store]) -> None:
    """A row that is no more, whoever removed it, leaves the copies too."""
    memory = ada.remember(FACT)
    bob.sync()
    store = team()
    assert isinstance(store, SqliteStore)
    with store.transaction():
        store.connection.write("DELETE FROM memory_items WHERE id = ?", (memory,))
    store.close()
    bob.sync()
    assert bob.copied() == set()
    assert bob.machine.start() == ""


def test_hooks_record_in_the_copy_and_the_store_has_it_once(ada: Desk) -> None:
    """Receipts go on with the next engine, with their ids; what a context has it is not given again."""
    ada.remember(FACT)
    assert FACT in ada.machine.start()
    written = [each["id"] for each in ada.machine.receipts()]
    ada.sync()
    ada.sync()
    with ada.open() as engine:
        sent = [each for each in engine.receipts() if each.moment == "session_start"]
        assert [each.id for each in sent] == written
        assert engine.status().copy is not None
    assert ada.machine.prompt(ASKED) == ""


def test_the_copy_is_this_user_s_alone(ada: Desk) -> None:
    """0600, with everything beside it."""
    ada.remember(FACT)
    there = list(ada.machine.home.glob("copy.db*"))
    assert there
    assert {stat.S_IMODE(each.stat().st_mode) for each in there} == {0o600}


def test_no_backup_of_the_copy_stays(ada: Desk) -> None:
    """A whole copy from before a migration would keep what is forgotten."""
    left = ada.machine.home / "copy.db.v4.backup"
    left.write_bytes(b"what was forgotten since")
    ada.sync()
    assert not left.exists()


def test_hooks_show_what_the_engine_would(ada: Desk) -> None:
    """A prompt over the copy gets what a recall in injection mode gives over the store, in its order."""
    with ada.open() as engine:
        for number in range(40):
            text = f"Step {number}: run the cargo workspace tests of package {number % 7} with nextest."
            engine.remember(text, kind="project_fact", confidence=0.5 + number / 100)
        wanted = engine.recall(ASKED, mode="injection")
    assert wanted.hits
    ada.machine.prompt(ASKED)
    assert ada.machine.receipts()[-1]["memory_ids"] == [hit.memory.id for hit in wanted.hits]


def test_another_repository_s_memories_stay_out(ada: Desk, desk: Callable[..., Desk]) -> None:
    """A copy has what is used on its machine: not what others of the team write elsewhere."""
    carol = desk("carol", project="other")
    carol.remember("This is another repository's own fact.")
    ada.remember(FACT)
    ada.sync()
    assert ada.copied() == {FACT}


def test_another_store_s_memories_stay_out(ada: Desk, team: Callable[[], Store], tmp_path: Path) -> None:
    """A command for another tenant or server neither reads nor fills this copy."""
    ada.remember(FACT)
    other = Home({**ada.home.environment, "LEARNT_DATABASE_URL": "postgresql://db.invalid/team?tenant=rival"})
    store = SqliteStore.open(tmp_path / "rival.db", now=lambda: NOW)
    with Engine.open(ada.machine.project, home=other, store=store) as engine:
        engine.remember("A rival's secret plan for the workspace.", kind="project_fact")
        assert engine.assembly.means.copy is None
    assert ada.copied() == {FACT}
    copies.made(other).close()
    assert ada.copied() == set()


def test_persons_of_one_number_are_kept_apart(desk: Callable[..., Desk]) -> None:
    """Who is named in the URL has preferences of their own, in the engine and in the hook."""
    ada, bob = desk("ada", url=f"{URL}&person=ada"), desk("bob", url=f"{URL}&person=bob")
    ada.remember("I prefer tabs over spaces in every language.", kind="user_preference")
    bob.sync()
    assert "tabs" in ada.machine.start()
    assert bob.machine.start() == ""
    assert bob.copied() == set()


def test_who_moved_a_store_stays_who_they_were(desk: Callable[..., Desk], team: Callable[[], Store]) -> None:
    """A name that a move tied to a user's number means that user, in the engine and in the hook."""
    store = team()
    with store.transaction():
        store.meta.put(named("ada"), user_id())
    store.close()
    before, ada = desk("before"), desk("ada", url=f"{URL}&person=ada")
    before.remember("I prefer tabs over spaces in every language.", kind="user_preference")
    ada.sync()
    assert "tabs" in ada.machine.start()


def test_an_old_copy_is_served_and_says_so(ada: Desk) -> None:
    """Older than a day: everything it shows is dated, and `status` tells."""
    ada.remember(FACT)
    ada.machine.store.connection.rows("SELECT 1")
    with ada.machine.store.transaction():
        ada.machine.store.connection.write(
            "UPDATE _meta SET value = replace(value, substr(value, -24), '2026-01-02T03:04:05.000Z') "
            "WHERE key LIKE 'copy.at.%'"
        )
    assert "as of 2026-01-02" in ada.machine.start()
    assert "as of 2026-01-02" in ada.machine.prompt(ASKED, "s-2")
    ada.sync()
    assert "as of" not in ada.machine.start("s-3")


def test_a_store_that_is_down_stops_no_hook(ada: Desk) -> None:
    """Commands say that it does not answer; hooks go on and keep their receipts."""
    ada.remember(FACT)
    assert FACT in ada.machine.start()
    assert FACT in ada.machine.prompt(ASKED, "s-2")
    assert len(ada.machine.receipts()) == 2


def test_hooks_load_no_driver_and_ask_no_server(ada: Desk) -> None:
    """A firing over a copy imports neither psycopg nor a socket, nor anything else that costs a start."""
    ada.remember(FACT)
    listing = ada.machine.home / "modules"
    stub = (ada.machine.home / "hook.py").read_text()
    write_stub(
        str(ada.machine.home),
        stub.replace("os._exit(0)", f"open({str(listing)!r}, 'w').write(' '.join(sys.modules)); os._exit(0)"),
    )
    assert FACT in ada.machine.prompt(ASKED)
    loaded = set(listing.read_text().split())
    assert loaded & {"psycopg", "socket", "_socket", "subprocess", "json", "re", "typing", "dataclasses"} == set()
