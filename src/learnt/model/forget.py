"""What is forgotten, what comes back for it, and what is told of it. Ids and counts only, never the text."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from collections.abc import Mapping

    from learnt.model.kinds import Status
    from learnt.model.memory import Memory

Trace = Literal["text", "ref"]
"""What a digest stands for: a statement, or a name: the reference of evidence, the id of a memory or a proposal."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Kin:
    """A memory as forgetting sees it: what it was made of, and what stands in its place.

    Attributes:
        sources: The memories it was consolidated from.
        successor: What superseded it; "" for nothing.
        edited: Its own later wording, where an update changed the text; "" for none.
    """

    id: str
    status: Status
    sources: tuple[str, ...] = ()
    successor: str = ""
    edited: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Closure:
    """What goes, the targets first, and what becomes active again for it."""

    deleted: tuple[str, ...] = ()
    restored: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Elsewhere:
    """A copy that learnt does not own, and what to do about it.

    Attributes:
        type: transcript, export, repository, backup, link, file, machine or free space.
        place: A path or a name; never text of a memory.
    """

    type: str
    place: str
    hint: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Forgotten:
    """What a forgetting did, or with `dry_run` would do.

    Attributes:
        deleted, restored: Memories.
        restatements: Memories and evidence that say the same in other words.
        proposals: Requests that asked for it or spoke of it.
        blanked: Evidence whose text was erased. `marked`: memories that cited it too, and live on.
        elsewhere: Copies that only a person can remove.
        digests: How many keyed digests keep it away.
        event: "" for a dry run, and when there was nothing to do.
    """

    deleted: tuple[str, ...] = ()
    restored: tuple[str, ...] = ()
    restatements: tuple[str, ...] = ()
    proposals: tuple[str, ...] = ()
    blanked: tuple[str, ...] = ()
    marked: tuple[str, ...] = ()
    elsewhere: tuple[Elsewhere, ...] = ()
    digests: int = 0
    event: str = ""
    dry_run: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Erased:
    """What erasing a person did, or would do.

    Attributes:
        kept: Memories that others stand for too: they live on without this person.
        unsaid: Outcomes and flags of theirs that were removed.
    """

    forgotten: Forgotten
    kept: tuple[str, ...] = ()
    unsaid: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Ended:
    """What ending a repository removed, or would remove, by the name of what it was."""

    repository: str
    removed: Mapping[str, int]
    elsewhere: tuple[Elsewhere, ...] = ()
    event: str = ""
    dry_run: bool = False


def kin_of(memory: Memory) -> Kin:
    """A memory as forgetting sees it."""
    given = memory.metadata.get("consolidatedFrom", ())
    edited = memory.metadata.get("updateReplacementId", "") if memory.status == "deleted" else ""
    return Kin(
        id=memory.id,
        status=memory.status,
        sources=tuple(map(str, given)) if isinstance(given, list | tuple) else (),
        successor=memory.superseded_by or "",
        edited=str(edited),
    )
