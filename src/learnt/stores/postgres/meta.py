"""Facts about one PostgreSQL database."""

from __future__ import annotations

from typing import TYPE_CHECKING

from learnt.stores.postgres.statements import load

if TYPE_CHECKING:
    from collections.abc import Mapping

    from learnt.stores.postgres.connection import Connection

_SQL = load("meta")


class PostgresMeta:
    """See `learnt.ports.meta.Meta`."""

    def __init__(self, connection: Connection, shown: str) -> None:
        self._connection = connection
        self._shown = shown

    def get(self, key: str) -> str | None:
        """The value, or None."""
        row = self._connection.row(_SQL["get"], (key,))
        return str(row[0]) if row else None

    def put(self, key: str, value: str) -> None:
        """Insert or replace."""
        self._connection.write(_SQL["put"], (key, value))

    def describe(self) -> Mapping[str, object]:
        """Engine, URL without its password, schema version, pgvector, tenant, role and what it may, size, rights."""
        version, schema_version, pgvector, role, bypasses, size_bytes, schema, durable, writes = self._connection.rows(
            _SQL["describe"]
        )[0]
        return {
            "engine": f"PostgreSQL {version}",
            "path": self._shown,
            "schema_version": schema_version,
            "journal_mode": "wal",
            "synchronous_commit": durable,
            "size_bytes": size_bytes,
            "pgvector": pgvector,
            "tenant": self._connection.tenant,
            "schema": schema,
            "role": role,
            "bypasses_row_security": bool(bypasses),
            "read_only": self._connection.read_only or not writes,
            "unreadable": dict(self._connection.unreadable),
        }

    def gaps(self) -> Mapping[str, int]:
        """What is missing or damaged; reads every row of the tenant."""
        found = {
            name: int(self._connection.rows(_SQL[name])[0][0]) for name in ("unreadable", "uncounted", "unindexed")
        }
        return {name: number for name, number in found.items() if number}

    def alias(self, value: str) -> str | None:
        """The repository id an identity value was adopted under, or None."""
        row = self._connection.row(_SQL["alias"], {"value": value})
        return str(row[0]) if row else None

    def adopt(self, value: str, repository_id: str) -> None:
        """From now on this identity value means that repository."""
        self._connection.write(_SQL["adopt"], (value, repository_id))
