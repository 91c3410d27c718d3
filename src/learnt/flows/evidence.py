"""When evidence was made: what a statement rests on is as old as that, however late it is written down."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

    from learnt.flows.means import Means
    from learnt.model.memory import Reference


def dated_by(means: Means, references: Iterable[Reference]) -> str:
    """When the newest of these references was made; "" for the present: where one has no date, or there is none.

    Commits tell their date, spans of sessions and documents when they were observed. A file is as it stands today, and
    what a person says is said now; a person who points at something dated says it of then.
    """
    told = [_made_at(means, each) for each in references if each.type != "person"]
    return max(told) if told and all(told) else ""


def _made_at(means: Means, reference: Reference) -> str:
    if reference.type == "commit":
        return means.workplace.committed_at(reference.ref)
    if reference.type in {"transcript", "evidence"}:
        unit = means.store.archive.unit(means.context.sight, reference.ref)
        return unit.at if unit is not None else ""
    return ""
