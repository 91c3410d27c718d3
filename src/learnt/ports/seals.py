"""Keys of the audit trail, and what this machine last saw of it: both outside of the store."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Mapping

    from learnt.model.keyring import Record


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


@dataclass(frozen=True, slots=True)
class Missed:
    """That a writer found the trail not to go on from what this machine had seen of it.

    Attributes:
        seen: The position that had been seen. `found`: where the trail ended instead.
        restarted: The machine had been started anew in between: a power cut may have taken the last events.
    """

    seen: int
    found: int
    restarted: bool


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


class Keyring(Protocol):
    """The folder of keys, as the guardian of the trail uses it."""

    @property
    def start(self) -> str:
        """Which start of the machine it is; "" where the system does not tell."""
        ...

    def masters(self) -> Mapping[str, bytes]:
        """Every key of an audit trail that is here, by name."""
        ...

    def record(self, log: str) -> Record:
        """What is kept of a log; an empty record where nothing is.

        Raises:
            AuditKeyError: There is one, and it cannot be read.
        """
        ...

    def keep(self, record: Record) -> None:
        """Replace what is kept of a log, durably.

        Raises:
            AuditKeyError: It cannot be written.
        """
        ...

    def seen(self, log: str) -> Seen | None:
        """See `Seals.seen`."""
        ...

    def met(self, log: str) -> Missed | None:
        """What a writer noted with `Seals.missed`."""
        ...

    def replaced(self, log: str) -> str:
        """Another log that lay where this one lies; "" for none."""
        ...

    def settle(self, log: str) -> None:
        """From now on this log belongs where it lies, as it is: what was seen here before is dropped."""
        ...

    def rotate(self) -> tuple[str, str]:
        """Mark with a fresh key from now on; gives the names of the one before and of the new one.

        Raises:
            AuditKeyError: No key can be kept.
        """
        ...
