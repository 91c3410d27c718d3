"""The moving average of a memory's outcomes.

Source: swarm-memory seed, recall learning: q' = clamp((1 - rate) q + rate r), with r used as it is (+1, 0, -1 by
default), so that CONCERNS lowers a neutral value.
"""

from __future__ import annotations

from math import isfinite
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from learnt.model.reward import Step

NEUTRAL = 0.5
_PLACES = 12
"""Decimals that are kept: sums of decimals do not come out exact, and 0.15 is to be 0.15."""


def finite(value: float, default: float) -> float:
    """`value`, or the default for what is no number."""
    return value if isfinite(value) else default


def moved(q_value: float, signal: float, rate: float) -> float:
    """The value after one step, 0 to 1."""
    q_value, signal, rate = finite(q_value, NEUTRAL), finite(signal, NEUTRAL), finite(rate, 0.1)
    return round(min(1.0, max(0.0, (1 - rate) * q_value + rate * signal)), _PLACES)


def shared(reward: float, factor: float) -> float:
    """What a reward pulls a neighbour to: 0.5 + factor x (reward - 0.5). Source: the same, propagation."""
    return NEUTRAL + min(1.0, max(0.0, finite(factor, 0.3))) * (finite(reward, NEUTRAL) - NEUTRAL)


def folded(base: float, steps: Iterable[Step]) -> float:
    """The value all steps lead to from a base, in the order of what they reward; the same step twice counts once."""
    value = finite(base, NEUTRAL)
    for step in sorted({(each.at, each.key): each for each in steps}.values(), key=lambda each: (each.at, each.key)):
        value = moved(value, step.signal, step.rate)
    return value


def after(q_value: float, base: float, held: Sequence[Step], step: Step) -> float:
    """The value with one step more than `held`, which led from `base` to `q_value`."""
    place = (step.at, step.key)
    if all((each.at, each.key) < place for each in held):
        return moved(q_value, step.signal, step.rate)
    return folded(base, [*held, step])


def mean(values: Mapping[str, float]) -> float:
    """The value of a receipt: the mean of its memories'. Source: the same."""
    return round(sum(values.values()) / len(values), _PLACES) if values else NEUTRAL
