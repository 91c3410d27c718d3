"""The numbered files of `schema/`, applied in order, each whole or not at all, by one process at a time."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

import psycopg

from learnt.errors import LearntError, StoreError, StoreNewerError, StoreReadOnlyError
from learnt.stores.postgres import faults
from learnt.stores.postgres.statements import load

if TYPE_CHECKING:
    from collections.abc import Callable

    from learnt.stores.postgres.pool import Raw
    from learnt.stores.sqlite.migrate import Step

FOLDER = Path(__file__).parent / "schema"
_SQL = load("migrate")
_VERSION = load("connection")["user_version"]

QUEUE = 0x6C726E74
"""Number of the advisory lock of a migration: `lrnt`."""

_HINT = "Run `learnt migrate` with a role that owns the tables; the store still opens with the learnt that wrote it."


@cache
def steps(folder: Path = FOLDER) -> tuple[Step, ...]:
    """All steps, by version; read once.

    Raises:
        ValueError: Their numbers do not run from 1 without a gap.
    """
    from learnt.stores.sqlite import migrate

    return migrate.steps(folder)


def migrate(raw: Raw, now: Callable[[], str], wanted: tuple[Step, ...], *, held: int, may: bool) -> None:
    """Bring the schema from version `held` to the last of `wanted`, everything missing in one transaction.

    Of many processes that open one database at once one applies the steps; the others wait and find them done.

    Args:
        may: Whether this role may create tables here, on a server that takes writes.

    Raises:
        StoreReadOnlyError: The schema is older or missing, and this role may not change it.
        StoreNewerError: Another process applied steps that we do not know.
        StoreError: `store_migration`: a step failed; the database is as it was.
    """
    if held >= len(wanted):
        return
    if not may:
        raise StoreReadOnlyError(
            "The store has an older schema, or none, and this role may not make one.",
            hint="Run `learnt migrate` with a role that owns the tables.",
            details={"version": held, "known": len(wanted)},
        )
    with raw.transaction():
        raw.execute(_SQL["patience"].encode())
        raw.execute(_SQL["queue"].encode(), (QUEUE,))
        raw.execute(_SQL["table"].encode())
        raw.execute(_SQL["mark"].encode())
        found = version(raw)
        if found > len(wanted):
            raise StoreNewerError(details={"version": found, "known": len(wanted)})
        for step in wanted[found:]:
            _apply(raw, step, now())


def version(raw: Raw) -> int:
    """The schema version: the last step applied."""
    row = raw.execute(_VERSION.encode()).fetchone()
    return int(row[0]) if row else 0


def _apply(raw: Raw, step: Step, at: str) -> None:
    try:
        raw.execute(step.text.encode(), prepare=False)
        raw.execute(_SQL["wall"].encode())
        raw.execute(_SQL["record_step"].encode(), (step.version, step.name, at))
    except psycopg.Error as error:
        raise _failed(step, faults.translated(error)) from error


def _failed(step: Step, why: LearntError) -> StoreError:
    details = {"version": step.version, **why.details}
    said = str(why.details.get("message", ""))
    if why.error_code == "store_extension" or "extension" in said:
        return StoreError(
            f"The server lacks an extension that learnt needs: {said}.",
            code="store_extension",
            hint="Install pgvector 0.8 or newer on the server, then CREATE EXTENSION vector as a role that may.",
            details=details,
        )
    message = f"Schema step {step.version} ({step.name}) failed; the database is as it was."
    return StoreError(message, code="store_migration", hint=_HINT, details=details)
