"""What is known of the trail outside of the store: keys, what was seen and signed, what anchors hold."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

    from learnt.audit.statement import Anchored, Statement
    from learnt.ports.seals import Missed, Seen


@dataclass(frozen=True, slots=True, kw_only=True)
class Anchor:
    """What one anchor gave back.

    Attributes:
        name: What it is called to people. `fault`: why it could not be read; "" when it was.
    """

    name: str
    lines: tuple[Anchored, ...] = ()
    fault: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Accepted:
    """Up to where a person took the trail as it was, the hash of the event there, and when."""

    position: int
    head: str
    at: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Witness:
    """Everything that `verify` holds against the trail.

    Attributes:
        keys: The log's key by the name of the installation's key.
        pinned: Of every installation whose checkpoints were met before: the epoch and public key to begin at.
        signed: What this installation signed last.
        seen: What this machine saw last; `start`: which start of the machine it is now.
        replaced: The log that lay here before; "" when it is the same.
        served: Others write to the same trail, with keys that are not here.
    """

    keys: Mapping[str, bytes] = field(default_factory=dict)
    pinned: Mapping[str, tuple[int, str]] = field(default_factory=dict)
    signed: Statement | None = None
    seen: Seen | None = None
    start: str = ""
    missed: Missed | None = None
    replaced: str = ""
    accepted: Accepted | None = None
    anchors: tuple[Anchor, ...] = ()
    served: bool = False
