"""Opens a store on a server; the driver is loaded only here, when a URL asks for it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from learnt.bootstrap.machine import SystemClock
from learnt.bootstrap.remote import driver_url
from learnt.errors import ConfigError

if TYPE_CHECKING:
    from learnt.ports.store import Store


def served(url: str, *, read_only: bool = False) -> Store:
    """The store at a `postgresql://` URL.

    Raises:
        ConfigError: The driver is not installed, or the URL cannot be used.
        StoreError: The server does not answer, or is not fit; its code and hint say why.
    """
    try:
        from learnt.stores.postgres.store import PostgresStore
    except ImportError as error:
        if (error.name or "").partition(".")[0] != "psycopg":
            raise
        raise ConfigError(
            "The driver of PostgreSQL is not installed.",
            code="driver_missing",
            hint="pip install 'learnt[postgres]'",
        ) from error
    return PostgresStore.open(driver_url(url), now=SystemClock().now, read_only=read_only)
