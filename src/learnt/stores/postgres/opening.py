"""From a URL to a store that may be trusted: what the server is, whose tables these are, and what is allowed here.

Nothing is written before the server has shown that it is new enough, keeps Unicode, and that the tables are ours.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

import psycopg

from learnt.errors import StoreError, StoreForeignError, StoreNewerError
from learnt.stores.postgres import faults, migrate
from learnt.stores.postgres.connection import Connection
from learnt.stores.postgres.pool import MOST, Pool, Raw, opened
from learnt.stores.postgres.statements import load

if TYPE_CHECKING:
    from collections.abc import Callable

    from learnt.stores.postgres.address import Address

_SQL = load("connection")

OLDEST = 160_000
"""The oldest server: 16, the first that can say whether a text is JSON. Source: PostgreSQL 16, `IS JSON`."""

_IDLE_S = 60
"""How long a transaction may stand still: a process that was stopped must not hold a repository's lock for ever."""


@dataclass(frozen=True, slots=True)
class Server:
    """What a server says of itself when it is opened."""

    number: int
    version: str
    encoding: str
    read_only: bool
    held: bool
    mark: str | None
    schema: str
    may_create: bool


def connect(where: Address, now: Callable[[], str], *, read_only: bool, wait_s: float) -> Connection:
    """An open, checked connection to a database whose schema is ours and current.

    Raises:
        StoreError: The store cannot be opened; its subclasses, codes and hints say why.
    """
    parameters = _settled(where, read_only=read_only, wait_s=wait_s)
    raw = opened(parameters, where.password)
    try:
        found = _looked_at(raw, where)
        read_only = read_only or found.read_only
        wanted = migrate.steps()
        held = _checked(raw, found, len(wanted))
        may = not read_only and found.may_create
        migrate.migrate(raw, now, wanted, held=held, may=may)
    except psycopg.Error as error:
        raw.close()
        raise faults.translated(error, where.password) from error
    except BaseException:
        raw.close()
        raise
    pool = Pool(partial(_another, parameters, where.password), wait_s=wait_s, most=MOST)
    pool.keep(raw)
    return Connection(pool, tenant=where.tenant, secret=where.password, read_only=read_only)


def found(where: Address, latest: int) -> int:
    """The version of the schema that is there; 0 where there is none. Nothing is written.

    Raises:
        StoreError: As `connect`.
    """
    raw = opened(where.parameters, where.password)
    try:
        return _checked(raw, _looked_at(raw, where), latest)
    except psycopg.Error as error:
        raise faults.translated(error, where.password) from error
    finally:
        raw.close()


def _looked_at(raw: Raw, where: Address) -> Server:
    row = raw.execute(_SQL["look"].encode()).fetchone()
    if row is None:
        raise AssertionError("a server that says nothing of itself")
    found = Server(*row)
    shown = {"url": where.shown, "server": found.version}
    if found.number < OLDEST:
        raise StoreError(
            f"PostgreSQL {found.version} is too old: learnt needs {OLDEST // 10_000}.",
            code="store_version",
            hint="Use a newer server.",
            details=shown,
        )
    if found.encoding != "UTF8":
        raise StoreError(
            f"The database keeps {found.encoding} instead of UTF8.",
            code="store_encoding",
            hint="Make another: CREATE DATABASE name ENCODING 'UTF8' TEMPLATE template0.",
            details=shown,
        )
    if not found.schema:
        raise StoreError(
            "No schema of the search path exists, or this role may not use it.",
            code="store_missing",
            hint="Create one, grant USAGE on it, or correct the search path.",
            details=shown,
        )
    return found


def _checked(raw: Raw, found: Server, latest: int) -> int:
    """The version of the schema that is there; 0 for none."""
    if not found.held:
        return 0
    if found.mark != "learnt":
        raise StoreForeignError(
            "The tables of another program are in the store's place; they were left untouched.",
            hint="Point LEARNT_DATABASE_URL at another database, or its search path at another schema.",
            details={"schema": found.schema},
        )
    return _known(raw, latest)


def _known(raw: Raw, latest: int) -> int:
    """The version of the schema, which must be one of ours."""
    version = migrate.version(raw)
    if version > latest:
        raise StoreNewerError(details={"version": version, "known": latest})
    return version


def _settled(where: Address, *, read_only: bool, wait_s: float) -> dict[str, Any]:
    """The driver's parameters with the settings of every connection, given as it begins.

    A pooler that gives one connection to several clients in turn would show one tenant to another; it refuses such
    settings, or drops them, and without its tenant a connection sees nothing.
    """
    settings = {
        "learnt.tenant": where.tenant,
        "lock_timeout": f"{round(wait_s * 1000)}ms",
        "idle_in_transaction_session_timeout": f"{_IDLE_S}s",
        **({"default_transaction_read_only": "on"} if read_only else {}),
    }
    given = str(where.parameters.get("options") or "")
    ours = " ".join(f"-c {name}={value}" for name, value in settings.items())
    return {**where.parameters, "options": f"{given} {ours}".strip()}


def _another(parameters: dict[str, Any], secret: str) -> Raw:
    """One more connection of a store that is open. Meanwhile a newer learnt may have come."""
    raw = opened(parameters, secret)
    try:
        _known(raw, len(migrate.steps()))
    except psycopg.Error as error:
        raw.close()
        raise faults.translated(error, secret) from error
    except BaseException:
        raw.close()
        raise
    return raw
