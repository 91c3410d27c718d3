"""What applied merges tie together, beside the merges themselves: checked, and made anew."""

from __future__ import annotations

from typing import TYPE_CHECKING

from learnt.model.relation import tied
from learnt.stores import records
from learnt.stores.rows import legible
from learnt.stores.sqlite.statements import load

if TYPE_CHECKING:
    from learnt.stores.sqlite.connection import Connection

    Tie = tuple[int, str, str, str]

_SQL = load("upkeep")
_PROPOSALS = load("proposals")


def missing(connection: Connection) -> int:
    """Ties that are there and should not be, or are not there and should be."""
    return len(_right(connection) ^ set(connection.rows(_SQL["ties"])))


def derive(connection: Connection) -> int:
    """Make all of them from the merges; gives how many."""
    right = _right(connection)
    connection.write(_SQL["loose"])
    connection.write_many(_PROPOSALS["tie"], sorted(right))
    return len(right)


def _right(connection: Connection) -> set[Tie]:
    found: set[Tie] = set()
    for number, *row in connection.rows(_SQL["merges"]):
        for proposal in legible([tuple(row)], records.proposal_of, connection.unreadable):
            found.update((number, one, other, proposal.id) for one, other in tied(proposal))
    return found
