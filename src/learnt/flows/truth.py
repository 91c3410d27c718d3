"""A new statement among those that are there: what it retires, repeats, disputes, and what a person is asked.

Called inside the transaction of the write, with what was looked for before it.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

from learnt.flows.near import Nearest
from learnt.flows.propose import propose
from learnt.govern.truth import Settlement, opposed, retired, settle
from learnt.model.conflict import Conflict
from learnt.model.request import ProposalRequest
from learnt.model.scope import Sight
from learnt.model.stated import looked_for, stated

if TYPE_CHECKING:
    from collections.abc import Iterable

    from learnt.flows.means import Means
    from learnt.model.conflict import Reason
    from learnt.model.memory import Memory, Provenance
    from learnt.model.ranking import Bundle

_RECEIPTS: Final = 200
"""Latest receipts that are looked through for what a session was given."""
_LOOKED: Final = 64
"""Most statements about the same that one is compared with, latest written first."""
LIKENESS: Final = "nearly the same, and newer"


@dataclass(frozen=True, slots=True, kw_only=True)
class Settled:
    """What a write stores, and what the caller is told.

    Attributes:
        puts: The memory, and those it changes; the memory first, unless it only repeats another.
        superseded: Ids it retired. `nominated`: ids it may replace or repeat, the most pressing first.
        details: Of those the ones it says with more detail, which a merge would tie to it.
        repeats: The statement it only repeats; the memory itself is then not stored.
    """

    memory: Memory
    puts: tuple[Memory, ...]
    superseded: tuple[str, ...] = ()
    nominated: tuple[str, ...] = ()
    details: tuple[str, ...] = ()
    repeats: bool = False


def placed(
    means: Means,
    memory: Memory,
    near: Nearest,
    now: str,
    *,
    before: tuple[str, ...] = (),
    alone: bool = False,
    aside: frozenset[str] = frozenset(),
) -> Settled:
    """The memory among the active ones of its scope.

    Args:
        before: What had replaced it, when it came back.
        aside: What the same decision retires already.
        alone: It was decided what it replaces: it is stored whatever it repeats.
    """
    if memory.status != "active":
        return Settled(memory=memory, puts=(memory,), nominated=before)
    by_likeness = means.settings.lessons.supersede == "similarity"
    others = [each for each in _met(means, memory) if each.id not in aside]
    if not (others or near.alike or near.related or before):
        return Settled(memory=memory, puts=(memory,))
    made = settle(
        memory,
        others,
        now,
        most=means.brake.left(means.store, means.settings.lessons.retire_share, memory.scope),
        echoes=lambda old: was_given(means, memory.provenance, old),
    )
    if made.repeats is not None and not alone and not (by_likeness and near.meant):
        return Settled(memory=made.repeats, puts=(made.repeats,), repeats=True)
    if made.repeats is not None:
        made = Settlement(made=memory, nominated=(made.repeats.id,))
    if by_likeness and near.meant:
        made = _liked(means, made, near, now)
    means.brake.spend(memory.scope, len(made.retired))
    return _told(made, near, before, now, aside)


def _met(means: Means, memory: Memory) -> tuple[Memory, ...]:
    """The statements that share a subject and attribute with it, or rest on a value it rejects."""
    keys = looked_for(stated(memory.text))
    if not keys:
        return ()
    names = means.store.claims.sharing(memory.scope, keys, _LOOKED)
    others = [name for name in names if name != memory.id]
    return means.store.memories.many(Sight((memory.scope,)), others) if others else ()


def _liked(means: Means, made: Settlement, near: Nearest, now: str) -> Settlement:
    """The rule of the lessons seed: what is near enough is retired, whatever it says."""
    gone = {each.id for each in made.retired}
    names = [name for name, _ in near.alike if name not in gone]
    others = means.store.memories.many(Sight((made.made.scope,)), names)
    more = tuple(retired(each, made.made.id, LIKENESS, now) for each in others if each.status == "active")
    supersedes = tuple(dict.fromkeys((*made.made.supersedes, *(each.id for each in more))))
    return replace(made, made=replace(made.made, supersedes=supersedes), retired=(*made.retired, *more))


def _told(made: Settlement, near: Nearest, before: tuple[str, ...], now: str, aside: frozenset[str]) -> Settled:
    """What is stored, with the nominations on it."""
    gone = {each.id for each in made.retired} | {made.made.id} | aside
    if made.successor is not None:
        puts = (made.made, made.successor)
        return Settled(memory=made.made, puts=puts, nominated=before)
    kept = [*_conflicts(made, near, before, now)]
    memory = opposed(made.made, (each for each in kept if each.rival_id not in gone))
    pressing = (*made.disputed, *made.held, *(each.rival_id for each in kept if each.rival_id not in gone), *before)
    return Settled(
        memory=memory,
        puts=(memory, *made.retired),
        superseded=tuple(each.id for each in made.retired),
        nominated=tuple(dict.fromkeys(pressing)),
        details=tuple(name for name in (*made.details, *near.details) if name not in gone),
    )


def _conflicts(made: Settlement, near: Nearest, before: Iterable[str], now: str) -> Iterable[Conflict]:
    """The nominations, the most pressing first."""

    def told(rival: str, reason: Reason, score: float) -> Conflict:
        return Conflict(memory_id=made.made.id, rival_id=rival, reason=reason, score=min(1.0, score), at=now)

    yield from (told(name, "alike", 1.0) for name in (*made.nominated, *made.details))
    yield from (told(name, "alike", score) for name, score in near.alike)
    yield from (told(name, "returned", 1.0) for name in before)
    yield from (told(name, "related", score / 2) for name, score in near.related)


def offer(means: Means, settled: Settled | None) -> None:
    """Propose to merge a statement with the one it adds detail to; outside of the transaction of its write."""
    if settled is None or not settled.details or settled.memory.status != "active":
        return
    asked = ProposalRequest(
        operation="merge",
        related=(settled.details[0], settled.memory.id),
        rationale="The later statement says the same with more detail.",
        origin="detail",
    )
    propose(means, asked, needs_reference=False)


def told(settled: Settled) -> dict[str, object]:
    """What the event of the write tells of it: ids only."""
    found = {"superseded": list(settled.superseded), "nominated": list(settled.nominated)}
    return {name: ids for name, ids in found.items() if ids}


def tell(means: Means, settled: Settled, now: str) -> None:
    """An event for each statement that was retired, by which that is taken back."""
    for each in settled.puts:
        if each.status == "superseded" and each.superseded_by:
            detail = {"successor": each.superseded_by, "rule": "claim"}
            means.store.events.append(means.event("supersede", each.id, now, detail))


def was_given(means: Means, made: Provenance, old: Memory) -> bool:
    """Whether the run or session that says something was given it by us: its own echo supports nothing.

    What only a person says is their own word, however they came to it.
    """
    if made.writer.startswith("person:") or not (made.run_id or made.session_id):
        return False
    given = means.store.usage.page(means.context.sight, made.run_id, _RECEIPTS)
    return any(old.id in each.memory_ids and _is_of(each, made) for each in given)


def _is_of(bundle: Bundle, made: Provenance) -> bool:
    return bundle.run_id == made.run_id if made.run_id else bundle.session_id == made.session_id


def among(means: Means, arrived: Iterable[Memory], now: str) -> None:
    """Memories that were stored just now, each among those that are there; inside the same transaction.

    None of them is taken for a repeat: whoever brings a memory finds it again by its id.
    """
    gone: set[str] = set()
    for each in arrived:
        if each.id in gone or each.status != "active":
            continue
        settled = placed(means, each, Nearest(), now, alone=True)
        changed = [memory for memory in settled.puts if memory is not each]
        for memory in changed:
            means.store.memories.put(memory)
        if changed:
            tell(means, settled, now)
        gone.update(memory.id for memory in settled.puts if memory.status != "active")
