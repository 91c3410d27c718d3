"""What was written on branches of a pi session that were gone back on: it happened, and is no part of the session."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any, Final

from learnt.hosts.pi.talk import Talk
from learnt.model.session import Call, Result

if TYPE_CHECKING:
    from learnt.hosts.reading.moment import Moment

_MAX_CALLS: Final = 10_000
_MAX_PATHS: Final = 10_000


class Aside:
    """Takes the entries beside the conversation, and counts the files that were written there."""

    def __init__(self) -> None:
        self._talk = Talk(sidechain=False)
        self._open: dict[str, str] = {}
        self._written: Counter[str] = Counter()

    def take(self, fields: dict[str, Any], moment: Moment) -> None:
        """The next entry."""
        for event in self._talk.take(fields, moment):
            if isinstance(event, Call) and event.action == "write" and event.target and len(self._open) < _MAX_CALLS:
                self._open[event.call_id] = event.target
            elif isinstance(event, Result) and (path := self._open.pop(event.call_id, "")) and not event.failure:
                self._count(path)

    def _count(self, path: str) -> None:
        if path in self._written or len(self._written) < _MAX_PATHS:
            self._written[path] += 1

    def written(self) -> tuple[tuple[str, int], ...]:
        """Each file with how often it was written."""
        return tuple(self._written.items())
