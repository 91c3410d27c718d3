"""Everything in the dictionaries, given and taken chapter by chapter."""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from learnt.model.cargo import (
    CHAPTERS,
    Era,
    Load,
    MetaFact,
    Placed,
    ProvenRecipe,
    Receipt,
    Said,
    SeenMessage,
    Shunned,
    stays,
)
from learnt.model.evidence import EvidenceUnit
from learnt.model.flag import Flag
from learnt.model.scope import scope_of
from learnt.model.vector import Embedded, Generation
from learnt.stores.ephemeral.feed import tell
from learnt.stores.ephemeral.outcomes import counted
from learnt.stores.ephemeral.tables import Tables

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from learnt.model.cargo import Carried, Chapter
    from learnt.model.scope import Sight
    from learnt.stores.ephemeral.tables import Guard


class EphemeralCargo:
    """See `learnt.ports.cargo.Cargo`. A place is the number of rows before it."""

    chapters: tuple[Chapter, ...] = CHAPTERS

    def __init__(self, tables: Tables, guard: Guard) -> None:
        self._tables = tables
        self._guard = guard
        self._seen: Tables | None = None

    @contextmanager
    def moment(self) -> Iterator[None]:
        """A copy of what there is now, until the end."""
        with self._guard.reading():
            self._seen = Tables(**self._tables.copies())  # type: ignore[arg-type]
        try:
            yield
        finally:
            self._seen = None

    def count(self, chapter: Chapter) -> int:
        """How many rows."""
        return len(self._all(chapter))

    def load(self, chapter: Chapter, after: str, limit: int) -> Load:
        """The next rows."""
        begin = int(after or 0)
        held = self._all(chapter)
        end = str(min(begin + limit, len(held)))
        return Load(tuple(held[begin : begin + limit]), end if len(held) > begin + limit else "", end)

    def within(self, sight: Sight, chapter: Chapter, after: str, limit: int) -> Load:
        """The next rows in sight."""
        begin = int(after or 0)
        found = [each for each in self._all(chapter) if getattr(each, "scope") in sight and _given(each)]  # noqa: B009
        found.sort(key=_by_name)
        end = str(min(begin + limit, len(found)))
        return Load(tuple(found[begin : begin + limit]), end if len(found) > begin + limit else "", end)

    def left(self, sight: Sight) -> Mapping[str, int]:
        """How many rows in sight no `within` gives."""
        with self._guard.reading():
            held = self._seen or self._tables
            return {
                "units": sum(each.scope in sight and not _given(each) for each in held.units.values()),
                "sessions": sum(each.scope in sight for each in held.sessions.values()),
                "extractions": sum(each.scope_key in sight.keys for each in held.extractions.values()),
                "recipes": sum(place[0] in sight.keys for place in held.recipes),
                "receipts": sum(bool({*each.scope_keys} & {*sight.keys}) for each in held.bundles.values()),
            }

    def accept(self, chapter: Chapter, values: Sequence[Carried]) -> None:
        """Keep these; the chapter says of which class they are."""
        with self._guard.writing():
            for value in values:
                _TAKE[chapter](self._tables, value)

    def clear(self) -> None:
        """Remove everything but facts that stay."""
        with self._guard.writing():
            kept = {key: value for key, value in self._tables.facts.items() if stays(key)}
            self._tables.restore(Tables().copies())
            self._tables.facts.update(kept)

    def finish(self) -> None:
        """There is nothing to make."""

    def _all(self, chapter: Chapter) -> list[Carried]:
        with self._guard.reading():
            return list(_GIVE[chapter](self._seen or self._tables))


def _by_name(value: Any) -> tuple[str, ...]:
    """What an export is in the order of."""
    what = value.what if isinstance(value, Said) else value
    if isinstance(what, Flag):
        return what.memory_id, f"{what.by}\n{what.cleared_at}"
    return what.id, value.scope.key


def _given(value: object) -> bool:
    """Whether an export gives it: of evidence, documents and what something rests on."""
    return not isinstance(value, EvidenceUnit) or value.cited or value.type == "document"


def _scopes(tables: Tables) -> Iterable[Carried]:
    """Those that were named, in their order, then those that anything belongs to."""
    keys = [*tables.scopes]
    for table in (tables.memories, tables.proposals, tables.units, tables.sessions):
        keys += [each.scope.key for each in table.values()]
    keys += [place[0] for place in (*tables.recipes, *tables.forgotten)]
    for drawn in (tables.threads, tables.extractions, tables.summaries):
        keys += [each.scope_key for each in drawn.values()]
    keys += [key for bundle in tables.bundles.values() for key in bundle.scope_keys]
    return [scope_of(key) for key in dict.fromkeys(keys)]


def _eras(tables: Tables) -> Iterable[Carried]:
    for number, each in sorted(tables.generations.items()):
        began_at, finished_at = tables.moments.get(number, ("", None))
        yield Era(
            target=each.target,
            version=each.version,
            form=each.form,
            dimension=each.dimension,
            status=each.status,
            began_at=began_at,
            finished_at=finished_at,
        )


def _placed(tables: Tables, *, failed: bool) -> Iterable[Carried]:
    for (number, name), held in tables.vectors.items():
        era = tables.generations[number]
        if failed != bool(held.vectors):
            attempts, at = tables.tries.get((number, name), (1, "")) if failed else (0, "")
            yield Placed(
                target=era.target,
                version=era.version,
                form=era.form,
                id=name,
                vectors=held.vectors,
                failure=held.failure,
                attempts=attempts,
                at=at,
            )


def _facts(held: dict[str, str]) -> Iterable[Carried]:
    return [MetaFact(key, value) for key, value in held.items() if not stays(key)]


_GIVE: dict[Chapter, Callable[[Tables], Iterable[Carried]]] = {
    "scopes": _scopes,
    "memories": lambda tables: tables.memories.values(),
    "formers": lambda tables: tables.pasts.values(),
    "outcomes": lambda tables: [Said(scope_of(place[0]), each) for place, each in tables.outcomes.items()],
    "flags": lambda tables: [Said(scope_of(place[0]), each) for place, each in tables.flags.items()],
    "proposals": lambda tables: tables.proposals.values(),
    "events": lambda tables: tables.events.values(),
    "checkpoints": lambda tables: tables.checkpoints.values(),
    "receipts": lambda tables: [Receipt(*each) for each in tables.bundles.items()],
    "contexts": lambda tables: tables.contexts.values(),
    "units": lambda tables: [replace(each, scope=scope_of(each.scope.key)) for each in tables.units.values()],
    "sessions": lambda tables: tables.sessions.values(),
    "threads": lambda tables: tables.threads.values(),
    "extractions": lambda tables: tables.extractions.values(),
    "summaries": lambda tables: tables.summaries.values(),
    "seen": lambda tables: [SeenMessage(*place) for place in tables.seen],
    "recipes": lambda tables: [ProvenRecipe(scope_of(place[0]), each) for place, each in tables.recipes.items()],
    "digests": lambda tables: [Shunned(scope_of(key), name, *held) for (key, name), held in tables.forgotten.items()],
    "aliases": lambda tables: [MetaFact(*each) for each in tables.aliases.items()],
    "facts": lambda tables: _facts(tables.facts),
    "generations": _eras,
    "vectors": lambda tables: _placed(tables, failed=False),
    "failures": lambda tables: _placed(tables, failed=True),
    "jobs": lambda tables: tables.jobs.values(),
    "charges": lambda tables: tables.charges.values(),
}


def _take_memory(tables: Tables, value: Any) -> None:
    tables.memories[value.id] = value
    tell(tables, value.scope, value.id)


def _take_outcome(tables: Tables, value: Any) -> None:
    tables.outcomes[value.scope.key, value.what.id] = value.what
    counted(tables, value.what.memory_id)


def _take_flag(tables: Tables, value: Any) -> None:
    flag = value.what
    tables.flags[value.scope.key, flag.memory_id, flag.by, flag.cleared_at] = flag
    counted(tables, flag.memory_id)


def _take_event(tables: Tables, value: Any) -> None:
    if value.id not in tables.events:
        tables.events[value.id] = value
        tables.targets[value.target_id] = (*tables.targets.get(value.target_id, ()), value.id)


def _take_era(tables: Tables, value: Any) -> None:
    number = _number(tables, value) or max(tables.generations, default=0) + 1
    tables.moments[number] = (value.began_at, value.finished_at)
    tables.generations[number] = Generation(
        number=number,
        target=value.target,
        version=value.version,
        form=value.form,
        dimension=value.dimension,
        status=value.status,
    )


def _take_placed(tables: Tables, value: Any) -> None:
    place = (_number(tables, value), value.id)
    tables.vectors[place] = Embedded(id=value.id, vectors=value.vectors, failure=value.failure)
    if not value.vectors:
        tables.tries[place] = (value.attempts, value.at)


def _number(tables: Tables, value: Any) -> int:
    """The number of a generation; 0 for an unknown one."""
    name = (value.target, value.version, value.form)
    return next((no for no, each in tables.generations.items() if (each.target, each.version, each.form) == name), 0)


def _keep(table: str, key: Callable[[Any], Any], value: Callable[[Any], Any] = lambda each: each) -> Any:
    def take(tables: Tables, given: Any) -> None:
        getattr(tables, table)[key(given)] = value(given)

    return take


_TAKE: dict[Chapter, Callable[[Tables, Any], None]] = {
    "scopes": _keep("scopes", lambda each: each.key),
    "memories": _take_memory,
    "formers": _keep("pasts", lambda each: (each.memory.id, each.until)),
    "outcomes": _take_outcome,
    "flags": _take_flag,
    "proposals": _keep("proposals", lambda each: each.id),
    "events": _take_event,
    "checkpoints": _keep("checkpoints", lambda each: (each.installation, each.epoch)),
    "receipts": _keep("bundles", lambda each: each.number, lambda each: each.bundle),
    "contexts": _keep("contexts", lambda each: each.session),
    "units": _keep("units", lambda each: (each.scope.key, each.ref)),
    "sessions": _keep("sessions", lambda each: each.id),
    "threads": _keep("threads", lambda each: each.id),
    "extractions": _keep("extractions", lambda each: each.session_id),
    "summaries": _keep("summaries", lambda each: (each.scope_key, each.digest)),
    "seen": _keep("seen", lambda each: (each.lineage, each.message), lambda _: True),
    "digests": _keep("forgotten", lambda each: (each.scope.key, each.digest), lambda each: (each.trace, each.at)),
    "recipes": _keep(
        "recipes",
        lambda each: (each.scope.key, each.recipe.key, each.recipe.session_id),
        lambda each: each.recipe,
    ),
    "aliases": _keep("aliases", lambda each: each.key, lambda each: each.value),
    "facts": _keep("facts", lambda each: each.key, lambda each: each.value),
    "generations": _take_era,
    "vectors": _take_placed,
    "failures": _take_placed,
    "jobs": _keep("jobs", lambda each: each.id),
    "charges": _keep("charges", lambda each: each.id),
}

assert set(_GIVE) == set(_TAKE) == set(CHAPTERS)  # noqa: S101 - two tables of one vocabulary
