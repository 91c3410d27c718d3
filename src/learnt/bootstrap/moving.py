"""Where a store can be moved to, and how a store's schema comes to the present."""

from __future__ import annotations

import os
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from learnt.bootstrap.assembly import opened
from learnt.bootstrap.home import Home
from learnt.bootstrap.remote import driver_url, named, person, shown
from learnt.errors import ConfigError
from learnt.flows.moved import Upgraded, Way

if TYPE_CHECKING:
    from collections.abc import Iterator

    from learnt.ports.store import Store
    from learnt.stores.sqlite.migrate import Step


_FORMS = "--to is sqlite:///PATH, postgresql://USER@HOST/DATABASE or jsonl:///DIR."


def way(home: Home, url: str) -> Way:
    """From this user's store to the one that a URL names.

    Raises:
        ConfigError: The URL names no store.
    """
    if not url.strip():
        raise ConfigError("--to names no store.", hint=_FORMS)
    there = Home({**home.environment, "LEARNT_DATABASE_URL": url, "LEARNT_CHILD": ""})
    source = _name(home)
    with _about_to():
        who = person(there.url) if there.url else ""
        return Way(source, _name(there), lambda: _target(there), named(who) if who else "")


def _target(there: Home) -> Store:
    with _about_to():
        return opened(there)


@contextmanager
def _about_to() -> Iterator[None]:
    """What is wrong with a URL is said of the option it was given by."""
    try:
        yield
    except ConfigError as error:
        if "LEARNT_DATABASE_URL" not in error.message + error.advice:
            raise
        message = error.message.replace("LEARNT_DATABASE_URL", "--to")
        raise ConfigError(message, code=error.error_code, hint=_FORMS) from None


def _name(home: Home) -> str:
    """One name for one store, whoever asks: a file by its real path."""
    if home.lines:
        return f"jsonl://{os.path.realpath(home.lines)}"
    return shown(driver_url(home.url)) if home.url else f"sqlite://{os.path.realpath(home.database)}"


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
    if home.lines:
        return 0, ()
    from learnt.stores.sqlite import migrate, opening

    steps = migrate.steps()
    return opening.found(Path(home.database), len(steps)), steps
