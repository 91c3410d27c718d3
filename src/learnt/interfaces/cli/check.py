"""One thing that `learnt doctor` looked at."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Result = Literal["ok", "warning", "problem"]


@dataclass(frozen=True, slots=True)
class Check:
    """What was found. `advice` says what to do about it."""

    name: str
    result: Result
    found: str
    advice: str = ""

    @property
    def document(self) -> dict[str, str | None]:
        """The check as JSON."""
        return {"name": self.name, "result": self.result, "found": self.found, "advice": self.advice or None}
