"""What a whole session gives, in one call."""

from __future__ import annotations

from typing import TYPE_CHECKING

from learnt.capture.lessons import Gatherer

if TYPE_CHECKING:
    from collections.abc import Iterable

    from learnt.model.lesson import Harvest
    from learnt.model.session import Header, SessionEvent


def gather(header: Header, events: Iterable[SessionEvent], root: str = "") -> Harvest:
    """The harvest of a whole session; `root` is its checkout's root, the session's folder when not given."""
    gatherer = Gatherer(session_id=header.session_id, root=root or header.cwd, commit=header.commit)
    for event in events:
        gatherer.feed(event)
    return gatherer.harvest()
