"""What one machine keeps of one log beside the store: who it signs as, what it signed, whom it knows."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping


@dataclass(frozen=True, slots=True, kw_only=True)
class Record:
    """Of one log. `secret` is never shown.

    Attributes:
        places: Where the store with this log lay: paths, or URLs without passwords.
        installation, epoch, secret: Who signs, hex, and the epoch and secret (hex) of the next signature; "" before the
            first checkpoint.
        pinned: The epoch and public key at which each installation's checkpoints begin.
        signed: The last statement signed here, as text.
        accepted: Position, hash and moment up to which a person took the trail as it was.
    """

    log: str
    places: tuple[str, ...] = ()
    installation: str = ""
    epoch: int = 0
    secret: str = field(default="", repr=False)
    pinned: Mapping[str, tuple[int, str]] = field(default_factory=dict)
    signed: str = ""
    accepted: tuple[int, str, str] | None = None
