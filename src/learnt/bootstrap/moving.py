"""Where a store can be moved to, and how a store's schema comes to the present."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from learnt.bootstrap.assembly import opened
from learnt.bootstrap.home import Home
from learnt.errors import ConfigError
from learnt.flows.moved import Upgraded, Way

if TYPE_CHECKING:
    from learnt.stores.sqlite.migrate import Step


def way(home: Home, url: str) -> Way:
    """From this user's store to the one that a URL names.

    Raises:
        ConfigError: The URL names no store.
    """
    there = Home({**home.environment, "LEARNT_DATABASE_URL": url, "LEARNT_CHILD": ""})
    try:
        return Way(_name(home), _name(there), lambda: opened(there))
    except ConfigError as error:
        message = error.message.replace("LEARNT_DATABASE_URL", "--to")
        raise ConfigError(message, hint="--to is sqlite:///PATH or postgresql://USER@HOST/DATABASE.") from None


def _name(home: Home) -> str:
    """One name for one store: a file by its real path."""
    return home.shown if home.url else f"sqlite://{os.path.realpath(home.database)}"


def upgrade(home: Home) -> Upgraded:
    """Bring the schema of this user's store to the present, as every command does when it opens it.

    Raises:
        StoreError: The store does not open; it is as it was.
    """
    before, steps = _schema(home)
    opened(home).close()
    return Upgraded(
        store=_name(home), before=before, now=len(steps), applied=tuple(step.name for step in steps[before:])
    )


def _schema(home: Home) -> tuple[int, tuple[Step, ...]]:
    """The version of the schema that is there, and every step there is."""
    if home.url:
        from learnt.bootstrap.server import schema

        return schema(home.url)
    from learnt.stores.sqlite import migrate, opening

    steps = migrate.steps()
    return opening.found(Path(home.database), len(steps)), steps
