"""What the files of a task add to a search: a boost for what names them, and for the sessions that touched them.

    unit:     score + 0.15 x share of the files it names, half of that where only its session does
    memory:   score + 0.15 x share of the files it names or belongs to
    session:  score + 0.3 x share of the files its units name, over the highest a session can score

The files are those the caller gives; for sessions also those the question names, which for units count as words do. A
boost, no filter: what was said about a file seldom names it again, and a task touches files nobody touched before. The
unit's weight is that of a path in the question (`learnt.recall.found`); the session's is the weight with which
shared paths tell earlier sessions on the same work. Own choices: the relevance of the one set of real sessions at hand
is made of the files themselves, so it cannot judge them.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Final

from learnt.model.wording import folded
from learnt.recall.found import LITERAL_BONUS, ordered
from learnt.recall.session import HIGHEST

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from learnt.model.evidence import EvidenceUnit
    from learnt.model.search import SearchHit

SESSION_WEIGHT: Final = 0.3
BESIDE: Final = 0.5
"""What a unit gets of its session's share."""


@dataclass(frozen=True, slots=True)
class Touched:
    """Which share of a task's files units name, by id, and sessions, by id.

    Attributes:
        files: Those the caller gave, which `units` and `sessions` count.
        named: Of each session the share of these and of the paths the question names, which for units count elsewhere.
    """

    files: tuple[str, ...] = ()
    units: Mapping[str, float] = field(default_factory=dict)
    sessions: Mapping[str, float] = field(default_factory=dict)
    named: Mapping[str, float] = field(default_factory=dict)


def names(file: str, text: str) -> bool:
    """Whether a folded text names a folded path: whole steps, with or without folders before it."""
    at = text.find(file)
    while at >= 0:
        before, after = text[at - 1 : at], text[at + len(file) : at + len(file) + 1]
        if not (before.isalnum() or before in {"_", "-", "."}) and not (after.isalnum() or after in {"_", "-"}):
            return True
        at = text.find(file, at + 1)
    return False


def touched(files: Sequence[str], asked: Sequence[str], units: Sequence[EvidenceUnit]) -> Touched:
    """What of these units names which share of the files.

    Args:
        files: Folded paths below the root of the project, as the caller gave them.
        asked: The same that the question names.
        units: Those that may name one.
    """
    every = tuple(dict.fromkeys((*files, *asked)))
    found = {unit.id: {file for file in every if names(file, _said(unit))} for unit in units}
    sessions: dict[str, set[str]] = {}
    for unit in units:
        if unit.session_id:
            sessions.setdefault(unit.session_id, set()).update(found[unit.id])
    return Touched(tuple(files), _shares(found, files), _shares(sessions, files), _shares(sessions, every))


def _said(unit: EvidenceUnit) -> str:
    """Its words, and the files it was kept with."""
    return folded("\n".join((unit.text, *(value for _, value in unit.detail))))


def _shares(held: Mapping[str, set[str]], files: Sequence[str]) -> dict[str, float]:
    return {name: share for name, met in held.items() if files and (share := len(met.intersection(files)) / len(files))}


def raised(hits: Sequence[SearchHit], files: Touched, *, grouped: bool) -> list[SearchHit]:
    """The hits in the order of their new scores; `signals` say `file` where a file was met."""
    met = files.named if grouped else files.files
    return ordered(_raised(hit, files, grouped=grouped) for hit in hits) if met else list(hits)


def _raised(hit: SearchHit, files: Touched, *, grouped: bool) -> SearchHit:
    share, weight = _share(hit, files), LITERAL_BONUS
    if grouped and hit.unit is not None and hit.unit.session_id:
        share, weight = files.named.get(hit.unit.session_id, 0.0), SESSION_WEIGHT / HIGHEST
    if not share:
        return hit
    return replace(hit, score=hit.score + weight * share, signals={**hit.signals, "file": share})


def _share(hit: SearchHit, files: Touched) -> float:
    if hit.unit is not None:
        return max(files.units.get(hit.id, 0.0), BESIDE * files.sessions.get(hit.unit.session_id, 0.0))
    if hit.memory is None or not files.files:
        return 0.0
    memory = hit.memory
    said = folded("\n".join((memory.text, *memory.files, memory.source.file_path)))
    return sum(names(file, said) for file in files.files) / len(files.files)
