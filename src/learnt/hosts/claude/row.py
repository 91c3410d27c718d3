"""One row of a Claude Code transcript with what every event of it repeats."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from learnt.hosts.reading.value import instant

if TYPE_CHECKING:
    from learnt.hosts.reading.records import Record
    from learnt.model.session import Span


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
