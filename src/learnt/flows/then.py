"""What was known and held at a moment: one mechanism for recall, listing and a single memory.

A moment is taken on both clocks: what the store had recorded by then, in the state it was recorded in, and of that what
held in the world then. What was learned later is not shown, however long it had been true; what was retired, deleted
or changed since is shown as it was. What was forgotten is nowhere.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from learnt.errors import NotFoundError, UsageError
from learnt.flows.arms import Answer, idle
from learnt.model.candidate import candidate
from learnt.model.filter import MOST_LISTED, MemoryFilter
from learnt.model.tokens import query_terms, tokens
from learnt.recall.rank import kinds_of, rank

if TYPE_CHECKING:
    from learnt.flows.means import Means
    from learnt.model.memory import Memory
    from learnt.model.ranking import Query
    from learnt.recall.rank import Dials

_MOST_CHANGED: Final = 10_000
"""Memories of which it is looked up what they were; beyond these an old moment of a large scope is incomplete."""
_MOST_NARROWED: Final = 2_000


def answered(means: Means, query: Query, dials: Dials, now: str) -> Answer:
    """The ranking of a question over what held at `query.as_of`, by words alone.

    Raises:
        UsageError: The profile `dense`: vectors of what was are not kept.
    """
    if query.profile == "dense":
        raise UsageError("A past moment is searched by words; vectors of it are not kept.", code="profile")
    said = query.task if query.mode == "injection" and query.task else query.text
    if not tokens(said) and not query_terms(said):
        return Answer(rank(query, (), now=now, dials=dials, matched=False), idle(means))
    held = _held(means, query, dials, said)
    shown = _showable(means, held)
    keys = means.context.sight.keys
    ranked = rank(query, [candidate(each) for each in shown], now=now, dials=dials, scope_keys=keys)
    return Answer(ranked, idle(means), read={each.id: each for each in shown})


def _held(means: Means, query: Query, dials: Dials, said: str) -> dict[str, Memory]:
    """What held then, by id: all of it, or in a large scope what the words find and everything that changed since."""
    at, sight, kinds = query.as_of or "", means.context.sight, kinds_of(query, dials.exclude_kinds)
    page = means.store.memories.page(sight, MemoryFilter(as_of=at, limit=MOST_LISTED), at)
    if not page.next:
        return {each.id: each for each in page.values}
    narrowed = means.store.lexicon.candidates(sight, query_terms(said), _MOST_NARROWED, kinds=kinds)
    then = {each.id: each for each in means.store.pasts.then(sight, at, _MOST_CHANGED)}
    names = [each.id for each in narrowed.candidates if each.id not in then]
    now = [each for each in means.store.memories.many(sight, names) if each.created_at <= at]
    return {each.id: each for each in (*now, *then.values()) if _is_valid(each, at)}


def _is_valid(memory: Memory, at: str) -> bool:
    begun = memory.valid_from <= at and (memory.expires_at is None or memory.expires_at > at)
    return begun and memory.status == "active"


def _showable(means: Means, held: dict[str, Memory]) -> list[Memory]:
    """Those that are not in quarantine by now: what was found dangerous since is not put in front of anybody."""
    present = means.store.memories.many(means.context.sight, list(held))
    return [held[each.id] for each in present if each.status != "quarantined"]


def shown(means: Means, memory_id: str, at: str) -> Memory:
    """One memory as it was recorded at a moment, whatever its status then.

    Raises:
        NotFoundError: Unknown here, or not known then.
    """
    found = means.store.memories.get(means.context.sight, memory_id)
    if found is None or found.created_at > at:
        raise NotFoundError(f"No memory {memory_id} was known here at {at}.")
    later = (former.memory for former in means.store.pasts.of(means.context.sight, memory_id) if former.until > at)
    return next(later, found)
