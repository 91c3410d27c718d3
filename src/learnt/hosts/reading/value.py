"""Values of somebody else's records as what they should be: text, a count, an object, blocks, a time."""

from __future__ import annotations

import re
from datetime import datetime
from typing import Any, Final

from learnt.model.instant import from_epoch

_INSTANT = re.compile(r"(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(?:\.(\d{1,9}))?Z")
_LOCAL: Final = re.compile(r"(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d:\d\d)(?:[.,](\d{1,9}))?")
_NOTHING: Final[dict[str, Any]] = {}
_MAX_EPOCH_MS: Final = 253_402_300_800_000
"""The year 10000."""


def instant(stamp: str) -> str:
    """A time of the transcript in canonical form; "" when it is none."""
    found = _INSTANT.fullmatch(stamp)
    if found is None:
        return ""
    return stamp if len(stamp) == 24 else f"{found[1]}.{(found[2] or '').ljust(3, '0')[:3]}Z"


def text(fields: dict[str, Any], key: str) -> str:
    """A value that is text; "" for any other."""
    value = fields.get(key)
    return value if isinstance(value, str) else ""


def count(fields: dict[str, Any], key: str) -> int:
    """A value that counts something; 0 for any other."""
    value = fields.get(key)
    return value if isinstance(value, int) and not isinstance(value, bool) and value > 0 else 0


def inner(fields: dict[str, Any], key: str) -> dict[str, Any]:
    """A value that is an object; an empty one for any other."""
    value = fields.get(key)
    return value if isinstance(value, dict) else {}


def fields(value: Any) -> dict[str, Any]:
    """`value` when it is an object, else an empty one."""
    return value if isinstance(value, dict) else _NOTHING


def blocks(content: Any) -> list[dict[str, Any]]:
    """The blocks of a message's content; a text is one block."""
    if isinstance(content, str):
        return [{"type": "text", "text": content}]
    return [block for block in content if isinstance(block, dict)] if isinstance(content, list) else []


def from_millis(stamp: Any) -> str:
    """A Unix time in milliseconds in canonical form; "" when it is none."""
    number = isinstance(stamp, (int, float)) and not isinstance(stamp, bool)
    if not number or not 0 < stamp < _MAX_EPOCH_MS:
        return ""
    seconds, millis = divmod(int(stamp), 1000)
    return f"{from_epoch(seconds)[:-4]}{millis:03d}Z"


def from_stamp(stamp: Any) -> str:
    """A time as text in canonical form, one without a zone taken as this machine's; "" when it is none."""
    if not isinstance(stamp, str):
        return ""
    found = _LOCAL.fullmatch(stamp)
    if found is None:
        return instant(stamp) or instant(stamp.replace("+00:00", "Z").replace(" ", "T"))
    try:
        seconds = datetime.fromisoformat(f"{found[1]} {found[2]}").timestamp()
    except (ValueError, OverflowError):
        return ""
    return from_epoch(seconds + 0.0004 + int((found[3] or "0").ljust(3, "0")[:3]) / 1000)
