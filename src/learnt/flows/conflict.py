"""Statements that disagree, shown side by side; a person says which of them holds, or that both do."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from learnt.errors import NotFoundError
from learnt.flows.decide import person_required
from learnt.flows.switch import off
from learnt.govern.truth import evidence_at, reconciled, retired
from learnt.model.answer import Refusal
from learnt.model.conflict import NOMINATED, Conflict
from learnt.model.filter import bounded

if TYPE_CHECKING:
    from collections.abc import Sequence

    from learnt.flows.means import Means
    from learnt.model.conflict import Reason
    from learnt.model.memory import Memory

CHOSEN = "a person chose the other"


@dataclass(frozen=True, slots=True, kw_only=True)
class Standoff:
    """Two memories in each other's way, the one with the newer evidence first."""

    memories: tuple[Memory, Memory]
    reason: Reason
    score: float
    at: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Conflicts:
    """What a person should look at.

    Attributes:
        disputes: Pairs that cannot both hold. `nominations`: pairs of which one may replace the other.
        total, nominated: How many there are of each.
    """

    disputes: tuple[Standoff, ...]
    nominations: tuple[Standoff, ...]
    total: int
    nominated: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Chosen:
    """What a person's choice did: what was retired by it, and the events that take it back."""

    kept: tuple[str, ...]
    superseded: tuple[str, ...]
    events: tuple[str, ...]


def conflicts(means: Means, limit: int = 50, *, every: bool = False) -> Conflicts:
    """Open conflicts, latest noticed first.

    Args:
        limit: Most of each sort.
        every: Also the nearest decisions to new ones, most of which do not replace them.
    """
    sight, limit = means.context.sight, bounded(limit)
    disputes = means.store.claims.open(sight, ("disputes",), limit)
    wanted = NOMINATED if every else tuple(reason for reason in NOMINATED if reason != "related")
    nominations = means.store.claims.open(sight, wanted, limit)
    return Conflicts(
        disputes=_told(means, disputes.values),
        nominations=_told(means, nominations.values),
        total=disputes.total,
        nominated=nominations.total,
    )


def _told(means: Means, found: Sequence[Conflict]) -> tuple[Standoff, ...]:
    names = dict.fromkeys(name for each in found for name in (each.memory_id, each.rival_id))
    held = {memory.id: memory for memory in means.store.memories.many(means.context.sight, list(names))}
    return tuple(
        _standoff(held[each.memory_id], held[each.rival_id], each)
        for each in found
        if each.memory_id in held and each.rival_id in held
    )


def _standoff(one: Memory, other: Memory, conflict: Conflict) -> Standoff:
    pair = (one, other) if evidence_at(one) >= evidence_at(other) else (other, one)
    return Standoff(memories=pair, reason=conflict.reason, score=conflict.score, at=conflict.at)


def choose(means: Means, kept: str, others: Sequence[str] = ()) -> Chosen | Refusal:
    """A person says that a memory holds: what disputes it, or was held back for it, is retired.

    Args:
        others: Only these of them; all where none is named.

    Raises:
        NotFoundError: No such memory here.
    """
    if refused := person_required(means, "conflicts --keep") or off(means):
        return refused
    now = means.clock.now()
    with means.store.transaction():
        memory = _active(means, kept)
        if isinstance(memory, Refusal):
            return memory
        named = set(others)
        rivals = [each for each in _rivals(means, kept, pressing=not named) if not named or each.id in named]
        gone = tuple(retired(each, kept, CHOSEN, now) for each in rivals)
        supersedes = tuple(dict.fromkeys((*memory.supersedes, *(each.id for each in gone))))
        if gone:
            means.store.memories.put(replace(memory, supersedes=supersedes, updated_at=now))
        means.name_place()
        return Chosen(kept=(kept,), superseded=tuple(each.id for each in gone), events=_retire(means, gone, kept, now))


def reconcile(means: Means, names: Sequence[str]) -> Chosen | Refusal:
    """A person says that memories hold together: they are no longer told of as a conflict.

    Raises:
        NotFoundError: One of them is unknown here.
    """
    if refused := person_required(means, "conflicts --both") or off(means):
        return refused
    now = means.clock.now()
    with means.store.transaction():
        found = [_active(means, name) for name in names]
        for memory in found:
            if isinstance(memory, Refusal):
                return memory
        ids = frozenset(names)
        changed = [made for each in found if (made := reconciled(each, ids, now)) != each]  # type: ignore[arg-type]
        for memory in changed:
            means.store.memories.put(memory)
        means.name_place()
        event = means.event("reconcile", names[0], now, {"memories": sorted(ids)})
        means.store.events.append(event)
    return Chosen(kept=tuple(names), superseded=(), events=(event.id,))


def _active(means: Means, name: str) -> Memory | Refusal:
    memory = means.store.memories.get(means.context.sight, name)
    if memory is None:
        raise NotFoundError(f"There is no memory {name} here.")
    if memory.status != "active":
        return Refusal(code="conflict", message=f"Memory {name} is {memory.status}.")
    return memory


def _rivals(means: Means, name: str, *, pressing: bool) -> tuple[Memory, ...]:
    """The other sides of a memory's conflicts; of the pressing ones alone where nobody named them."""
    found = means.store.claims.standing(means.context.sight, (name,))
    wanted = [each for each in found if not pressing or each.reason in {"disputes", "held"}]
    others = dict.fromkeys(each.rival_id if each.memory_id == name else each.memory_id for each in wanted)
    return means.store.memories.many(means.context.sight, list(others))


def _retire(means: Means, gone: Sequence[Memory], successor: str, now: str) -> tuple[str, ...]:
    events = []
    for each in gone:
        means.store.memories.put(each)
        event = means.event("supersede", each.id, now, {"successor": successor, "rule": "person"})
        means.store.events.append(event)
        events.append(event.id)
    return tuple(events)
