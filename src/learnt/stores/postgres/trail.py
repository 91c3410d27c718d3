"""The guardian's side of the audit trail in PostgreSQL."""

from __future__ import annotations

from typing import TYPE_CHECKING

from learnt.model.chain import hash_of
from learnt.stores.postgres.statements import load
from learnt.stores.rows import chain_row
from learnt.stores.signed import checkpoint_of, checkpoint_row

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from learnt.model.checkpoint import Checkpoint, End, Node
    from learnt.model.event import ChainRow
    from learnt.stores.postgres.connection import Connection
    from learnt.stores.postgres.events import PostgresEvents

_SQL = load("trail")


class PostgresTrail:
    """See `learnt.ports.trail.Trail`."""

    def __init__(self, connection: Connection, events: PostgresEvents) -> None:
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
        given = list(nodes)
        if given:
            columns = ([each.level for each in given], [each.number for each in given], [each.hash for each in given])
            self._connection.write(_SQL["keep_nodes"], columns)

    def nodes(self, wanted: Sequence[tuple[int, int]]) -> Mapping[tuple[int, int], str]:
        """The hashes of those of these subtrees that were kept."""
        places = ([level for level, _ in wanted], [number for _, number in wanted])
        rows = self._connection.rows(_SQL["nodes"], places)
        return {(int(level), int(number)): str(hashed) for level, number, hashed in rows}

    def cut(self, until: int) -> int:
        """Remove the events up to a position."""
        row = self._connection.returning(_SQL["cut"], (until,))
        return int(row[0]) if row else 0

    def erase(self, event_ids: Sequence[str]) -> tuple[tuple[int, str], ...]:
        """Take target, reason and detail out of events."""
        rows = map(chain_row, self._connection.rows(_SQL["found"], (list(event_ids),)))
        found = tuple((row.position, hash_of(row)) for row in rows if row.erased is None)
        self._connection.write_many(_SQL["erase"], [(hashed, position) for position, hashed in found])
        return found
