"""Which requests go with a forgotten memory, and what is struck from those that stay."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from learnt.model.memory import Memory, Reference
    from learnt.model.proposal import Proposal

ERASED = "evidenceErased"
"""Where a memory's metadata lists the references whose words were erased."""


def goes(proposal: Proposal, deleted: Collection[str], refs: Collection[str] = ()) -> bool:
    """Whether a proposal is gone with the memories `deleted`.

    It asked for one of them, or asks something of one; a decision that replaced one by a memory that stays remains.
    One that only waits and rests on erased evidence alone goes too.
    """
    taken = proposal.metadata.get("curatorDecision")
    made = list(taken.get("ids", ())) if isinstance(taken, dict) else []
    if made and made[0] in deleted:
        return True
    about = {proposal.target_id, *proposal.related} & set(deleted)
    if about and not (made and proposal.operation == "supersede"):
        return True
    cited = [each.ref for each in proposal.evidence if each.type != "person"]
    return proposal.status != "applied" and bool(cited) and all(ref in refs for ref in cited)


def struck(proposal: Proposal, refs: Collection[str]) -> Proposal:
    """A proposal that stays, without words that were erased."""
    return replace(proposal, evidence=_unquoted(proposal.evidence, refs))


def marked(memory: Memory, refs: Collection[str], now: str) -> Memory:
    """A memory that stays, its erased evidence marked: the reference is there, its words are not."""
    erased = [each.ref for each in memory.evidence if each.ref in refs]
    known: Mapping[str, object] = memory.metadata
    before = known.get(ERASED, [])
    listed = dict.fromkeys([*(before if isinstance(before, list) else []), *erased])
    return replace(
        memory,
        evidence=_unquoted(memory.evidence, refs),
        metadata={**known, ERASED: list(listed)},
        updated_at=now,
    )


def restored(memory: Memory, now: str) -> Memory:
    """A memory that comes back because what stood for it was forgotten."""
    dropped = {"supersedeReason", "deleted", "deleteReason"}
    return replace(
        memory,
        status="active",
        superseded_by=None,
        supersedes_reason="",
        consolidated_at=None,
        updated_at=now,
        metadata={key: value for key, value in memory.metadata.items() if key not in dropped},
    )


def _unquoted(evidence: tuple[Reference, ...], refs: Collection[str]) -> tuple[Reference, ...]:
    return tuple(replace(each, quote="", verified=False) if each.ref in refs else each for each in evidence)
