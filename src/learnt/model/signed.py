"""What signing the audit trail answers: a checkpoint and where it was put, or where the trail does not hold."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from learnt.model.checkpoint import Checkpoint

Kind = Literal[
    "tampered",
    "truncated",
    "rolled_back",
    "forked",
    "replaced",
    "older_writer",
    "unknown_key",
    "checkpoint",
    "anchor",
]
"""In what way a trail is not the one that was written.

- tampered: an event was changed, put in, taken out or moved.
- truncated: events were cut off the end.
- rolled_back: the trail ends before what was signed, anchored or seen of it: an older copy lies in its place.
- forked: it is as long, but another one.
- replaced: another log lies where this one lay.
- older_writer: an event without a mark (or without any hash) after marked ones: an older learnt wrote it, or somebody
  without the key.
- unknown_key: events are marked with a key that is not here, so nobody can say whether they are right.
- checkpoint: a checkpoint is missing, or was not signed by whom it names.
- anchor: an anchor holds what nobody of us signed.
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Divergence:
    """Where the trail first departs from what was written, and in what way.

    Attributes:
        position, id: Of the first event that is wrong, or missing (then without an id).
        until: The last event that may be the first wrong one, where only a stretch is known; else the same position.
    """

    position: int
    id: str
    detail: str
    kind: Kind = "tampered"
    until: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Put:
    """What became of a checkpoint at one anchor; `fault` is "" where it was put."""

    name: str
    fault: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Signed:
    """A checkpoint that was made, or the last one where nothing had happened since.

    Attributes:
        proof: That its tree begins with that of the checkpoint before, hex.
        removed: How many events were cut off. `event`: the event that tells of it; "" where nothing was made.
        anchors: One for each place.
    """

    checkpoint: Checkpoint
    proof: tuple[str, ...]
    anchors: tuple[Put, ...]
    removed: int = 0
    event: str = ""

    @property
    def anchored(self) -> bool:
        """Whether every place took it."""
        return not any(each.fault for each in self.anchors)


@dataclass(frozen=True, slots=True)
class Broken:
    """The trail does not hold, so nothing was signed."""

    divergence: Divergence
