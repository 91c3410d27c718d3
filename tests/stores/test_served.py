"""Opening a store on a server: what is refused and why, who makes the tables, and two versions beside each other."""

from __future__ import annotations

import os
import signal
import traceback
from contextlib import closing
from typing import TYPE_CHECKING
from urllib.parse import urlsplit, urlunsplit

import psycopg
import pytest
from hypothesis import given
from hypothesis import strategies as st

from learnt.errors import ConfigError, LearntError, StoreForeignError, StoreNewerError, StoreReadOnlyError
from learnt.model.scope import Sight
from learnt.stores.postgres import migrate
from learnt.stores.postgres.address import address
from learnt.stores.postgres.migrate import steps
from learnt.stores.postgres.store import PostgresStore
from learnt.stores.postgres.text import decoded, encoded
from learnt.stores.sqlite.migrate import Step
from learnt.testing import samples
from learnt.testing.fakes import NOON, FixedClock
from tests.stores.processes import started, together
from tests.stores.roles import OWNER, as_role, make_roles, prepare

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.server import Server

SCOPE = samples.repository("served")
SIGHT = Sight((SCOPE,))
MORE = Step(len(steps()) + 1, "more", "CREATE TABLE more (tenant text DEFAULT learnt_tenant(), x int);")


def _open(url: str, *, read_only: bool = False) -> PostgresStore:
    return PostgresStore.open(url, now=FixedClock(), read_only=read_only)


def _raw(url: str, sql: str) -> list[tuple[object, ...]]:
    with psycopg.connect(url, autocommit=True) as connection:
        cursor = connection.execute(sql.encode(), prepare=False)
        return cursor.fetchall() if cursor.description else []


def _refused(url: str) -> LearntError:
    with pytest.raises(LearntError) as caught:
        _open(url)
    return caught.value


def _with(monkeypatch: pytest.MonkeyPatch, *wanted: Step) -> None:
    monkeypatch.setattr(migrate, "steps", lambda: wanted)


@pytest.fixture
def team(server: Server) -> Iterator[str]:
    """A store as the manual makes it, the URL a superuser's."""
    with server.database(prepare) as url:
        yield url


@pytest.mark.parametrize(
    "url",
    [
        "postgresql://u:%%%@h/d",
        "postgresql://h/d?nonsense=1",
        "postgresql://[/d",
        "mysql://h/d",
    ],
)
def test_what_is_no_url_is_refused(url: str) -> None:
    """Without a word of it in the message: any part may be a secret."""
    with pytest.raises(ConfigError) as caught:
        address(url)
    told = "".join(traceback.format_exception(caught.value))
    assert "%%%" not in told.rpartition("raise ConfigError")[2]
    assert caught.value.__cause__ is None


@pytest.mark.parametrize("tenant", ["", "a b", "-x", "x" * 64, "a;b", "%00"])
def test_a_tenant_is_a_name(tenant: str) -> None:
    """Anything else is refused."""
    with pytest.raises(ConfigError):
        address(f"postgresql://h/d?tenant={tenant}")


def test_a_tenant_is_ours_and_the_rest_the_drivers() -> None:
    """The driver gets every other option; without one the tenant is `main`."""
    found = address("postgresql://u@h/d?tenant=blue&sslmode=require")
    assert (found.tenant, found.parameters["sslmode"], "tenant" in found.parameters) == ("blue", "require", False)
    assert address("postgresql://h/d").tenant == "main"
    assert address("postgresql:///d?host=/run/postgresql").parameters["host"] == "/run/postgresql"


def test_a_password_is_never_shown(server: Server) -> None:
    """Neither in what the store tells of itself, nor in an error with all its causes."""
    secret = "".join(("very", "-", "hidden"))
    parts = urlsplit(server.url)
    wrong = urlunsplit(parts._replace(netloc=f"{parts.username}:{secret}@{parts.netloc.rpartition('@')[2]}"))
    error = _refused(wrong)
    told = "".join(traceback.format_exception(error)) + repr(error.details) + error.advice + repr(address(wrong))
    assert (error.error_code, error.exit_code, error.may_retry) == ("store_password", 5, False)
    assert secret not in told


@pytest.mark.parametrize(("name", "code"), [("nowhere", "store_missing"), ("", "store_unavailable")])
def test_what_is_not_there_is_told(server: Server, name: str, code: str) -> None:
    """A database that does not exist, and a port where nobody listens."""
    url = server.at(name) if name else "postgresql://u@127.0.0.1:1/d"
    error = _refused(url)
    assert (error.error_code, error.exit_code, error.may_retry) == (code, 5, not name)


def test_another_encoding_is_refused(server: Server) -> None:
    """Before anything is written."""
    name = f"learnt_latin_{os.getpid()}"
    _raw(server.url, f"CREATE DATABASE {name} ENCODING 'LATIN1' LOCALE 'C' TEMPLATE template0")
    try:
        assert _refused(server.at(name)).error_code == "store_encoding"
        assert _raw(server.at(name), "SELECT to_regclass('_meta')") == [(None,)]
    finally:
        _raw(server.url, f"DROP DATABASE {name} WITH (FORCE)")


def test_another_programs_tables_stay_untouched(database: str) -> None:
    """Others name a table `schema_migrations` as well."""
    _raw(database, "CREATE TABLE schema_migrations (version text)")
    assert isinstance(_refused(database), StoreForeignError)
    assert _raw(database, "SELECT to_regclass('_meta')") == [(None,)]


def test_a_search_path_to_nowhere_is_told(database: str) -> None:
    """There is no place for tables."""
    assert _refused(f"{database}?options=-csearch_path%3Dabsent").error_code == "store_missing"


def test_a_store_lies_where_the_search_path_says(database: str) -> None:
    """Two stores in two schemas of one database do not know each other; extensions are found in `public`."""
    _raw(database, "CREATE SCHEMA one; CREATE SCHEMA two")
    for name in ("one", "two"):
        with closing(_open(f"{database}?options=-csearch_path%3D{name}%2Cpublic")) as store, store.transaction():
            assert store.memories.get(SIGHT, samples.memory(SCOPE).id) is None
            store.memories.put(samples.memory(SCOPE))


def test_who_may_not_make_tables_is_told_who_may(database: str) -> None:
    """A plain role on a fresh database."""
    make_roles(database)
    error = _refused(as_role(database))
    assert isinstance(error, StoreReadOnlyError)
    assert "learnt migrate" in error.advice


def test_a_server_that_only_reads_is_read(team: str) -> None:
    """As on a replica: what is there is given, a write is refused with a hint."""
    with closing(_open(team)) as store, store.transaction():
        store.memories.put(samples.memory(SCOPE))
    with closing(_open(f"{team}?options=-cdefault_transaction_read_only%3Don")) as store:
        assert store.memories.count(SIGHT) == {"active": 1}
        assert store.meta.describe()["read_only"] is True
        with pytest.raises(StoreReadOnlyError), store.transaction():
            pass


def test_a_missing_extension_is_named(database: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The step fails as a whole, and says what to install."""
    _with(monkeypatch, Step(1, "far", "CREATE TABLE x (y int); CREATE EXTENSION no_such_extension;"))
    error = _refused(database)
    assert (error.error_code, error.exit_code) == ("store_extension", 5)
    assert "no_such_extension" in str(error.details)
    assert _raw(database, "SELECT to_regclass('x')") == [(None,)]


def test_a_failed_step_changes_nothing(team: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The store still opens with the version before."""
    every = steps()
    _with(monkeypatch, *every, Step(MORE.version, "bad", "CREATE TABLE more (x int); SELECT nonsense;"))
    assert _refused(team).error_code == "store_migration"
    _with(monkeypatch, *every)
    _open(team).close()
    assert _raw(team, "SELECT to_regclass('more')") == [(None,)]


def _schema(url: str) -> list[object]:
    columns = "SELECT table_name, column_name, data_type, column_default, is_nullable FROM information_schema.columns"
    found: list[object] = [*_raw(url, f"{columns} WHERE table_schema = 'public' ORDER BY 1, ordinal_position")]
    found += _raw(url, "SELECT indexdef FROM pg_indexes WHERE schemaname = 'public' ORDER BY 1")
    found += _raw(url, "SELECT tablename, policyname, qual FROM pg_policies ORDER BY 1, 2")
    return [*found, *_raw(url, "SELECT proname, prosrc FROM pg_proc WHERE proname LIKE 'learnt%' ORDER BY 1")]


def test_a_migrated_schema_equals_a_fresh_one(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    """From every earlier version the schema itself comes out the same, and every table with a tenant has its wall."""
    every = (*steps(), MORE)
    _with(monkeypatch, *every)
    with server.database() as fresh:
        _open(fresh).close()
        wanted = _schema(fresh)
        wall = "SELECT count(*) FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attname = 'tenant'"
        kinds = " WHERE c.relkind IN ('r', 'p') AND NOT (c.relrowsecurity AND c.relforcerowsecurity)"
        assert _raw(fresh, wall + kinds) == [(0,)]
    for held in range(1, len(every)):
        with server.database() as old:
            _with(monkeypatch, *every[:held])
            _open(old).close()
            _with(monkeypatch, *every)
            _open(old).close()
            assert _schema(old) == wanted


def _open_and_write(url: str, name: str) -> None:
    with closing(_open(url)) as store, store.transaction():
        store.meta.put(name, name)


def test_eight_processes_make_one_schema(database: str) -> None:
    """All open a fresh database at once; one applies the steps, and all go on."""
    assert together(_open_and_write, [(database, f"k{number}") for number in range(8)]) == [0] * 8
    done = _raw(database, "SELECT version, name, applied_at FROM schema_migrations ORDER BY version")
    assert done == [(step.version, step.name, NOON) for step in steps()]
    with closing(_open(database)) as store:
        assert all(store.meta.get(f"k{number}") for number in range(8))


def _die_in(url: str) -> None:
    def fatal() -> str:
        os.kill(os.getpid(), signal.SIGKILL)
        return ""

    PostgresStore.open(url, now=fatal)


def test_killed_in_a_step_the_step_is_absent(database: str) -> None:
    """A process that dies inside a migration leaves nothing; the next one makes it."""
    process = started(_die_in, database)
    process.join(60)
    assert process.exitcode == -signal.SIGKILL
    with closing(_open(database)) as store:
        assert store.meta.describe()["schema_version"] == len(steps())


def test_a_newer_schema_is_refused_untouched(team: str) -> None:
    """By who opens it, and by who has it open, with its next connection."""
    with closing(_open(as_role(team))) as store:
        _raw(team, f"INSERT INTO schema_migrations VALUES ({MORE.version}, 'next', 'now')")  # noqa: S608
        before = _schema(team)
        assert isinstance(_refused(team), StoreNewerError)
        assert isinstance(_refused(as_role(team, OWNER)), StoreNewerError)
        assert store.memories.count(SIGHT) == {}
        with store.transaction():
            assert store.memories.count(SIGHT) == {}
            with pytest.raises(StoreNewerError):
                store.connection.aside.take()
        assert _schema(team) == before
        assert _raw(team, "SELECT count(*) FROM memory_items") == [(0,)]


@given(st.text(alphabet=st.sampled_from("\0\x1a0ab"), max_size=12))
def test_every_character_comes_back(text: str) -> None:
    """What PostgreSQL cannot keep is written otherwise, and never confused with anything."""
    assert decoded(encoded(text)) == text
    assert "\0" not in encoded(text)


HARD = st.text(alphabet=st.sampled_from("\0\x1a0a"), max_size=6)


@given(HARD, HARD)
def test_two_texts_are_stored_as_two(one: str, two: str) -> None:
    """So that a search for one never finds the other."""
    assert (encoded(one) == encoded(two)) == (one == two)
