"""Work that comes again: how often, and which time this is.

A period has a number that only rises, which is the watermark of the job: however many workers ask, and however the
clock is set, one period is worked off once, and periods nobody was there for are not made up for.
"""

from __future__ import annotations

import re

from learnt.errors import UsageError
from learnt.model.instant import to_epoch

_UNITS_S = {"s": 1, "m": 60, "h": 3_600, "d": 86_400, "w": 604_800}
_NAMES = {"hourly": "1h", "daily": "1d", "weekly": "1w"}
_EVERY = re.compile(r"(\d{1,6})([smhdw])")
_MONDAY_S = 4 * 86_400
"""Periods are counted from 1970-01-05, the first Monday, so that a week begins with one."""


def period_s(text: str) -> int:
    """Seconds of `hourly`, `daily`, `weekly`, or of a number and a unit (`90m`, `6h`, `2w`).

    Raises:
        UsageError: It is none of these.
    """
    found = _EVERY.fullmatch(_NAMES.get(text.strip().lower(), text.strip().lower()))
    length_s = int(found[1]) * _UNITS_S[found[2]] if found else 0
    if not length_s:
        raise UsageError(
            "That is no schedule.", code="schedule", hint="hourly, daily, weekly, or a number and s, m, h, d or w: 6h."
        )
    return length_s


def period(length_s: int, now: str) -> int:
    """The number of the period a moment lies in, at least 1."""
    return max(1, int((to_epoch(now) - _MONDAY_S) // length_s) + 1)
