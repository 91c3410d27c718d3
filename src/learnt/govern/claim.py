"""Two statements beside each other: whether the newer one takes the older one's place.

Nothing here knows when or by whom something was said (`learnt.govern.truth` does); the order of the arguments alone
says which is the newer. Precision comes first: what is not sure is a dispute, what is not even that is nothing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from learnt.model import family

if TYPE_CHECKING:
    from learnt.model.claim import Claim, Clause, Statement

Bearing = Literal["same", "detail", "replaces", "refines", "coarser", "disputes", "apart"]
"""What a newer statement is to an older one.

`same`: the same words. `detail`: it says the same and more. `replaces`: another value of everything the older one says.
`refines`: the same value, told more closely. `coarser`: it says less. `disputes`: both cannot hold, and which of them
does is open. `apart`: they stand beside each other.
"""

_Fate = Literal["displaced", "doubted", "refined", "coarser", "kept", "untouched"]
_LEAST_SAID = 2
"""Words that say something, below which two texts that share them all need not mean the same."""
_LEAST_BARE = 2
"""Words that two statements share besides the numbers that part them; one word alone is a heading."""
_STRENGTH: tuple[_Fate, ...] = ("displaced", "doubted", "refined", "coarser", "kept")
"""Of what the readings of a clause say, what counts first."""


def bearing(old: Statement, new: Statement) -> Bearing:
    """What the newer statement is to the older one."""
    if not old.clauses or not (new.clauses or new.rejects):
        return "apart"
    if old.sequence == new.sequence:
        return "same" if sum(len(clause.words) for clause in old.clauses) >= _LEAST_SAID else "apart"
    fates = [_fate(clause, new) for clause in old.clauses]
    if "displaced" in fates:
        whole = all(fate in {"displaced", "kept", "refined"} for fate in fates)
        return "replaces" if whole else "disputes"
    if "doubted" in fates:
        return "replaces" if new.changed and set(fates) == {"doubted"} else "disputes"
    if "refined" in fates and set(fates) <= {"refined", "kept"}:
        return "refines"
    if set(fates) == {"kept"} and len(new.clauses) > len(old.clauses):
        return "detail"
    if set(fates) <= {"coarser", "kept"}:
        return "coarser"
    return "apart"


def _fate(clause: Clause, new: Statement) -> _Fate:
    """What becomes of one clause of the older statement."""
    pairs = ((mine, other) for one in new.clauses for mine in clause.claims for other in one.claims)
    met = {_met(mine, other) for mine, other in pairs if _is_about(mine, other)}
    met |= {_told(clause, one) for one in new.clauses}
    met.add(_rejected(clause, new))
    return next((fate for fate in _STRENGTH if fate in met), "untouched")


def _is_about(old: Claim, new: Claim) -> bool:
    """Whether two claims are of the same kind, subject and attribute."""
    return (old.kind, old.subject, old.attribute) == (new.kind, new.subject, new.attribute)


def _rejected(clause: Clause, new: Statement) -> _Fate:
    """What becomes of a value that the newer statement says does not hold, where it speaks of the same subject."""
    rejected = clause.names & new.rejects if clause.positive else frozenset()
    if not rejected:
        return "untouched"
    others = {family.ONE_NAME.get(word, word) for word in clause.relates} - rejected
    known = {name for each in rejected for name in family.FAMILIES_OF.get(each, ())}
    context = frozenset().union(*(family.CONTEXT.get(name, frozenset()) for name in known))
    if not others - context <= new.words:
        return "untouched"
    return "displaced" if known or rejected & clause.named else "doubted"


def _met(old: Claim, new: Claim) -> _Fate:
    """Two claims of the same subject and attribute."""
    if old.positive != new.positive:
        return _graded(old, new) if old.value == new.value else "untouched"
    if old.value == new.value:
        return "kept"
    if not new.positive:
        return "untouched"
    if _begins(old.value, new.value):
        return "refined"
    if _begins(new.value, old.value):
        return "coarser"
    return _graded(old, new)


def _graded(old: Claim, new: Claim) -> _Fate:
    """Another value: it displaces where both are held firmly."""
    grips = {old.grip, new.grip}
    if "loose" in grips:
        return "untouched"
    if "weak" in grips or _siblings(old, new):
        return "doubted"
    return "displaced"


def _siblings(old: Claim, new: Claim) -> bool:
    """Whether two paths lie in one folder under other names, where both may be meant."""
    if old.kind != "typed" or "path" not in old.attribute:
        return False
    pairs = list(zip(old.value, new.value, strict=False))
    return any(a != b and _folder(a) == _folder(b) and _stem(a) != _stem(b) for a, b in pairs)


def _folder(path: str) -> str:
    return path.rpartition("/")[0]


def _stem(path: str) -> str:
    return path.rpartition("/")[2].partition(".")[0]


def _begins(short: tuple[str, ...], whole: tuple[str, ...]) -> bool:
    """Whether the longer value is the shorter one with something added."""
    return 0 < len(short) < len(whole) and whole[: len(short)] == short


def _told(old: Clause, new: Clause) -> _Fate:
    """Clauses whose words are the same but for numbers, versions and paths that only one of them has."""
    if old.positive != new.positive or len(old.bare) < _LEAST_BARE or old.bare != new.bare:
        return "untouched"
    if old.words == new.words:
        return "kept"
    if old.words == old.bare:
        return "refined"
    if new.words == new.bare:
        return "coarser"
    return "untouched"
