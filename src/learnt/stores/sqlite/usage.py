"""Receipts in SQLite."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from learnt.stores.rows import legible, receipt_of, receipt_values
from learnt.stores.sqlite.statements import load

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from learnt.model.ranking import Bundle
    from learnt.model.scope import Sight
    from learnt.stores.sqlite.connection import Connection
    from learnt.stores.sqlite.memories import SqliteMemories
    from learnt.stores.sqlite.scopes import Scopes

_SQL = load("usage")


class SqliteUsage:
    """See `learnt.ports.store.Usage`."""

    def __init__(self, connection: Connection, scopes: Scopes, memories: SqliteMemories) -> None:
        self._connection = connection
        self._scopes = scopes
        self._memories = memories

    def put(self, bundle: Bundle) -> None:
        """Record one recall, with the memories and the scopes it had."""
        seq = self._connection.returning(_SQL["put"], receipt_values(bundle))[0]
        given = [(memory_id, seq, bundle.context, bundle.moment) for memory_id in bundle.memory_ids]
        if given:
            self._connection.write_many(_SQL["put_memory"], given)
        numbers = [self._scopes.numbered(key, str(json.loads(key)["type"])) for key in bundle.scope_keys]
        self._connection.write_many(_SQL["put_scope"], [(number, seq) for number in numbers])

    def page(self, sight: Sight, run_id: str, limit: int) -> tuple[Bundle, ...]:
        """Newest first; `run_id` empty for all."""
        return self._readable("page", {"scopes": self._scopes.within(sight), "run": run_id, "limit": limit})

    def recalls(self, memory_id: str) -> int:
        """In how many bundles a memory was."""
        return int(self._connection.rows(_SQL["recalls"], (memory_id,))[0][0])

    def shown(self, context: str) -> Mapping[str, str]:
        """What a context was already given: memory id -> latest moment."""
        return {str(memory_id): str(moment) for memory_id, moment in self._connection.rows(_SQL["shown"], (context,))}

    def find(self, sight: Sight, bundle_id: str) -> tuple[Bundle, ...]:
        """The receipts with this id, newest first."""
        return self._readable("find", {"scopes": self._scopes.within(sight), "bundle": bundle_id})

    def reward(self, sight: Sight, bundles: Sequence[Bundle], q_values: Mapping[str, float]) -> None:
        """Keep the receipts with their reward, and what their memories are worth now."""
        scopes = self._scopes.within(sight)
        self._connection.write_many(_SQL["reward"], [{"scopes": scopes, **receipt_values(each)} for each in bundles])
        self._connection.write_many(
            _SQL["learn"], [{"scopes": scopes, "id": name, "q_value": q} for name, q in q_values.items()]
        )
        self._memories.changed(q_values)

    def valued(self, sight: Sight, above: float, limit: int) -> tuple[str, ...]:
        """Active memories with a learned value above a bound, highest first."""
        values = {"scopes": self._scopes.within(sight), "above": above, "limit": limit}
        return tuple(str(name) for (name,) in self._connection.rows(_SQL["valued"], values))

    def unrecalled(self, sight: Sight, limit: int) -> tuple[str, ...]:
        """Active memories that are in no receipt, latest change first."""
        values = {"scopes": self._scopes.within(sight), "limit": limit}
        return tuple(str(name) for (name,) in self._connection.rows(_SQL["unrecalled"], values))

    def _readable(self, name: str, values: dict[str, object]) -> tuple[Bundle, ...]:
        rows = self._connection.rows(_SQL[name], values)
        return tuple(legible(rows, receipt_of, self._connection.unreadable, "usage:"))
