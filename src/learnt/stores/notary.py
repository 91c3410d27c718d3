"""What every store does with the keys of the audit trail: marks its events, and keeps watch that the trail goes on.

Before it appends, a store is told where the trail ends. If that is not where this process left it, what this machine
last saw of it must still stand in it; what no longer does is noted down outside of the store, for `verify`.
"""

from __future__ import annotations

import secrets
from typing import TYPE_CHECKING

from learnt.errors import AuditKeyError

if TYPE_CHECKING:
    from collections.abc import Callable

    from learnt.model.checkpoint import End
    from learnt.ports.seals import Seals


class Notary:
    """One store's.

    Args:
        seals: None for a store that marks nothing, as before there were keys.
    """

    def __init__(self, seals: Seals | None = None) -> None:
        self._seals = seals
        self._keys: dict[str, tuple[str, bytes]] = {}
        self._left: tuple[int, str | None] = (0, None)
        self._moved: tuple[str, int, str] | None = None

    def key(self, log: str) -> tuple[str, bytes] | None:
        """The name and the key of a log.

        Raises:
            AuditKeyError: It is marked here, and the key cannot be read.
        """
        if (held := self._keys.get(log)) is not None:
            return held
        found = self._seals.key(log) if self._seals else None
        if found is not None:
            self._keys[log] = found
        return found

    def begin(self, end: End, hash_at: Callable[[int], str | None]) -> tuple[str, str, bytes] | None:
        """The log, and the name and key to mark the next event with; None where events are not marked.

        Args:
            end: Of the trail, inside the transaction that goes on with it.
            hash_at: Gives the hash of the event at a position, as the trail has it.

        Raises:
            AuditKeyError: The trail is marked, and there is no key to go on with.
        """
        log = end.log or secrets.token_hex(8)
        key = self.key(log)
        if key is None:
            if end.seal:
                raise AuditKeyError(details={"log": end.log})
            return None
        left = self._moved[1:] if self._moved else self._left  # in the middle of a transaction nobody else goes on
        if end.log and (end.position, end.head) != left:
            self._watch(end, hash_at)
        return (log, *key)

    def moved(self, log: str, position: int, row_hash: str) -> None:
        """An event was appended; it counts once `committed` is called."""
        self._moved = (log, position, row_hash)

    def committed(self) -> None:
        """The transaction was committed: this is how far the trail goes."""
        if self._moved is None:
            return
        log, position, row_hash = self._moved
        self._moved, self._left = None, (position, row_hash)
        if self._seals is not None:
            self._seals.saw(log, position, row_hash)

    def undone(self) -> None:
        """The transaction was not committed."""
        self._moved = None

    def _watch(self, end: End, hash_at: Callable[[int], str | None]) -> None:
        seen = self._seals.seen(end.log) if self._seals else None
        if seen is None or self._seals is None:
            return
        stands = end.head if seen.position == end.position else hash_at(seen.position)
        if stands != seen.row_hash:
            self._seals.missed(end.log, seen, end.position)
