"""One truth at a time: what a statement does to those that are there.

A statement retires another only when both are about the same subject and attribute, its evidence is the newer, and it
stands as high. Everything else that looks like it is told to a person: a dispute where both cannot hold, a nomination
where one may replace the other. The time that counts is that of the evidence, so the order in which statements arrive
decides nothing.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final, assert_never

from learnt.govern.claim import bearing
from learnt.govern.reference import corroborated, united
from learnt.model.conflict import KEY, Conflict, as_rows, conflicts_of
from learnt.model.instant import plus_days
from learnt.model.kinds import TRUSTS
from learnt.model.stated import stated

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from learnt.govern.claim import Bearing
    from learnt.model.conflict import Reason
    from learnt.model.memory import Memory

EVIDENCE_AT: Final = "evidence_at"
"""Where the metadata of a memory tells when its newest evidence was made; without it `valid_from` counts."""

PEACE: Final = "holds_with"
"""Where metadata names memories of which a person said that both hold."""

STATED_KINDS: Final = frozenset(
    {
        "user_preference",
        "project_fact",
        "architecture_decision",
        "repo_convention",
        "code_pattern",
        "test_pattern",
        "security_note",
        "lesson",
        "channel_note",
    }
)
"""Kinds that say what holds; the others tell what was seen, tried or is to do, and never exclude each other."""

MOST_AT_ONCE: Final = 3
"""What one statement may retire; one that would retire more was misunderstood. Source: own choice."""
MOST_CONFLICTS: Final = 12
"""Conflicts a memory tells of."""
REASON: Final = "newer evidence gives it another value"
_FRESH_DAYS: Final = 1.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Settlement:
    """What becomes of a new statement and of those it meets.

    Attributes:
        made: The statement as it is stored: retired at once where newer evidence says otherwise.
        retired: Others, as they are stored when it takes their place.
        successor: The one that has taken its place already, as it is stored; None for most.
        repeats: The one it only repeats, with its evidence added; `made` is then not stored.
        disputed: Ids of those that cannot hold together with it.
        held: Ids of those it would have retired, had the brake not stopped it.
        nominated: Ids of those it may replace or repeat, for a person to decide.
        details: Ids of those it says and adds something to.
    """

    made: Memory
    retired: tuple[Memory, ...] = ()
    successor: Memory | None = None
    repeats: Memory | None = None
    disputed: tuple[str, ...] = ()
    held: tuple[str, ...] = ()
    nominated: tuple[str, ...] = ()
    details: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class _Met:
    """One that is there, and which of the two gives way."""

    other: Memory
    bearing: Bearing
    newer: bool


def evidence_at(memory: Memory) -> str:
    """When the newest evidence of a memory was made."""
    told = memory.metadata.get(EVIDENCE_AT)
    return told if isinstance(told, str) and told else memory.valid_from


def dated(memory: Memory, at: str) -> Memory:
    """`memory` resting on evidence of an instant; "" where nothing is known of it but when it was written."""
    if not at or at >= memory.valid_from:
        return memory
    return replace(memory, metadata={**memory.metadata, EVIDENCE_AT: at})


def renewed(memory: Memory, new: Memory) -> Memory:
    """`memory` said once more with the evidence of `new`: its evidence is as new as the newest, to the day."""
    latest = evidence_at(new)
    if latest <= plus_days(evidence_at(memory), _FRESH_DAYS):
        return memory
    return replace(memory, metadata={**memory.metadata, EVIDENCE_AT: latest})


def standing(memory: Memory) -> int:
    """How high a statement stands, 0 the highest.

    What a person wrote stands as a person's also where it points at a file of the repository: that is more support,
    not less.
    """
    if memory.trust == "repository" and memory.provenance.writer.startswith("person:"):
        return 0
    return TRUSTS.index(memory.trust)


def settle(
    new: Memory,
    others: Sequence[Memory],
    now: str,
    *,
    most: int = MOST_AT_ONCE,
    echoes: Callable[[Memory], bool] = lambda _: False,
) -> Settlement:
    """What becomes of a new statement and of the active ones of its scope that it may touch.

    Args:
        others: In any order; those it does not touch change nothing.
        echoes: Whether who says it was given a memory by us, so that repeating it supports nothing anew.
        most: How many it may retire; when it would retire more, none is, and all are held for a person.
    """
    met = [each for other in others if (each := _met(new, other)).bearing != "apart"]
    repeated = next((each.other for each in met if _is_repeat(each, new)), None)
    if repeated is not None:
        return Settlement(made=new, repeats=corroborating(repeated, new, now, echo=echoes(repeated)))
    older = [each for each in met if each.bearing in {"replaces", "refines"}]
    mine = [each.other for each in older if each.newer and standing(new) <= standing(each.other)]
    theirs = [each.other for each in older if not each.newer and standing(each.other) <= standing(new)]
    disputed = [each.other.id for each in met if each.bearing == "disputes" or _is_outranked(each, new)]
    braked = len(mine) > most
    told = [Conflict(memory_id=new.id, rival_id=name, reason="disputes", at=now) for name in disputed]
    told += [Conflict(memory_id=new.id, rival_id=each.id, reason="held", at=now) for each in mine if braked]
    made = replacing(opposed(new, told), () if braked else mine)
    plain = Settlement(
        made=made,
        disputed=tuple(disputed),
        held=tuple(each.id for each in mine) if braked else (),
        nominated=tuple(each.other.id for each in met if each.bearing == "coarser"),
        details=tuple(each.other.id for each in met if each.bearing == "detail" and each.newer),
    )
    if theirs:
        return _arrived_late(plain, max(theirs, key=lambda each: (evidence_at(each), each.id)), now)
    gone = () if braked else tuple(retired(each, made.id, REASON, now) for each in mine)
    return replace(plain, retired=gone)


def _arrived_late(plain: Settlement, successor: Memory, now: str) -> Settlement:
    """A statement whose evidence is older than that of what is there: it is kept as what held before."""
    made = retired(plain.made, successor.id, REASON, now)
    after = replace(successor, supersedes=tuple(dict.fromkeys((*successor.supersedes, made.id))), updated_at=now)
    return replace(plain, made=made, successor=after, nominated=(), details=())


def _met(new: Memory, other: Memory) -> _Met:
    newer = evidence_at(new) >= evidence_at(other)
    if not _is_comparable(new, other):
        return _Met(other, "apart", newer)
    first, second = (other, new) if newer else (new, other)
    return _Met(other, bearing(stated(first.text), stated(second.text)), newer)


def _is_comparable(new: Memory, other: Memory) -> bool:
    """Whether two memories can speak of the same thing at all: one scope, kinds that say what holds."""
    if new.id == other.id or new.scope.key != other.scope.key or other.status != "active":
        return False
    if "security_note" in {new.kind, other.kind} and new.kind != other.kind:
        return False
    return new.kind in STATED_KINDS and other.kind in STATED_KINDS


def _is_repeat(met: _Met, new: Memory) -> bool:
    return met.bearing == "same" and met.other.kind == new.kind


def _is_outranked(met: _Met, new: Memory) -> bool:
    """Whether one would give way to the other, but stands higher."""
    if met.bearing not in {"replaces", "refines"}:
        return False
    winner, loser = (new, met.other) if met.newer else (met.other, new)
    return standing(winner) > standing(loser)


def corroborating(old: Memory, new: Memory, now: str, *, echo: bool = False) -> Memory:
    """`old` with the evidence of a statement that only repeats it; trust rises only for an independent writer."""
    writers = {old.provenance.writer, *(reference.writer for reference in old.evidence)}
    independent = not echo and new.provenance.writer not in writers
    trust = corroborated(old.trust, new.trust, independent=independent)
    made = renewed(replace(old, evidence=united(old.evidence, new.evidence), trust=trust), new)
    return old if made == old else replace(made, updated_at=now)


def replacing(memory: Memory, others: Sequence[Memory]) -> Memory:
    """`memory` in the place of others; the same value where there is none."""
    if not others:
        return memory
    return replace(memory, supersedes=tuple(dict.fromkeys((*memory.supersedes, *(each.id for each in others)))))


def retired(memory: Memory, successor: str, reason: str, now: str) -> Memory:
    """`memory` as something that held before its successor."""
    return replace(
        memory,
        status="superseded",
        superseded_by=successor,
        supersedes_reason=reason,
        updated_at=now,
        metadata={**memory.metadata, "supersedeReason": reason},
    )


def reconciled(memory: Memory, ids: frozenset[str], now: str) -> Memory:
    """`memory` at peace with these others, now and when either is said again."""
    kept = [each for each in conflicts_of(memory) if each.rival_id not in ids]
    at_peace = sorted({*peaceful(memory), *ids} - {memory.id})
    metadata = {name: value for name, value in memory.metadata.items() if name != KEY}
    told = {KEY: as_rows(tuple(kept))} if kept else {}
    made = replace(memory, metadata={**metadata, **told, PEACE: at_peace})
    return memory if made == memory else replace(made, updated_at=now)


def peaceful(memory: Memory) -> frozenset[str]:
    """Ids of memories of which a person said that they hold together with this one."""
    held = memory.metadata.get(PEACE, ())
    return frozenset(name for name in held if isinstance(name, str)) if isinstance(held, list | tuple) else frozenset()


def opposed(memory: Memory, conflicts: Iterable[Conflict]) -> Memory:
    """`memory` with these conflicts told in its metadata, each rival once, the first reason counting."""
    found: dict[str, Conflict] = {}
    for each in (*conflicts_of(memory), *conflicts):
        if each.rival_id not in peaceful(memory):
            found.setdefault(each.rival_id, each)
    kept = tuple(found.values())[-MOST_CONFLICTS:]
    if not kept or kept == conflicts_of(memory):
        return memory
    return replace(memory, metadata={**memory.metadata, KEY: as_rows(kept)})


def worded(reason: Reason) -> str:
    """What a person is told of two statements."""
    match reason:
        case "disputes":
            return "both cannot hold"
        case "held":
            return "one would replace too many at once"
        case "alike":
            return "nearly the same"
        case "returned":
            return "came back after the other replaced it"
        case "related":
            return "may replace one another"
    assert_never(reason)
