"""Keys of the audit trail, and what this machine last saw of it: both outside of the store."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol


@dataclass(frozen=True, slots=True)
class Seen:
    """The last event that a process of this machine saw.

    Attributes:
        row_hash: Of that event.
        start: Which start of the machine it was; "" where the system does not tell.
    """

    position: int
    row_hash: str
    start: str = ""


class Seals(Protocol):
    """What a store marks its events with."""

    def key(self, log: str) -> tuple[str, bytes] | None:
        """The name and the key of a log; None where no key is there, none can be kept, and none was ever used.

        Raises:
            AuditKeyError: A key was used for this log here before, and it cannot be read now.
        """
        ...

    def seen(self, log: str) -> Seen | None:
        """What was last seen of a log; None where nothing was, or it cannot be read."""
        ...

    def saw(self, log: str, position: int, row_hash: str) -> None:
        """Remember the end of a log. Never fails: what is remembered is a witness, not a part of the trail."""
        ...

    def missed(self, log: str, seen: Seen, position: int) -> None:
        """Remember that what was seen is no longer there: the log ended at `position`, or went on differently."""
        ...
