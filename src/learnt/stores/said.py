"""Outcomes and flags as the columns of both databases, and back."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from learnt.model.flag import Flag
from learnt.model.outcome import Outcome, Spot

if TYPE_CHECKING:
    Row = tuple[Any, ...]

_OUTCOME = ("id", "memory_id", "generation", "result", "at", "by", "task", "correction", "clearance")
_FLAG = ("memory_id", "by", "cleared_at", "at", "reason")


def outcome_values(outcome: Outcome) -> dict[str, object]:
    """An outcome as the columns of its table."""
    spots = [[spot.file, spot.symbol] for spot in outcome.spots]
    return {
        **{name: getattr(outcome, name) for name in _OUTCOME},
        "spots": json.dumps(spots, separators=(",", ":")) if spots else "",
        "repository_id": outcome.repository_id,
    }


def outcome_of(row: Row) -> Outcome:
    """The outcome of a row, from `id` to `repository_id`."""
    *head, spots, repository_id = row
    given = dict(zip(_OUTCOME, head, strict=True))
    places = tuple(Spot(str(file), str(symbol)) for file, symbol in json.loads(spots)) if spots else ()
    return Outcome(**given, spots=places, repository_id=repository_id)


def flag_values(flag: Flag) -> dict[str, object]:
    """A flag as the columns of its table."""
    given = {name: getattr(flag, name) for name in _FLAG}
    return {**given, "person": int(flag.person), "login": flag.login, "cleared_by": flag.cleared_by}


def flag_of(row: Row) -> Flag:
    """The flag of a row, from `memory_id` to `cleared_by`."""
    *head, person, login, cleared_by = row
    return Flag(**dict(zip(_FLAG, head, strict=True)), person=bool(person), login=login, cleared_by=cleared_by)
