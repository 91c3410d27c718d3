"""What every flow works with."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from learnt.model.event import Event
from learnt.settings import Settings

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from learnt.gate.scan import Gate
    from learnt.model.context import Context
    from learnt.ports.clock import Clock, Ids
    from learnt.ports.store import Store


def _no_file(path: str) -> bool:
    """Outside a repository nothing is known to be a file."""
    return not path


@dataclass(frozen=True, slots=True, kw_only=True)
class Means:
    """The ports and circumstances of one engine.

    Attributes:
        key: Key of the hashes that receipts hold instead of query text.
        is_file: Whether a repository-relative path is a file of the work tree.
    """

    store: Store
    gate: Gate
    clock: Clock
    ids: Ids
    context: Context
    settings: Settings = field(default_factory=Settings)
    key: bytes = b""
    is_file: Callable[[str], bool] = _no_file

    def event(
        self, operation: str, target: str, now: str, detail: Mapping[str, object] | None = None, reason: str = ""
    ) -> Event:
        """A new event of this context; `detail` holds ids, types and counts only."""
        return Event(
            id=self.ids.new("evt"),
            operation=operation,
            target_id=target,
            timestamp=now,
            reason=reason or None,
            detail={"by": self.context.writer, **(detail or {})},
        )
