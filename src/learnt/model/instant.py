"""Points in time as canonical text: `YYYY-MM-DDTHH:MM:SS.mmmZ`, always UTC, always 24 characters. Hook-safe.

Fixed width makes text order the order of the instants, in Python and in SQL alike.
"""

from __future__ import annotations

import time

_DAY_S = 86_400
_MOST_DAYS = 512
_starts: dict[str, int] = {}


def from_epoch(seconds: float) -> str:
    """The canonical text of a Unix time in seconds, cut to milliseconds."""
    whole = int(seconds // 1)
    millis = int((seconds - whole) * 1000)
    return f"{time.strftime('%Y-%m-%dT%H:%M:%S', time.gmtime(whole))}.{millis:03d}Z"


def to_epoch(instant: str) -> float:
    """Unix seconds of a canonical instant."""
    start = _starts.get(instant[:10])
    if start is None:
        start = _started(instant[:10])
    hour, minute, second = int(instant[11:13]), int(instant[14:16]), int(instant[17:19])
    return start + hour * 3600 + minute * 60 + second + int(instant[20:23]) / 1000


def _started(day: str) -> int:
    """Unix seconds at which a day began; the days that were asked for lately are remembered."""
    if len(_starts) >= _MOST_DAYS:
        _starts.clear()
    start = _starts[day] = _days(int(day[0:4]), int(day[5:7]), int(day[8:10])) * _DAY_S
    return start


def just_after(instant: str) -> str:
    """The next instant that can be written."""
    return from_epoch(to_epoch(instant) + 0.0015)


def _days(year: int, month: int, day: int) -> int:
    """Days from 1970-01-01 (proleptic Gregorian; years counted from March so that leap days come last)."""
    year -= month <= 2
    era_year = year % 400
    day_of_year = (153 * (month + (-3 if month > 2 else 9)) + 2) // 5 + day - 1
    return (year // 400) * 146_097 + era_year * 365 + era_year // 4 - era_year // 100 + day_of_year - 719_468


def age_days(instant: str, now: str) -> int:
    """Whole days from `instant` to `now`, never negative."""
    return max(0, int((to_epoch(now) - to_epoch(instant)) // _DAY_S))


def plus_days(instant: str, days: float) -> str:
    """`instant` moved by `days`."""
    return from_epoch(to_epoch(instant) + days * _DAY_S)
