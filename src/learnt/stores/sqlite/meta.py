"""Facts about one SQLite file."""

from __future__ import annotations

import stat
from typing import TYPE_CHECKING

from learnt.stores.sqlite import migrate, mounts
from learnt.stores.sqlite.statements import load

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from learnt.stores.sqlite.connection import Connection

_SQL = load("meta")
_CONNECTION = load("connection")


class SqliteMeta:
    """See `learnt.ports.meta.Meta`."""

    def __init__(self, connection: Connection, path: Path) -> None:
        self._connection = connection
        self._path = path

    def get(self, key: str) -> str | None:
        """The value, or None."""
        row = self._connection.row(_SQL["get"], (key,))
        return str(row[0]) if row else None

    def put(self, key: str, value: str) -> None:
        """Insert or replace."""
        self._connection.write(_SQL["put"], (key, value))

    def describe(self) -> Mapping[str, object]:
        """Engine, path, schema version, journal, file system, sizes, rights, and rows that could not be read."""
        log = self._path.with_name(self._path.name + "-wal")
        found = self._path.stat()
        return {
            "engine": f"SQLite {self._one(_SQL['sqlite_version'])}",
            "path": str(self._path),
            "schema_version": migrate.version(self._connection),
            "journal_mode": self._one(_CONNECTION["journal_mode"]),
            "filesystem": mounts.filesystem(self._path),
            "size_bytes": found.st_size,
            "log_bytes": log.stat().st_size if log.exists() else 0,
            "mode": f"{stat.S_IMODE(found.st_mode):04o}",
            "read_only": self._connection.read_only,
            "unreadable": dict(self._connection.unreadable),
        }

    def gaps(self) -> Mapping[str, int]:
        """What is missing or damaged; reads every row."""
        found = {name: int(str(self._one(_SQL[name]))) for name in ("unreadable", "uncounted", "unindexed")}
        return {name: number for name, number in found.items() if number}

    def alias(self, value: str) -> str | None:
        """The repository id an identity value was adopted under, or None."""
        row = self._connection.row(_SQL["alias"], (value,))
        return str(row[0]) if row else None

    def adopt(self, value: str, repository_id: str) -> None:
        """From now on this identity value means that repository."""
        self._connection.write(_SQL["adopt"], (value, repository_id))

    def _one(self, sql: str) -> object:
        row = self._connection.row(sql)
        return row[0] if row else None
