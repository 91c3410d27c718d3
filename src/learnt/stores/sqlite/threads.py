"""Sessions as they are learnt from, in SQLite."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from learnt.model.scope import scope_of
from learnt.stores.drawn import (
    extraction_of,
    extraction_values,
    rank_of,
    summary_of,
    summary_values,
    thread_of,
    thread_values,
)
from learnt.stores.rows import legible
from learnt.stores.sqlite.statements import load

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from learnt.model.extraction import Extraction
    from learnt.model.scope import Sight
    from learnt.model.thread import Rank, Summary, Thread, ThreadMode
    from learnt.stores.sqlite.connection import Connection
    from learnt.stores.sqlite.scopes import Scopes

_SQL = load("threads")


class SqliteThreads:
    """See `learnt.ports.threads.Threads`."""

    def __init__(self, connection: Connection, scopes: Scopes) -> None:
        self._connection = connection
        self._scopes = scopes

    def put(self, thread: Thread) -> None:
        """Insert, or replace what a reading tells."""
        number = self._scopes.number(scope_of(thread.scope_key))
        self._connection.write(_SQL["put"], {"scope_no": number, **thread_values(thread)})

    def get(self, sight: Sight, thread_id: str) -> Thread | None:
        """The session with this id."""
        row = self._connection.row(_SQL["get"], {"id": thread_id, "scopes": self._scopes.within(sight)})
        return thread_of(row) if row else None

    def latest(self, sight: Sight, limit: int) -> tuple[Thread, ...]:
        """Those written to last."""
        values = {"scopes": self._scopes.within(sight), "limit": limit}
        return tuple(map(thread_of, self._connection.rows(_SQL["latest"], values)))

    def mark(self, sight: Sight, thread_id: str, mode: ThreadMode) -> bool:
        """Set whether it is learnt from."""
        values = {"id": thread_id, "mode": mode, "scopes": self._scopes.within(sight)}
        return self._connection.write(_SQL["mark"], values) > 0

    def worked(self, sight: Sight, thread_id: str, until: str) -> bool:
        """Set how far phase 1 has worked."""
        values = {"id": thread_id, "extracted": until, "scopes": self._scopes.within(sight)}
        return self._connection.write(_SQL["worked"], values) > 0

    def remove(self, sight: Sight, thread_ids: Sequence[str]) -> tuple[str, ...]:
        """Take sessions off the registry, with what they taught."""
        values = {"ids": json.dumps(list(thread_ids)), "scopes": self._scopes.within(sight)}
        gone = tuple(str(row[0]) for row in self._connection.rows(_SQL["there"], values))
        self._connection.write(_SQL["remove_extractions"], values)
        self._connection.write(_SQL["remove"], values)
        return gone


class SqliteExtractions:
    """See `learnt.ports.threads.Extractions`."""

    def __init__(self, connection: Connection, scopes: Scopes) -> None:
        self._connection = connection
        self._scopes = scopes

    def put(self, extraction: Extraction) -> bool:
        """Insert, or replace an older state."""
        number = self._scopes.number(scope_of(extraction.scope_key))
        values = {"scope_no": number, **extraction_values(extraction)}
        return self._connection.write(_SQL["put_extraction"], values) > 0

    def get(self, sight: Sight, session_id: str) -> Extraction | None:
        """What this session taught."""
        return next(iter(self.many(sight, (session_id,))), None)

    def many(self, sight: Sight, session_ids: Sequence[str]) -> tuple[Extraction, ...]:
        """What these sessions taught, by session id."""
        values = {"ids": json.dumps(list(dict.fromkeys(session_ids))), "scopes": self._scopes.within(sight)}
        rows = self._connection.rows(_SQL["extractions"], values)
        return tuple(legible(rows, extraction_of, self._connection.unreadable, "extraction:"))

    def ranks(self, sight: Sight) -> tuple[Rank, ...]:
        """What the choice goes by."""
        return tuple(map(rank_of, self._connection.rows(_SQL["ranks"], {"scopes": self._scopes.within(sight)})))

    def remove(self, sight: Sight, session_ids: Sequence[str]) -> tuple[str, ...]:
        """Take rows away."""
        values = {"ids": json.dumps(list(session_ids)), "scopes": self._scopes.within(sight)}
        gone = tuple(str(row[0]) for row in self._connection.rows(_SQL["extracted"], values))
        self._connection.write(_SQL["remove_extractions"], values)
        return gone

    def select(self, sight: Sight, taken: Mapping[str, str]) -> int:
        """Mark what a consolidation took."""
        values = {"taken": json.dumps(dict(taken)), "scopes": self._scopes.within(sight)}
        self._connection.write(_SQL["select"], values)
        return int(self._connection.rows(_SQL["selected"], {"scopes": values["scopes"]})[0][0])

    def cite(self, sight: Sight, session_ids: Sequence[str], now: str) -> int:
        """Count one use of each."""
        values = {"ids": json.dumps(list(session_ids)), "now": now, "scopes": self._scopes.within(sight)}
        return self._connection.write(_SQL["cite"], values)


class SqliteSummaries:
    """See `learnt.ports.threads.Summaries`."""

    def __init__(self, connection: Connection, scopes: Scopes) -> None:
        self._connection = connection
        self._scopes = scopes

    def put(self, summary: Summary) -> None:
        """Make this the present one."""
        values = {"scope_no": self._scopes.number(scope_of(summary.scope_key)), **summary_values(summary)}
        self._connection.write(_SQL["retire_summary"], {name: values[name] for name in ("scope_no", "digest")})
        self._connection.write(_SQL["put_summary"], values)

    def current(self, sight: Sight) -> Summary | None:
        """The present one."""
        row = self._connection.row(_SQL["summary"], {"scopes": self._scopes.within(sight)})
        return summary_of(row) if row else None

    def prune(self, sight: Sight, before: str) -> int:
        """Remove old ones."""
        values = {"before": before, "scopes": self._scopes.within(sight)}
        return self._connection.write(_SQL["prune_summaries"], values)

    def clear(self, sight: Sight) -> int:
        """Remove all of them."""
        return self._connection.write(_SQL["clear_summaries"], {"scopes": self._scopes.within(sight)})
