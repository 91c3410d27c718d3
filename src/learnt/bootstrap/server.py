"""Opens a store on a server; the driver is loaded only here, when a URL asks for it."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

from learnt.bootstrap.machine import SystemClock
from learnt.bootstrap.remote import driver_url
from learnt.errors import ConfigError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from learnt.ports.seals import Seals
    from learnt.ports.store import Store
    from learnt.stores.sqlite.migrate import Step


def served(url: str, *, read_only: bool = False, seals: Seals | None = None) -> Store:
    """The store at a `postgresql://` URL.

    Args:
        seals: Keys of the audit trail.

    Raises:
        ConfigError: The driver is not installed, or the URL cannot be used.
        StoreError: The server does not answer, or is not fit; its code and hint say why.
    """
    with _driven():
        from learnt.stores.postgres.store import PostgresStore
    return PostgresStore.open(driver_url(url), now=SystemClock().now, read_only=read_only, seals=seals)


def schema(url: str) -> tuple[int, tuple[Step, ...]]:
    """The version of the schema at a `postgresql://` URL, 0 for none, and every step there is.

    Raises:
        ConfigError, StoreError: As `served`.
    """
    with _driven():
        from learnt.stores.postgres import migrate, opening
        from learnt.stores.postgres.address import address
    steps = migrate.steps()
    return opening.found(address(driver_url(url)), len(steps)), steps


@contextmanager
def _driven() -> Iterator[None]:
    """Around an import that needs the driver."""
    try:
        yield
    except ImportError as error:
        if (error.name or "").partition(".")[0] != "psycopg":
            raise
        raise ConfigError(
            "The driver of PostgreSQL is not installed.",
            code="driver_missing",
            hint="pip install 'learnt[postgres]'",
        ) from error
