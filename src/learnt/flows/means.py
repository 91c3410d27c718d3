"""What every flow works with."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from learnt.model.event import Event
from learnt.settings import Settings

if TYPE_CHECKING:
    from collections.abc import Mapping

    from learnt.flows.identify import Identity
    from learnt.gate.scan import Gate
    from learnt.model.context import Context
    from learnt.model.place import Place
    from learnt.ports.clock import Clock, Ids
    from learnt.ports.store import Store
    from learnt.ports.transcript import Transcripts
    from learnt.ports.workplace import Workplace


@dataclass(frozen=True, slots=True, kw_only=True)
class Means:
    """The ports and circumstances of one engine.

    Attributes:
        place, identity: Where the work happens, and which repository that is.
        accept_instructions: A person asked that explicit instructions are kept without review.
        key: Key of the hashes that receipts hold instead of query text.
    """

    store: Store
    gate: Gate
    clock: Clock
    ids: Ids
    context: Context
    workplace: Workplace
    transcripts: Transcripts
    place: Place
    identity: Identity
    settings: Settings = field(default_factory=Settings)
    accept_instructions: bool = False
    key: bytes = b""

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
