"""One measured number beside the limit it is to keep."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

SLACK = 1.15
"""A gate fails only beyond its limit times this: a shared machine is noisy. Source: design, rules for every figure."""


@dataclass(frozen=True, slots=True)
class Figure:
    """A measurement.

    Attributes:
        name: What was measured, in words.
        value: In `unit`.
        unit: ms, MB, MB/s, times, rows/s, errors ...
        limit: The bar; None when the number is only reported.
        better: `<=` when small is good, `>=` when large is.
        statistic: p50, p95, median of n, total ...
        conditions: Sample and seed, warm or cold, CPU or wall, what was inside the clock, the baseline.
    """

    name: str
    value: float
    unit: str
    limit: float | None = None
    better: Literal["<=", ">="] = "<="
    statistic: str = "median"
    conditions: str = ""

    @property
    def met(self) -> bool:
        """Whether the value keeps the limit itself."""
        return self._within(1.0)

    @property
    def failed(self) -> bool:
        """Whether the value misses the limit by more than the slack; a gate stops here."""
        return not self._within(SLACK)

    def _within(self, slack: float) -> bool:
        if self.limit is None:
            return True
        if self.better == "<=":
            return self.value <= self.limit * slack
        return self.value >= self.limit / slack

    @property
    def mark(self) -> str:
        """One word for a table: ok, close (within the slack), MISSED, or a dash without a limit."""
        if self.limit is None:
            return "-"
        return "MISSED" if self.failed else "ok" if self.met else "close"
