"""Vectors in dictionaries: every one in sight is compared with the query, number by number."""

from __future__ import annotations

from array import array
from dataclasses import replace
from math import fsum
from typing import TYPE_CHECKING

from learnt.errors import UsageError
from learnt.model.memory import Memory
from learnt.model.vector import (
    MOST_PARTS,
    Embedded,
    Generation,
    Near,
    Unembedded,
    VectorFilter,
    is_embeddable,
    is_sound,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from learnt.model.evidence import EvidenceUnit
    from learnt.model.scope import Sight
    from learnt.model.vector import Target
    from learnt.stores.ephemeral.tables import Guard, Tables


def drop_vectors(tables: Tables, target: Target, target_id: str) -> None:
    """Forget every vector of a target, and that it had none."""
    for generation in tables.generations.values():
        if generation.target == target:
            tables.vectors.pop((generation.number, target_id), None)


class EphemeralVectors:
    """See `learnt.ports.vectors.Vectors`."""

    def __init__(self, tables: Tables, guard: Guard) -> None:
        self._tables = tables
        self._guard = guard

    def generation(self, target: Target, version: str = "", form: str = "") -> Generation | None:
        """The generation of this model and form, or the current one, without counts."""
        with self._guard.reading():
            for each in self._tables.generations.values():
                same = (each.version, each.form) == (version, form) if version else each.status == "current"
                if each.target == target and same:
                    return each
            return None

    def begin(self, target: Target, version: str, form: str, dimension: int, now: str) -> Generation:
        """The same, made where need be: the first of a target is current at once."""
        del now
        held = self.generation(target, version, form)
        with self._guard.writing():
            if held is not None and held.dimension != dimension:
                raise UsageError("A model keeps its number of dimensions.", code="vector")
            if held is None or held.status == "retired":
                others = [each for each in self._tables.generations.values() if each.target == target]
                current = any(each.status == "current" for each in others)
                held = Generation(
                    number=held.number if held else max(self._tables.generations, default=0) + 1,
                    target=target,
                    version=version,
                    form=form,
                    dimension=dimension,
                    status="building" if current else "current",
                )
                self._tables.generations[held.number] = held
            return held

    def put(self, generation: Generation, given: Sequence[Embedded], now: str) -> None:
        """Keep vectors, or why there are none."""
        del now
        with self._guard.writing():
            known = {each.id for each in self._targets(generation.target)}
            for each in given:
                if each.id in known:
                    self._tables.vectors[generation.number, each.id] = _judged(each, generation.dimension)

    def missing(self, generation: Generation, limit: int, after: int = 0) -> tuple[Unembedded, ...]:
        """Targets without a vector, in order of insertion."""
        with self._guard.reading():
            found = [
                Unembedded(
                    id=each.id,
                    text=each.text,
                    place=place,
                    who=getattr(each, "who", ""),
                    type=getattr(each, "type", ""),
                )
                for place, each in enumerate(self._targets(generation.target), 1)
                if place > after and _wanted(each) and not self._is_done(generation, each.id)
            ]
        return tuple(found[:limit])

    def finish(self, generation: Generation, now: str) -> bool:
        """Make the generation current if nothing is missing."""
        del now
        held = self._tables.generations.get(generation.number)
        if held is None or held.status == "current":
            return held is not None
        if self.missing(held, 1):
            return False
        with self._guard.writing():
            for number, each in list(self._tables.generations.items()):
                if each.target == held.target and each.status == "current":
                    self._tables.generations[number] = replace(each, status="retired")
            self._tables.generations[held.number] = replace(held, status="current")
        return True

    def sweep(self, limit: int) -> int:
        """Remove some vectors of retired generations, and at last the generations."""
        with self._guard.writing():
            old = {each.number for each in self._tables.generations.values() if each.status == "retired"}
            gone = [key for key in self._tables.vectors if key[0] in old][:limit]
            for key in gone:
                del self._tables.vectors[key]
            if len(gone) < limit:
                for number in old:
                    del self._tables.generations[number]
            return len(gone)

    def search(
        self, sight: Sight, generation: Generation, vector: bytes, k: int, wanted: VectorFilter
    ) -> tuple[Near, ...]:
        """The nearest in sight."""
        if not is_sound(vector, generation.dimension):
            raise UsageError("The query's vector is no unit vector of this model.", code="vector")
        query = array("f", vector)
        with self._guard.reading():
            found = [
                Near(each.id, max(_cosine(query, one) for one in held.vectors))
                for each in self._targets(generation.target)
                if each.scope in sight
                and _passes(each, wanted)
                and (held := self._tables.vectors.get((generation.number, each.id)))
                and held.vectors
            ]
        found.sort(key=lambda near: (-near.cosine, near.id))
        return tuple(found[:k])

    def kept(self, sight: Sight, generation: Generation, names: Sequence[str]) -> Mapping[str, tuple[bytes, ...]]:
        """The vectors of these targets."""
        wanted = frozenset(names)
        with self._guard.reading():
            return {
                each.id: held.vectors
                for each in self._targets(generation.target)
                if each.id in wanted
                and each.scope in sight
                and (held := self._tables.vectors.get((generation.number, each.id)))
                and held.vectors
            }

    def state(self, target: Target) -> tuple[Generation, ...]:
        """Every generation with its counts, newest first."""
        with self._guard.reading():
            held = [each for each in self._tables.generations.values() if each.target == target]
            return tuple(self._counted(each) for each in sorted(held, key=lambda each: -each.number))

    def _counted(self, generation: Generation) -> Generation:
        wanted = {each.id for each in self._targets(generation.target) if _counts(each)}
        mine = [(key[1], each) for key, each in self._tables.vectors.items() if key[0] == generation.number]
        return replace(
            generation,
            embedded=sum(bool(each.vectors) and name in wanted for name, each in mine),
            missing=len(self.missing(generation, len(self._tables.memories) + len(self._tables.units))),
            failed=sum(bool(each.failure) for _, each in mine),
        )

    def _targets(self, target: Target) -> Iterator[Memory | EvidenceUnit]:
        yield from self._tables.memories.values() if target == "memory" else self._tables.units.values()

    def _is_done(self, generation: Generation, target_id: str) -> bool:
        held = self._tables.vectors.get((generation.number, target_id))
        return held is not None and not held.failure


def _judged(each: Embedded, dimension: int) -> Embedded:
    vectors = each.vectors[:MOST_PARTS]
    if each.failure or not all(is_sound(vector, dimension) for vector in vectors):
        return Embedded(id=each.id, failure=each.failure or "degenerate")
    return Embedded(id=each.id, vectors=vectors)


def _wanted(each: Memory | EvidenceUnit) -> bool:
    return is_embeddable(each) if isinstance(each, Memory) else bool(each.text.strip())


def _counts(each: Memory | EvidenceUnit) -> bool:
    """Whether its vector is told of: that of a memory neither active nor superseded is searched by nobody."""
    return not isinstance(each, Memory) or each.status in {"active", "superseded"}


def _passes(each: Memory | EvidenceUnit, wanted: VectorFilter) -> bool:
    if isinstance(each, Memory):
        live = each.status not in {"active", "deleted"} if wanted.retired else each.status == "active"
        kind, since, until = str(each.kind), each.valid_from, each.expires_at
    else:
        said = wanted.who in {"", each.who} and wanted.session in {"", each.session_id}
        live, kind, since, until = said and not wanted.retired, each.type, each.at, None
    return (
        live
        and (not wanted.kinds or kind in wanted.kinds)
        and not (wanted.now and ((until and until <= wanted.now) or since > wanted.now))
        and (not wanted.since or since >= wanted.since)
        and (not wanted.until or since < wanted.until)
    )


def _cosine(one: array[float], vector: bytes) -> float:
    return round(fsum(x * y for x, y in zip(one, array("f", vector), strict=True)), 7)
