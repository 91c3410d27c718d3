"""A store looked after: what is derived checked against its rows, made anew, and the whole copied."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from learnt.flows.decide import person_required

if TYPE_CHECKING:
    from collections.abc import Mapping

    from learnt.flows.means import Means
    from learnt.model.answer import Refusal
    from learnt.model.cargo import Chapter

_STRETCH: Final = 500
_SHOWN: Final[frozenset[Chapter]] = frozenset(
    {"memories", "formers", "proposals", "units", "sessions", "outcomes", "flags", "receipts"}
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Repaired:
    """What a rebuild found, made and left, each by name.

    Attributes:
        before, after: What did not agree with its rows.
        event: The event that tells of it.
    """

    before: Mapping[str, int]
    made: Mapping[str, int]
    after: Mapping[str, int]
    event: str


def disagreements(means: Means) -> Mapping[str, int]:
    """What is missing, or does not agree with the rows it was made of, by name; reads the whole store."""
    return {**means.store.meta.gaps(), **means.store.upkeep.disagreements()}


def damaged(means: Means) -> tuple[str, ...]:
    """Names of the rows that are not what was written, of everything that is shown; reads the whole store.

    They are left out of every answer: what they held must come from a copy.
    """
    cargo = means.store.cargo
    found = {}
    with cargo.moment():
        for chapter in (each for each in cargo.chapters if each in _SHOWN):
            after, more = "", True
            while more:
                load = cargo.load(chapter, after, _STRETCH)
                found.update(dict.fromkeys(load.damaged))
                after, more = load.after, bool(load.after)
    return tuple(found)


def repair(means: Means) -> Repaired:
    """Everything that is derived made anew from the rows, in one transaction; no text is touched.

    Other writers wait meanwhile: some seconds for a hundred thousand memories.
    """
    before, now = disagreements(means), means.clock.now()
    with means.store.transaction():
        made = means.store.upkeep.rebuild()
        event = means.event("repair", "store", now, {"before": dict(before), "made": dict(made)})
        means.store.events.append(event)
    return Repaired(before=before, made=made, after=disagreements(means), event=event.id)


def backup(means: Means, path: str) -> int | Refusal:
    """The whole store copied into a new file; gives its size in bytes.

    Raises:
        UsageError: There is such a file, or this store is not copied like that.
    """
    return person_required(means, "backup") or means.store.upkeep.backup(path)
