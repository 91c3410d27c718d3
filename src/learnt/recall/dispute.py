"""Statements that cannot both hold, as a reader sees them: both labelled, the newer evidence first. Hook-safe."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    Pair = tuple[str, str]
    """Of two memories in dispute, the one with the newer evidence, and the other."""

NEWER, OLDER = "disputed, newer evidence", "disputed, older evidence"


def sides(pairs: Iterable[Pair]) -> dict[str, str]:
    """What is said of each memory in dispute; who is the older in one of its disputes is the older."""
    found: dict[str, str] = {}
    for newer, older in pairs:
        found.setdefault(newer, NEWER)
        found[older] = OLDER
    return found


def ordered(names: Sequence[str], pairs: Iterable[Pair]) -> list[int]:
    """Places of the names in their new order: who has newer evidence comes directly before whom it disputes.

    Others keep their order, and so does what is in order already.
    """
    order = list(range(len(names)))
    at = {name: place for place, name in enumerate(names)}
    for newer, older in pairs:
        if newer in at and older in at:
            mine, theirs = order.index(at[newer]), order.index(at[older])
            if mine > theirs:
                order.insert(theirs, order.pop(mine))
    return order
