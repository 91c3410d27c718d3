"""When a suppressed memory gets another chance.

A memory below the suppression threshold is not recalled, so nothing could ever reward it. At a rate that is a setting a
recall that hid some shows the best of them, marked; never an injection. The rate counts recalls instead of throwing
dice: with 0.05 it is every twentieth that hid something, and the same recalls give the same answers everywhere.
"""

from __future__ import annotations

LABEL = "explored: outcomes had suppressed it"


def is_due(hidden: int, rate: float) -> bool:
    """Whether the `hidden`th recall that hid something (from 1) is one that explores."""
    return rate > 0 and int(hidden * rate + 1e-9) > int((hidden - 1) * rate + 1e-9)
