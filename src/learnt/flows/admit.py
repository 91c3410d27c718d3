"""One batch of an import: what of it is stored, in one transaction with its events."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from learnt.flows.sift import checked, placed, screened
from learnt.govern.arrival import CLAIMED, replaced, standing
from learnt.model.evidence import EvidenceUnit
from learnt.model.memory import Memory
from learnt.model.parcel import Fault
from learnt.model.problem import Problem
from learnt.model.scope import Sight
from learnt.model.vector import is_embeddable

if TYPE_CHECKING:
    from collections.abc import Sequence

    from learnt.flows.imported import Notes
    from learnt.flows.means import Means
    from learnt.flows.sift import Site
    from learnt.govern.arrival import Standing
    from learnt.model.cargo import Chapter
    from learnt.model.parcel import Arrival


@dataclass(frozen=True, slots=True)
class _Fit:
    """A row that may be stored, where it came from, and the version of it that is here."""

    arrival: Arrival
    value: Any
    old: Any = None
    how: Standing | None = None


def admit(site: Site, batch: Sequence[Arrival], notes: Notes, run: str) -> None:
    """Store what of a batch is new or newer; without a `run` only tell what would be.

    Raises:
        StoreError: The store does not answer; nothing of this batch was written.
    """
    sound = _judged(site, batch, notes)
    fresh = [each for each in _beside(site, sound) if not _settled(each, notes)]
    fit = [found for each in fresh if (found := _gated(site, each, notes))]
    if not run:
        for each in fit:
            _counted(each, notes)
        return
    if fit:
        _stored(site, fit, notes, run)


def _judged(site: Site, batch: Sequence[Arrival], notes: Notes) -> list[_Fit]:
    """The rows no rule forbids."""
    sound = []
    for each in batch:
        value: Any = placed(site, each.value) if each.value is not None else Problem("invalid", each.error)
        if not isinstance(value, Problem):
            value = checked(site, value)
        if not isinstance(value, Problem) and forgotten(site.means, value):
            value = Problem("forgotten", "it was forgotten here")
        if isinstance(value, Problem):
            _refused(each, value, notes)
        else:
            sound.append(_Fit(each, value))
            notes.ahead += isinstance(value, Memory) and CLAIMED in value.metadata
    return sound


def forgotten(means: Means, value: Memory | EvidenceUnit | Any) -> bool:
    """Whether this was forgotten here: then it does not come back."""
    del means, value
    return False


def _refused(arrival: Arrival, problem: Problem, notes: Notes) -> None:
    code = problem.code if problem.code in _CODES else "invalid"
    notes.fault(Fault(arrival.file, arrival.line, problem.message), code)


_CODES = frozenset({"secret", "pii", "injection", "sentinel", "scan_incomplete", "scope_foreign", "forgotten"})
"""What a row is told to be refused for by its own name; any other is an invalid row."""


def _beside(site: Site, sound: Sequence[_Fit]) -> list[_Fit]:
    """Each row with the version of it that is here, and the later of two that became one."""
    means, sight = site.means, site.means.context.sight
    names = [each.value.id for each in sound if isinstance(each.value, Memory)]
    held: dict[str, Any] = {each.id: each for each in means.store.memories.many(sight, names)} if names else {}
    found: dict[object, _Fit] = {}
    for each in sound:
        value = each.value
        if isinstance(value, EvidenceUnit):
            unit = means.store.archive.unit(Sight((value.scope,)), value.ref)
            found[value.scope.key, value.ref] = _Fit(each.arrival, value, unit)
            continue
        old: Any = held.get(value.id) if isinstance(value, Memory) else means.store.proposals.get(sight, value.id)
        how = standing(value, old, proven=site.proven) if old is not None else None
        found[value.id] = _Fit(each.arrival, value, old, how)
    return list(found.values())


def _chapter(value: Any) -> Chapter:
    if isinstance(value, EvidenceUnit):
        return "units"
    return "memories" if isinstance(value, Memory) else "proposals"


def _settled(fit: _Fit, notes: Notes) -> bool:
    """Whether nothing is to be done about a row."""
    if isinstance(fit.value, EvidenceUnit):
        if fit.old is None:
            return False
        notes.count("units", "unchanged")
        return True
    if fit.how is None or fit.how == "newer":
        return False
    if fit.how == "same":
        notes.count(_chapter(fit.value), "unchanged")
    else:
        notes.keep(_chapter(fit.value), fit.value.id, fit.how)
    return True


def _gated(site: Site, fit: _Fit, notes: Notes) -> _Fit | None:
    if isinstance(fit.value, EvidenceUnit):
        return fit
    value = screened(site, fit.value)
    if isinstance(value, Problem):
        _refused(fit.arrival, value, notes)
        return None
    return _Fit(fit.arrival, replaced(value, fit.old) if fit.old is not None else value, fit.old, fit.how)


def _stored(site: Site, fit: Sequence[_Fit], notes: Notes, run: str) -> None:
    """Everything that is still as it was looked at, in one transaction."""
    means, store = site.means, site.means.store
    with store.transaction():
        still = [each for each in _beside(site, fit) if each.how in {None, "newer"}]
        memories = [each for each in still if isinstance(each.value, Memory)]
        fresh = [each.value for each in memories if each.old is None]
        if fresh:
            store.cargo.accept("memories", fresh)
        for each in memories:
            if each.old is not None:
                store.memories.put(each.value)
        for each in still:
            if _chapter(each.value) == "proposals":
                store.proposals.put(each.value)
        units = [each.value for each in still if isinstance(each.value, EvidenceUnit)]
        if units:
            store.archive.put_units(units)
        means.name_place()
        for each in still:
            if not isinstance(each.value, EvidenceUnit):
                store.events.append(_event(means, each, site.now, run))
    for each in still:
        _counted(each, notes)


def _event(means: Means, fit: _Fit, now: str, run: str) -> Any:
    detail = {"import": run, "kind": fit.value.kind, "status": fit.value.status}
    if isinstance(fit.old, Memory):
        before = {
            "status": fit.old.status,
            "superseded_by": fit.old.superseded_by,
            "valid_from": fit.old.valid_from,
            "expires_at": fit.old.expires_at,
        }
        return means.event("import", fit.value.id, now, {**detail, "before": before})
    return means.event("import", fit.value.id, now, detail)


def _counted(fit: _Fit, notes: Notes) -> None:
    value = fit.value
    if isinstance(value, Memory) and value.status == "quarantined" and "quarantine" in value.metadata:
        notes.count("memories", "quarantined")
    else:
        notes.count(_chapter(value), "updated" if fit.old is not None else "added")
    notes.unembedded += isinstance(value, Memory) and value.status == "active" and is_embeddable(value)
