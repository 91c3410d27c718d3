"""The marker in a store that is being moved into: nobody takes half a store for a whole one."""

from __future__ import annotations

import json
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from learnt.errors import StoreError
from learnt.model.cargo import MARKER

if TYPE_CHECKING:
    from collections.abc import Iterator

    from learnt.ports.store import Store

_FORM: Final = 1
_TURN: Final = f"{MARKER}.turn"


@dataclass(slots=True)
class Marker:
    """What the target knows of the move.

    Attributes:
        origin: Which store it comes from, as a hash of where that lies.
        run: The run that goes on with it, the last that began.
        state: moving, failed or complete; unknown when another version of learnt wrote it.
        held: Of each chapter the place of the last row carried, how many were, and their digest.
    """

    origin: str
    run: str = ""
    state: str = "moving"
    as_of: str = ""
    held: dict[str, tuple[str, int, str]] = field(default_factory=dict)

    def put(self, target: Store) -> None:
        """Write it down, inside the transaction of what it tells of."""
        names = ("origin", "run", "state", "as_of", "held")
        target.meta.put(MARKER, json.dumps({"form": _FORM, **{name: getattr(self, name) for name in names}}))


def marked(target: Store) -> Marker | None:
    """What a store tells of a move into it; None when there was none."""
    text = target.meta.get(MARKER)
    if text is None:
        return None
    told = json.loads(text)
    if told["form"] != _FORM:
        return Marker(origin="", state="unknown")
    held = {name: (str(place), int(rows), str(digest)) for name, (place, rows, digest) in told["held"].items()}
    return Marker(told["origin"], told["run"], told["state"], told["as_of"], held)


@contextmanager
def turn(target: Store, run: str, *, first: bool = False) -> Iterator[Marker | None]:
    """A transaction of a run, with the marker as it stands; of two runs into one target the later goes on alone.

    Args:
        first: The run begins, and takes the move over from whoever had it.

    Raises:
        StoreError: `lease_lost`: another run took it over.
    """
    with target.transaction():
        target.meta.put(_TURN, run)  # written first: from here on two runs take turns
        held = marked(target)
        if held is not None and held.run != run and not first:
            raise StoreError(
                "Another move into this target took over.",
                code="lease_lost",
                hint="Leave it to that one; nothing of this one is in the way.",
            )
        yield held


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
