"""What became of memories, and what readers have against them, in PostgreSQL."""

from __future__ import annotations

from typing import TYPE_CHECKING

from learnt.model.flag import FlagCount
from learnt.stores.postgres.statements import load
from learnt.stores.said import flag_of, flag_values, outcome_of, outcome_values

if TYPE_CHECKING:
    from collections.abc import Sequence

    from learnt.model.flag import Flag
    from learnt.model.outcome import Outcome
    from learnt.model.scope import Scope, Sight
    from learnt.stores.postgres.connection import Connection
    from learnt.stores.postgres.scopes import Scopes

_SQL = load("outcomes")


class PostgresOutcomes:
    """See `learnt.ports.outcomes.Outcomes`."""

    def __init__(self, connection: Connection, scopes: Scopes) -> None:
        self._connection = connection
        self._scopes = scopes

    def add(self, scope: Scope, outcome: Outcome) -> None:
        """Keep one."""
        number = self._scopes.number(scope)
        self._connection.write(_SQL["add"], {"scope_no": number, **outcome_values(outcome)})
        self._connection.generation += 1

    def get(self, sight: Sight, outcome_id: str) -> Outcome | None:
        """The outcome with this id."""
        row = self._connection.row(_SQL["get"], {"scopes": self._scopes.within(sight), "id": outcome_id})
        return outcome_of(row) if row else None

    def of(self, sight: Sight, memory_ids: Sequence[str]) -> tuple[Outcome, ...]:
        """All outcomes of these memories as they are now, by time then id."""
        values = {"scopes": self._scopes.within(sight), "ids": list(dict.fromkeys(memory_ids))}
        return tuple(map(outcome_of, self._connection.rows(_SQL["of"], values)))

    def told(self, sight: Sight, now: str, limit: int) -> tuple[int, tuple[str, ...]]:
        """Of the newest active memories: how many there are, and which have outcomes."""
        values = {"scopes": self._scopes.within(sight), "now": now, "limit": limit}
        rows = self._connection.rows(_SQL["told"], values)
        return len(rows), tuple(str(name) for name, number in rows if number)

    def size_bytes(self, sight: Sight) -> int:
        """What the outcomes in sight take, about."""
        return int(self._connection.rows(_SQL["size"], {"scopes": self._scopes.within(sight)})[0][0])


class PostgresFlags:
    """See `learnt.ports.outcomes.Flags`. A person without a login of their own has that of their role.

    Args:
        known: Whether roles are persons here; not so where a move brings flags in.
    """

    def __init__(self, connection: Connection, scopes: Scopes, *, known: bool = True) -> None:
        self._connection = connection
        self._scopes = scopes
        self._known = known

    def put(self, scope: Scope, flag: Flag) -> None:
        """Keep a flag in the place of what this reader had."""
        number = self._scopes.number(scope)
        values = {"scope_no": number, "known": self._known, **flag_values(flag)}
        self._connection.write(_SQL["flag"], values)
        self._connection.generation += 1

    def withdraw(self, sight: Sight, memory_id: str, by: str) -> bool:
        """Remove a reader's open flag."""
        values = {"scopes": self._held(sight), "memory_id": memory_id, "by": by}
        self._connection.generation += 1
        return self._connection.returning(_SQL["unflag"], values) is not None

    def clear(self, sight: Sight, memory_id: str, at: str, by: str) -> int:
        """Close the open flags of a memory."""
        values = {"scopes": self._held(sight), "memory_id": memory_id, "cleared_at": at, "cleared_by": by}
        self._connection.generation += 1
        row = self._connection.returning(_SQL["clear"], values)
        return int(row[0]) if row else 0

    def of(self, sight: Sight, memory_ids: Sequence[str]) -> tuple[Flag, ...]:
        """The open flags of these memories, newest first."""
        values = {"scopes": self._scopes.within(sight), "ids": list(dict.fromkeys(memory_ids))}
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

    def _held(self, sight: Sight) -> list[int]:
        """The scope predicate, all scopes locked: a flag changes its memory, also in a wide one."""
        self._connection.lock(sight.keys)
        return self._scopes.within(sight)
