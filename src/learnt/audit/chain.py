"""Whether the audit trail is the one that was written."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from learnt.model.chain import row_hash
from learnt.model.event import GENESIS

if TYPE_CHECKING:
    from collections.abc import Iterable

    from learnt.model.event import ChainRow


@dataclass(frozen=True, slots=True, kw_only=True)
class Divergence:
    """Where the trail first departs from its chain: the event's position and id, and in what way."""

    position: int
    id: str
    detail: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ChainReport:
    """The outcome of a verification. Field for field the swarm-memory seed's report.

    Attributes:
        events: All rows read; `chained` of them carry a hash, `legacy` ones before the chain began carry none.
        divergence: The first broken link; None when every link holds.
        head_match: The stored head is the hash of the last event (a changed or removed last event shows only here).
    """

    verified: bool
    events: int
    chained: int
    legacy: int
    divergence: Divergence | None
    head_match: bool
    head_expected: str | None
    head_stored: str | None


def verify(rows: Iterable[ChainRow], head: str | None) -> ChainReport:
    """The report on all events in order and the stored head, both as of one moment. Streams; keeps one row.

    Rows without a hash before the chain began are tolerated. Rows without any chain beside a stored head, and a head
    beside no rows, are not: then a chain was there and is gone.
    """
    legacy = chained = 0
    last: str | None = None
    divergence: Divergence | None = None
    for row in rows:
        if row.prev_hash is None and last is None:
            legacy += 1
            continue
        chained += 1
        if divergence is None:
            divergence = _compare(row, GENESIS if last is None else last)
        last = row_hash(row.id, row.operation, row.target_id, row.reason, row.timestamp, row.event_json, row.prev_hash)
    match = last == head
    return ChainReport(
        verified=divergence is None and match,
        events=legacy + chained,
        chained=chained,
        legacy=legacy,
        divergence=divergence,
        head_match=match,
        head_expected=last,
        head_stored=head,
    )


def _compare(row: ChainRow, expected: str) -> Divergence | None:
    if row.prev_hash == expected:
        return None
    if row.prev_hash is None:
        detail = "no hash although the chain had begun"
    elif expected == GENESIS:
        detail = "the chain does not begin here: events before this one are missing"
    else:
        detail = "an event at or before this one was changed, removed or inserted"
    return Divergence(position=row.position, id=row.id, detail=detail)
