"""The values of a store's chapters from the columns that every database gives of them.

Shared, like `learnt.stores.rows`: what leaves one database is what another takes in.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any, Final

from learnt.errors import UsageError
from learnt.model.cargo import Era, MetaFact, Placed, ProvenRecipe, Receipt, Said, SeenMessage, Shunned, Sitting, stays
from learnt.model.evidence import Recipe, SessionRecord
from learnt.model.job import Job
from learnt.model.ranking import Bundle
from learnt.model.scope import Sight, scope_of
from learnt.stores import records
from learnt.stores.drawn import extraction_of, summary_of, thread_of
from learnt.stores.rows import chain_row, charge_of, past_of
from learnt.stores.said import flag_of, outcome_of
from learnt.stores.signed import checkpoint_of
from learnt.stores.units import unit_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from learnt.model.cargo import Carried, Chapter

    Row = tuple[Any, ...]


def built(chapter: Chapter, rows: Iterable[Row], width: int) -> tuple[tuple[Carried, ...], tuple[str, ...]]:
    """The values of some rows, and what those are called that cannot be read.

    Args:
        width: How many columns before the first of a value say where the row stands.
    """
    make, name = _BUILT[chapter], _NAMES.get(chapter)
    values, damaged = [], []
    for row in rows:
        try:
            value = make(row[width:])
        except (records.UndecodableError, UsageError, ValueError, TypeError):
            damaged.append(str(row[0] if name is None else row[width + name]))
            continue
        if value is not None:
            values.append(value)
    return tuple(values), tuple(damaged)


@lru_cache(maxsize=4_096)
def _sight(key: str) -> Sight:
    return Sight((scope_of(key),))


def _sighting(row: Row) -> Carried:
    scope, key, session_id, command, commit, ref, at = row
    recipe = Recipe(key=key, command=command, session_id=session_id, commit=commit, ref=ref, at=at)
    return ProvenRecipe(scope_of(scope), recipe)


def _era(row: Row) -> Carried:
    target, version, form, dimension, status, began_at, finished_at = row
    return Era(
        target=target,
        version=version,
        form=form,
        dimension=dimension,
        status=status,
        began_at=began_at,
        finished_at=finished_at,
    )


def _vectors(row: Row) -> Carried | None:
    """Nothing for what is no longer there."""
    target, version, form, name, vectors = row
    return name and Placed(target=target, version=version, form=form, id=name, vectors=vectors)


def _failure(row: Row) -> Carried | None:
    target, version, form, name, reason, attempts, at = row
    failure = "" if reason == "blank" else reason
    place = {"target": target, "version": version, "form": form, "id": name}
    return name and Placed(**place, failure=failure, attempts=attempts, at=at)


_BUILT: dict[Chapter, Callable[[Row], Any]] = {
    "scopes": lambda row: scope_of(row[0]),
    "memories": records.memory_of,
    "formers": past_of,
    "outcomes": lambda row: Said(scope_of(row[0]), outcome_of(row[1:])),
    "flags": lambda row: Said(scope_of(row[0]), flag_of(row[1:])),
    "proposals": records.proposal_of,
    "events": chain_row,
    "checkpoints": checkpoint_of,
    "receipts": lambda row: Receipt(row[0], records.plain_of(Bundle, row[1])),
    "contexts": lambda row: Sitting(*row),
    "units": lambda row: unit_of(row, _sight(row[0])),
    "sessions": lambda row: records.plain_of(SessionRecord, row[1]),
    "threads": thread_of,
    "extractions": extraction_of,
    "summaries": summary_of,
    "seen": lambda row: SeenMessage(*row),
    "recipes": _sighting,
    "digests": lambda row: Shunned(scope_of(row[0]), *row[1:]),
    "aliases": lambda row: MetaFact(*row),
    "facts": lambda row: None if stays(row[0]) else MetaFact(*row),
    "generations": _era,
    "vectors": _vectors,
    "failures": _failure,
    "jobs": lambda row: Job(**dict(zip(Job.__slots__, row, strict=True))),
    "charges": charge_of,
}

_NAMES: Final[dict[Chapter, int]] = {"memories": 0, "proposals": 0, "units": 1, "sessions": 0}
"""Which column of a value names it; in other chapters a row is called by its place."""
