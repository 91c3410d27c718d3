"""The roles of the manual on the server of the tests: an owner of tables, and a plain one that everybody works with."""

from __future__ import annotations

from pathlib import Path
from urllib.parse import urlsplit, urlunsplit

import psycopg

from learnt.stores.postgres.store import PostgresStore
from learnt.testing.fakes import FixedClock

MANUAL = Path(__file__).parents[2] / "docs" / "how-to" / "share-a-store.md"
OWNER, PLAIN = "learnt_owner", "learnt"
PASSWORD = "-".join(("made", "for", "tests"))


def blocks() -> list[str]:
    """The manual's SQL: what an administrator does on the server, and what inside the database."""
    return [each.partition("```")[0] for each in MANUAL.read_text("utf-8").split("```sql\n")[1:]]


def prepare(url: str) -> None:
    """A database as the manual makes it: its roles, and empty tables that the owner made."""
    make_roles(url)
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute(blocks()[1].encode())
    PostgresStore.open(as_role(url, OWNER), now=FixedClock()).close()


def make_roles(url: str) -> None:
    """The manual's roles on the server, with the password of the tests."""
    with psycopg.connect(url, autocommit=True) as connection:
        for role in (OWNER, PLAIN):
            if not connection.execute("SELECT FROM pg_roles WHERE rolname = %s", (role,)).fetchall():
                line = next(line for line in blocks()[0].splitlines() if line.startswith(f"CREATE ROLE {role} "))
                connection.execute(line.encode())
            connection.execute(f"ALTER ROLE {role} PASSWORD '{PASSWORD}'".encode())


def as_role(url: str, role: str = PLAIN, **options: str) -> str:
    """The URL for another role, with options."""
    parts = urlsplit(url)
    query = "&".join(f"{name}={value}" for name, value in options.items())
    return urlunsplit(parts._replace(netloc=f"{role}:{PASSWORD}@{parts.netloc.rpartition('@')[2]}", query=query))
