"""One row of a Claude Code transcript with what every event of it repeats."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from learnt.hosts.records import Record
    from learnt.model.session import Span

_INSTANT = re.compile(r"(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(?:\.(\d{1,9}))?Z")


@dataclass(slots=True)
class Row:
    """A row. `identity` is its own `uuid`, or its place where an old client gave it none.

    Not frozen: one is made for each of a million rows, and a frozen one takes three times as long.
    """

    fields: dict[str, Any]
    span: Span
    at: str
    identity: str
    sidechain: bool


def row_of(record: Record) -> Row:
    """The row of a record."""
    fields = record.fields
    stamp, uuid = fields.get("timestamp"), fields.get("uuid")
    return Row(
        fields,
        record.span,
        instant(stamp) if isinstance(stamp, str) else "",
        uuid if isinstance(uuid, str) and uuid else f"@{record.span.offset}",
        fields.get("isSidechain") is True,
    )


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
