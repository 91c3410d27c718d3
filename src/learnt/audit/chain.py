"""Whether a chain of events holds by itself: what can be told without anything from outside."""

from __future__ import annotations

from typing import TYPE_CHECKING

from learnt.audit.report import Report
from learnt.audit.walk import Walk
from learnt.model.checkpoint import End

if TYPE_CHECKING:
    from collections.abc import Iterable

    from learnt.model.event import ChainRow
    from learnt.model.signed import Divergence


def verify(rows: Iterable[ChainRow], head: str | None) -> Report:
    """The report on all events in order and the stored head, both as of one moment. Streams; keeps one row.

    Rows without a hash before the chain began are tolerated. Rows without any chain beside a stored head, and a head
    beside no rows, are not: then a chain was there and is gone.
    """
    walk = Walk({}, ())
    walk.go(rows)
    walk.finish(End(head=head))
    first = earliest(walk.faults)
    return Report(
        verified=first is None,
        events=walk.events,
        chained=walk.chained,
        legacy=walk.legacy,
        divergence=first,
        head_match=walk.hashed == head,
        head_expected=walk.hashed,
        head_stored=head,
        foreign=walk.foreign,
        erased=len(walk.emptied),
        root=walk.tree.root().hex(),
    )


def earliest(faults: Iterable[Divergence]) -> Divergence | None:
    """The fault that begins first; one whose place is known before one that lies somewhere in a stretch around it."""
    held = list(faults)
    exact = min((each for each in held if each.until <= each.position), key=lambda each: each.position, default=None)
    loose = min((each for each in held if each.until > each.position), key=lambda each: each.until, default=None)
    if loose is None or (exact is not None and exact.position <= loose.until):
        return exact
    return loose
