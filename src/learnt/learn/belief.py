"""How far a memory may be believed: its writer's grade, and what became of it since."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

GRADE_WEIGHT = 4.0
"""How many verdicts or outcomes a writer's grade is worth. Source: our choice: two move 0.5 by a sixth, and twenty
outweigh a grade five to one."""


def posterior(confidence: float, signals: Iterable[float]) -> float:
    """The chance that a memory serves, 0 to 1: the mean of a beta distribution.

    The prior is the writer's grade, worth `GRADE_WEIGHT` outcomes; each signal between -1 and 1 (a verdict's worth; of
    an outcome +1 or -1) adds one, split between good and bad: +1 is all good, 0 counts half, -1 is all bad. Without
    signals it is the grade itself. Source: beta-binomial model.
    """
    good, total = GRADE_WEIGHT * confidence, GRADE_WEIGHT
    for signal in signals:
        good += (1 + max(-1.0, min(1.0, signal))) / 2
        total += 1
    return round(good / total, 6)
