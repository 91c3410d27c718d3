"""Flags: what readers have against memories, and what a person makes of it.

A flag lowers a memory's rank and labels it, whoever gave it. It takes nothing away by itself, but for one case: where
several persons are known by their credentials (a server), three of them within 30 days put a memory aside until a
person has looked at it. Nobody's own memories and no security note go that way: that is for who manages them.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from learnt.errors import NotFoundError, UsageError
from learnt.flows import personal
from learnt.flows.bar import barred
from learnt.flows.decide import person_required
from learnt.flows.screen import judged, refusal
from learnt.flows.switch import off
from learnt.gate.hygiene import fit
from learnt.learn import flag as policy
from learnt.model.answer import Refusal
from learnt.model.filter import Page, bounded
from learnt.model.flag import MAX_REASON, MOST_REASONS, Flag, Flagged, Objection
from learnt.model.verdict import Passage

if TYPE_CHECKING:
    from learnt.flows.means import Means
    from learnt.model.memory import Memory

OPERATION = "flag"


def flag(means: Means, memory_id: str, reason: str) -> Flagged | Refusal:
    """Flag a memory, in the place of this reader's flag before.

    Raises:
        UsageError: The reason says nothing, is too long, or holds what no screen can show.
        NotFoundError: There is no such memory here.
    """
    if problem := fit(reason.strip(), max_chars=MAX_REASON):
        raise UsageError(f"reason: {problem.message}", code="reason" if problem.code == "empty" else problem.code)
    if refused := off(means) or _screened(means, reason.strip()):
        return refused
    now, by = means.clock.now(), means.context.writer
    with means.store.transaction():
        memory = _memory(means, memory_id)
        if memory.status == "deleted":
            return Refusal(code="conflict", message="This memory was deleted.")
        held = means.store.flags.of(means.context.sight, [memory.id])
        replaced = any(each.by == by for each in held)
        if not replaced and len(held) >= policy.MOST_FLAGS:
            return Refusal(code="conflict", message=f"This memory has {policy.MOST_FLAGS:,} open flags.")
        if barred(means, [reason.strip()]):
            return Refusal(code="forgotten", message="This was forgotten on demand; it is not written again.")
        means.name_place()
        made = Flag(memory_id=memory.id, by=by, at=now, reason=reason.strip(), person=means.context.person)
        means.store.flags.put(memory.scope, made)
        return _told(means, memory, now, replaced=replaced)


def _screened(means: Means, reason: str) -> Refusal | None:
    """A reason is read by people and shown beside a memory: what the gate holds back is refused."""
    verdict = judged(means, (Passage(field="reason", text=reason),), "flag")
    if verdict.outcome == "quarantine":
        details = {"classes": list(verdict.classes), "fields": list(verdict.fields)}
        message = "This may be an attempt to instruct agents; nothing was stored."
        return Refusal(code="injection", message=message, hint="Say what is wrong as a fact.", details=details)
    return refusal(verdict, means) or personal.refused_text(means, reason, OPERATION)


def _told(means: Means, memory: Memory, now: str, *, replaced: bool) -> Flagged:
    """The flag's event, and the quarantine it may lead to, inside the caller's transaction."""
    held = means.store.flags.of(means.context.sight, [memory.id])
    put_aside = policy.is_due(memory, held, now)
    if put_aside:
        metadata = {**memory.metadata, "quarantine": [policy.CLASS]}
        memory = replace(memory, status="quarantined", metadata=metadata, updated_at=now)
        means.store.memories.put(memory)
    detail = {"action": "flag", "flags": len(held), "replaced": replaced, "status": memory.status}
    event = means.event(OPERATION, memory.id, now, detail)
    means.store.events.append(event)
    shown = _memory(means, memory.id)
    return Flagged(memory=shown, event=event.id, flags=len(held), replaced=replaced)


def unflag(means: Means, memory_id: str) -> Flagged:
    """Withdraw one's own flag; nothing of it is kept but that it happened.

    Raises:
        NotFoundError: There is no such memory here, or no flag of one's own on it.
    """
    now = means.clock.now()
    with means.store.transaction():
        memory = _memory(means, memory_id)
        means.name_place()
        if not means.store.flags.withdraw(means.context.sight, memory.id, means.context.writer):
            raise NotFoundError("You have no open flag on this memory.", hint="`learnt flags` shows what is flagged.")
        left = len(means.store.flags.of(means.context.sight, [memory.id]))
        event = means.event(OPERATION, memory.id, now, {"action": "unflag", "flags": left})
        means.store.events.append(event)
        return Flagged(memory=_memory(means, memory.id), event=event.id, flags=left)


def clear(means: Means, memory_id: str) -> Flagged | Refusal:
    """A person has looked at the flags and lets the memory stand; what they put aside is active again.

    Raises:
        NotFoundError: There is no such memory here, or no open flag on it.
    """
    if refused := person_required(means, "flags --clear"):
        return refused
    now, by = means.clock.now(), means.context.writer
    with means.store.transaction():
        memory = _memory(means, memory_id)
        means.name_place()
        cleared = means.store.flags.clear(means.context.sight, memory.id, now, by)
        if not cleared:
            raise NotFoundError("There is no open flag on this memory.", hint="`learnt flags` shows what is flagged.")
        restored = policy.is_put_aside(memory)
        if restored:
            metadata = {name: value for name, value in memory.metadata.items() if name != "quarantine"}
            means.store.memories.put(replace(memory, status="active", metadata=metadata, updated_at=now))
        detail = {"action": "clear", "cleared": cleared, "restored": restored}
        event = means.event(OPERATION, memory.id, now, detail)
        means.store.events.append(event)
        return Flagged(memory=_memory(means, memory.id), event=event.id, cleared=cleared, restored=restored)


def flags(means: Means, limit: int = 50) -> Page[Objection]:
    """Flagged memories, the latest flag first.

    Reasons are for persons; an agent is told how many flags there are, and its own.
    """
    sight, store = means.context.sight, means.store
    ids = store.flags.flagged(sight, bounded(limit))
    held = store.flags.of(sight, ids)
    found = []
    for memory in store.memories.many(sight, ids):
        own = [each for each in held if each.memory_id == memory.id]
        past = store.flags.past(sight, memory.id, MOST_REASONS)
        shown = tuple(_shown(means, each) for each in own if _may_read(means, each))[:MOST_REASONS]
        cleared = tuple(_shown(means, each) for each in past if _may_read(means, each))
        found.append(Objection(memory=memory, flags=shown, total=len(own), past=cleared))
    return Page(tuple(found), store.flags.count(sight).memories)


def _may_read(means: Means, flag: Flag) -> bool:
    return means.context.person or flag.by == means.context.writer


def _shown(means: Means, flag: Flag) -> Flag:
    """A flag as it may be shown: its reason passed the gate of its day, not that of today."""
    return replace(flag, reason=means.gate.redact(flag.reason))


def _memory(means: Means, memory_id: str) -> Memory:
    found = means.store.memories.get(means.context.sight, memory_id)
    if found is None:
        raise NotFoundError(f"There is no memory {memory_id} here.")
    return found
