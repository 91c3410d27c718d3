"""The guardian's side of the audit trail in SQLite."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from learnt.model.chain import hash_of
from learnt.stores.rows import chain_row
from learnt.stores.signed import checkpoint_of, checkpoint_row
from learnt.stores.sqlite.statements import load

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from learnt.model.checkpoint import Checkpoint, End, Node
    from learnt.model.event import ChainRow
    from learnt.stores.sqlite.connection import Connection
    from learnt.stores.sqlite.events import SqliteEvents

_SQL = load("trail")


class SqliteTrail:
    """See `learnt.ports.trail.Trail`."""

    def __init__(self, connection: Connection, events: SqliteEvents) -> None:
        self._connection = connection
        self._events = events

    def end(self) -> End:
        """Where the trail ends now."""
        return self._events.end()

    def rows(self, after: int, until: int) -> Iterator[ChainRow]:
        """The events between two positions, streamed."""
        return self._events.stretches(after, until)

    def checkpoints(self) -> tuple[Checkpoint, ...]:
        """All of them."""
        return tuple(map(checkpoint_of, self._connection.rows(_SQL["checkpoints"])))

    def keep(self, checkpoint: Checkpoint, nodes: Iterable[Node] = ()) -> None:
        """Add a checkpoint."""
        self._connection.write(_SQL["keep"], checkpoint_row(checkpoint))
        self._connection.write_many(_SQL["keep_node"], [(each.level, each.number, each.hash) for each in nodes])

    def nodes(self, wanted: Sequence[tuple[int, int]]) -> Mapping[tuple[int, int], str]:
        """The hashes of those of these subtrees that were kept."""
        found = ((place, self._connection.row(_SQL["node"], place)) for place in wanted)
        return {place: str(row[0]) for place, row in found if row}

    def cut(self, until: int) -> int:
        """Remove the events up to a position."""
        return self._connection.write(_SQL["cut"], (until,))

    def erase(self, event_ids: Sequence[str]) -> tuple[tuple[int, str], ...]:
        """Take target, reason and detail out of events."""
        rows = map(chain_row, self._connection.rows(_SQL["found"], (json.dumps(list(event_ids)),)))
        found = tuple((row.position, hash_of(row)) for row in rows if row.erased is None)
        self._connection.write_many(_SQL["erase"], [(hashed, position) for position, hashed in found])
        return found
