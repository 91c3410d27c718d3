"""One batch of an import: what of it is stored, in one transaction with its events."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from learnt.flows.bar import barred
from learnt.flows.sift import checked, placed, screened
from learnt.flows.truth import among
from learnt.govern.arrival import CLAIMED, replaced, standing
from learnt.model.cargo import Said
from learnt.model.evidence import EvidenceUnit
from learnt.model.memory import Memory
from learnt.model.outcome import Outcome
from learnt.model.parcel import Fault
from learnt.model.problem import Problem
from learnt.model.proposal import Proposal
from learnt.model.scope import Sight
from learnt.model.vector import is_embeddable

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from learnt.flows.imported import Notes
    from learnt.flows.means import Means
    from learnt.flows.sift import Site
    from learnt.govern.arrival import Standing
    from learnt.model.cargo import Chapter
    from learnt.model.parcel import Arrival

_CODES = frozenset(
    {"secret", "pii", "injection", "sentinel", "scan_incomplete", "scope_foreign", "forgotten", "unknown"}
)
"""What a row is told to be refused for by its own name; any other is an invalid row."""

_SHORT = 2_000
"""A longer piece of evidence is no statement that could have been forgotten."""


@dataclass(frozen=True, slots=True)
class Admission:
    """A row that may be stored, where it came from, and the version of it that is here.

    Attributes:
        how: None where there is none, or it is evidence.
    """

    arrival: Arrival
    value: Any
    old: Any = None
    how: Standing | None = None


def admit(site: Site, batch: Sequence[Arrival], notes: Notes, run: str) -> None:
    """Store what of a batch is new or newer; without a `run` only tell what would be.

    Raises:
        StoreError: The store does not answer; nothing of this batch was written.
    """
    sound = list(_remembered(site.means, _judged(site, batch, notes), notes))
    fresh = [each for each in _beside(site, sound, notes) if not _settled(each, notes)]
    fit = [found for each in fresh if (found := _gated(site, each, notes))]
    if run and fit:
        fit = _stored(site, fit, notes, run)
    for each in fit:
        _counted(each, notes)


def _judged(site: Site, batch: Sequence[Arrival], notes: Notes) -> Iterator[Admission]:
    """The rows no rule forbids."""
    for each in batch:
        value: Any = placed(site, each.value) if each.value is not None else Problem("invalid", each.error)
        if not isinstance(value, Problem):
            value = checked(site, value)
        if isinstance(value, Problem):
            _refused(each, value, notes)
        else:
            notes.ahead += isinstance(value, Memory) and CLAIMED in value.metadata
            yield Admission(each, value)


def _refused(arrival: Arrival, problem: Problem, notes: Notes) -> None:
    code = problem.code if problem.code in _CODES else "invalid"
    notes.fault(Fault(arrival.file, arrival.line, problem.message), code)


def _remembered(means: Means, sound: Iterator[Admission], notes: Notes) -> Iterator[Admission]:
    """The rows that were not forgotten here: what was does not come back with a file."""
    given = list(sound)
    if not means.store.digests.count(means.context.sight):
        yield from given
        return
    texts = {text for each in given for text in _texts(each.value)}
    gone = barred(means, texts, [name for each in given for name in _refs(each.value)])
    for each in given:
        if gone and {*_texts(each.value), *_refs(each.value)} & gone:
            _refused(each.arrival, Problem("forgotten", "it was forgotten here"), notes)
        else:
            yield each


def _texts(value: Any) -> Iterator[str]:
    """What a row states."""
    if isinstance(value, Said):
        if isinstance(value.what, Outcome) and value.what.correction:
            yield value.what.correction
    elif value.text and len(value.text) <= _SHORT:
        yield value.text


def _refs(value: Any) -> tuple[str, ...]:
    """What a row is called where it is forgotten."""
    if isinstance(value, Said):
        return (value.what.memory_id,)
    return (value.ref, value.id) if isinstance(value, EvidenceUnit) else (value.id,)


def _beside(site: Site, sound: Sequence[Admission], notes: Notes) -> list[Admission]:
    """Each row with the version of it that is here, and the later of two that became one."""
    sight = site.means.context.sight
    wanted = list(dict.fromkeys(name for each in sound for name in _spoken_of(site, each.value)))
    held = {each.id: each for each in site.means.store.memories.many(sight, wanted)} if wanted else {}
    found: dict[object, Admission] = {}
    for each in sound:
        value = each.value
        if not all(_may_speak(site, held.get(name), name, notes) for name in _about(site, value)):
            _refused(each.arrival, Problem("unknown", "a memory it is about did not come with it"), notes)
        elif isinstance(value, Said):
            memory = held.get(value.what.memory_id)
            found[_name(value)] = Admission(each.arrival, _whole(value, memory, notes), _heard(site, value))
        elif isinstance(value, EvidenceUnit):
            old = site.means.store.archive.unit(Sight((value.scope,)), value.ref)
            found[_name(value)] = Admission(each.arrival, value, old)
        else:
            before: Any = (
                held.get(value.id) if isinstance(value, Memory) else site.means.store.proposals.get(sight, value.id)
            )
            how = standing(value, before, "" if site.proven else site.writer) if before is not None else None
            found[_name(value)] = Admission(each.arrival, value, before, how)
    return list(found.values())


def _spoken_of(site: Site, value: Any) -> tuple[str, ...]:
    """The memories to look up for a row."""
    return (value.id,) if isinstance(value, Memory) else _about(site, value)


def _about(site: Site, value: Any) -> tuple[str, ...]:
    """The memories whose standing a row changes by being there: what was said of one; a merge nobody can prove."""
    if isinstance(value, Said):
        return (value.what.memory_id,)
    merged = isinstance(value, Proposal) and value.operation == "merge" and value.status == "applied"
    return value.related if merged and not site.proven else ()


def _name(value: Any) -> object:
    """What two rows must not share."""
    if isinstance(value, Said):
        what = value.what
        return ("outcome", what.id) if isinstance(what, Outcome) else ("flag", what.memory_id, what.by, what.cleared_at)
    return (value.scope.key, value.ref) if isinstance(value, EvidenceUnit) else value.id


def _may_speak(site: Site, memory: Memory | None, name: str, notes: Notes) -> bool:
    """Whether a row may be about a memory: without proof only about what came the same way, or comes with it."""
    if memory is None:
        return name in notes.arrived
    return site.proven or memory.provenance.writer == site.writer


def _whole(value: Said, memory: Memory | None, notes: Notes) -> Said:
    """An outcome that does not say of which generation of its memory it is, is of the present one."""
    if not isinstance(value.what, Outcome) or value.what.generation:
        return value
    made = memory.created_at if memory else notes.arrived[value.what.memory_id]
    return Said(value.scope, replace(value.what, generation=made))


def _heard(site: Site, value: Said) -> object:
    """The same, where it is here already."""
    store, what = site.means.store, value.what
    sight = Sight((value.scope,))
    if isinstance(what, Outcome):
        return store.outcomes.get(sight, what.id)
    open_, past = store.flags.of(sight, [what.memory_id]), store.flags.past(sight, what.memory_id, 1_000)
    return next((one for one in (*open_, *past) if (one.by, one.cleared_at) == (what.by, what.cleared_at)), None)


def _chapter(value: Any) -> Chapter:
    if isinstance(value, Said):
        return "outcomes" if isinstance(value.what, Outcome) else "flags"
    if isinstance(value, EvidenceUnit):
        return "units"
    return "memories" if isinstance(value, Memory) else "proposals"


def _settled(fit: Admission, notes: Notes) -> bool:
    """Whether nothing is to be done about a row."""
    chapter = _chapter(fit.value)
    if fit.old is None or fit.how == "newer":
        return False
    if fit.how is None or fit.how == "same":
        notes.count(chapter, "unchanged")
    else:
        notes.keep(chapter, fit.value.id, fit.how)
    return True


def _gated(site: Site, fit: Admission, notes: Notes) -> Admission | None:
    if isinstance(fit.value, EvidenceUnit):
        return fit
    value = screened(site, fit.value)
    if isinstance(value, Problem):
        _refused(fit.arrival, value, notes)
        return None
    if isinstance(value, Memory):
        notes.arrive(value.id, value.created_at)
    return Admission(fit.arrival, replaced(value, fit.old) if fit.old is not None else value, fit.old, fit.how)


def _stored(site: Site, fit: Sequence[Admission], notes: Notes, run: str) -> list[Admission]:
    """Keep everything that is still as it was looked at, in one transaction; gives what was."""
    means, store = site.means, site.means.store
    with store.transaction():
        here = list(_remembered(means, iter(fit), notes))
        still = [each for each in _beside(site, here, notes) if not _settled(each, notes)]
        means.name_place()
        new = [each.value for each in still if each.old is None]
        if memories := [each for each in new if isinstance(each, Memory)]:
            store.cargo.accept("memories", memories)
        for each in still:
            _put(means, each)
        if units := [each for each in new if isinstance(each, EvidenceUnit)]:
            store.archive.put_units(units)
        for chapter in ("outcomes", "flags"):
            if said := [each for each in new if isinstance(each, Said) and _chapter(each) == chapter]:
                store.cargo.accept(chapter, said)
        told = (each for each in still if not isinstance(each.value, EvidenceUnit | Said))
        store.events.append(*(_event(means, each, site.now, run) for each in told))
        if site.meets:
            among(means, memories, site.now)
    return still


def _put(means: Means, fit: Admission) -> None:
    """One row that is not taken in with others like it."""
    if _chapter(fit.value) == "proposals":
        means.store.proposals.put(fit.value)
    elif isinstance(fit.value, Memory) and fit.old is not None:
        means.store.memories.put(fit.value)


def _event(means: Means, fit: Admission, now: str, run: str) -> Any:
    detail: dict[str, object] = {"import": run, "kind": fit.value.kind, "status": fit.value.status}
    if isinstance(fit.old, Memory):
        names = ("status", "superseded_by", "valid_from", "expires_at")
        detail["before"] = {name: getattr(fit.old, name) for name in names}
    return means.event("import", fit.value.id, now, detail)


def _counted(fit: Admission, notes: Notes) -> None:
    value = fit.value
    if isinstance(value, Memory) and value.status == "quarantined" and "quarantine" in value.metadata:
        notes.count("memories", "quarantined")
    else:
        notes.count(_chapter(value), "updated" if fit.old is not None else "added")
    notes.unembedded += isinstance(value, Memory) and value.status == "active" and is_embeddable(value)
