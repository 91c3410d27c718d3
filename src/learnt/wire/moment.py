"""Points in time as people and programs write them, made canonical.

One rule everywhere: a time names its offset (`Z`, `+02:00`), because a naive one means another instant on every
machine; a date alone means its midnight in UTC.
"""

from __future__ import annotations

from datetime import UTC, date, datetime, time

from learnt.errors import UsageError

RULE = "Times need an offset (2026-05-01T09:30:00+02:00 or ...Z); a date alone (2026-05-01) means its midnight in UTC."
_DATE_CHARS = 10
_LONGEST = 40


def instant(text: str) -> str:
    """The canonical UTC text of an ISO 8601 time or date.

    Raises:
        UsageError: `invalid_time` for what is no time, has no offset, or lies outside the years 1 to 9999 in UTC.
    """
    given = text.strip()
    try:
        moment = _read(given)
    except (ValueError, OverflowError):
        raise UsageError(f"This is no time: {given[:_LONGEST]!r}.", code="invalid_time", hint=RULE) from None
    if moment.tzinfo is None:
        raise UsageError(f"This time has no offset: {given[:_LONGEST]!r}.", code="invalid_time", hint=RULE)
    try:
        utc = moment.astimezone(UTC)
    except OverflowError:
        message = f"This time is outside the years 1 to 9999: {given[:_LONGEST]!r}."
        raise UsageError(message, code="invalid_time", hint=RULE) from None
    return utc.replace(tzinfo=None).isoformat(timespec="milliseconds") + "Z"


def _read(text: str) -> datetime:
    if len(text) > _LONGEST or not text.isascii() or "W" in text:
        raise ValueError(text)
    if len(text) == _DATE_CHARS:
        return datetime.combine(date.fromisoformat(text), time(tzinfo=UTC))
    if text[_DATE_CHARS : _DATE_CHARS + 1] not in {"T", " "}:
        raise ValueError(text)
    return datetime.fromisoformat(text)
