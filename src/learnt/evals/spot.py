"""Values of a fixture read by name, each checked, and the error that tells where a wrong one stands."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from learnt.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Mapping


MOST = 1_000
"""No number of a fixture is larger."""


@dataclass(frozen=True, slots=True)
class Spot:
    """Where in which file a value stands, for the error about it."""

    file: str
    record: str = ""

    def fault(self, field: str, why: str) -> UsageError:
        """The error that names file, record and field."""
        place = f"{self.file}, record {self.record}, {field}" if self.record else f"{self.file}, {field}"
        return UsageError(
            f"{place}: {why}",
            code="fixture",
            details={"file": self.file, "record": self.record or None, "field": field},
        )

    def text(self, table: Mapping[str, Any], field: str, default: str | None = None) -> str:
        """A text; `default` where there is none."""
        value = table.get(field, default)
        if not isinstance(value, str):
            raise self.fault(field, "must be a text" if field in table else "is missing")
        return value

    def name(self, table: Mapping[str, Any], field: str) -> str:
        """A text that is not empty."""
        value = self.text(table, field)
        if not value:
            raise self.fault(field, "is empty")
        return value

    def whole(self, table: Mapping[str, Any], field: str, default: int) -> int:
        """A whole number from 1 to 1,000."""
        value = table.get(field, default)
        if not isinstance(value, int) or isinstance(value, bool) or not 1 <= value <= MOST:
            raise self.fault(field, f"must be a whole number from 1 to {MOST:,}")
        return value

    def texts(self, table: Mapping[str, Any], field: str) -> tuple[str, ...]:
        """A list of texts; none where there is none."""
        value = table.get(field, [])
        if not isinstance(value, list) or not all(isinstance(each, str) for each in value):
            raise self.fault(field, "must be a list of texts")
        return tuple(value)

    def tables(self, table: Mapping[str, Any], field: str) -> list[Mapping[str, Any]]:
        """A list of objects."""
        value = table.get(field)
        if not isinstance(value, list) or not all(isinstance(each, dict) for each in value):
            raise self.fault(field, "must be a list of objects")
        return value

    def table(self, table: Mapping[str, Any], field: str) -> Mapping[str, Any]:
        """An object; an empty one where there is none."""
        value = table.get(field, {})
        if not isinstance(value, dict):
            raise self.fault(field, "must be an object")
        return value
