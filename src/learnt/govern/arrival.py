"""What comes in from a file beside what is there: how far it is believed, and which of two versions holds."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final, Literal

from learnt.govern.reference import MAX_REFERENCE, MAX_REFERENCES
from learnt.model.conflict import KEY as RIVALS
from learnt.model.kinds import least_trust
from learnt.model.memory import Memory
from learnt.model.problem import Problem

if TYPE_CHECKING:
    from collections.abc import Mapping

    from learnt.model.memory import Reference
    from learnt.model.proposal import Proposal

    Written = Memory | Proposal

Standing = Literal["same", "newer", "there", "changed here since", "deleted here"]

CLAIMED: Final = "claimed"
"""In the metadata: the times a row came with, where these lie ahead of the clock here."""

_DECIDED: Final = frozenset({"quarantine", RIVALS})
"""In the metadata: what whoever stores a statement finds out about it."""

MAX_QUOTE: Final = 2_000
MAX_NAMED: Final = 100
"""Files or symbols of one row."""
MAX_LINKS: Final = 1_000
_AHEAD: Final = ("created_at", "updated_at", "valid_from")


def lowered(held: Any, writer: str) -> Any:
    """A memory or proposal of which nobody can prove who said it: external, its sources too, and reviewed by nobody.

    Everything one person imports has one writer, so that no two files of theirs corroborate each other.
    """
    evidence = tuple(_lowered(each, writer) for each in held.evidence)
    provenance = held.provenance and replace(held.provenance, writer=writer)
    undone: dict[str, Any] = {"reviewed_by": ""} if isinstance(held, Memory) else {"observation": False}
    return replace(held, trust="external", evidence=evidence, provenance=provenance, **undone)


def bare(memory: Memory) -> Memory:
    """The memory without what a file says stands in its way: that is found out here."""
    if RIVALS not in memory.metadata:
        return memory
    return replace(memory, metadata={name: each for name, each in memory.metadata.items() if name != RIVALS})


def _lowered(reference: Reference, writer: str) -> Reference:
    return replace(reference, trust="external", verified=False, writer=writer)


def timely(memory: Memory, now: str) -> Memory:
    """The memory with no moment of its making ahead of the clock; what it claims is kept beside."""
    if memory.created_at <= now and memory.updated_at <= now:
        return memory
    claimed = {name: getattr(memory, name) for name in _AHEAD if getattr(memory, name) > now}
    clamped: dict[str, Any] = dict.fromkeys(claimed, now)
    return replace(memory, metadata={**memory.metadata, CLAIMED: claimed}, **clamped)


def unfit(held: Written) -> Problem | None:
    """The first bound a row exceeds which no other door would have let pass, or None."""
    if len(held.evidence) > MAX_REFERENCES:
        return Problem("too_many_references", f"At most {MAX_REFERENCES} references.")
    if any(len(each.ref) > MAX_REFERENCE or len(each.quote) > MAX_QUOTE for each in held.evidence):
        return Problem("reference", f"A reference has at most {MAX_REFERENCE} characters, its quote {MAX_QUOTE}.")
    if max(len(held.files), len(held.symbols)) > MAX_NAMED:
        return Problem("too_many_names", f"At most {MAX_NAMED} files and as many symbols.")
    if isinstance(held, Memory) and len(held.supersedes) > MAX_LINKS:
        return Problem("too_many_links", f"At most {MAX_LINKS} superseded memories.")
    return None


def standing(new: Written, old: Written, writer: str = "") -> Standing:
    """How a row stands to the one of the same id that is there. Only a proven, newer one replaces it.

    An older one never does, and what a person deleted here does not come back.

    Args:
        writer: Whose writing an unproven row counts as; "" for a proven one. Who said it first is then no difference.
    """
    if _told(new) == _told(lowered(old, writer) if writer else old):
        return "same"
    mine, theirs = _moment(old), _moment(new)
    if not writer and theirs > mine:
        return "newer"
    if old.status == "deleted" and new.status != "deleted":
        return "deleted here"
    return "changed here since" if mine > theirs else "there"


def _told(held: Any) -> Any:
    """A row without what an import itself decides, or says nothing of it.

    That is how far it is trusted, when it was scanned and read, whether it is held for a person, what stands in its
    way, where its checkout lies, and a time that was clamped.
    """
    metadata = {name: each for name, each in held.metadata.items() if name not in _DECIDED}
    plain = replace(held, clearance="", trust="external", scope=replace(held.scope, repo_root=""), metadata=metadata)
    if not isinstance(plain, Memory):
        return replace(plain, observation=False)
    claimed = metadata.get(CLAIMED)
    clamped = dict.fromkeys(set(claimed) & set(_AHEAD), "") if isinstance(claimed, dict) else {}
    status = "active" if plain.status == "quarantined" else plain.status
    changes: dict[str, Any] = {**clamped, "status": status, "last_accessed_at": None}
    return replace(plain, **changes)


def _moment(held: Written) -> str:
    return held.updated_at if isinstance(held, Memory) else held.reviewed_at or held.created_at


def replaced(new: Any, old: Any) -> Any:
    """A newer row in the place of an older: it is trusted no more than that was."""
    return replace(new, trust=least_trust((new.trust, old.trust)))


def circles(links: Mapping[str, str]) -> frozenset[str]:
    """The ids that are replaced by themselves in the end, however many steps it takes."""
    settled: set[str] = set()
    found: set[str] = set()
    for start in links:
        path: dict[str, None] = {}
        at = start
        while at in links and at not in settled and at not in path:
            path[at] = None
            at = links[at]
        if at in path:
            names = list(path)
            found.update(names[names.index(at) :])
        settled.update(path)
    return frozenset(found)
