"""A store that cannot be had, by the command line: what is said, with which exit code, and never the password."""

from __future__ import annotations

import logging
import os
import socket
import traceback
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any
from urllib.parse import quote, urlsplit, urlunsplit

import psycopg
import pytest

from learnt.bootstrap.server import served
from learnt.errors import LearntError
from learnt.stores.postgres.address import address
from tests.cli.shell import Answer, Shell
from tests.faults.line import Line
from tests.faults.world import opened, raised
from tests.stores.roles import OWNER, PASSWORD, PLAIN, as_role, make_roles, prepare

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tests.server import Server

SECRET = "p@ss:" + "w/or d%"
"""Every character of it that means something in a URL is escaped there."""

UNKNOWN = "store_outcome_unknown"
COMMANDS = (
    ("status",),
    ("doctor",),
    ("remember", "This repo uses bun.", "--kind", "project_fact"),
    ("recall", "how do tests run"),
    ("worker", "--once"),
    ("jobs",),
    ("migrate",),
)


@pytest.fixture
def learnt(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Shell:
    """The command line of a person who never used it before."""
    return Shell(tmp_path, monkeypatch, capsys)


@pytest.fixture
def admin(server: Server) -> Iterator[str]:
    """A store as the manual makes it, the URL a superuser's."""
    with server.database(prepare) as url:
        yield url


def _run(url: str, *statements: str) -> None:
    with psycopg.connect(url, autocommit=True) as connection:
        for each in statements:
            connection.execute(each.encode())


def _with(url: str, password: str = SECRET, **parts: str) -> str:
    """The URL with another password and other parts."""
    old = urlsplit(url)
    at = parts.pop("at", old.netloc.rpartition("@")[2])
    user = parts.pop("user", PLAIN)
    return urlunsplit(old._replace(netloc=f"{user}:{quote(password, safe='')}@{at}", **parts))


def _clean(told: str, secret: str = SECRET) -> None:
    """Neither the secret nor its escaped form is in it, and no trace of a bug."""
    assert secret not in told
    assert quote(secret, safe="") not in told
    assert quote(secret) not in told
    assert "Traceback" not in told


def _refused(learnt: Shell, url: str, code: str, *, retryable: bool, exit_code: int = 5) -> dict[str, Any]:
    """The error that every command ends with, the same in both forms."""
    learnt.monkeypatch.setenv("LEARNT_DATABASE_URL", url)
    last: dict[str, Any] = {}
    checked = Answer(0, "", "")
    for command in COMMANDS:
        answer = learnt(*command, "--json")
        _clean(answer.out + answer.err)
        if command == ("doctor",):
            checked = answer
            continue
        assert answer.code == exit_code, (command, answer)
        last = answer.error
        assert set(last) == {"code", "message", "hint", "retryable", "details"}
        assert (last["code"], last["retryable"]) == (code, retryable), (command, last)
        assert last["hint"]
    assert (checked.code, last["message"] in checked.out) == (1, True), checked
    answer = learnt(*COMMANDS[0])
    _clean(answer.out + answer.err)
    assert (answer.code, answer.out) == (exit_code, "")
    assert last["message"] in answer.err
    return last


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def test_a_wrong_password(learnt: Shell, admin: str) -> None:
    """Of the plain role."""
    _refused(learnt, _with(as_role(admin)), "store_password", retryable=False)


def test_an_unknown_role(learnt: Shell, admin: str) -> None:
    """A server says the same of it as of a wrong password."""
    _refused(learnt, _with(admin, user="nobody_here"), "store_password", retryable=False)


def test_an_unknown_database(learnt: Shell, admin: str) -> None:
    """The role is known; what it says is not the password."""
    _run(admin, f"ALTER ROLE {PLAIN} PASSWORD '{SECRET}'")
    try:
        _refused(learnt, _with(admin, path="/no_such_place"), "store_missing", retryable=False)
        learnt.monkeypatch.setenv("LEARNT_DATABASE_URL", _with(admin))
        assert learnt.json("status")["store"]["role"] == PLAIN
    finally:
        _run(admin, f"ALTER ROLE {PLAIN} PASSWORD '{PASSWORD}'")


@pytest.mark.parametrize("at", ["127.0.0.1:{port}", "[::1]:{port}", "no-such-host.invalid"])
def test_nobody_there(learnt: Shell, at: str) -> None:
    """A port where nobody listens, of both kinds of address, and a name that nobody has."""
    url = _with("postgresql://h/memory", at=at.format(port=_free_port()))
    _refused(learnt, url, "store_unavailable", retryable=True)


def test_a_server_that_says_nothing(learnt: Shell) -> None:
    """It takes the connection and never answers: the wait for it ends."""
    with socket.create_server(("127.0.0.1", 0)) as mute:
        at = f"127.0.0.1:{mute.getsockname()[1]}"
        learnt.monkeypatch.setenv("LEARNT_DATABASE_URL", _with("postgresql://h/m", at=at, query="connect_timeout=2"))
        answer = learnt("status", "--json")
        assert (answer.code, answer.error["code"], answer.error["retryable"]) == (5, "store_unavailable", True)
        _clean(answer.out + answer.err)


def test_the_driver_says_nothing_beside() -> None:
    """What it has to say of a broken line is our error; its log is not for a person's terminal."""
    assert logging.getLogger("psycopg").handlers


def test_no_socket_there(learnt: Shell, tmp_path: Path) -> None:
    """A folder without a server's socket."""
    url = f"postgresql:///memory?host={tmp_path}&user={PLAIN}&password={quote(SECRET, safe='')}"
    _refused(learnt, url, "store_unavailable", retryable=True)


def test_a_server_without_encryption(learnt: Shell, admin: str) -> None:
    """The URL asks for it, so nothing is said in clear text."""
    _refused(learnt, f"{_with(as_role(admin))}?sslmode=require", "store_unavailable", retryable=True)


def test_a_line_that_breaks_while_greeting(learnt: Shell, admin: str) -> None:
    """The connection ends before it stands."""
    with Line(admin) as line:
        line.cut("back", 1)
        learnt.monkeypatch.setenv("LEARNT_DATABASE_URL", line.through(as_role(admin)))
        answer = learnt("status", "--json")
        assert line.mend()
        assert (answer.code, answer.error["code"], answer.error["retryable"]) == (5, "store_unavailable", True)


@pytest.mark.slow
def test_a_line_that_breaks_under_a_command(learnt: Shell, admin: str) -> None:
    """Wherever it breaks: one JSON document, exit 5, and whether it may be repeated; what was answered is there."""
    told: dict[str, str] = {}
    with Line(admin) as line:
        learnt.monkeypatch.setenv("LEARNT_DATABASE_URL", line.through(as_role(admin)))
        broke = True
        for number in range(1, 200, 2):
            text = f"The harbour{number} opens at dawn."
            line.cut("there", number)
            answer = learnt("remember", text, "--kind", "project_fact", "--json")
            broke = line.mend()
            told[text] = "" if answer.code == 0 else answer.error["code"]
            if answer.code:
                assert (answer.code, answer.error["retryable"]) == (5, told[text] != UNKNOWN), answer
                assert answer.error["hint"]
            if not broke:
                break
        assert not broke
    assert set(told.values()) == {"", "store_unavailable", UNKNOWN}
    learnt.monkeypatch.setenv("LEARNT_DATABASE_URL", as_role(admin))
    there = [each["text"] for each in learnt.json("list", "--limit", "1000")["memories"]]
    assert len(there) == len(set(there))
    assert {text for text, code in told.items() if not code} <= set(there)
    assert not [text for text in there if told[text] not in {"", UNKNOWN}]
    assert learnt.json("audit", "verify")["verified"] is True


@pytest.mark.parametrize(
    "url",
    [
        "postgresql+psycopg://{user}:{secret}@h/d",
        "postgres:{user}:{secret}@h/d",
        "mysql://{user}:{secret}@h/d",
        "postgresql://{user}:{secret}@h/d?nonsense=1",
        "postgresql://{user}:{secret}@h:port/d",
        "postgresql://{user}:{secret}@[::1/d",
        "postgresql://{user}:{secret}@h/d?tenant=a%27b",
        "postgresql://{user}:{secret}@h/d?tenant=",
        "postgresql://{user}:{secret}@h/d?tenant=%F0%9F%A6%8A",
        "postgresql://{user}:{secret}@h/d?tenant=%00",
        "postgresql://h/d?password={secret}&sslmode=perhaps",
        "host=h password={secret}",
    ],
)
def test_what_is_no_url(learnt: Shell, url: str) -> None:
    """A form that is not ours, an option that does not exist, a tenant that is no name: exit 4, or what libpq says."""
    learnt.monkeypatch.setenv("LEARNT_DATABASE_URL", url.format(user="u", secret=quote(SECRET, safe="")))
    for options in (("--json",), ()):
        answer = learnt("status", *options)
        _clean(answer.out + answer.err)
        assert answer.code in {4, 5}, answer
    assert learnt("status", "--json").error["hint"]


def test_a_service_and_a_password_file(learnt: Shell, admin: str, tmp_path: Path) -> None:
    """Where host, role and password come from elsewhere, none of them is in the URL, and no password in the output."""
    parts = urlsplit(as_role(admin))
    service, passwords = tmp_path / "service.conf", tmp_path / "pgpass"
    name = parts.path.lstrip("/")
    service.write_text(f"[team]\nhost={parts.hostname}\nport={parts.port}\ndbname={name}\nuser={parts.username}\n")
    passwords.write_text(f"*:*:*:{parts.username}:{PASSWORD}\n")
    passwords.chmod(0o600)
    learnt.monkeypatch.setenv("PGSERVICEFILE", str(service))
    learnt.monkeypatch.setenv("PGPASSFILE", str(passwords))
    for url in ("postgresql://?service=team", "postgres:///?service=team&tenant=blue"):
        learnt.monkeypatch.setenv("LEARNT_DATABASE_URL", url)
        told = [learnt(*command, "--json") for command in (*COMMANDS[:4], ("list",))]
        assert [each.code for each in told] == [0] * 5, told
        assert PASSWORD not in "".join(each.out + each.err for each in told)
        assert told[-1].document["total"] == 1
    passwords.write_text(f"*:*:*:{parts.username}:{SECRET.replace(':', '')}\n")
    answer = learnt("status", "--json")
    assert answer.error["code"] == "store_password"
    _clean(answer.out, SECRET.replace(":", ""))


@pytest.mark.parametrize("scheme", ["postgresql", "postgres"])
def test_several_hosts(learnt: Shell, admin: str, scheme: str) -> None:
    """The first that answers is used."""
    parts = urlsplit(as_role(admin))
    hosts = f"{PLAIN}:{PASSWORD}@127.0.0.1:{_free_port()},127.0.0.1:{parts.port}"
    learnt.monkeypatch.setenv("LEARNT_DATABASE_URL", urlunsplit(parts._replace(scheme=scheme, netloc=hosts)))
    answer = learnt("status", "--json")
    assert answer.code == 0, answer
    assert PASSWORD not in answer.out


def test_an_encoding_of_the_environment_changes_nothing(learnt: Shell, admin: str) -> None:
    """Text is Unicode on the way to the server and back, whatever other programs are told to use."""
    learnt.monkeypatch.setenv("LEARNT_DATABASE_URL", as_role(admin))
    for each in ("LATIN1", "SQL_ASCII"):
        learnt.monkeypatch.setenv("PGCLIENTENCODING", each)
        text = f"The port is called ポート in {each}."
        assert learnt.json("show", learnt.remember(text))["text"] == text


@contextmanager
def _database(server: Server, options: str) -> Iterator[str]:
    name = f"learnt_odd_{os.getpid()}"
    _run(server.url, f"CREATE DATABASE {name} {options} TEMPLATE template0")
    try:
        yield server.at(name)
    finally:
        _run(server.url, f"DROP DATABASE {name} WITH (FORCE)")


@pytest.mark.parametrize("encoding", ["LATIN1", "SQL_ASCII"])
def test_another_encoding(learnt: Shell, server: Server, encoding: str) -> None:
    """Every command refuses before it writes."""
    make_roles(server.url)
    with _database(server, f"ENCODING '{encoding}' LOCALE 'C' OWNER {OWNER}") as url:
        error = _refused(learnt, as_role(url, OWNER), "store_encoding", retryable=False)
        assert f"keeps {encoding} instead" in error["message"]
        with psycopg.connect(url) as connection:
            assert connection.execute("SELECT to_regclass('_meta')").fetchone() == (None,)


def test_a_server_too_old(learnt: Shell, admin: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Simulated: this server is made to count as older than the oldest that will do."""
    monkeypatch.setattr("learnt.stores.postgres.opening.OLDEST", 990_000)
    _refused(learnt, as_role(admin), "store_version", retryable=False)


def test_a_newer_schema(learnt: Shell, admin: str) -> None:
    """Somebody upgraded: refused by every command, untouched."""
    _run(admin, "INSERT INTO schema_migrations VALUES (999, 'next', 'now')")
    error = _refused(learnt, as_role(admin), "store_newer", retryable=False)
    assert error["details"] == {"version": 999, "known": error["details"]["known"]}


def test_an_empty_database_and_no_right_to_fill_it(learnt: Shell, server: Server) -> None:
    """The plain role makes no tables."""
    with server.database() as url:
        make_roles(url)
        error = _refused(learnt, as_role(url), "store_read_only", retryable=False)
        assert "learnt migrate" in error["hint"]


def test_a_tenant_nobody_used(learnt: Shell, admin: str) -> None:
    """It is an empty store, and stays apart from the others."""
    learnt.monkeypatch.setenv("LEARNT_DATABASE_URL", as_role(admin))
    learnt.remember()
    learnt.monkeypatch.setenv("LEARNT_DATABASE_URL", as_role(admin, tenant="Never.used-1"))
    assert learnt.json("list", "--status", "all")["total"] == 0
    assert learnt.json("recall", "how do tests run with TZ")["items"] == []


def test_no_error_holds_the_password(admin: str) -> None:
    """In message, advice, details, or any cause or context of what is raised, with every cause shown."""
    free = _free_port()
    urls = [
        _with(as_role(admin)),
        _with(admin, path="/no_such_place"),
        _with(admin, at=f"127.0.0.1:{free}"),
        f"{_with(as_role(admin))}?sslmode=require",
        f"{_with(as_role(admin))}?sslrootcert=/no/where&sslmode=verify-full",
        f"{_with(as_role(admin))}?options=-cno_such_setting%3D1",
        f"{_with(as_role(admin), password=PASSWORD)}?options=-cno_such_setting%3D1",
    ]
    for url in urls:
        for how in (opened, served):
            error = raised(lambda each=url, how=how: how(each))  # type: ignore[misc]
            assert isinstance(error, LearntError)
            told = "".join(traceback.format_exception(error)) + repr(vars(error))
            for word in (SECRET, quote(SECRET, safe=""), PASSWORD):
                assert word not in told, url
        assert PASSWORD not in repr(address(url))
