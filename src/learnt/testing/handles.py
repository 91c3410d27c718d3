"""Several handles of one store of dictionaries, as several processes have one file."""

from __future__ import annotations

from typing import TYPE_CHECKING

from learnt.stores.ephemeral import EphemeralStore

if TYPE_CHECKING:
    from learnt.ports.seals import Seals


class Shared(EphemeralStore):
    """A store that closes with its last handle."""

    handles = 0

    def opened(self, seals: Seals | None = None) -> EphemeralStore:
        """One more handle."""
        self.handles += 1
        return self.marking(seals) if seals else self

    def close(self) -> None:
        """Closing one handle leaves the store open for the others."""
        self.handles -= 1
        if self.handles <= 0:
            super().close()
