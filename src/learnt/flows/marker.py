"""The marker in a store that is being moved into: nobody takes half a store for a whole one."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from learnt.errors import StoreError
from learnt.model.cargo import MARKER

if TYPE_CHECKING:
    from learnt.ports.store import Store

_FORM: Final = 1


@dataclass(slots=True)
class Marker:
    """What the target knows of the move.

    Attributes:
        origin: Which store it comes from, as a hash of where that lies.
        state: moving, failed or complete; unknown when another version of learnt wrote it.
        held: Of each chapter the place of the last row carried, how many were, and their digest.
    """

    origin: str
    state: str = "moving"
    as_of: str = ""
    held: dict[str, tuple[str, int, str]] = field(default_factory=dict)

    def put(self, target: Store) -> None:
        """Write it down, inside the transaction of what it tells of."""
        told = {"form": _FORM, "origin": self.origin, "state": self.state, "as_of": self.as_of, "held": self.held}
        target.meta.put(MARKER, json.dumps(told))


def marked(target: Store) -> Marker | None:
    """What a store tells of a move into it; None when there was none."""
    text = target.meta.get(MARKER)
    if text is None:
        return None
    told = json.loads(text)
    if told["form"] != _FORM:
        return Marker(origin="", state="unknown")
    held = {name: (str(place), int(rows), str(digest)) for name, (place, rows, digest) in told["held"].items()}
    return Marker(origin=told["origin"], state=told["state"], as_of=told["as_of"], held=held)


def refuse_unfinished(store: Store) -> None:
    """Nobody works on a store that a move has not completed.

    Raises:
        StoreError: `store_incomplete`.
    """
    marker = marked(store)
    if marker is not None and marker.state != "complete":
        raise StoreError(
            "This store is the target of a move that was not completed.",
            code="store_incomplete",
            hint="Point LEARNT_DATABASE_URL at the store it came from and repeat `learnt migrate --to`.",
            details={"as_of": marker.as_of, "state": marker.state},
        )
