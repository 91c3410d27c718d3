"""What recall shows of a memory that the present pattern set has not cleared, and what it tells of the others."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from learnt.flows import alarm
from learnt.flows.screen import passages
from learnt.gate.clearance import PATTERN_SET

if TYPE_CHECKING:
    from collections.abc import Iterable

    from learnt.flows.means import Means
    from learnt.model.memory import Memory


def cleared(means: Means, memory: Memory) -> Memory | None:
    """`memory` as it may be shown, or None when the gate would hold it back now, which the trail is told.

    Raises:
        GateError: The pattern set cannot be loaded or the scan failed: nothing may be shown.
    """
    return next(iter(guarded(means, (memory,)).values()))


def guarded(means: Means, memories: Iterable[Memory]) -> dict[str, Memory | None]:
    """The same of several, by id; those held back are told of together.

    Raises:
        GateError: As above.
    """
    shown: dict[str, Memory | None] = {}
    held: dict[str, tuple[str, ...]] = {}
    for memory in memories:
        shown[memory.id], classes = _judged(means, memory)
        if shown[memory.id] is None:
            held[memory.id] = classes
    if held:
        alarm.dropped(means, held)
    return shown


def _judged(means: Means, memory: Memory) -> tuple[Memory | None, tuple[str, ...]]:
    """A scan that did not finish drops nothing by itself; a secret is taken out of the text. Source: lessons seed."""
    if memory.clearance == PATTERN_SET:
        return memory, ()
    verdict = means.gate.scan(passages(memory))
    match verdict.outcome:
        case "allow" | "incomplete":
            return memory, ()
        case "redact":
            return replace(memory, text=means.gate.redact(memory.text)), ()
        case "refuse" if all(finding.family == "secret" for finding in verdict.findings):
            return replace(memory, text=means.gate.redact(memory.text)), ()
        case _:
            return None, verdict.classes
