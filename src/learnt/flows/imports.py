"""Memories from a file, taken in: rules, gate, trust and the versions that are here decide about every row.

The file is read twice: first to learn which row of an id is its last, what belongs where, and whether the export can be
proven; then batch by batch, each in one transaction. A row that is there already is passed over, so that an import that
was interrupted goes on where it stopped.
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, field, replace
from itertools import groupby, islice
from typing import TYPE_CHECKING, Any, Final

from learnt.flows.admit import admit
from learnt.flows.decide import person_required
from learnt.flows.imported import Imported, Kept, Notes, Step
from learnt.flows.reflect import refresh
from learnt.flows.sift import Site
from learnt.flows.switch import off
from learnt.govern.arrival import circles
from learnt.model.cargo import Said
from learnt.model.keys import memory_id, sealed, short_id
from learnt.model.memory import Memory
from learnt.model.parcel import Fault
from learnt.model.proposal import Proposal

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from learnt.flows.means import Means
    from learnt.model.answer import Refusal
    from learnt.model.parcel import Arrival, Outline
    from learnt.model.scope import Scope
    from learnt.ports.parcel import Parcel

BATCH: Final = 500
LAST: Final = "import.last:"
"""The fact that holds what the last import into a repository told."""
_ONCE: Final = "import.once:"
_SHOWN: Final = 50
_REPOSITORY: Final = frozenset({"repository", "workspace", "project"})


@dataclass(slots=True)
class _Survey:
    """What the first pass found.

    Attributes:
        newest: Of each id the place of its last row, as one number: the last of a million ids take 150 MB.
        files: Number of each file.
        links: What replaced what. `circular`: what is replaced by itself in the end.
        foreign: Scopes out of sight, by key.
        said: Kind and text of rows in foreign scopes, whose ids change with the scope.
    """

    newest: dict[str, int] = field(default_factory=dict)
    files: dict[str, int] = field(default_factory=dict)
    links: dict[str, str] = field(default_factory=dict)
    foreign: dict[str, Scope] = field(default_factory=dict)
    said: dict[str, tuple[str, str, str]] = field(default_factory=dict)
    circular: frozenset[str] = frozenset()
    rows: int = 0
    repeated: int = 0

    def place(self, each: Outline | Arrival) -> int:
        """File and line as one number."""
        return self.files.setdefault(each.file, len(self.files)) << 40 | each.line


def import_(
    means: Means,
    parcel: Parcel,
    *,
    backups: str = "",
    here: bool = False,
    dry_run: bool = False,
    tell: Callable[[Step], None] | None = None,
) -> Imported | Refusal:
    """Take a parcel in.

    Args:
        backups: Where copies of originals are kept.
        here: Rows of another repository, or of another person, become this one's.
        dry_run: Tell everything, write nothing.
        tell: Called after each batch, for progress.

    Raises:
        UsageError: The parcel cannot be read; nothing was written.
        StoreError: The store does not answer; batches before are kept, and the next run goes on.
    """
    if refused := person_required(means, "import") or off(means):
        return refused
    now, notes = means.clock.now(), Notes(dry_run=dry_run)
    survey = _surveyed(means, parcel)
    doubt, mark = _doubt(means, parcel), _mark(parcel)
    if mark and (told := means.store.meta.get(mark)):
        earlier = replace(_recalled(json.loads(told)), source=parcel.source, backups=parcel.keep(backups))
        return replace(earlier, skipped=True, dry_run=dry_run)
    copies, run = ((), "") if dry_run else (parcel.keep(backups), means.ids.new("imp"))
    site = _site(means, parcel, survey, now, here=here, proven=not doubt)
    notes.rows, notes.repeated = survey.rows, survey.repeated
    with means.brake.on():
        for done, batch in _batches(parcel, survey):
            admit(site, _sound(batch, survey, notes), notes, run)
            if tell is not None:
                tell(Step(survey.rows + done, 2 * survey.rows))
    answer = replace(_answer(parcel, notes, now, run, doubt), backups=copies)
    if not dry_run:
        site.tally.tell(means, "import", run)
        _finished(means, answer, mark)
    return answer


def _mark(parcel: Parcel) -> str:
    """The fact that says a parcel was taken over; "" where it may come again."""
    return _ONCE + short_id(json.dumps(sorted(parcel.digests().items()))) if parcel.once else ""


def _surveyed(means: Means, parcel: Parcel) -> _Survey:
    survey, own = _Survey(), set(means.context.sight.keys)
    for each in parcel.outlines():
        if each.torn:
            continue
        survey.rows += 1
        if each.id:
            survey.repeated += each.id in survey.newest
            survey.newest[each.id] = survey.place(each)
        if each.scope is not None and each.scope.key not in own:
            survey.foreign.setdefault(each.scope.key, each.scope)
            if each.kind:
                survey.said[each.id] = (each.scope.key, each.kind, each.text)
        if each.successor or each.id in survey.links:
            survey.links[each.id] = each.successor
    survey.circular = circles(survey.links)
    return survey


def _doubt(means: Means, parcel: Parcel) -> str:
    """Why it is not proven that this installation exported exactly this; "" where it is."""
    manifest = parcel.manifest()
    if manifest is None:
        return "no manifest"
    if not means.key or not manifest.seal or sealed(means.key, manifest.parts) != manifest.seal:
        return "sealed by another installation, or by none"
    listed = {name: each.sha256 for name, each in manifest.files.items()}
    if listed == parcel.digests() or listed == parcel.restated():
        return ""
    return "not what was exported"


def _site(means: Means, parcel: Parcel, survey: _Survey, now: str, *, here: bool, proven: bool) -> Site:
    scopes = {scope.key: scope for scope in means.context.sight}
    for key, scope in survey.foreign.items():
        meant = _meant(scope)
        if meant and (here or _is_blank(scope) or (parcel.once and _alone(survey, meant))):
            scopes[key] = means.context.sight.one(meant)  # type: ignore[arg-type]
    renamed = {
        old: memory_id(scopes[key].key, kind, text) for old, (key, kind, text) in survey.said.items() if key in scopes
    }
    meets = not proven and not (parcel.settled and _is_empty(means))
    return Site(means=means, now=now, proven=proven, scopes=scopes, renamed=renamed, meets=meets)


def _is_empty(means: Means) -> bool:
    """Whether nothing is in sight yet: what another store had settled is then not settled again, without its trust."""
    return not sum(means.store.memories.count(means.context.sight).values())


def _meant(scope: Scope) -> str:
    """Which scope here a foreign one would be; "" for what lasts no longer than a run."""
    if scope.type in _REPOSITORY:
        return "repository"
    return "global_user" if scope.type == "global_user" else ""


def _is_blank(scope: Scope) -> bool:
    """A scope that names nobody: the format has none, and means the one here."""
    return scope.key == f'{{"type":"{scope.type}"}}'


def _alone(survey: _Survey, meant: str) -> bool:
    """Whether a file made for one place names one such scope only."""
    named = (scope for scope in survey.foreign.values() if not _is_blank(scope))
    return sum(_meant(scope) == meant for scope in named) == 1


def _batches(parcel: Parcel, survey: _Survey) -> Iterator[tuple[int, list[Arrival]]]:
    """The rows that count, with how many were looked at; what was said of memories apart from these, which it needs."""
    done = 0
    for _, same in groupby(parcel.arrivals(), _needs_others):
        while some := list(islice(same, BATCH)):
            done += len(some)
            yield done, [each for each in some if _counts(each, survey)]


def _needs_others(each: Arrival) -> bool:
    """Whether a row is about memories that must be there first."""
    value = each.value
    return isinstance(value, Said) or (isinstance(value, Proposal) and value.operation == "merge")


def _counts(each: Arrival, survey: _Survey) -> bool:
    """Whether a row is told of: the last one of its id, and every one that cannot be read."""
    return each.value is None or not each.id or survey.newest.get(each.id) == survey.place(each)


def _sound(batch: list[Arrival], survey: _Survey, notes: Notes) -> list[Arrival]:
    """The rows that can be read, and replace one another in no circle."""
    kept = []
    for each in batch:
        if each.torn:
            notes.torn[each.file] = None
        elif each.value is None:
            notes.fault(Fault(each.file, each.line, each.error), "invalid")
        elif isinstance(each.value, Memory) and each.value.id in survey.circular:
            notes.fault(Fault(each.file, each.line, "superseded by itself in the end"), "invalid")
        else:
            kept.append(each)
    return kept


def _answer(parcel: Parcel, notes: Notes, now: str, run: str, doubt: str) -> Imported:
    return Imported(
        run=run,
        format=parcel.format,
        source=parcel.source,
        at=now,
        dry_run=not run,
        proven=not doubt,
        doubt=doubt,
        counts={chapter: dict(counted) for chapter, counted in sorted(notes.counts.items())},
        rows=notes.rows,
        repeated=notes.repeated,
        invalid=notes.invalid,
        faults=notes.in_order(),
        codes=dict(sorted(notes.codes.items())),
        kept=tuple(notes.kept),
        ahead=notes.ahead,
        torn=tuple(notes.torn),
        unembedded=notes.unembedded,
    )


def _finished(means: Means, answer: Imported, mark: str) -> None:
    """What was done, in the audit trail and where `status` finds it: there without places of this machine."""
    detail = {
        "format": answer.format,
        "proven": answer.proven,
        "rows": answer.rows,
        "invalid": answer.invalid,
        "counts": answer.counts,
        "codes": answer.codes,
    }
    told = json.dumps(_shortened(answer))
    with means.store.transaction():
        means.store.meta.put(LAST + means.identity.repository_id, told)
        if mark:
            means.store.meta.put(mark, told)
        means.store.events.append(means.event("import", answer.run, answer.at, detail))
    if answer.of("outcomes", "added"):
        refresh(means)


def _shortened(answer: Imported) -> dict[str, Any]:
    name = answer.source.replace("\\", "/").rstrip("/").rpartition("/")[2]
    shown = replace(answer, faults=answer.faults[:_SHOWN], kept=answer.kept[:_SHOWN], source=name, backups=())
    return asdict(shown)


def _recalled(told: dict[str, Any]) -> Imported:
    """What an earlier import told."""
    told["faults"] = tuple(Fault(**each) for each in told["faults"])
    told["kept"] = tuple(Kept(**each) for each in told["kept"])
    told["backups"] = ()
    told["torn"] = tuple(told["torn"])
    return Imported(**told)


def last(means: Means) -> Imported | None:
    """What the last import into this repository told; its lists are shortened."""
    told = means.store.meta.get(LAST + means.identity.repository_id)
    return _recalled(json.loads(told)) if told else None
