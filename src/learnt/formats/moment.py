"""Times as other programs write them, made canonical."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any, Final

from learnt.model.field import MisfitError

_LONGEST: Final = 40
_MOST_MS: Final = 253_402_300_799_999
"""The last millisecond of the year 9999."""


def moment(value: Any) -> str:
    """A time with an offset, in ISO 8601, as a canonical instant.

    Raises:
        MisfitError: It is none. A time without an offset is another instant on every machine.
    """
    if not isinstance(value, str) or len(value) > _LONGEST or not value.isascii():
        raise MisfitError("not a time")
    try:
        found = datetime.fromisoformat(value.strip())
        if found.tzinfo is None:
            raise MisfitError("a time without an offset")
        return found.astimezone(UTC).replace(tzinfo=None).isoformat(timespec="milliseconds") + "Z"
    except (ValueError, OverflowError) as error:
        raise error if isinstance(error, MisfitError) else MisfitError("not a time") from None


def moment_or(value: Any, default: str = "") -> str:
    """The same, or `default` for what is none: where the time is beside the point."""
    try:
        return moment(value)
    except MisfitError:
        return default


def from_ms(value: Any) -> str:
    """The instant of a Unix time in milliseconds; "" for what is none."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 < value <= _MOST_MS:
        return ""
    found = datetime.fromtimestamp(value / 1000, UTC)
    return found.replace(tzinfo=None).isoformat(timespec="milliseconds") + "Z"
