"""Receipts in PostgreSQL."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from learnt.stores.postgres.statements import load
from learnt.stores.rows import legible, receipt_of, receipt_values

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from learnt.model.ranking import Bundle
    from learnt.model.scope import Sight
    from learnt.stores.postgres.connection import Connection
    from learnt.stores.postgres.scopes import Scopes

_SQL = load("usage")


class PostgresUsage:
    """See `learnt.ports.store.Usage`. Receipts are only added, and no scope is locked for them; but for a reward."""

    def __init__(self, connection: Connection, scopes: Scopes) -> None:
        self._connection = connection
        self._scopes = scopes

    def put(self, bundle: Bundle) -> None:
        """Record one recall, with the memories and the scopes it had."""
        numbers = [self._scopes.numbered(key, str(json.loads(key)["type"])) for key in bundle.scope_keys]
        values = {**receipt_values(bundle), "memories": list(bundle.memory_ids), "scopes": numbers}
        self._connection.write(_SQL["put"], values)

    def page(self, sight: Sight, run_id: str, limit: int) -> tuple[Bundle, ...]:
        """Newest first; `run_id` empty for all."""
        return self._readable("page", {**self._seen(sight), "run": run_id, "limit": limit})

    def recalls(self, memory_id: str) -> int:
        """In how many bundles a memory was."""
        return int(self._connection.rows(_SQL["recalls"], (memory_id,))[0][0])

    def shown(self, context: str) -> Mapping[str, str]:
        """What a context was already given: memory id -> latest moment."""
        return {str(memory_id): str(moment) for memory_id, moment in self._connection.rows(_SQL["shown"], (context,))}

    def find(self, sight: Sight, bundle_id: str) -> tuple[Bundle, ...]:
        """The receipts with this id, newest first."""
        return self._readable("find", {**self._seen(sight), "bundle": bundle_id})

    def reward(self, sight: Sight, bundles: Sequence[Bundle], q_values: Mapping[str, float]) -> None:
        """Keep the receipts with their reward, and what their memories are worth now."""
        self._connection.lock(sight.keys)
        scopes = self._scopes.within(sight)
        self._connection.write_many(_SQL["reward"], [{"scopes": scopes, **receipt_values(each)} for each in bundles])
        values = {"scopes": scopes, "ids": list(q_values), "q_values": list(q_values.values())}
        for name, revision in self._connection.rows(_SQL["learn"], values):
            if work := self._connection.work:
                work.expect(str(name), int(revision) - 1)
                work.read[str(name)] = int(revision)
        self._connection.generation += 1

    def valued(self, sight: Sight, above: float, limit: int) -> tuple[str, ...]:
        """Active memories with a learned value above a bound, highest first."""
        values = {"scopes": self._scopes.within(sight), "above": above, "limit": limit}
        return tuple(str(name) for (name,) in self._connection.rows(_SQL["valued"], values))

    def unrecalled(self, sight: Sight, limit: int) -> tuple[str, ...]:
        """Active memories that are in no receipt, latest change first."""
        values = {"scopes": self._scopes.within(sight), "limit": limit}
        return tuple(str(name) for (name,) in self._connection.rows(_SQL["unrecalled"], values))

    def _seen(self, sight: Sight) -> dict[str, object]:
        """The readers' predicate: these scopes, of which some are the user's own."""
        own = [scope.key for scope in sight if scope.type == "global_user"]
        return {
            "scopes": self._scopes.within(sight),
            "own": [number for key in own if (number := self._scopes.known(key))],
        }

    def _readable(self, name: str, values: dict[str, object]) -> tuple[Bundle, ...]:
        rows = self._connection.rows(_SQL[name], values)
        return tuple(legible(rows, receipt_of, self._connection.unreadable, "usage:"))
