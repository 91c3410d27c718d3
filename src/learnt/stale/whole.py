"""The state of a memory, from those of its pins, and what it does to a hit. Hook-safe."""

from __future__ import annotations

from learnt.model.pin import Freshness

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

WEIGHTS = {"changed": 0.7, "gone": 0.5}
"""What is left of the score of a memory whose code changed or is gone. A choice of ours: two such memories keep their
order, and a fresh one with three quarters of the signal comes first."""


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


def told(whole: Freshness | None) -> str:
    """The label of a memory in this state; "" where there is nothing to say."""
    if whole is None or whole.state in ("intact", "unknown"):
        return ""
    if whole.state == "moved":
        return f"now at {whole.path}:{whole.line}"
    return "changed since" if whole.state == "changed" else "gone"
