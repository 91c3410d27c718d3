"""Looking at what is there: one memory, where it came from, listings, receipts."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from learnt.errors import NotFoundError
from learnt.flows.reward import belief
from learnt.model.filter import MOST_PAST, MemoryFilter, Page, bounded

if TYPE_CHECKING:
    from learnt.flows.means import Means
    from learnt.model.event import ChainRow
    from learnt.model.evidence import EvidenceUnit
    from learnt.model.memory import Memory, Reference
    from learnt.model.outcome import Outcome
    from learnt.model.ranking import Bundle

MOST_OUTCOMES = 20
"""Outcomes shown with a memory, the newest."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Support:
    """One reference of a memory, and the piece of evidence it points at, where learnt holds it."""

    reference: Reference
    unit: EvidenceUnit | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Explanation:
    """Where a memory came from, what it replaced, what replaced it, and how often it was given to somebody.

    Attributes:
        merged_with: What applied merges tied to it.
        outcomes: The newest twenty, newest first.
        belief: How far it may be believed: its writer's grade and the verdicts since.
    """

    memory: Memory
    evidence: tuple[Support, ...]
    merged_from: tuple[str, ...]
    merged_with: tuple[str, ...]
    replaced: tuple[str, ...]
    replaced_by: str | None
    events: tuple[ChainRow, ...]
    recalls: int
    outcomes: tuple[Outcome, ...]
    belief: float


def show(means: Means, memory_id: str) -> Memory:
    """The memory with this id, whatever its status.

    Raises:
        NotFoundError: Unknown here; the same for an id of another scope.
    """
    found = means.store.memories.get(means.context.sight, memory_id)
    if found is None:
        hint = (
            f"A proposal is no memory yet: `learnt pending --id {memory_id}`." if memory_id.startswith("prop_") else ""
        )
        raise NotFoundError(f"There is no memory {memory_id} here.", hint=hint)
    return found


def listing(means: Means, wanted: MemoryFilter) -> Page[Memory]:
    """A page of memories, latest change first."""
    return means.store.memories.page(means.context.sight, wanted, means.clock.now())


def explain(means: Means, memory_id: str) -> Explanation:
    """Where a memory came from.

    Raises:
        NotFoundError: Unknown here.
    """
    memory = show(means, memory_id)
    return Explanation(
        memory=memory,
        evidence=tuple(support(means, reference) for reference in memory.evidence),
        merged_from=(),
        merged_with=means.store.proposals.related(means.context.sight, [memory_id]).get(memory_id, ()),
        replaced=memory.supersedes,
        replaced_by=memory.superseded_by,
        events=_events(means, memory),
        recalls=means.store.usage.recalls(memory_id),
        outcomes=_outcomes(means, memory),
        belief=belief(means, memory),
    )


def _outcomes(means: Means, memory: Memory) -> tuple[Outcome, ...]:
    """The newest outcomes of a memory, as they may be shown: a correction passed the gate of its day."""
    held = means.store.outcomes.of(means.context.sight, [memory.id])[-MOST_OUTCOMES:]
    return tuple(replace(each, correction=means.gate.redact(each.correction)) for each in reversed(held))


def _events(means: Means, memory: Memory) -> tuple[ChainRow, ...]:
    """What happened to a memory, oldest first: its own events, and the one by which its successor replaced it."""
    own = means.store.events.about(memory.id)
    if memory.superseded_by is None:
        return own
    later = (row for row in means.store.events.about(memory.superseded_by) if memory.id in (row.event_json or ""))
    return tuple(sorted({row.id: row for row in (*own, *later)}.values(), key=lambda row: row.position))


def support(means: Means, reference: Reference) -> Support:
    """A reference with the piece of evidence it points at."""
    held = reference.type in {"transcript", "evidence"}
    unit = means.store.archive.unit(means.context.sight, reference.ref) if held else None
    return Support(reference=reference, unit=unit)


def receipts(means: Means, run_id: str = "", limit: int = 200) -> tuple[Bundle, ...]:
    """What was recalled, newest first; `run_id` empty for all runs."""
    return means.store.usage.page(means.context.sight, run_id, bounded(limit, MOST_PAST))
