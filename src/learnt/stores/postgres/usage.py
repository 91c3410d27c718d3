"""Receipts in PostgreSQL."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from learnt.model.ranking import Bundle
from learnt.stores import records
from learnt.stores.postgres.statements import load

if TYPE_CHECKING:
    from collections.abc import Mapping

    from learnt.model.scope import Sight
    from learnt.stores.postgres.connection import Connection
    from learnt.stores.postgres.scopes import Scopes

_SQL = load("usage")


class PostgresUsage:
    """See `learnt.ports.store.Usage`. Receipts are only added, so no scope is locked for them."""

    def __init__(self, connection: Connection, scopes: Scopes) -> None:
        self._connection = connection
        self._scopes = scopes

    def put(self, bundle: Bundle) -> None:
        """Record one recall, with the memories and the scopes it had."""
        numbers = [self._scopes.numbered(key, str(json.loads(key)["type"])) for key in bundle.scope_keys]
        values = {
            "id": bundle.id,
            "timestamp": bundle.timestamp,
            "run_id": bundle.run_id,
            "unit_id": bundle.unit_id,
            "context": bundle.context,
            "moment": bundle.moment,
            "usage_json": records.plain_json(bundle),
            "memories": list(bundle.memory_ids),
            "scopes": numbers,
        }
        self._connection.write(_SQL["put"], values)

    def page(self, sight: Sight, run_id: str, limit: int) -> tuple[Bundle, ...]:
        """Newest first; `run_id` empty for all."""
        numbers = self._scopes.within(sight)
        own = [scope.key for scope in sight if scope.type == "global_user"]
        values = {
            "scopes": numbers,
            "own": [number for key in own if (number := self._scopes.known(key))],
            "run": run_id,
            "limit": limit,
        }
        found = []
        for seq, text in self._connection.rows(_SQL["page"], values):
            try:
                found.append(records.plain_of(Bundle, text))
            except records.UndecodableError as error:
                self._connection.unreadable[f"usage:{seq}"] = str(error)
        return tuple(found)

    def recalls(self, memory_id: str) -> int:
        """In how many bundles a memory was."""
        return int(self._connection.rows(_SQL["recalls"], (memory_id,))[0][0])

    def shown(self, context: str) -> Mapping[str, str]:
        """What a context was already given: memory id -> latest moment."""
        return {str(memory_id): str(moment) for memory_id, moment in self._connection.rows(_SQL["shown"], (context,))}
