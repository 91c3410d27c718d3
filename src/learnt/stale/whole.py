"""The state of a memory, from those of its pins."""

from __future__ import annotations

from typing import TYPE_CHECKING

from learnt.model.pin import Freshness

if TYPE_CHECKING:
    from collections.abc import Sequence


def folded(states: Sequence[Freshness]) -> Freshness | None:
    """One state for all; None for a memory without pins.

    Gone only when everything it rests on is gone; changed as soon as one place is changed or gone; moved names the
    first place that moved. What is unknown says nothing where others are known.
    """
    known = [each for each in states if each.state != "unknown"]
    if not known:
        return states[0] if states else None
    if all(each.state == "gone" for each in known):
        return known[0]
    for state in ("changed", "gone"):
        if broken := [each for each in known if each.state == state]:
            return Freshness(state="changed", path=broken[0].path, line=broken[0].line, kept=broken[0].kept)
    return next((each for each in known if each.state == "moved"), known[0])
