"""The numbered files of `schema/`, applied in order, each whole or not at all."""

from __future__ import annotations

import sqlite3
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from learnt.errors import LearntError, StoreError, StoreReadOnlyError
from learnt.stores.sqlite.statements import load

if TYPE_CHECKING:
    from collections.abc import Callable

    from learnt.stores.sqlite.connection import Connection

FOLDER = Path(__file__).parent / "schema"
_SQL = load("connection")


@dataclass(frozen=True, slots=True)
class Step:
    """One numbered file: `0001_spine.sql` is version 1, name `spine`."""

    version: int
    name: str
    text: str


@cache
def steps(folder: Path = FOLDER) -> tuple[Step, ...]:
    """All steps, by version; read once.

    Raises:
        ValueError: Their numbers do not run from 1 without a gap.
    """
    found = []
    for file in sorted(folder.glob("*.sql")):
        number, _, word = file.stem.partition("_")
        found.append(Step(int(number), word, file.read_text(encoding="utf-8")))
    if [step.version for step in found] != list(range(1, len(found) + 1)):
        raise ValueError("schema files are not numbered from 1 without a gap")
    return tuple(found)


def split(script: str) -> list[str]:
    """The statements of a script; a semicolon inside a literal, a comment or a trigger ends nothing."""
    found, piece = [], ""
    for part in script.split(";")[:-1]:
        piece += part + ";"
        if sqlite3.complete_statement(piece):
            found.append(piece.strip())
            piece = ""
    return found


def migrate(connection: Connection, path: Path, now: Callable[[], str], wanted: tuple[Step, ...]) -> None:
    """Bring the file to the last of `wanted`. A store that already holds something is copied first.

    Of many processes that open one file at once each step is applied by one; the others wait and find it done.

    Raises:
        StoreReadOnlyError: The schema is older and the store cannot be written.
        StoreError: `store_migration`: a step failed; the file is as it was before the step.
    """
    found = version(connection)
    for step in wanted[found:]:
        if connection.read_only:
            raise StoreReadOnlyError(
                "The store has an older schema and cannot be migrated here.",
                hint="Open it once with write access.",
            )
        with connection.transaction():
            if version(connection) < step.version:
                if found:
                    backup(path, version(connection))
                _apply(connection, step, now())


def version(connection: Connection) -> int:
    """The schema version of the file."""
    row = connection.row(_SQL["user_version"])
    return int(str(row[0])) if row else 0


def _apply(connection: Connection, step: Step, at: str) -> None:
    try:
        for statement in split(step.text):
            connection.write(statement)
        connection.write(_SQL["record_step"], (step.version, step.name, at))
    except LearntError as error:
        raise StoreError(
            f"Schema step {step.version} ({step.name}) failed; the store is as it was.",
            code="store_migration",
            hint="`learnt doctor` shows the schema version; the store still opens with the learnt that wrote it.",
            details={"version": step.version, "cause": error.message},
        ) from error
    if version(connection) != step.version:
        raise StoreError(f"Schema step {step.version} does not set its version.", code="store_migration")


def backup(path: Path, held: int) -> Path:
    """A whole copy of the store at version `held`, made once for each.

    The caller holds the write lock, so nothing changes while the copy is read through a connection of its own.
    """
    target = path.with_name(f"{path.name}.v{held}.backup")
    if target.exists():
        return target
    part = target.with_name(target.name + ".part")
    part.touch(mode=0o600)
    source, copy = sqlite3.connect(path), sqlite3.connect(part)
    try:
        source.backup(copy)
    finally:
        copy.close()
        source.close()
    part.replace(target)
    return target
