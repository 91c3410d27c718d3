"""What became of memories, and what readers have against them, in SQLite."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from learnt.model.flag import FlagCount
from learnt.stores.said import flag_of, flag_values, outcome_of, outcome_values
from learnt.stores.sqlite.statements import load

if TYPE_CHECKING:
    from collections.abc import Sequence

    from learnt.model.flag import Flag
    from learnt.model.outcome import Outcome
    from learnt.model.scope import Scope, Sight
    from learnt.stores.sqlite.connection import Connection
    from learnt.stores.sqlite.memories import SqliteMemories
    from learnt.stores.sqlite.scopes import Scopes

_SQL = load("outcomes")


class SqliteOutcomes:
    """See `learnt.ports.outcomes.Outcomes`."""

    def __init__(self, connection: Connection, scopes: Scopes, memories: SqliteMemories) -> None:
        self._connection = connection
        self._scopes = scopes
        self._memories = memories

    def add(self, scope: Scope, outcome: Outcome) -> None:
        """Keep one."""
        number = self._scopes.number(scope)
        self._connection.write(_SQL["add"], {"scope_no": number, **outcome_values(outcome)})
        self._memories.changed((outcome.memory_id,))

    def get(self, sight: Sight, outcome_id: str) -> Outcome | None:
        """The outcome with this id."""
        row = self._connection.row(_SQL["get"], {"scopes": self._scopes.within(sight), "id": outcome_id})
        return outcome_of(row) if row else None

    def of(self, sight: Sight, memory_ids: Sequence[str]) -> tuple[Outcome, ...]:
        """All outcomes of these memories as they are now, by time then id."""
        values = {"scopes": self._scopes.within(sight), "ids": json.dumps(list(dict.fromkeys(memory_ids)))}
        return tuple(map(outcome_of, self._connection.rows(_SQL["of"], values)))

    def told(self, sight: Sight, now: str, limit: int) -> tuple[int, tuple[str, ...]]:
        """Of the newest active memories: how many there are, and which have outcomes."""
        values = {"scopes": self._scopes.within(sight), "now": now, "limit": limit}
        rows = self._connection.rows(_SQL["told"], values)
        return len(rows), tuple(str(name) for name, number in rows if number)

    def size_bytes(self, sight: Sight) -> int:
        """What the outcomes in sight take, about."""
        return int(self._connection.rows(_SQL["size"], {"scopes": self._scopes.within(sight)})[0][0])


class SqliteFlags:
    """See `learnt.ports.outcomes.Flags`."""

    def __init__(self, connection: Connection, scopes: Scopes, memories: SqliteMemories) -> None:
        self._connection = connection
        self._scopes = scopes
        self._memories = memories

    def put(self, scope: Scope, flag: Flag) -> None:
        """Keep a flag in the place of what this reader had."""
        number = self._scopes.number(scope)
        self._connection.write(_SQL["flag"], {"scope_no": number, **flag_values(flag)})
        self._memories.changed((flag.memory_id,))

    def withdraw(self, sight: Sight, memory_id: str, by: str) -> bool:
        """Remove a reader's open flag."""
        values = {"scopes": self._scopes.within(sight), "memory_id": memory_id, "by": by}
        gone = self._connection.write(_SQL["unflag"], values)
        self._memories.changed((memory_id,))
        return gone > 0

    def clear(self, sight: Sight, memory_id: str, at: str, by: str) -> int:
        """Close the open flags of a memory."""
        scopes = self._scopes.within(sight)
        values = {"scopes": scopes, "memory_id": memory_id, "cleared_at": at, "cleared_by": by}
        closed = self._connection.write(_SQL["clear"], values)
        self._memories.changed((memory_id,))
        return closed

    def of(self, sight: Sight, memory_ids: Sequence[str]) -> tuple[Flag, ...]:
        """The open flags of these memories, newest first."""
        values = {"scopes": self._scopes.within(sight), "ids": json.dumps(list(dict.fromkeys(memory_ids)))}
        return tuple(map(flag_of, self._connection.rows(_SQL["open"], values)))

    def past(self, sight: Sight, memory_id: str, limit: int) -> tuple[Flag, ...]:
        """The flags of a memory that were cleared, newest first."""
        values = {"scopes": self._scopes.within(sight), "memory_id": memory_id, "limit": limit}
        return tuple(map(flag_of, self._connection.rows(_SQL["past"], values)))

    def flagged(self, sight: Sight, limit: int) -> tuple[str, ...]:
        """Memories with open flags, the latest flag first."""
        values = {"scopes": self._scopes.within(sight), "limit": limit}
        return tuple(str(name) for (name,) in self._connection.rows(_SQL["flagged"], values))

    def count(self, sight: Sight) -> FlagCount:
        """Open flags, and the memories they are about."""
        flags, memories = self._connection.rows(_SQL["count"], {"scopes": self._scopes.within(sight)})[0]
        return FlagCount(int(flags), int(memories))
